"""Previews: when a schedule would run, before it is stored."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from duetime.contracts.api_calendar import CalendarsIn
from duetime.contracts.api_forms import ScheduleIn
from duetime.contracts.api_types import Answer, Instant, Request

_COUNT = "How many instants; brought into 1 to 20. Default 5."
_FROM = "RFC 3339 with offset: the first instant is after it. Default: now."


class CronPreviewBody(Request):
    """A cron expression to look ahead with."""

    cron: str = Field(description="A cron expression such as 30 1 * * *.")
    timezone: str | None = Field(
        default=None, description="IANA time zone; the project's default if left out."
    )
    dst_gap: Literal["skip", "shift"] | None = Field(default=None, description="Use skip or shift.")
    dst_fold: Literal["first", "both"] | None = Field(default=None, description="Use first or both.")
    count: int = Field(default=5, description=_COUNT)
    from_: str | None = Field(default=None, alias="from", description=_FROM)


class SchedulePreviewBody(Request):
    """A schedule to look ahead with."""

    schedule: ScheduleIn
    calendars: CalendarsIn = Field(default=None)
    count: int = Field(default=5, description=_COUNT)
    from_: str | None = Field(default=None, alias="from", description=_FROM)


class PreviewAnswer(Answer):
    """The next instants, and what is worth knowing about them."""

    upcoming: list[Instant] = Field(description="UTC; empty when a legal schedule has no further occurrence.")
    local: list[str] = Field(description="The same instants on the clocks of the time zone, with offset.")
    timezone: str
    description: str
    warnings: list[str] = Field(
        description="Clock changes ahead, occurrences that never come, likely mistakes."
    )
