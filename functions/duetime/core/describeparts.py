"""What both languages of descriptions ask of a cron expression: is it a few clock times, an even step, a plain list?"""

from __future__ import annotations

from typing import Final

from duetime.core.cronfields import Field, Item
from duetime.core.cronparse import Expression

MAX_TIMES: Final = 6
_SIZES: Final = {"second": 60, "minute": 60, "hour": 24}


def clock_times(expression: Expression) -> list[str]:
    """Return the times of day of an expression that names few of them, else nothing."""
    hours, minutes, seconds = (
        values(field) for field in (expression.hour, expression.minute, expression.second)
    )
    if len(hours) * len(minutes) * len(seconds) > MAX_TIMES:
        return []
    plain = seconds == [0]
    return [
        f"{hour:02d}:{minute:02d}" if plain else f"{hour:02d}:{minute:02d}:{second:02d}"
        for hour in hours
        for minute in minutes
        for second in seconds
    ]


def values(field: Field) -> list[int]:
    """Return the plain values of a field in order."""
    return [value for value in range(field.mask.bit_length()) if field.mask >> value & 1]


def full(field: Field, unit: str) -> bool:
    """Tell whether a field of the time of day leaves nothing out."""
    return field.mask == (1 << _SIZES[unit]) - 1


def even_step(field: Field, unit: str) -> int | None:
    """Return n where a field means every n units without a break at its end, such as */5 minutes, else None."""
    if len(field.items) != 1:
        return None
    item = field.items[0]
    even = item.kind == "range" and item.first == 0 and item.last == _SIZES[unit] - 1
    return item.step if even and 1 < item.step < _SIZES[unit] and _SIZES[unit] % item.step == 0 else None


def every_day(expression: Expression) -> bool:
    """Tell whether the two day fields leave no day out."""
    days, weekdays = expression.day.mask == 0xFFFF_FFFE, expression.weekday.mask == 0x7F
    return days or weekdays if expression.either_day else days and weekdays


def plain_items(field: Field) -> list[Item]:
    """Return the items of a field that are values, ranges or steps."""
    return [item for item in field.items if item.kind == "range"]
