"""The Gregorian calendar by months: pure arithmetic on epoch days, for any year, without tables to build.

A month number counts all months since January of the year 0: `year * 12 + month - 1`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from duetime.core.zonefile import days_to

CYCLE_MONTHS: Final = 4_800
CYCLE_DAYS: Final = 146_097
"""400 years: dates and weekdays repeat exactly."""

LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@lru_cache(maxsize=512)
def month_at(day: int) -> int:
    """Return the number of the month an epoch day lies in.

    >>> divmod(month_at(0), 12), divmod(month_at(11_016), 12)
    ((1970, 0), (2000, 1))
    """
    # Years begin in March here, so that the leap day is a year's last day and month lengths follow one formula.
    cycles, day = divmod(day + 719_468, CYCLE_DAYS)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= year * 365 + year // 4 - year // 100
    return (cycles * 400 + year) * 12 + (5 * day + 2) // 153 + 2


@lru_cache(maxsize=512)
def month_days(number: int) -> tuple[int, int]:
    """Return the epoch day a month begins with and its length in days.

    >>> month_days(1970 * 12), month_days(2000 * 12 + 1)
    ((0, 31), (10988, 29))
    """
    year, month = divmod(number, 12)
    length = LENGTHS[month]
    if month == 1 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
        length = 29
    return days_to(year, month + 1), length
