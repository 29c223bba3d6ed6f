"""The calendars that exclude by themselves, each answering in wall times, and put on the clock of its zone.

A member answers one excluded span at a time: the first one ahead of a wall time, or the last one behind it. A span may be
shorter than it could be, never longer; what is excluded for good begins or ends at `EVER`.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Final, Protocol

from duetime.core.calendars import CronCalendar, DailyCalendar, HolidayCalendar, WeeklyCalendar
from duetime.core.cron import cron_grid
from duetime.core.zones import EVER, Zone, span_at, zone

DAY: Final = 86_400
Span = tuple[int, int]
"""Where an exclusion begins and where it ends, the end not excluded."""

Leaf = HolidayCalendar | WeeklyCalendar | DailyCalendar | CronCalendar
"""A calendar without members."""


class Member(Protocol):
    """A calendar without members, on its own clock."""

    def ahead(self, wall: int) -> Span:
        """Return the first excluded span that ends after a wall time, so one around it if it is excluded."""

    def behind(self, wall: int) -> Span:
        """Return the last excluded span that begins at or before a wall time, so one around it if it is excluded."""


class _Holidays:
    """Whole days by date."""

    def __init__(self, dates: tuple[int, ...]) -> None:
        runs: list[list[int]] = []
        for day in dates:
            if runs and runs[-1][1] == day * DAY:
                runs[-1][1] += DAY
            else:
                runs.append([day * DAY, day * DAY + DAY])
        self._starts, self._ends = tuple(run[0] for run in runs), tuple(run[1] for run in runs)

    def ahead(self, wall: int) -> Span:
        place = bisect_right(self._ends, wall)
        return (self._starts[place], self._ends[place]) if place < len(self._ends) else (EVER, EVER)

    def behind(self, wall: int) -> Span:
        place = bisect_right(self._starts, wall) - 1
        return (self._starts[place], self._ends[place]) if place >= 0 else (-EVER, -EVER)


class _Weekdays:
    """Whole days of the week."""

    def __init__(self, days: tuple[int, ...]) -> None:
        self._always = len(days) == 7
        week = [day in days for day in range(7)]
        # For each weekday, in days from it: the span ahead of it and the span behind it.
        self._ahead, self._behind = [], []
        for day in range(7):
            start = next(n for n in range(7) if week[(day + n) % 7])
            length = next((n for n in range(1, 7) if not week[(day + start + n) % 7]), 7)
            self._ahead.append((start * DAY, (start + length) * DAY))
            end = next(n for n in range(7) if week[(day - n) % 7])
            length = next((n for n in range(1, 7) if not week[(day - end - n) % 7]), 7)
            self._behind.append(((1 - end - length) * DAY, (1 - end) * DAY))

    def ahead(self, wall: int) -> Span:
        if self._always:
            return -EVER, EVER
        day = wall // DAY
        start, end = self._ahead[(day + 4) % 7]
        return day * DAY + start, day * DAY + end

    def behind(self, wall: int) -> Span:
        if self._always:
            return -EVER, EVER
        day = wall // DAY
        start, end = self._behind[(day + 4) % 7]
        return day * DAY + start, day * DAY + end


class _Hours:
    """A part of every day, which may go on into the next."""

    def __init__(self, start: int, end: int) -> None:
        self._start, self._length = start, (end - start) % DAY

    def ahead(self, wall: int) -> Span:
        start, end = self.behind(wall)
        return (start, end) if wall < end else (start + DAY, end + DAY)

    def behind(self, wall: int) -> Span:
        start = wall - (wall - self._start) % DAY
        return start, start + self._length


class _Cron:
    """The seconds of a cron expression."""

    def __init__(self, cron: str) -> None:
        self._grid = cron_grid(cron)
        times = self._grid.times
        self._run, self._single = times.run, times.single
        self._whole = times.total == DAY
        self._always = self._whole and self._grid.every_day

    def ahead(self, wall: int) -> Span:
        if self._always:
            return -EVER, EVER
        first = self._grid.after(wall - 1)
        if first is None:
            return EVER, EVER
        day = first // DAY
        if self._whole:
            return day * DAY, self._grid.day_run(day) * DAY
        if self._single:
            return first, first + 1
        return first, day * DAY + self._run(first - day * DAY)[1]

    def behind(self, wall: int) -> Span:
        if self._always:
            return -EVER, EVER
        last = self._grid.upto(wall)
        if last is None:
            return -EVER, -EVER
        day = last // DAY
        if self._single:
            return last, last + 1
        start, end = self._run(last - day * DAY)
        return day * DAY + start, day * DAY + end


class Clocked:
    """A member on the clock of its zone, asked by instants. Spans are cut where the clock changes.

    An empty span says that nothing more is known there: ask again from its bound on.
    """

    __slots__ = ("_ahead", "_behind", "_span", "_zone")

    def __init__(self, member: Member, clock: Zone) -> None:
        self._ahead, self._behind, self._zone = member.ahead, member.behind, clock
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

    def ahead(self, instant: int) -> Span:
        """Return the first excluded span that ends after an instant, or an empty one where the clock changes before."""
        first, last, offset = self._span
        if not first <= instant < last:
            first, last, offset = self._now(instant)
        start, end = self._ahead(instant + offset)
        start, end = start - offset, end - offset
        return start if start < last else last, end if end < last else last

    def behind(self, instant: int) -> Span:
        """Return the last excluded span that begins at or before an instant, or an empty one where the clock changed since."""
        first, last, offset = self._span
        if not first <= instant < last:
            first, last, offset = self._now(instant)
        start, end = self._behind(instant + offset)
        start, end = start - offset, end - offset
        return start if start > first else first, end if end > first else first


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
