"""The days of a month that the two day fields of a cron expression name, for every kind of month.

Bit n of a mask is day n + 1. Where both fields say something, a day that matches either counts; else both have to match.
"""

from __future__ import annotations

from duetime.core.cronfields import YEAR, Item
from duetime.core.cronparse import Expression
from duetime.core.months import CYCLE_MONTHS, FIRST_YEAR, Kind, cycle

_EVERY_WEEK = 0b1_0000001_0000001_0000001_0000001
"""Bits 0, 7, 14, 21 and 28: one weekday of a month that begins with it."""

_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day_masks(expression: Expression) -> list[int]:
    """Return the mask of matching days for each kind of month in `cycle().kinds`."""
    plain_days, weeks = (
        expression.day.mask >> 1,
        [_weeks(expression.weekday.mask, first) for first in range(7)],
    )
    day_items = [item for item in expression.day.items if item.kind != "range"]
    weekday_items = [item for item in expression.weekday.items if item.kind != "range"]
    masks: list[int] = []
    for kind in cycle().kinds:
        if not expression.month.mask >> kind.month & 1:
            masks.append(0)
            continue
        days, weekdays = plain_days, weeks[kind.first]
        for item in day_items:
            days |= _day_bit(item, kind)
        for item in weekday_items:
            weekdays |= _weekday_bit(item, kind)
        mask = days | weekdays if expression.either_day else days & weekdays
        masks.append(mask & (1 << kind.length) - 1)
    return masks


def _weeks(mask: int, first: int) -> int:
    """The days of the weekdays in a mask, in a month that begins with weekday `first`."""
    return sum(_EVERY_WEEK << (weekday - first) % 7 for weekday in range(7) if mask >> weekday & 1)


def _day_bit(item: Item, kind: Kind) -> int:
    """The day an item such as L, L-3, 15W or LW names in a month, as a bit; 0 where the month has none."""
    if item.kind == "last_day":
        day = kind.length - item.first
        return 1 << day - 1 if day >= 1 else 0
    day = kind.length if item.kind == "last_weekday" else item.first
    if day > kind.length:
        return 0
    weekday = (kind.first + day - 1) % 7
    if weekday == 6:  # Saturday: the Friday before, unless that is in the month before
        day += -1 if day > 1 else 2
    elif weekday == 0:  # Sunday: the Monday after, unless that is in the month after
        day += 1 if day < kind.length else -2
    return 1 << day - 1


def _weekday_bit(item: Item, kind: Kind) -> int:
    """The day an item such as FRIL or FRI#2 names in a month, as a bit; 0 where the month has no such week."""
    first = 1 + (item.first - kind.first) % 7
    day = first + 7 * (item.last - 1) if item.kind == "nth" else first + (kind.length - first) // 7 * 7
    return 1 << day - 1 if day <= kind.length else 0


def ever_matches(expression: Expression) -> bool:
    """Tell whether any date at all can match: not so for 30 February, or 29 February 2027.

    >>> from duetime.core.cronparse import parse_cron
    >>> ever_matches(parse_cron("0 0 30 2 *")), ever_matches(parse_cron("0 0 29 2 *"))
    (False, True)
    """
    if expression.year is not None:
        return live_months(expression, day_masks(expression)).find(1) >= 0
    # Without years the calendar holds every kind of month, so the longest of the chosen months decides.
    days, either = expression.day, expression.either_day
    if either or days.free:
        return True  # every month has every day of the week, and sometimes a fifth one
    longest = max(length for month, length in enumerate(_LONGEST, 1) if expression.month.mask >> month & 1)
    if days.mask & (2 << longest) - 2:
        return True
    named = (item for item in days.items if item.kind != "range")
    return any(
        item.kind == "last_weekday" or item.first + (item.kind == "last_day") <= longest for item in named
    )


def live_months(expression: Expression, masks: list[int]) -> bytes:
    """Return one byte for each month of `cycle()`: 1 where any day matches.

    With a year field only its own years are live, and the cycle does not repeat.
    """
    live = cycle().codes.translate(bytes(bool(mask) for mask in masks).ljust(256, b"\0"))
    if expression.year is None:
        return live
    chosen = bytearray(CYCLE_MONTHS)
    for year in range(YEAR.low, YEAR.high + 1):
        if expression.year.mask >> year & 1:
            place = (year - FIRST_YEAR) * 12
            chosen[place : place + 12] = live[place : place + 12]
    return bytes(chosen)
