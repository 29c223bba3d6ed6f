"""Whether a queued run may still start under today's definition: a pure decision taken before and after its begin."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from duetime.core.definition import Trigger
from duetime.core.errors import ScheduleError
from duetime.core.exclusion import exclusion
from duetime.core.ids import ordinal_text
from duetime.core.plan import plan
from duetime.core.run import Run
from duetime.core.schedulekinds import has_fixed_delay
from duetime.core.stored import Armed, StoredJob

EXCLUDED: Final = "excluded by calendar"
"""How the reason of a run begins whose instant a calendar has come to exclude; its name follows."""
_NO_CALENDARS: Final[Mapping[str, object]] = MappingProxyType({})


def why_not(
    stored: StoredJob | None, run: Run, calendars: Mapping[str, object] = _NO_CALENDARS
) -> str | None:
    """Return why a run must end superseded instead of starting, or None when it may start.

    A manual run needs its job only; automatic ones also need the job and trigger enabled, and an occurrence needs its
    schedule to contain its nominal instant still. `calendars` are those of the trigger's schedule, by name.
    """
    if stored is None or stored.uid != run.uid:
        return "deleted"
    if run.kind == "manual" or run.trigger is None:
        return None
    if stored.paused:
        return "paused"
    trigger, armed = stored.job.trigger(run.trigger), stored.armed.get(run.trigger)
    if trigger is None or armed is None:
        return "trigger removed"
    if not trigger.enabled or armed.paused:
        return "paused"
    if run.kind != "schedule" or run.nominal is None:
        return None
    fixed_delay = has_fixed_delay(trigger.schedule)
    expected = ordinal_text(
        ordinal=armed.ordinal, again=armed.again, again_from=armed.again_from, again_until=armed.again_until,
        nominal=run.nominal,
        generation=armed.generation if fixed_delay else None,
    )  # fmt: skip
    if run.ordinal != expected:
        return "armed anew" if run.ordinal.split("/")[0] != expected.split("/")[0] else "rescheduled"
    if run.nominal < armed.floor:
        return "paused when it was due"
    return _not_contained(trigger, armed, run.nominal, calendars)


def _not_contained(
    trigger: Trigger, armed: Armed, nominal: int, calendars: Mapping[str, object]
) -> str | None:
    """Why a schedule does not name an instant (any more), or None where it does."""
    schedule = trigger.schedule
    if has_fixed_delay(schedule) and schedule.calendar is None:
        return None  # what is due depends on when the run before finished
    try:
        occurrences = plan(schedule, anchor=armed.anchor, calendars=calendars)
    except ScheduleError as error:  # its zone or calendar is gone: nobody can say whether it is due
        return f"its schedule cannot be decided: {error.field} {error.problem}"
    if occurrences.contains(nominal):
        return None
    if schedule.calendar is not None and exclusion(schedule.calendar, calendars).excluded(nominal):
        return f"{EXCLUDED} {schedule.calendar}"
    return "rescheduled"
