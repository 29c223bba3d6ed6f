"""The days of a month that the two day fields of a cron expression name.

Bit n of a month's mask is day n + 1. Where both fields say something, a day that matches either counts; else both have to.
What a month's days are depends on its length and the weekday it begins with alone: 28 kinds of month.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from duetime.core.cronmasks import (
    FIRST_YEAR,
    LAST,
    LAST_DAY,
    LAST_WORKDAY,
    NEAREST,
    NTH,
    PLAIN_DAYS,
    PLAIN_WEEK,
    Masks,
    masks_of,
)
from duetime.core.months import month_days

if TYPE_CHECKING:
    from duetime.core.cronparse import Expression

_EVERY_WEEK: Final = 0b1_0000001_0000001_0000001_0000001
"""Bits 0, 7, 14, 21 and 28: one weekday of a month that begins with it."""

_SPECIAL_WEEK: Final = PLAIN_WEEK + 1
_LONG: Final = 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 12
_FEBRUARY: Final = 1 << 2


def _possible(longest: int) -> int:
    """The bits of a day mask that name a day in a month of some length."""
    plain = (2 << longest) - 2
    return plain | (1 << longest) - 1 << LAST_DAY | 1 << LAST_WORKDAY | plain << NEAREST


_ALWAYS: Final = _possible(28)
_IN_FEBRUARY: Final = _possible(29)
_IN_SHORT: Final = _possible(30)


def days_of_month(masks: Masks, length: int, first: int) -> int:
    """Return the mask of matching days in a month of this length that begins with weekday `first` (0 = Sunday)."""
    day, weekday = masks.day, masks.weekday
    every = (1 << length) - 1
    if weekday == PLAIN_WEEK and not masks.either:
        weekdays = every
    else:
        # The bits of a week, turned so that bit 0 is the month's first weekday, then five times over.
        week = weekday & PLAIN_WEEK
        weekdays = (week >> first | week << 7 - first & PLAIN_WEEK) * _EVERY_WEEK
        if weekday >= _SPECIAL_WEEK:
            weekdays |= _special_weekdays(weekday, length, first)
    days = day >> 1 & 0x7FFF_FFFF
    if day > PLAIN_DAYS:
        days |= _special_days(day, length, first)
    return (days | weekdays if masks.either else days & weekdays) & every


def _special_days(day: int, length: int, first: int) -> int:
    """The days that L, L-3, 15W or LW name in a month; none where it has no such day."""
    found, rest = 0, day >> LAST_DAY & 0x7FFF_FFFF
    while rest:
        back = rest.bit_length()  # 1 is the last day
        if back <= length:
            found |= 1 << length - back
        rest ^= 1 << back - 1
    nearest = day >> NEAREST & (2 << length) - 1
    if day >> LAST_WORKDAY & 1:
        nearest |= 1 << length
    while nearest:
        wanted = nearest.bit_length() - 1
        nearest ^= 1 << wanted
        weekday = (first + wanted - 1) % 7
        if weekday == 6:  # Saturday: the Friday before, unless that is in the month before
            wanted += -1 if wanted > 1 else 2
        elif weekday == 0:  # Sunday: the Monday after, unless that is in the month after
            wanted += 1 if wanted < length else -2
        found |= 1 << wanted - 1
    return found


def _special_weekdays(mask: int, length: int, first: int) -> int:
    """The days that FRI#2 or FRIL name in a month; none where it has no such week."""
    found = 0
    for place in range(1, 7):
        row = mask >> NTH * place & PLAIN_WEEK
        while row:
            weekday = row.bit_length() - 1
            row ^= 1 << weekday
            day = (weekday - first) % 7
            day += 7 * (place - 1) if NTH * place < LAST else (length - day - 1) // 7 * 7
            found |= 1 << day
    return found


def ever_matches(expression: Expression) -> bool:
    """Tell whether any date at all can match: not so for 30 February, or 29 February 2027.

    >>> from duetime.core.cronparse import parse_cron
    >>> ever_matches(parse_cron("0 0 30 2 *")), ever_matches(parse_cron("0 0 29 2 *"))
    (False, True)
    """
    return can_match(masks_of(expression))


def can_match(masks: Masks) -> bool:
    """Tell whether any date at all can match."""
    if masks.year is not None:
        return any(
            days_of_month(masks, length, (first + 4) % 7)
            for year in range(FIRST_YEAR, masks.year.bit_length())
            if masks.year >> year & 1
            for month in range(1, 13)
            if masks.month >> month & 1
            for first, length in [month_days(year * 12 + month - 1)]
        )
    # Without years the calendar holds every kind of month, so the longest of the chosen months decides.
    if masks.day & _ALWAYS or masks.either or masks.month & _LONG:
        return True  # every month has every day of the week, and sometimes a fifth one; a day field never is empty
    return bool(masks.day & (_IN_FEBRUARY if masks.month == _FEBRUARY else _IN_SHORT))
