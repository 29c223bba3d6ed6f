"""Cron expressions as grids of wall times: which seconds match, found by bit masks and bisection.

An expression is compiled once into the times of day it names and, for each of the 91 kinds of month, the mask of its days.
The first match after a wall time is then one bisection inside a day, one bit trick inside a month and one byte search over
months: about a microsecond, however rare the expression. The search covers all 400 years of the calendar.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from duetime.core.crondays import day_masks, ever_matches, live_months
from duetime.core.cronparse import Expression, normal_text, parse_cron
from duetime.core.crontimes import times_of_day
from duetime.core.errors import ScheduleError
from duetime.core.months import CYCLE_DAYS, CYCLE_MONTHS, cycle

DAY: Final = 86_400
DENSE: Final = 12


class CronGrid:
    """The wall times an expression matches; see `duetime.core.wallclock.Grid` for what the methods promise."""

    __slots__ = ("_first", "_flat", "_last", "_live", "_masks", "_month", "_once", "expression", "times")

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.times = times_of_day(expression.second.mask, expression.minute.mask, expression.hour.mask)
        self._flat, self._first, self._last = self.times.flat, self.times.first, self.times.last
        self._masks = day_masks(expression)
        self._live = live_months(expression, self._masks)
        self._once = expression.year is not None
        self._month = self._load(0)

    @property
    def times_of_day(self) -> Sequence[int] | None:
        """The times of each day that matches, if they are many enough to be worth keeping at hand."""
        return self._flat if self._flat is not None and len(self._flat) >= DENSE else None

    def after(self, wall: int) -> int | None:
        """Return the first match strictly after a wall time."""
        day = wall // DAY
        first, end, mask, place = self._month
        if not first <= day < end:
            first, end, mask, place = self._month = self._load(day)
        mask >>= day - first
        if mask & 1:
            time = wall - day * DAY
            if time < self._last:
                flat = self._flat
                if flat is None:
                    return wall - time + self.times.after(time)
                return wall - time + flat[bisect_right(flat, time)]
        mask >>= 1
        if mask:
            return (day + (mask & -mask).bit_length()) * DAY + self._first
        return self._later(place)

    def _later(self, place: int) -> int | None:
        """The first match in the months after number `place`, counted from the first of all cycles."""
        turn, index = divmod(place + 1, CYCLE_MONTHS)
        found = -1 if self._once and turn > 0 else self._live.find(1, 0 if self._once and turn < 0 else index)
        if found < 0:
            turn, found = turn + 1, -1 if self._once else self._live.find(1)
            if found < 0:
                return None
        elif self._once:
            turn = 0
        mask = self._masks[cycle().codes[found]]
        first = cycle().starts[found] + turn * CYCLE_DAYS
        self._month = (
            first,
            cycle().starts[found + 1] + turn * CYCLE_DAYS,
            mask,
            turn * CYCLE_MONTHS + found,
        )
        return (first + (mask & -mask).bit_length() - 1) * DAY + self._first

    def upto(self, wall: int) -> int | None:
        """Return the last match at or before a wall time."""
        day, time = divmod(wall, DAY)
        first, end, mask, place = self._month
        if not first <= day < end:
            first, end, mask, place = self._month = self._load(day)
        mask &= (2 << day - first) - 1
        if mask >> day - first and time >= self._first:
            return wall - time + self.times.upto(time)
        mask &= ~(1 << day - first)
        if not mask:
            earlier = self._earlier(place)
            if earlier is None:
                return None
            first, mask = earlier
        return (first + mask.bit_length() - 1) * DAY + self._last

    def _earlier(self, place: int) -> tuple[int, int] | None:
        """The first day and the mask of the last month before number `place` that has a match."""
        turn, index = divmod(place, CYCLE_MONTHS)
        if self._once and turn:
            if turn < 0:
                return None
            turn, index = 0, CYCLE_MONTHS
        found = self._live.rfind(1, 0, index)
        if found < 0:
            turn, found = turn - 1, -1 if self._once else self._live.rfind(1)
            if found < 0:
                return None
        return cycle().starts[found] + turn * CYCLE_DAYS, self._masks[cycle().codes[found]]

    def tally(self, first: int, end: int) -> int:
        """Return how many matches lie from `first` to before `end`."""
        if end <= first:
            return 0
        (day, time), (last_day, last_time) = divmod(first, DAY), divmod(end, DAY)
        rank, total = self.times.rank, 0
        if self.matches_day(day):
            total -= rank(time)
        if last_time and self.matches_day(last_day):
            total += rank(last_time)
        return total + self._days(day, last_day) * self.times.total

    def _days(self, day: int, end: int) -> int:
        """How many days from `day` to before `end` match."""
        total = 0
        while day < end:
            first, stop, mask, _ = self._load(day)
            mask >>= day - first
            if end < stop:
                mask &= (1 << end - day) - 1
            total += mask.bit_count()
            day = stop
        return total

    def matches_day(self, day: int) -> bool:
        """Tell whether an epoch day has matches."""
        first, end, mask, _ = self._month
        if not first <= day < end:
            first, end, mask, _ = self._month = self._load(day)
        return bool(mask >> day - first & 1)

    def day_run(self, day: int) -> int:
        """Return the first epoch day after `day`, which matches, that does not match or begins a new month."""
        first, _, mask, _ = self._load(day)
        mask >>= day - first
        return day + (~mask & mask + 1).bit_length() - 1

    @property
    def every_day(self) -> bool:
        """Whether every day of every year matches."""
        return not self._once and all(
            mask + 1 == 1 << kind.length for mask, kind in zip(self._masks, cycle().kinds, strict=True)
        )

    def _load(self, day: int) -> tuple[int, int, int, int]:
        """The month of an epoch day: its first day, the next month's, its mask of matching days, its number."""
        months = cycle()
        turn = (day - months.starts[0]) // CYCLE_DAYS
        day -= turn * CYCLE_DAYS
        place = bisect_right(months.starts, day) - 1
        live = self._live[place] and not (self._once and turn)
        return (
            months.starts[place] + turn * CYCLE_DAYS,
            months.starts[place + 1] + turn * CYCLE_DAYS,
            self._masks[months.codes[place]] if live else 0,
            turn * CYCLE_MONTHS + place,
        )


def check_cron(value: object) -> str:
    """Return an expression in normal form, known to match some date. Raises ScheduleError with field, text and hint.

    >>> check_cron("0  9 * * MON-FRI")
    '0 9 * * MON-FRI'
    """
    text = normal_text(value)
    read_cron(text)
    return text


@lru_cache(maxsize=512)
def read_cron(text: str) -> Expression:
    """Return the fields of an expression in normal form. Raises ScheduleError, also where no date can match."""
    expression = parse_cron(text)
    if not ever_matches(expression):
        hint = "Check day, month and year: the last day of any month is L, such as 0 0 L * *."
        raise ScheduleError("cron", text, "can match no date", hint)
    return expression


@lru_cache(maxsize=512)
def cron_grid(text: str) -> CronGrid:
    """Return the compiled grid of an expression in normal form. Raises ScheduleError.

    >>> cron_grid("0 9 * * *").after(0)
    32400
    """
    return CronGrid(read_cron(text))
