"""Instants and wall times as RFC 3339 text, to the whole second, for the years 1 to 9999."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
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
    if not isinstance(value, str) or len(value) > 64:
        raise ScheduleError(field, value, "is no time", _EXAMPLE)
    found = re.fullmatch(_FORM, value)
    if found is None:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            raise ScheduleError(
                field, value, "has no time of day", f"Write {value}T00:00:00Z for midnight in UTC."
            )
        raise ScheduleError(field, value, "is no RFC 3339 time", _EXAMPLE)
    year, month, day, hour, minute, second = (int(group or 0) for group in found.groups()[:6])
    if found[7] and found[7].strip("0"):
        raise ScheduleError(field, value, "has a fraction of a second", "Write whole seconds.")
    if hour == 24 or second == 60:
        hint = (
            "Write T00:00:00 of the next day." if hour == 24 else "Write second 59, or 00 of the next minute."
        )
        raise ScheduleError(field, value, "has hour 24" if hour == 24 else "has a leap second", hint)
    try:
        wall = int((datetime(year, month, day, hour, minute, second) - _EPOCH_WALL).total_seconds())
    except ValueError as error:
        raise ScheduleError(
            field, value, "names no time that exists", f"{str(error).capitalize()}."
        ) from None
    if not FIRST_INSTANT + _MARGIN <= wall <= LAST_INSTANT - _MARGIN:
        raise ScheduleError(field, value, "is at the very end of the calendar", "Use the years 1970 to 9998.")
    return Moment(None, wall) if found[8] is None else Moment(wall - _offset(value, found[8], field), None)


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
