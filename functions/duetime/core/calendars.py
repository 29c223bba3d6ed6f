"""Calendars exclude: public holidays, weekdays, hours of the day, what a cron expression names, or any of several others.

A calendar answers for wall times of its own zone. `Exclusion` answers for instants: whether one is excluded, and when the
exclusion ends. Every question is bounded, whatever the calendars hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Final, Literal

from duetime.core.cron import check_cron
from duetime.core.cronmasks import WEEKDAYS
from duetime.core.errors import ScheduleError
from duetime.core.faults import shown
from duetime.core.keyhints import key_hint
from duetime.core.schedulejson import CALENDAR_NAME
from duetime.core.zones import check_zone

MAX_DATES: Final = 10_000
MAX_MEMBERS: Final = 32
EPOCH_DAY: Final = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class HolidayCalendar:
    """Whole days, as epoch days in order."""

    kind: ClassVar[Literal["holiday"]] = "holiday"
    dates: tuple[int, ...]
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class WeeklyCalendar:
    """Whole days of the week, in order; 0 is Sunday."""

    kind: ClassVar[Literal["weekly"]] = "weekly"
    days: tuple[int, ...] = (0, 6)
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class DailyCalendar:
    """A part of every day, in seconds: `start` inclusive to `end` exclusive; an end before the start is the next day's."""

    kind: ClassVar[Literal["daily"]] = "daily"
    start: int
    end: int
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class CronCalendar:
    """The seconds that match a cron expression; five fields name second 0 alone."""

    kind: ClassVar[Literal["cron"]] = "cron"
    cron: str
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class CompositeCalendar:
    """Whatever any of the named calendars excludes."""

    kind: ClassVar[Literal["composite"]] = "composite"
    calendars: tuple[str, ...]


Calendar = HolidayCalendar | WeeklyCalendar | DailyCalendar | CronCalendar | CompositeCalendar
"""Any calendar."""

_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "holiday": ("kind", "dates", "timezone"),
    "weekly": ("kind", "days", "timezone"),
    "daily": ("kind", "from", "to", "timezone"),
    "cron": ("kind", "cron", "timezone"),
    "composite": ("kind", "calendars"),
}


def parse_calendar(document: object, *, check_zones: bool = True) -> Calendar:
    """Return the calendar of a JSON object; a calendar is returned as it is.

    Stored ones are read without `check_zones`: a zone name that no longer resolves raises when the calendar is asked.
    Raises ScheduleError naming the field, the offending value and what to write instead.

    >>> parse_calendar({"kind": "daily", "from": "22:00", "to": "06:00"})
    DailyCalendar(start=79200, end=21600, timezone='UTC')
    """
    if isinstance(document, Calendar):
        return document
    if not isinstance(document, Mapping):
        raise ScheduleError(
            "calendar", document, "is no calendar", 'Write {"kind": "weekly", "days": ["SAT", "SUN"]}.'
        )
    kind = document.get("kind")
    if kind is None:
        raise _missing("kind", f"Use {', '.join(_KEYS)}")
    if not isinstance(kind, str) or kind not in _KEYS:
        raise ScheduleError("kind", kind, "is no kind of calendar", f"Use {', '.join(_KEYS)}.")
    for key in document:
        if key not in _KEYS[kind]:
            field = shown(key) if isinstance(key, str) and key else "calendar"
            hint = key_hint(key if isinstance(key, str) else "", _KEYS[kind])
            raise ScheduleError(field, key, f"is no field of a {kind} calendar", hint)
    given = {key: value for key, value in document.items() if value is not None}
    if kind == "composite":
        return CompositeCalendar(_members(given.get("calendars")))
    timezone = given.get("timezone", "UTC")
    if check_zones or not isinstance(timezone, str):
        timezone = check_zone(timezone)
    return _READERS[kind](given, timezone)


def calendar_json(calendar: Calendar) -> dict[str, Any]:
    """Return a calendar as a JSON object that `parse_calendar` turns into an equal one.

    >>> calendar_json(WeeklyCalendar())
    {'kind': 'weekly', 'days': ['SUN', 'SAT'], 'timezone': 'UTC'}
    """
    found: dict[str, Any] = {"kind": calendar.kind}
    match calendar:
        case HolidayCalendar():
            found["dates"] = [date.fromordinal(day + EPOCH_DAY).isoformat() for day in calendar.dates]
        case WeeklyCalendar():
            found["days"] = [WEEKDAYS[day] for day in calendar.days]
        case DailyCalendar():
            found |= {"from": _clock_text(calendar.start), "to": _clock_text(calendar.end)}
        case CronCalendar():
            found["cron"] = calendar.cron
        case CompositeCalendar():
            return {**found, "calendars": list(calendar.calendars)}
    return {**found, "timezone": calendar.timezone}


def _clock_text(second: int) -> str:
    return f"{second // 3_600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def _missing(field: str, hint: str) -> ScheduleError:
    return ScheduleError(field, None, "is missing", f"{hint}.")


def _list(value: object, field: str, example: str, limit: int) -> Sequence[Any]:
    if value is None:
        raise _missing(field, f"Write {example}")
    if not isinstance(value, (list, tuple)) or not value:
        raise ScheduleError(field, value, "is no list of at least one", f"Write {example}.")
    if len(value) > limit:
        raise ScheduleError(field, f"{len(value)} entries", "are too many", f"Use at most {limit}.")
    return value


def _members(value: object) -> tuple[str, ...]:
    members = _list(value, "calendars", '["holidays", "weekends"]', MAX_MEMBERS)
    for name in members:
        if not isinstance(name, str) or not re.fullmatch(CALENDAR_NAME, name):
            raise ScheduleError("calendars", name, "is no calendar name", "Use names such as holidays.")
    return tuple(dict.fromkeys(members))


def _read_holiday(given: dict[str, Any], timezone: str) -> HolidayCalendar:
    dates = set()
    for text in _list(given.get("dates"), "dates", '["2026-12-25"]', MAX_DATES):
        if isinstance(text, date):
            raise ScheduleError(
                "dates", text, "is a date, no text", "Write its text, as isoformat() gives it."
            )
        try:
            if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
                raise ValueError
            dates.add(date.fromisoformat(text).toordinal() - EPOCH_DAY)
        except ValueError:
            raise ScheduleError(
                "dates", text, "is no date", "Write year-month-day, such as 2026-12-25."
            ) from None
    return HolidayCalendar(tuple(sorted(dates)), timezone)


def _read_weekly(given: dict[str, Any], timezone: str) -> WeeklyCalendar:
    days = set()
    for name in _list(given.get("days", ["SAT", "SUN"]), "days", '["SAT", "SUN"]', 7):
        if not isinstance(name, str) or name.upper() not in WEEKDAYS:
            raise ScheduleError("days", name, "is no short name of a day", _day_hint(name))
        days.add(WEEKDAYS.index(name.upper()))
    return WeeklyCalendar(tuple(sorted(days)), timezone)


def _day_hint(name: object) -> str:
    """What to write for a day with its full name, for a range, and for anything else."""
    first, dash, last = name.upper().partition("-") if isinstance(name, str) else ("", "", "")
    places = [WEEKDAYS.index(day[:3]) for day in (first, last) if day[:3] in WEEKDAYS and day.isalpha()]
    if len(places) == 1 and not dash:
        return f"Write {WEEKDAYS[places[0]]}."
    if len(places) == 2:
        days = [WEEKDAYS[(places[0] + n) % 7] for n in range((places[1] - places[0]) % 7 + 1)]
        return f"List each day: {', '.join(days)}."
    return f"Use {', '.join(WEEKDAYS)}."


def _read_daily(given: dict[str, Any], timezone: str) -> DailyCalendar:
    start, end = _second_of_day(given.get("from"), "from"), _second_of_day(given.get("to"), "to")
    if start == end:
        problem = "ends where it began" if given["to"] == given["from"] else "makes it the whole day"
        hint = f"Name another end, or for whole days a weekly calendar with all days: {', '.join(WEEKDAYS)}."
        raise ScheduleError("to", given["to"], problem, hint)
    return DailyCalendar(start, end, timezone)


def _second_of_day(value: object, field: str) -> int:
    if value is None:
        raise _missing(field, "Write a time of day, such as 22:00")
    found = re.fullmatch(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?", value) if isinstance(value, str) else None
    if found:
        hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
        if (hour < 24 and minute < 60 and second < 60) or (
            field == "to" and (hour, minute, second) == (24, 0, 0)
        ):
            return (hour * 3_600 + minute * 60 + second) % 86_400
    raise ScheduleError(
        field, value, "is no time of day", "Write 00:00 to 23:59, or with seconds such as 22:00:00."
    )


def _read_cron(given: dict[str, Any], timezone: str) -> CronCalendar:
    if "cron" not in given:
        raise ScheduleError("cron", None, "is missing", 'Give an expression, such as "* * 0-7 * * *".')
    return CronCalendar(check_cron(given["cron"]), timezone)


_READERS: Final[Mapping[str, Callable[[dict[str, Any], str], Calendar]]] = {
    "holiday": _read_holiday,
    "weekly": _read_weekly,
    "daily": _read_daily,
    "cron": _read_cron,
}
