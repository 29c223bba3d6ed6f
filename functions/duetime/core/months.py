"""The Gregorian calendar as months of 91 kinds: every month of every year is one of them.

A month's kind is its number, its length and the weekday it begins with. `CODES` names the kind of each of the 4,800 months
of a 400-year cycle that begins with the year 1800 (so that 1970 to 2099 lie in one cycle), and `STARTS` its first day.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from duetime.core.zonefile import days_to

FIRST_YEAR: Final = 1800
CYCLE_MONTHS: Final = 4_800
CYCLE_DAYS: Final = 146_097


class Kind(NamedTuple):
    """A kind of month: number 1 to 12, length in days, weekday of its first day (0 = Sunday)."""

    month: int
    length: int
    first: int


class Cycle(NamedTuple):
    """The months of a cycle: the kinds there are, the kind of each month, and its first epoch day."""

    kinds: tuple[Kind, ...]
    codes: bytes
    starts: tuple[int, ...]


@cache
def cycle() -> Cycle:
    """Return the 4,800 months from January 1800 on, with the first day of the next cycle at the end of `starts`."""
    numbers: dict[Kind, int] = {}
    codes, starts = bytearray(), []
    start = days_to(FIRST_YEAR, 1)
    for year in range(FIRST_YEAR, FIRST_YEAR + 400):
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        for month, length in enumerate((31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), 1):
            kind = Kind(month, length, (start + 4) % 7)
            codes.append(numbers.setdefault(kind, len(numbers)))
            starts.append(start)
            start += length
    return Cycle(tuple(numbers), bytes(codes), (*starts, start))
