"""Calendars: the body that defines one, and the calendar as the API answers it.

The body is a union on `kind`; duetime.core.calendars reads and checks it. The same object, `name` and `description`
included, may stand in the body of a preview.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, JsonValue, RootModel
from typing_extensions import TypedDict

from duetime.contracts.api_types import Answer, Cursor, Documented, Moment
from duetime.core.calendars import MAX_DATES, MAX_MEMBERS
from duetime.core.definition import MAX_DESCRIPTION
from duetime.core.names import NAME_PATTERN

_CONFIG = ConfigDict(extra="forbid")

_Day = Literal["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
_Zone = Annotated[str, Field(description="IANA time zone of its days and hours; default UTC.")]
_Date = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", examples=["2026-12-25"])]
_Dates = Annotated[list[_Date], Field(min_length=1, max_length=MAX_DATES, description="Whole days.")]
_Days = Annotated[
    list[_Day], Field(min_length=1, max_length=7, description="Whole days; default SAT and SUN.")
]
_Members = Annotated[
    list[Annotated[str, Field(pattern=NAME_PATTERN)]],
    Field(min_length=1, max_length=MAX_MEMBERS, description="Calendars; whatever any of them excludes."),
]
_Cron = Annotated[str, Field(description="The seconds that match; 5 fields name second 0 alone.")]
_From = Annotated[str, Field(description="Local time, included.", examples=["22:00"])]
_To = Annotated[
    str,
    Field(description="Local time, not included; before `from` it is the next day's.", examples=["06:00"]),
]


class _Named(TypedDict, total=False):
    name: Annotated[str, Field(pattern=NAME_PATTERN, description="The same as in the path, if there.")]
    description: Annotated[str, Field(max_length=MAX_DESCRIPTION)]


class HolidayForm(_Named):
    """Whole days by date."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["holiday"]
    dates: _Dates
    timezone: NotRequired[_Zone]


class WeeklyForm(_Named):
    """Whole days of the week."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["weekly"]
    days: NotRequired[_Days]
    timezone: NotRequired[_Zone]


# `from` is a word of Python, so its field is declared by the functional form.
_FromTo = TypedDict("_FromTo", {"from": _From, "to": _To})


class DailyForm(_Named, _FromTo):
    """A part of every day."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["daily"]
    timezone: NotRequired[_Zone]


class CronCalendarForm(_Named):
    """What a cron expression matches."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["cron"]
    cron: _Cron
    timezone: NotRequired[_Zone]


class CompositeForm(_Named):
    """Whatever any of several calendars excludes."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["composite"]
    calendars: _Members


_Form = Annotated[
    HolidayForm | WeeklyForm | DailyForm | CronCalendarForm | CompositeForm, Field(discriminator="kind")
]
_EXAMPLES: list[JsonValue] = [
    {"kind": "holiday", "dates": ["2026-12-25", "2026-12-26"], "timezone": "Europe/Berlin"},
    {"kind": "weekly", "days": ["SAT", "SUN"], "timezone": "Europe/Berlin"},
    {"kind": "daily", "from": "22:00", "to": "06:00"},
]


class CalendarBody(RootModel[Annotated[Any, Documented(_Form)]]):
    """A calendar of excluded times, whole: with PUT, what is left out returns to its default."""

    model_config = ConfigDict(json_schema_extra={"examples": _EXAMPLES})


CalendarsIn = Annotated[
    Any,
    Documented(dict[str, _Form] | None),
    Field(description="Calendars by name; each stands in for the stored one of that name."),
]


class _Stored(Answer):
    """What every kind of calendar answers."""

    project: str
    name: str
    description: str
    version: int = Field(description="Grows with each change of the definition.")
    created_at: Moment
    updated_at: Moment
    warnings: list[str] = Field(description="What was taken but may not be what was meant.")


class HolidayAnswer(_Stored):
    """Whole days by date."""

    kind: Literal["holiday"]
    dates: list[_Date]
    timezone: str


class WeeklyAnswer(_Stored):
    """Whole days of the week."""

    kind: Literal["weekly"]
    days: list[_Day]
    timezone: str


class DailyAnswer(_Stored):
    """A part of every day."""

    model_config = ConfigDict(serialize_by_alias=True)

    kind: Literal["daily"]
    from_: str = Field(alias="from", description="Local time, included.")
    to: str = Field(description="Local time, not included; before `from` it is the next day's.")
    timezone: str


class CronCalendarAnswer(_Stored):
    """What a cron expression matches."""

    kind: Literal["cron"]
    cron: str
    timezone: str


class CompositeAnswer(_Stored):
    """Whatever any of several calendars excludes."""

    kind: Literal["composite"]
    calendars: list[str]


_Answer = HolidayAnswer | WeeklyAnswer | DailyAnswer | CronCalendarAnswer | CompositeAnswer


class CalendarAnswer(RootModel[Annotated[_Answer, Field(discriminator="kind")]]):
    """A calendar as stored, with the fields of its kind."""


class CalendarList(Answer):
    """A page of calendars by name; a short or empty page with `next` is not the end."""

    items: list[CalendarAnswer]
    next: Cursor


class CalendarUserAnswer(Answer):
    """What uses a calendar."""

    kind: Literal["job", "calendar"] = Field(description="A job (or schedule), or a composite calendar.")
    name: str


class CalendarUserList(Answer):
    """A page of what uses a calendar; a short or empty page with `next` is not the end."""

    items: list[CalendarUserAnswer]
    next: Cursor
