"""Calendars in memory, and what uses them. They are no news: no listener is told of a change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import islice, takewhile

from duetime.core.exchange import CalendarChange, CalendarUser, Page
from duetime.core.stored import StoredCalendar
from duetime.store.memory.ordered import Ordered
from duetime.store.memory.state import MemoryState
from duetime.store.uses import Uses, check_calendar_change, member_uses, resolved_of


class MemoryCalendars(MemoryState):
    """A duetime.ports.CalendarStore."""

    def get_calendars(self, project: str, names: Collection[str]) -> Mapping[str, StoredCalendar]:
        """Return the calendars of these names that exist, by name."""
        with self._lock:
            found = {name: self._calendars.get((project, name)) for name in names}
        return {name: one for name, one in found.items() if one is not None}

    def change_calendar(self, change: CalendarChange) -> bool:
        """Apply a change whole or not at all; False when the calendar or a resolved one is no longer as it was read."""
        check_calendar_change(change)
        either = change.after or change.before
        if either is None:
            return False
        uses = member_uses(change)
        with self._lock:
            if not self._as_read(either.project, either.name, change.before):
                return False
            if not all(self._as_read(either.project, *one) for one in resolved_of(change).items()):
                return False
            self._set_calendar(either.project, either.name, change.after)
            self._move_uses(either.project, uses, CalendarUser("calendar", either.name))
            return True

    def calendar_users(
        self, project: str, name: str, *, limit: int, cursor: str | None
    ) -> Page[CalendarUser]:
        """Return what uses a calendar directly: composite calendars, then jobs, each by name."""
        after = None
        if cursor is not None:
            kind, _, user = cursor.partition("#")
            after = kind, user
        with self._lock:
            index = self._users.get((project, name), Ordered[tuple[str, str]]())
            found = list(islice(index.upward(after), limit + 1))
        users = tuple(
            CalendarUser("job" if kind == "job" else "calendar", user) for kind, user in found[:limit]
        )
        return Page(users, "#".join(found[limit - 1]) if len(found) > limit else None)

    def list_calendars(
        self, project: str, *, prefix: str, limit: int, cursor: str | None
    ) -> Page[StoredCalendar]:
        """Return calendars by name; the cursor is the last name of the page before."""
        with self._lock:
            names = self._calendar_names.get(project, Ordered[str]()).upward(cursor, since=prefix)
            found = list(islice(takewhile(lambda name: name.startswith(prefix), names), limit + 1))
            calendars = tuple(self._calendars[project, name] for name in found[:limit])
        return Page(calendars, found[limit - 1] if len(found) > limit else None)

    def changed_calendars(self, *, limit: int) -> tuple[StoredCalendar, ...]:
        """Return calendars whose users wait to be armed anew, longest first."""
        with self._lock:
            first = islice(self._changed_calendars.upward(None), limit)
            return tuple(self._calendars[project, name] for _, project, name in first)

    def _as_read(self, project: str, name: str, read: StoredCalendar | None) -> bool:
        """Whether a calendar is still the one that was read; one made again under its name is another."""
        stored = self._calendars.get((project, name))
        if stored is None or read is None:
            return stored is read
        return (stored.revision, stored.created_ms) == (read.revision, read.created_ms)

    def _decided_well(self, project: str, uses: Uses, under: Mapping[str, StoredCalendar]) -> bool:
        """Whether what a job joins is there, and what its change was decided under has the version it had then."""
        if not all((project, name) in self._calendars for name in uses.joined):
            return False
        found = ((self._calendars.get((project, name)), read) for name, read in under.items())
        return all(
            one is not None
            and (one.version, one.marks, one.created_ms) == (read.version, read.marks, read.created_ms)
            for one, read in found
        )

    def _move_uses(self, project: str, uses: Uses, user: CalendarUser) -> None:
        """Note a user at the calendars it joins, whose revision grows, and forget it at those it leaves."""
        for name in uses.joined:
            stored = self._calendars[project, name]
            self._set_calendar(project, name, replace(stored, revision=stored.revision + 1))
            self._users[project, name].add((user.kind, user.name))
        for name in uses.left:
            self._users[project, name].discard((user.kind, user.name))

    def _set_calendar(self, project: str, name: str, after: StoredCalendar | None) -> None:
        """Replace a calendar and its places in the indexes."""
        before = self._calendars.pop((project, name), None)
        if before is not None and before.changed_at is not None:
            self._changed_calendars.discard((before.changed_at, project, name))
        if after is None:
            self._calendar_names[project].discard(name)
            return
        self._calendars[project, name] = after
        self._calendar_names[project].add(name)
        if after.changed_at is not None:
            self._changed_calendars.add((after.changed_at, project, name))
