"""Cron expressions as grids of wall times: which seconds match, found by bit masks.

A grid is seven numbers, one a field; nothing is built ahead. The first match after a wall time is one bit trick on the time
of day, one on the days of a month (reckoned when the search comes to it, and kept) and one on the months of a year, so that a
new expression costs a few microseconds and the next one about one, however rare. Searches go 400 years.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from duetime.core.crondays import can_match, days_of_month
from duetime.core.cronmasks import FIRST_YEAR, LAST_YEAR, Masks, normal_text, read_masks
from duetime.core.crontimes import Times
from duetime.core.errors import ScheduleError
from duetime.core.months import CYCLE_DAYS, month_at, month_days

if TYPE_CHECKING:
    from duetime.core.cronparse import Expression

DAY: Final = 86_400
DENSE: Final = 4
_CYCLE_YEARS: Final = 400
_NOWHERE: Final = (1, 0, 0, 0)
"""No month: no day lies in it."""


class CronGrid:
    """The wall times an expression matches; see `duetime.core.wallclock.Grid` for what the methods promise."""

    __slots__ = ("_first", "_kinds", "_last", "_masks", "_month", "_months", "_times", "_year", "_years")

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        # The month asked last: its first day, the next month's, the mask of its matching days, its number.
        self._month = _NOWHERE

    @property
    def repeats(self) -> bool:
        """Whether the same times come again after 400 years: no year is named."""
        return self._masks.year is None

    @property
    def times(self) -> Times:
        """The times of each day that matches."""
        if self._month is _NOWHERE:
            self._prepare()
        return self._times

    def times_of_hour(self) -> Sequence[int] | None:
        """The times of each hour that has any, where they are many enough to be worth keeping at hand."""
        times = self.times
        return times.of_hour() if times.per_hour >= DENSE else None

    def _prepare(self) -> None:
        """Make what only a search needs; most expressions are checked more often than they are searched."""
        masks = self._masks
        self._times = Times(masks.second, masks.minute, masks.hour)
        self._first, self._last = self._times.first, self._times.last
        self._months, self._years = masks.month >> 1, masks.year
        self._kinds: dict[int, int] = {}
        self._year: dict[int, int] = {}

    def _load(self, day: int) -> tuple[int, int, int, int]:
        """The month of an epoch day."""
        if self._month is _NOWHERE:
            self._prepare()
        return self._enter(month_at(day))

    def _enter(self, number: int) -> tuple[int, int, int, int]:
        """The month of a number, now the one asked last."""
        first, length = month_days(number)
        year, month = divmod(number, 12)
        mask = 0
        if self._months >> month & 1 and (self._years is None or (year >= 0 and self._years >> year & 1)):
            weekday = (first + 4) % 7
            kind = length * 7 + weekday
            known = self._kinds.get(kind)
            if known is None:
                known = self._kinds[kind] = days_of_month(self._masks, length, weekday)
            mask = known
        self._month = found = (first, first + length, mask, number)
        return found

    def after(self, wall: int) -> int | None:
        """Return the first match strictly after a wall time."""
        day = wall // DAY
        first, end, mask, number = self._month
        if not first <= day < end:
            first, end, mask, number = self._load(day)
        mask >>= day - first
        if mask & 1:
            time = wall - day * DAY
            if time < self._last:
                return wall - time + (self._times.after(time) if time >= self._first else self._first)
        mask >>= 1
        if mask:
            return (day + (mask & -mask).bit_length()) * DAY + self._first
        return self._later(number)

    def _later(self, number: int) -> int | None:
        """The first match in the months after one."""
        months, years = self._months, self._years
        year, month = divmod(number + 1, 12)
        last = year + _CYCLE_YEARS
        while year <= last:
            if years is not None:
                rest = years >> year if year >= 0 else years
                if not rest:
                    return None
                if not (rest & 1 and year >= 0):
                    year, month = max(year, 0) + (rest & -rest).bit_length() - 1, 0
            ahead = months >> month
            if ahead:
                month += (ahead & -ahead).bit_length() - 1
                first, _, mask, _ = self._enter(year * 12 + month)
                if mask:
                    return (first + (mask & -mask).bit_length() - 1) * DAY + self._first
                month += 1
            else:
                year, month = year + 1, 0
        return None

    def upto(self, wall: int) -> int | None:
        """Return the last match at or before a wall time."""
        day = wall // DAY
        first, end, mask, number = self._month
        if not first <= day < end:
            first, end, mask, number = self._load(day)
        time, place = wall - day * DAY, day - first
        if mask >> place & 1 and time >= self._first:
            return wall - time + (self._times.upto(time) if time < self._last else self._last)
        mask &= (1 << place) - 1
        return (first + mask.bit_length() - 1) * DAY + self._last if mask else self._earlier(number)

    def _earlier(self, number: int) -> int | None:
        """The last match in the months before one."""
        months, years = self._months, self._years
        year, month = divmod(number - 1, 12)
        last = year - _CYCLE_YEARS
        while year >= last:
            if years is not None:
                rest = years & (2 << year) - 1 if year >= 0 else 0
                if not rest:
                    return None
                if rest.bit_length() - 1 < year:
                    year, month = rest.bit_length() - 1, 11
            before = months & (2 << month) - 1
            if before:
                month = before.bit_length() - 1
                first, _, mask, _ = self._enter(year * 12 + month)
                if mask:
                    return (first + mask.bit_length() - 1) * DAY + self._last
                month -= 1
            if not before or month < 0:
                year, month = year - 1, 11
        return None

    def tally(self, first: int, end: int) -> int:
        """Return how many matches lie from `first` to before `end`."""
        if end <= first:
            return 0
        day, last_day = first // DAY, end // DAY
        time, last_time = first - day * DAY, end - last_day * DAY
        if day == last_day:
            return self._times.rank(last_time) - self._times.rank(time) if self.matches_day(day) else 0
        total = 0
        if time and self.matches_day(day):
            total -= self._times.rank(time)
        if last_time and self.matches_day(last_day):
            total += self._times.rank(last_time)
        if day < last_day:
            total += self._days(day, last_day) * self.times.total
        return total

    def _days(self, day: int, end: int) -> int:
        """How many days from `day` to before `end` match."""
        first, stop, mask, number = self._month
        if not first <= day < stop:
            first, stop, mask, number = self._load(day)
        mask >>= day - first
        if end <= stop:
            return (mask & (1 << end - day) - 1).bit_count()
        total = mask.bit_count()
        number, last = number + 1, month_at(end)
        if self._years is not None:
            number, last = max(number, FIRST_YEAR * 12), min(last, (LAST_YEAR + 1) * 12)
        else:
            cycles, number = divmod(last - number, _CYCLE_YEARS * 12)
            if cycles:
                total += cycles * self._days_of_months(last - _CYCLE_YEARS * 12, last)
            number = last - number
        total += self._days_of_months(number, last)
        first, _, mask, _ = self._load(end)
        return total + (mask & (1 << end - first) - 1).bit_count()

    def _days_of_months(self, number: int, last: int) -> int:
        """How many days of the months from one to before another match, whole years at once."""
        total = 0
        while number < last:
            if number % 12 == 0 and number + 12 <= last:
                total += self._days_of_year(number // 12)
                number += 12
            else:
                total += self._enter(number)[2].bit_count()
                number += 1
        return total

    def _days_of_year(self, year: int) -> int:
        """How many days of a year match; there are 14 kinds of year, as far as no field names years."""
        first = month_days(year * 12)[0]
        kind = first % 7 * 2 + (month_days(year * 12 + 12)[0] - first == 366)
        found = self._year.get(kind) if self._years is None else None
        if found is None:
            found = sum([self._enter(year * 12 + month)[2].bit_count() for month in range(12)])
            if self._years is None:
                self._year[kind] = found
        return found

    def matches_day(self, day: int) -> bool:
        """Tell whether an epoch day has matches."""
        first, end, mask, _ = self._month
        if not first <= day < end:
            first, end, mask, _ = self._load(day)
        return bool(mask >> day - first & 1)

    def day_run(self, day: int) -> int:
        """Return the first epoch day after `day`, which matches, that does not match or begins a new month."""
        first, _, mask, _ = self._load(day)
        mask >>= day - first
        return day + (~mask & mask + 1).bit_length() - 1

    @property
    def every_day(self) -> bool:
        """Whether every day of every year matches."""
        start = month_at(0)
        return self.repeats and self._days_of_months(start, start + 4_800) == CYCLE_DAYS


def check_cron(value: object) -> str:
    """Return an expression in normal form, known to match some date. Raises ScheduleError with field, text and hint.

    >>> check_cron("0  9 * * MON-FRI")
    '0 9 * * MON-FRI'
    """
    text = normal_text(value)
    cron_grid(text)
    return text


@lru_cache(maxsize=512)
def read_cron(text: str) -> Expression:
    """Return the fields of an expression in normal form. Raises ScheduleError, also where no date can match."""
    from duetime.core.cronparse import parse_cron  # for descriptions and notes alone

    cron_grid(text)
    return parse_cron(text)


@lru_cache(maxsize=512)
def cron_grid(text: str) -> CronGrid:
    """Return the grid of an expression in normal form. Raises ScheduleError, also where no date can match.

    >>> cron_grid("0 9 * * *").after(0)
    32400
    """
    masks = read_masks(text)
    if not can_match(masks):
        hint = "Check day, month and year: the last day of any month is L, such as 0 0 L * *."
        raise ScheduleError("cron", text, "can match no date", hint)
    return CronGrid(masks)
