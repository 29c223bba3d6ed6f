"""The calendars that exclude by themselves, each answering in wall times, and put on the clock of its zone.

A span that a member answers may be shorter than it could be, never longer; what is excluded "for good" ends at `EVER`.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Final, Protocol

from duetime.core.calendars import CronCalendar, DailyCalendar, HolidayCalendar, WeeklyCalendar
from duetime.core.cron import cron_grid
from duetime.core.crontimes import Runs
from duetime.core.zones import EVER, Zone, span_at, zone

DAY: Final = 86_400

Leaf = HolidayCalendar | WeeklyCalendar | DailyCalendar | CronCalendar
"""A calendar without members."""


class Member(Protocol):
    """A calendar without members, on its own clock. A span it answers may be shorter than it could be, never longer."""

    def look(self, wall: int) -> tuple[bool, int]:
        """Return whether a wall time is excluded, and the wall time until which that holds (EVER: for good)."""

    def back(self, wall: int) -> int | None:
        """Return a wall time from which on everything up to `wall` is excluded, or None if `wall` is free."""


class _Holidays:
    """Whole days by date."""

    def __init__(self, dates: tuple[int, ...]) -> None:
        self._dates, self._known = dates, frozenset(dates)

    def look(self, wall: int) -> tuple[bool, int]:
        day = wall // DAY
        if day not in self._known:
            place = bisect_right(self._dates, day)
            return False, self._dates[place] * DAY if place < len(self._dates) else EVER
        while day in self._known:
            day += 1
        return True, day * DAY

    def back(self, wall: int) -> int | None:
        return wall - wall % DAY if wall // DAY in self._known else None


class _Weekdays:
    """Whole days of the week."""

    def __init__(self, days: tuple[int, ...]) -> None:
        self._excluded = tuple(day in days for day in range(7))
        self._lengths = tuple(self._length(day) for day in range(7))

    def _length(self, day: int) -> int:
        """How many days from a weekday on have its answer; 0 for ever."""
        return next((n for n in range(1, 7) if self._excluded[(day + n) % 7] != self._excluded[day]), 0)

    def look(self, wall: int) -> tuple[bool, int]:
        day = wall // DAY
        weekday = (day + 4) % 7
        length = self._lengths[weekday]
        return self._excluded[weekday], (day + length) * DAY if length else EVER

    def back(self, wall: int) -> int | None:
        if not self._excluded[(wall // DAY + 4) % 7]:
            return None
        return wall - wall % DAY if self._lengths[0] else -EVER


class _Hours:
    """A part of every day."""

    def __init__(self, start: int, end: int) -> None:
        self._start, self._end = start, end
        self._low, self._high = min(start, end), max(start, end)

    def look(self, wall: int) -> tuple[bool, int]:
        time = wall % DAY
        midnight = wall - time
        if time < self._low:
            return self._end < self._start, midnight + self._low
        if time < self._high:
            return self._start < self._end, midnight + self._high
        return self._end < self._start, midnight + DAY + self._low

    def back(self, wall: int) -> int | None:
        if not self.look(wall)[0]:
            return None
        time = wall % DAY
        return wall - time + self._start - (0 if time >= self._start else DAY)


class _Cron:
    """The seconds of a cron expression."""

    def __init__(self, cron: str) -> None:
        self._grid = cron_grid(cron)
        self._runs = Runs(self._grid.times)
        self._whole = self._grid.times.total == DAY
        self._always = self._whole and self._grid.every_day

    def look(self, wall: int) -> tuple[bool, int]:
        day = wall // DAY
        run = self._runs.find(wall - day * DAY) if self._grid.matches_day(day) else None
        if run is None:
            after = self._grid.after(wall)
            return False, EVER if after is None else after
        if self._whole:
            return True, EVER if self._always else self._grid.day_run(day) * DAY
        return True, day * DAY + run[1]

    def back(self, wall: int) -> int | None:
        day = wall // DAY
        run = self._runs.find(wall - day * DAY) if self._grid.matches_day(day) else None
        if run is None:
            return None
        return -EVER if self._always else day * DAY + run[0]


class Clocked:
    """A member on the clock of its zone, asked by instants. Spans are cut where the clock changes."""

    __slots__ = ("_member", "_span", "_zone")

    def __init__(self, member: Member, clock: Zone) -> None:
        self._member, self._zone = member, clock
        self._span = (0, 0, 0)

    def _now(self, instant: int) -> tuple[int, int, int]:
        """The span of constant offset around an instant: its start, its end and its offset."""
        spans, cycles = span_at(self._zone, instant)
        index = bisect_right(spans.starts, instant - cycles)
        end = spans.starts[index] + cycles if index < len(spans.starts) else self._zone.near_end
        self._span = span = (
            spans.starts[index - 1] + cycles,
            max(end, instant + 1),
            spans.offsets[index - 1],
        )
        return span

    def look(self, instant: int) -> tuple[bool, int]:
        start, end, offset = self._span
        if not start <= instant < end:
            start, end, offset = self._now(instant)
        excluded, until = self._member.look(instant + offset)
        if until < EVER:
            until -= offset
            return (excluded, until) if until < end else (excluded, end)
        # A clock set back may bring an earlier wall time again, so even "for good" ends at a near change.
        return (excluded, until) if end - instant > 2 * DAY else (excluded, end)

    def back(self, instant: int) -> int | None:
        start, end, offset = self._span
        if not start <= instant < end:
            start, end, offset = self._now(instant)
        since = self._member.back(instant + offset)
        return None if since is None else max(since - offset, start)


def clocked(leaf: Leaf) -> Clocked:
    """Return the working form of a calendar."""
    return Clocked(_member(leaf), zone(leaf.timezone))


@lru_cache(maxsize=256)
def _member(leaf: Leaf) -> Member:
    """The working form of a calendar."""
    match leaf:
        case HolidayCalendar():
            return _Holidays(leaf.dates)
        case WeeklyCalendar():
            return _Weekdays(leaf.days)
        case DailyCalendar():
            return _Hours(leaf.start, leaf.end)
        case CronCalendar():
            return _Cron(leaf.cron)
