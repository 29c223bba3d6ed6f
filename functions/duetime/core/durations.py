"""Durations as people write them, in whole seconds: `90s`, `1h30m`, `1.5h`, `00:10:00`, ISO 8601 and milliseconds.

Arithmetic is exact (no floats on the way) and everything is bounded: a text is at most 64 characters long. What is no
whole number of seconds is refused, as is a number in a text without a unit.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from duetime.core.errors import ScheduleError
from duetime.core.faults import shown

MAX_TEXT: Final = 64
MAX_SECONDS: Final = 999_999_999 * 86_400
"""The longest duration Python's timedelta holds."""

_UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
UNIT_NAMES: Final = {
    name: unit
    for unit, names in {
        "ms": "millis millisecond milliseconds",
        "s": "sec secs second seconds",
        "m": "min mins minute minutes",
        "h": "hr hrs hour hours",
        "d": "day days",
        "w": "week weeks",
    }.items()
    for name in names.split()
}
"""Units spelled out, which are not taken, and what to write for them."""
_NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?"
_SHORT: Final = rf"({_NUMBER}) *(ms|[smhdw]) *"
_CLOCK: Final = r"(?:([0-9]{1,6})\.)?([0-9]{2,3}):([0-9]{2}):([0-9]{2})"
_ISO: Final = (
    rf"P(?=[0-9T])(?:({_NUMBER})W)?(?:({_NUMBER})D)?"
    rf"(?:T(?=[0-9])(?:({_NUMBER})H)?(?:({_NUMBER})M)?(?:({_NUMBER})S)?)?"
)
_ISO_MS: Final = (604_800_000, 86_400_000, 3_600_000, 60_000, 1_000)
_FORMS: Final = "Write a duration such as 30s, 10m, 1h30m, 1d, 00:10:00 or PT10M."


def parse_duration(value: str | int | float, *, field: str = "duration", zero: bool = False) -> timedelta:
    """Return a duration from its text, or from a number of milliseconds, as a whole number of seconds.

    `field` names the place in errors; `zero` allows an empty duration. Raises ScheduleError for anything else: no unit,
    an unknown unit, a fraction of a second, a negative, infinite or overlong duration.

    >>> parse_duration("1h30m"), parse_duration("PT90M") == parse_duration("1.5h"), parse_duration(5000).seconds
    (datetime.timedelta(seconds=5400), True, 5)
    """
    return timedelta(seconds=duration_seconds(value, field=field, zero=zero))


def duration_seconds(value: object, *, field: str = "duration", zero: bool = False) -> int:
    """Return a duration in any accepted form as whole seconds; see `parse_duration`."""
    if isinstance(value, str):
        milliseconds = _text_ms(value, field)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        milliseconds = _number_ms(value, field)
    else:
        raise ScheduleError(field, value, "is no duration", _FORMS)
    seconds, rest = divmod(milliseconds, 1_000)
    if rest:
        hint = (
            f"Write {duration_text(seconds)} or {duration_text(seconds + 1)}."
            if seconds
            else "The least is 1s."
        )
        if not isinstance(value, str):
            hint += " A bare number means milliseconds."
        raise ScheduleError(field, value, "is no whole number of seconds", hint)
    if seconds > MAX_SECONDS:
        raise ScheduleError(field, value, "is too long", "Write a shorter duration, such as 30d.")
    if not seconds and not zero:
        raise ScheduleError(field, value, "is no time at all", "The least is 1s.")
    return seconds


def duration_text(seconds: int) -> str:
    """Return the short form of a whole number of seconds, largest units first; `parse_duration` reads it back.

    >>> duration_text(5400), duration_text(90_061), duration_text(0)
    ('1h30m', '1d1h1m1s', '0s')
    """
    parts = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    if seconds or not parts:
        parts.append(f"{seconds}s")
    return "".join(parts)


def _number_ms(value: int | float, field: str) -> int:
    """Milliseconds given as a number; only whole ones can make whole seconds."""
    if value < 0:
        raise ScheduleError(field, value, "is negative", _FORMS)
    if not value <= MAX_SECONDS * 1_000:
        raise ScheduleError(field, value, "is too long or no number", _FORMS)
    if value != int(value):
        raise ScheduleError(field, value, "is no whole number of milliseconds", _FORMS)
    return int(value)


def _text_ms(value: str, field: str) -> int:
    """Milliseconds of a text in one of the three notations."""
    text = value.strip(" ")
    if len(value) > MAX_TEXT:
        raise ScheduleError(field, value, f"is longer than {MAX_TEXT} characters", _FORMS)
    if clock := re.fullmatch(_CLOCK, text):
        return _clock_ms(value, clock, field)
    if text.startswith("P"):
        return _iso_ms(value, text, field)
    total, position = 0, 0
    while position < len(text):
        part = re.match(_SHORT, text[position:])
        if part is None:
            raise ScheduleError(field, value, *_trouble(text))
        total += _scaled(part[1], _UNITS[part[2]], value, field)
        position += part.end()
    if not text:
        raise ScheduleError(field, value, "is empty", _FORMS)
    return total


def _clock_ms(value: str, clock: re.Match[str], field: str) -> int:
    days, hours, minutes, seconds = (int(group or 0) for group in clock.groups())
    if minutes > 59 or seconds > 59 or (days and hours > 23):
        raise ScheduleError(field, value, "is out of range", "Write hours:minutes:seconds, such as 00:10:00.")
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000


def _iso_ms(value: str, text: str, field: str) -> int:
    found = re.fullmatch(_ISO, text)
    if found is None:
        if re.match(r"P[0-9.]*[0-9][YM]|P.*[0-9]Y", text):
            hint = "Years and months vary in length: write days, such as P30D, or use a cron schedule."
            raise ScheduleError(field, value, "has years or months", hint)
        raise ScheduleError(
            field, value, "is no ISO 8601 duration", "Write one such as PT10M, PT1H30M or P1D."
        )
    return sum(
        _scaled(part, ms, value, field) for part, ms in zip(found.groups(), _ISO_MS, strict=True) if part
    )


def _scaled(number: str, unit_ms: int, value: str, field: str) -> int:
    """`number` units in milliseconds, exactly."""
    whole, _, fraction = number.partition(".")
    denominator: int = 10 ** len(fraction)
    result, rest = divmod(int(whole + fraction) * unit_ms, denominator)
    if rest:
        raise ScheduleError(
            field, value, "is no whole number of seconds", "Write whole seconds, such as 90s."
        )
    return result


def _trouble(text: str) -> tuple[str, str]:
    """What is wrong with a text in no notation, and what to write instead."""
    if re.fullmatch(_NUMBER, text):
        return "has no unit", f"Write {text}s, {text}m or {text}h; milliseconds are a number outside quotes."
    if text.startswith("-") or re.search(r"[0-9][a-z]*-", text):
        return "is negative", _FORMS
    if re.fullmatch(r"[0-9]:[0-9]{2}:[0-9]{2}", text):
        return "is no duration", f"Write hours with two digits: 0{text}."
    if re.fullmatch(r"[0-9]{1,2}:[0-9]{2}", text):
        return "is ambiguous", f"Write hours:minutes:seconds: {text}:00 or 00:{text.zfill(5)}."
    if spelled := _spelled(text):
        return "has a unit spelled out", f"Write {spelled}."
    if unit := re.search(r"[0-9] *([A-Za-z]+)", text):
        known = ", ".join(_UNITS)
        lowered = unit[1].lower()
        if lowered in _UNITS and unit[1] != lowered:
            return f"has the unit '{unit[1]}'", f"Write units in lower case: {lowered} ({known})."
        if lowered in _UNITS:
            return _stray(text)
        if lowered.startswith(("mon", "year")) or lowered in ("mo", "y", "yr", "yrs"):
            return (
                "has years or months",
                "They vary in length: write days, such as 30d, or use a cron schedule.",
            )
        return f"has the unknown unit '{unit[1]}'", f"Units are {known}. {_FORMS}"
    return "is no duration", _FORMS


def _stray(text: str) -> tuple[str, str]:
    """What is wrong with a text that has good parts and something else between them."""
    if found := re.fullmatch(rf"([0-9]+),([0-9]+) *([{''.join(u for u in _UNITS if len(u) == 1)}])", text):
        return "has a decimal comma", f"Write {found[1]}.{found[2]}{found[3]}."
    stray = re.sub(_SHORT, " ", text).strip()
    if stray.isdigit():
        return f"has '{stray[:20]}' without a unit", f"Write {stray[:20]}m or {stray[:20]}s. {_FORMS}"
    return f"has '{shown(stray)}' in it, which is no part of a duration", _FORMS


def _spelled(text: str) -> str | None:
    """A duration with its units spelled out as it is written here, `minute` alone as 1m; None for anything else."""
    bare = UNIT_NAMES.get(text.lower())
    if bare:
        return f"1{bare}"
    if not re.fullmatch(rf"(?:{_NUMBER} *[A-Za-z]+(?:[ ,]+and +|[ ,]*))+", text):
        return None
    words = [
        (number, UNIT_NAMES.get(unit.lower(), unit))
        for number, unit in re.findall(rf"({_NUMBER}) *([A-Za-z]+)", text)
    ]
    short = "".join(number + unit for number, unit in words if unit in _UNITS)
    return short if len(words) == sum(unit in _UNITS for _, unit in words) and short != text else None
