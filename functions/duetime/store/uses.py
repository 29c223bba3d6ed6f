"""Which calendars a change begins and ceases to use, and which changes of calendars no store takes.

What a store must not be handed is a programming error (ValueError); what is too much for one change is the user's to mend
(DataError, ScheduleError).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from duetime.core.errors import ScheduleError
from duetime.core.exchange import CalendarChange, JobChange
from duetime.core.stored import StoredCalendar, calendars_of, members_of

MAX_ROWS: Final = 100
"""Rows that one transaction of DynamoDB takes; every store keeps to it, so that they refuse the same."""


class Uses(NamedTuple):
    """Names of calendars, each in order: those that a change begins to use and those it uses no more."""

    joined: tuple[str, ...]
    left: tuple[str, ...]

    def rows(self, guarded: Collection[str]) -> int:
        """How many rows of one transaction they take, with those of the calendars that must be as they were read.

        A use row each; the calendar's own row where it is joined or guarded, once.
        """
        return len(self.joined) + len(self.left) + len({*self.joined, *guarded})


def job_uses(change: JobChange) -> Uses:
    """Return the calendars that a job's triggers join and leave."""
    before, after = (None if one is None else one.job for one in (change.before, change.after))
    return _uses(calendars_of(before), calendars_of(after))


def decided_under(change: JobChange) -> dict[str, StoredCalendar]:
    """Return the calendars that must still have the version they were read with, by name."""
    return {one.name: one for one in change.calendars}


def member_uses(change: CalendarChange) -> Uses:
    """Return the calendars that become members of a calendar and those that are members no more."""
    before, after = (None if one is None else one.calendar for one in (change.before, change.after))
    return _uses(members_of(before), members_of(after))


def _uses(before: frozenset[str], after: frozenset[str]) -> Uses:
    return Uses(tuple(sorted(after - before)), tuple(sorted(before - after)))


def resolved_of(change: CalendarChange) -> dict[str, StoredCalendar]:
    """Return the calendars besides the changed one that must still be as they were read, by name."""
    either = change.after or change.before
    return {one.name: one for one in change.resolved if either is not None and one.name != either.name}


def check_calendar_change(change: CalendarChange) -> None:
    """Refuse a change that could not be guarded, or that takes more rows than one change may.

    Raises ValueError where a revision or version does not grow, a new member was not read, or the calendar is its own
    member; ScheduleError where there are too many members to write and guard at once.
    """
    before, after = change.before, change.after
    if before is None and after is None:
        raise ValueError("a CalendarChange without before and after changes nothing")
    if before and after:
        _check_growth(before, after)
    uses, resolved = member_uses(change), resolved_of(change)
    if after is not None:
        if after.name in members_of(after.calendar):
            raise ValueError(f"calendar {after.name} is a member of itself")
        unread = [name for name in uses.joined if name not in resolved]
        if unread:
            raise ValueError(f"calendar {after.name}: its new members {', '.join(unread)} were not read")
    rows = 1 + uses.rows(resolved)
    if rows > MAX_ROWS:
        hint = f"Name fewer members or nest them less: one change writes and guards at most {MAX_ROWS} rows."
        raise ScheduleError("calendars", f"{rows} rows", "are too many for one change", hint)


def _check_growth(before: StoredCalendar, after: StoredCalendar) -> None:
    if (before.project, before.name) != (after.project, after.name):
        raise ValueError(f"calendar {before.name} cannot become {after.name}")
    if after.revision <= before.revision:
        raise ValueError(
            f"calendar {after.name}: revision {after.revision} does not follow {before.revision}"
        )
    if after.calendar != before.calendar and after.version <= before.version:
        raise ValueError(f"calendar {after.name}: version {after.version} does not follow {before.version}")
