"""Calendars at work: whether an instant is excluded, and the span of time over which that answer stays the same.

Each member calendar answers in wall times of its zone; a change of the clocks ends a span, so answers are always about the
real instant. Composite calendars are resolved to their members once, with cycles and depth refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from duetime.core.calendarmembers import Clocked, Leaf, clocked
from duetime.core.calendars import CompositeCalendar, parse_calendar
from duetime.core.errors import ScheduleError
from duetime.core.faults import shown
from duetime.core.zones import CYCLE, EVER

MAX_DEPTH: Final = 8
MAX_LEAVES: Final = 32
MAX_SPANS: Final = 10_000
"""Excluded spans a search passes over before it answers that nothing is left."""
MAX_LOOKS: Final = 2 * MAX_SPANS
"""Times a search asks members, which bounds what a composite of many costs."""


class Search:
    """Looks at ascending instants. Remembers how long each member stays free, so that most looks ask one member only."""

    __slots__ = ("_free", "_members", "_order", "looks")

    def __init__(self, members: tuple[Clocked, ...]) -> None:
        self._members, self._free, self._order = members, [-EVER] * len(members), list(range(len(members)))
        self.looks = 0

    def excluded_until(self, instant: int) -> int | None:
        """Return the end of an exclusion an instant lies in (EVER: it has none), or None if the instant is free."""
        free = self._free
        self.looks += len(free) >> 2
        for index in self._order:
            if free[index] > instant:
                continue
            self.looks += 1
            excluded, until = self._members[index].look(instant)
            if excluded:
                if index != self._order[0]:
                    self._order.remove(index)
                    self._order.insert(0, index)  # it may well exclude the next occurrence too
                return until
            free[index] = until
        return None

    def free_until(self) -> int:
        """Return the end of the free span that the instant asked last lies in."""
        return min(self._free)

    @property
    def spent(self) -> bool:
        """Whether the search has looked as often as one may."""
        return self.looks > MAX_LOOKS


class Exclusion:
    """One calendar with all its members, asked by UTC instants."""

    __slots__ = ("_members", "spans", "spans_back")

    def __init__(self, members: tuple[Clocked, ...]) -> None:
        self._members = members
        self.spans = MAX_SPANS
        """How many excluded spans a search passes over at most."""
        self.spans_back = MAX_SPANS // max(1, len(members) // 2)
        """The same into the past, where a search asks every member each time."""

    def search(self) -> Search:
        """Return a new search for ascending instants."""
        return Search(self._members)

    def excluded(self, instant: int) -> bool:
        """Tell whether an instant is excluded."""
        return any(member.look(instant)[0] for member in self._members)

    def since(self, instant: int) -> int | None:
        """Return an instant from which on all is excluded up to this one, or None if this one is free."""
        for member in self._members:
            since = member.back(instant)
            if since is not None:
                return since
        return None

    def release(self, instant: int) -> int | None:
        """Return the end of the exclusion an instant lies in, the instant itself if it is free; None if there is no end.

        Looks through `MAX_SPANS` spans and 400 years at most.
        """
        search, bound = self.search(), instant + CYCLE
        for _ in range(MAX_SPANS):
            until = search.excluded_until(instant)
            if until is None:
                return instant
            if until > bound or search.spent:
                return None
            instant = until
        return None


def exclusion(name: str, calendars: Mapping[str, object]) -> Exclusion:
    """Return the calendar `name` of a project's calendars, its members resolved; definitions or parsed calendars.

    Raises ScheduleError for an unknown name, for members that contain themselves, are nested more than `MAX_DEPTH` deep or
    are more than `MAX_LEAVES` in all.

    >>> exclusion("weekends", {"weekends": {"kind": "weekly"}}).excluded(0)
    False
    """
    if not isinstance(calendars, Mapping):
        raise ScheduleError(
            "calendars", calendars, "are no mapping", 'Give {"holidays": {"kind": "holiday", ...}}.'
        )
    leaves = tuple(dict.fromkeys(_leaves(name, calendars, ())))
    return Exclusion(tuple(clocked(leaf) for leaf in leaves))


def _leaves(name: str, calendars: Mapping[str, object], path: tuple[str, ...]) -> Iterator[Leaf]:
    """The members of a calendar, however deep; `path` is how we came here."""
    way = " → ".join((*path, name))
    if name in path:
        raise ScheduleError(
            "calendar", way, "contains itself", "Take one of the names out of its composite calendar."
        )
    if len(path) >= MAX_DEPTH:
        raise ScheduleError(
            "calendar", way, f"is nested more than {MAX_DEPTH} deep", "Name the members directly."
        )
    if name not in calendars:
        known = ", ".join(shown(one) for one in sorted(map(str, calendars))[:8]) or "none yet"
        raise ScheduleError("calendar", name, "is no calendar of the project", f"Its calendars are: {known}.")
    calendar = parse_calendar(calendars[name])
    if not isinstance(calendar, CompositeCalendar):
        yield calendar
        return
    count = 0
    for member in calendar.calendars:
        for leaf in _leaves(member, calendars, (*path, name)):
            count += 1
            if count > MAX_LEAVES:
                raise ScheduleError(
                    "calendar", name, f"has more than {MAX_LEAVES} members", "Merge some of them."
                )
            yield leaf
