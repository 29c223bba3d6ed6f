"""The occurrences of triggers under the calendars of their project, as one verb of the engine sees them.

Calendars are read consistently, each once for a verb, members included, and only where a schedule names one. A calendar
that is gone or cannot be decided is the fault of the triggers under it alone: asking for their plan raises ScheduleError.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from duetime.core.errors import ScheduleError
from duetime.core.exclusion import MAX_LEAVES, exclusion
from duetime.core.faults import Unreadable
from duetime.core.plan import Plan, plan
from duetime.core.schedule import Schedule
from duetime.core.stored import StoredCalendar, members_of
from duetime.core.triggerrow import TriggerRow
from duetime.ports import CalendarStore

NONE: Final[Mapping[str, object]] = MappingProxyType({})
LENIENT: Final = 8
"""How many times what one change may nest or gather is still evaluated: two at once can go over it, and stop no trigger."""

READS: Final = 2
"""How often a tree is read that does not hold together: a member may go between the reads of two levels."""


def read_calendars(store: CalendarStore, project: str, names: Collection[str]) -> dict[str, StoredCalendar]:
    """Return the calendars of these names and all their members, however deep; those that do not exist are left out.

    Goes level by level and stops at a bound that no legal calendar comes to: what is missing then is found missing by the
    evaluation.
    """
    found: dict[str, StoredCalendar] = {}
    wanted = set(names)
    while wanted and len(found) <= LENIENT * MAX_LEAVES:
        level = store.get_calendars(project, sorted(wanted))
        found |= level
        wanted = {name for one in level.values() for name in members_of(one.calendar)} - found.keys()
    return found


def tree(store: CalendarStore, project: str, name: str) -> tuple[StoredCalendar | None, object]:
    """Return a calendar as it is stored, and as `plan` takes it: resolved, or the error that asking for it raises."""
    stored: dict[str, StoredCalendar] = {}
    fault: ScheduleError | None = None
    for _ in range(READS):
        try:
            stored = read_calendars(store, project, [name])
        except Unreadable as error:
            if error.newer:
                raise
            hint = "Restore its row, or take the schedule out of it."
            return None, ScheduleError("calendar", name, f"cannot be read: {error}", hint)
        try:
            definitions = {one.name: one.calendar for one in stored.values()}
            return stored.get(name), exclusion(name, definitions, lenient=LENIENT)
        except ScheduleError as error:
            fault = error
    return stored.get(name), fault


def trees(
    store: CalendarStore, project: str, names: Iterable[str]
) -> tuple[tuple[StoredCalendar, ...], dict[str, object]]:
    """Return the calendars of these names that exist, and all of them as `plan` takes them."""
    found = {name: tree(store, project, name) for name in names}
    stored = tuple(one for one, _ in found.values() if one is not None)
    return stored, {name: made for name, (_, made) in found.items()}


class Calendars:
    """The calendars of one verb, read when first asked for; safe to share between threads."""

    def __init__(self, store: CalendarStore) -> None:
        self._store = store
        self._known: dict[tuple[str, str], Mapping[str, object]] = {}
        self._lock = threading.Lock()

    def under(self, project: str, schedule: Schedule) -> Mapping[str, object]:
        """Return what `plan` needs to know of calendars for a schedule. Raises Unavailable."""
        if schedule.calendar is None:
            return NONE
        key = project, schedule.calendar
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = {schedule.calendar: tree(self._store, project, schedule.calendar)[1]}
            with self._lock:
                known = self._known.setdefault(key, known)
        return known

    def plan(self, row: TriggerRow) -> Plan:
        """Return the occurrences of a trigger. Raises ScheduleError where they cannot be decided, and Unavailable."""
        return plan(row.schedule, anchor=row.anchor, calendars=self.under(row.project, row.schedule))
