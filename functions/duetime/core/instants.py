"""Instants and wall times as RFC 3339 text, to the whole second, for the years 1 to 9999."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from duetime.core.errors import ScheduleError

_EPOCH_WALL: Final = datetime(1970, 1, 1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_INSTANT: Final = -62_135_596_800
LAST_INSTANT: Final = 253_402_300_799
"""0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z."""

_MARGIN: Final = 2 * 86_400
"""Nearer to its ends than any offset reaches, a calendar of four-digit years cannot show every local time."""
_FORM: Final = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_EXAMPLE: Final = "Write RFC 3339 such as 2026-11-01T09:00:00Z or 2026-11-01T09:00:00+08:00."


class Moment(NamedTuple):
    """A time as written: an `instant`, or without an offset the `wall` time of some clock. Exactly one is given."""

    instant: int | None
    wall: int | None


def parse_moment(value: object, field: str) -> Moment:
    """Return a time from its text. Raises ScheduleError for any other notation, fractions and impossible times.

    >>> parse_moment("2026-11-01T09:00:00+08:00", "at").instant, parse_moment("1970-01-01T00:01", "at").wall
    (1793494800, 60)
    """
    if isinstance(value, datetime):
        raise ScheduleError(
            field, value, "is a datetime, no text", "Write its text, as isoformat() gives it."
        )
    if not isinstance(value, str) or len(value) > 64:
        raise ScheduleError(field, value, "is no time", _EXAMPLE)
    found = re.fullmatch(_FORM, value)
    if found is None:
        if days := re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", value):
            wrong = _no_date(*map(int, days.groups()))
            untimed = "has no time of day", f"Write {value}T00:00:00Z for midnight in UTC."
            raise ScheduleError(field, value, *(wrong or untimed))
        raise ScheduleError(field, value, "is no RFC 3339 time", _EXAMPLE)
    year, month, day, hour, minute, second = (int(group or 0) for group in found.groups()[:6])
    if found[7] and found[7].strip("0"):
        raise ScheduleError(field, value, "has a fraction of a second", "Write whole seconds.")
    try:
        wall = int((datetime(year, month, day, hour, minute, second) - _EPOCH_WALL).total_seconds())
    except ValueError:
        wrong = _no_date(year, month, day) or _no_time(hour, minute, second)
        raise ScheduleError(field, value, *wrong) from None
    if not FIRST_INSTANT + _MARGIN <= wall <= LAST_INSTANT - _MARGIN:
        raise ScheduleError(field, value, "is at the very end of the calendar", "Use the years 1970 to 9998.")
    return Moment(None, wall) if found[8] is None else Moment(wall - _offset(value, found[8], field), None)


def _no_date(year: int, month: int, day: int) -> tuple[str, str] | None:
    """What is wrong with a date that no calendar has, and what to write instead; None if nothing is."""
    if year == 0:
        return "has the year 0", "Use the years 1970 to 9998."
    if not 1 <= month <= 12:
        swapped = ""
        if 1 <= day <= 12 and 1 <= month <= _last_day(year, day):
            swapped = f": {year:04d}-{day:02d}-{month:02d}"
        return f"has no month {month:02d}", f"Months are 01 to 12, and stand before the day{swapped}."
    last = _last_day(year, month)
    if not 1 <= day <= last:
        return f"has no day {day:02d}", f"The days of {year:04d}-{month:02d} are 01 to {last}."
    return None


def _last_day(year: int, month: int) -> int:
    return 31 if month == 12 else (date(year, month + 1, 1) - timedelta(1)).day


def _no_time(hour: int, minute: int, second: int) -> tuple[str, str]:
    """What is wrong with a time that no day has, and what to write instead."""
    if (hour, minute, second) == (24, 0, 0):
        return "has hour 24", "Write T00:00:00 of the next day."
    if hour > 23:
        return f"has hour {hour}", "Hours are 00 to 23."
    if minute > 59:
        return f"has minute {minute}", "Minutes are 00 to 59."
    if second == 60:
        return "has a leap second", "Write second 59, or 00 of the next minute."
    return f"has second {second}", "Seconds are 00 to 59."


def _offset(value: str, zone: str, field: str) -> int:
    """`Z` or `+hh:mm` in seconds east of UTC."""
    if zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        raise ScheduleError(field, value, "has an offset out of range", _EXAMPLE)
    return (hours * 3_600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def instant_text(instant: int) -> str:
    """Return an instant as RFC 3339 in UTC.

    >>> instant_text(1_793_494_800)
    '2026-11-01T01:00:00Z'
    """
    return wall_text(instant) + "Z"


def wall_text(wall: int) -> str:
    """Return a wall time, in seconds since 1970-01-01T00:00 on that clock, without any zone.

    >>> wall_text(60)
    '1970-01-01T00:01:00'
    """
    return (_EPOCH_WALL + timedelta(seconds=wall)).isoformat()


def local_text(instant: int, offset: int) -> str:
    """Return an instant as the local time of an offset in seconds east of UTC.

    >>> local_text(0, -3600)
    '1969-12-31T23:00:00-01:00'
    """
    sign, rest = "-" if offset < 0 else "+", abs(offset)
    text = f"{wall_text(instant + offset)}{sign}{rest // 3_600:02d}:{rest // 60 % 60:02d}"
    return text if rest % 60 == 0 else f"{text}:{rest % 60:02d}"


def to_datetime(instant: int) -> datetime:
    """Return an instant as an aware datetime in UTC."""
    return datetime.fromtimestamp(instant, UTC)


def from_datetime(moment: object, field: str) -> int:
    """Return the whole second an aware datetime lies in. Raises ScheduleError for a naive one and anything else.

    >>> from_datetime(datetime(1970, 1, 1, 0, 0, 59, 999999, tzinfo=UTC), "after")
    59
    """
    if type(moment) is datetime and moment.tzinfo is UTC:  # the quick way of nearly all
        gone = moment - _EPOCH
        return gone.days * 86_400 + gone.seconds
    if isinstance(moment, datetime) and _is_aware(moment):
        return int((moment.replace(microsecond=0) if moment.microsecond else moment).timestamp())
    hint = "Give an aware datetime, such as datetime(2026, 11, 1, tzinfo=UTC)."
    raise ScheduleError(field, moment, "is no datetime with a time zone", hint)


def _is_aware(moment: datetime) -> bool:
    """Whether a datetime knows its offset; a time zone class that is not finished raises instead."""
    try:
        return moment.utcoffset() is not None
    except (NotImplementedError, TypeError, ValueError):
        return False


def earliest(*instants: int | None) -> int | None:
    """Return the earliest of some instants, of which each may be missing; None where all are.

    >>> earliest(30, None, 10), earliest(None)
    (10, None)
    """
    return min((one for one in instants if one is not None), default=None)
