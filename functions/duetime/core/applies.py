"""Whether a queued run may still start under today's definition: a pure decision taken before and after its begin."""

from __future__ import annotations

from duetime.core.ids import ordinal_text
from duetime.core.plan import plan
from duetime.core.run import Run
from duetime.core.schedulekinds import has_fixed_delay
from duetime.core.stored import StoredJob


def why_not(stored: StoredJob | None, run: Run) -> str | None:
    """Return why a run must end superseded instead of starting, or None when it may start.

    A manual run needs its job only; automatic ones also need the job and trigger enabled, and an occurrence needs its
    schedule to contain its nominal instant still.
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
    if fixed_delay:
        return None
    return None if plan(trigger.schedule, anchor=armed.anchor).contains(run.nominal) else "rescheduled"
