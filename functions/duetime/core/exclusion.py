"""Calendars at work: whether an instant is excluded, and the span of time over which that answer stays the same.

Each member calendar answers in wall times of its zone; a change of the clocks ends a span, so answers are always about the
real instant. Composite calendars are resolved to their members once, with cycles and depth refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heapreplace
from typing import Final, Protocol

from duetime.core.calendarmembers import Clocked, Leaf, clocked
from duetime.core.calendars import CompositeCalendar, parse_calendar
from duetime.core.errors import ScheduleError
from duetime.core.faults import shown
from duetime.core.zones import CYCLE, EVER

MAX_DEPTH: Final = 8
MAX_LEAVES: Final = 32
MAX_SPANS: Final = 10_000
"""Excluded spans a search passes over before it answers that nothing is left."""
MAX_LOOKS: Final = 12_000
"""Looks at members that a search takes at most, which bounds what a composite costs. Nearly every span takes one; those of
members that stay free for less time than lies between two occurrences take more. A look into another month counts twice."""
_FAR: Final = 27 * 86_400
MAX_COUNTED: Final = 7_500
"""The same of a count, where each span costs more: ten years of two exclusions a day."""


class Base(Protocol):
    """The occurrences that a search picks from (see duetime.core.wallclock.WallClock)."""

    def next(self, after: int) -> int | None:
        """Return the first occurrence strictly after an instant."""

    def previous(self, before: int) -> int | None:
        """Return the last occurrence strictly before an instant."""

    def count(self, first: int, last: int) -> int:
        """Return how many occurrences lie between two instants, both counting."""


class _Cursor:
    """The excluded spans of all members ahead of an instant that only grows: one look at one member for each span.

    `spans` is a heap of (start, end, member): what each member answered last. The first of them decides, unless it is over.
    """

    __slots__ = ("_members", "_month", "looks", "spans")

    def __init__(self, members: tuple[Clocked, ...], spans: list[tuple[int, int, int]]) -> None:
        self._members, self.spans = members, spans
        self.looks, self._month = 0, -EVER

    def excluded_until(self, instant: int) -> int | None:
        """Return the end of an exclusion an instant lies in (EVER: it has none), or None if the instant is free."""
        spans = self.spans
        start, end, place = spans[0]
        weight = 1 if instant < self._month + _FAR else 2
        self._month = instant
        while end <= instant:
            start, end = self._members[place].ahead(instant)
            self.looks += weight
            heapreplace(spans, (start, end, place))
            if start <= instant < end:
                return end
            start, end, place = spans[0]
        return end if start <= instant else None


class _BackCursor:
    """The same behind an instant that only falls; `_spans` has (-end, start, member), the span that ends last first."""

    __slots__ = ("_members", "_month", "_spans", "looks")

    def __init__(self, members: tuple[Clocked, ...]) -> None:
        self._members, self._spans = members, [(-EVER, EVER, place) for place in range(len(members))]
        self.looks, self._month = 0, EVER

    def excluded_since(self, instant: int) -> int | None:
        """Return the beginning of an exclusion an instant lies in (-EVER: it has none), or None if the instant is free."""
        spans = self._spans
        end, start, place = spans[0]
        weight = 1 if instant > self._month - _FAR else 2
        self._month = instant
        while start > instant:
            start, end = self._members[place].behind(instant)
            self.looks += weight
            heapreplace(spans, (-end, start, place))
            if start <= instant < end:
                return start
            end, start, place = spans[0]
        return start if instant < -end else None


class Exclusion:
    """One calendar with all its members, asked by UTC instants. Safe to share between threads."""

    __slots__ = ("_known", "_members")

    def __init__(self, members: tuple[Clocked, ...]) -> None:
        self._members = members
        # What the members answered last, and from which instant on that is right; replaced, never changed.
        self._known = -EVER, [(-EVER, -EVER, place) for place in range(len(members))]

    def _cursor(self, instant: int) -> _Cursor:
        since, spans = self._known
        if instant < since:
            spans = [(-EVER, -EVER, place) for place in range(len(self._members))]
        return _Cursor(self._members, spans.copy())

    def excluded(self, instant: int) -> bool:
        """Tell whether an instant is excluded."""
        return self.since(instant) is not None

    def since(self, instant: int) -> int | None:
        """Return an instant from which on all is excluded up to this one, or None if this one is free."""
        for member in self._members:
            start, end = member.behind(instant)
            if start <= instant < end:
                return start
        return None

    def free_until(self, instant: int) -> int:
        """Return when the free span that an instant lies in ends; the instant itself where it is excluded, EVER for never."""
        return max(instant, min(member.ahead(instant)[0] for member in self._members))

    def release(self, instant: int) -> int | None:
        """Return the end of the exclusion an instant lies in, the instant itself if it is free; None if there is no end.

        Looks through `MAX_SPANS` spans and 400 years at most.
        """
        return self._pass(instant, instant + CYCLE, None)

    def first_free(self, instant: int | None, last: int, base: Base) -> int | None:
        """Return the first occurrence of a base from one of them on that is free and not after `last`, or None.

        Passes over `MAX_SPANS` spans and 400 years at most.
        """
        return None if instant is None else self._pass(instant, min(last, instant + CYCLE), base)

    def _pass(self, instant: int, bound: int, base: Base | None) -> int | None:
        cursor = self._cursor(instant)
        for _ in range(MAX_SPANS + 1):
            if instant > bound or cursor.looks > MAX_LOOKS:
                return None
            until = cursor.excluded_until(instant)
            if until is None:
                self._known = instant, cursor.spans
                return instant
            if until > bound:
                return None
            found = until if base is None else base.next(until - 1)
            if found is None:
                return None
            instant = found
        return None

    def last_free(self, before: int, first: int, base: Base) -> int | None:
        """Return the last occurrence of a base before an instant that is free and not before `first`, or None.

        Passes over `MAX_SPANS` spans and 400 years at most.
        """
        bound = max(first, before - CYCLE)
        cursor = _BackCursor(self._members)
        for _ in range(MAX_SPANS + 1):
            found = base.previous(before)
            if found is None or found < bound or cursor.looks > MAX_LOOKS:
                return None
            since = cursor.excluded_since(found)
            if since is None:
                return found
            if since < bound:
                return None
            before = since
        return None

    def count_free(self, first: int, last: int, base: Base, limit: int | None = None) -> int:
        """Return how many occurrences of a base between two instants, both counting, are free, or at least `limit`.

        Looks at members `MAX_COUNTED` times and through 400 years at most; beyond, there may be more than the answer.
        """
        last = min(last, first + CYCLE)
        total, instant = 0, base.next(first - 1)
        cursor = self._cursor(first)
        while instant is not None and instant <= last and cursor.looks <= MAX_COUNTED:
            until = cursor.excluded_until(instant)
            if until is None:
                start, until, _ = cursor.spans[0]
                total += base.count(instant, min(start - 1, last))
                if limit is not None and total >= limit:
                    break
            if until > last:
                break
            instant = base.next(until - 1)
        return total


def exclusion(name: str, calendars: Mapping[str, object], *, lenient: int = 1) -> Exclusion:
    """Return the calendar `name` of a project's calendars, its members resolved.

    `calendars` maps names to definitions, to parsed calendars, or to what this function has returned or raised for one.

    Raises ScheduleError for an unknown name, for members that contain themselves, are nested more than `MAX_DEPTH` deep or
    are more than `MAX_LEAVES` in all; with `lenient`, that many times as deep and as many.

    >>> exclusion("weekends", {"weekends": {"kind": "weekly"}}).excluded(0)
    False
    """
    if not isinstance(calendars, Mapping):
        raise ScheduleError(
            "calendars", calendars, "are no mapping", 'Give {"holidays": {"kind": "holiday", ...}}.'
        )
    made = calendars.get(name)
    if isinstance(made, Exclusion):
        return made
    if isinstance(made, ScheduleError):
        raise made
    found = tuple(dict.fromkeys(_leaves(name, calendars, (), lenient)))
    return Exclusion(tuple(clocked(leaf) for leaf in found))


def _leaves(
    name: str, calendars: Mapping[str, object], path: tuple[str, ...], lenient: int
) -> Iterator[Leaf]:
    """The members of a calendar, however deep; `path` is how we came here."""
    way = " → ".join((*path, name))
    if name in path:
        raise ScheduleError(
            "calendar", way, "contains itself", "Take one of the names out of its composite calendar."
        )
    if len(path) >= MAX_DEPTH * lenient:
        raise ScheduleError(
            "calendar", way, f"is nested more than {MAX_DEPTH} deep", "Name the members directly."
        )
    if name not in calendars:
        keys: Iterable[object] = calendars  # untyped callers pass anything
        names = sorted(one for one in keys if isinstance(one, str))
        known = ", ".join(map(shown, names[:8])) or "none"
        raise ScheduleError("calendar", name, "is not among the calendars given", f"Given are: {known}.")
    calendar = parse_calendar(calendars[name])
    if not isinstance(calendar, CompositeCalendar):
        yield calendar
        return
    count, limit = 0, MAX_LEAVES * lenient
    for member in calendar.calendars:
        for leaf in _leaves(member, calendars, (*path, name), lenient):
            count += 1
            if count > limit:
                raise ScheduleError("calendar", name, f"has more than {limit} members", "Merge some of them.")
            yield leaf
