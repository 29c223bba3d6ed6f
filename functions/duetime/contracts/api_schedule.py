"""The schedule resource: the simple form of a job with exactly one trigger named `default`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from duetime.contracts.api_forms import ScheduleIn, ScheduleOut, TargetIn, TargetOut
from duetime.contracts.api_types import Answer, Cursor, Data, Instant, Moment, Request
from duetime.core.definition import Overlap
from duetime.core.names import SLUG_PATTERN


class ScheduleBody(Request):
    """A schedule, whole: with PUT, what is left out returns to its default."""

    name: str = Field(
        description="1-63 of a-z, 0-9, '_' and '-', beginning with a letter; the same as in the path.",
        json_schema_extra={"pattern": SLUG_PATTERN},
    )
    trigger: ScheduleIn
    target: TargetIn
    inputs: Data = Field(description="A JSON object of at most 128 KiB; send {} for none.")
    enabled: bool = Field(default=True, description="Use true or false; false creates it paused.")
    on_overlap: Literal["skip", "parallel", "queue"] | None = Field(
        default=None, description="Use skip (the default) or parallel; queue is not taken by this release."
    )
    queue_cap: int | None = Field(
        default=None,
        ge=1,
        description="Goes only with on_overlap queue, which this release does not take; leave it out.",
    )
    max_attempts: int | None = Field(
        default=None,
        ge=1,
        le=10,
        description="A whole number from 1 (the default) to 10, the first attempt included.",
    )
    retry_backoff_secs: int | None = Field(
        default=None, ge=1, le=86_400, description="A whole number of seconds from 1 to 86400; default 60."
    )
    catch_up: bool | None = Field(
        default=None,
        description="Use true (the default: one late run stands for all missed) or false (they are skipped). "
        "A once runs however late.",
    )


class ScheduleAnswer(Answer):
    """A schedule and its state."""

    id: str
    project: str
    name: str
    enabled: bool = Field(description="False while paused, and once nothing is left to run.")
    trigger: ScheduleOut
    target: TargetOut
    inputs: Data
    on_overlap: Overlap
    queue_cap: int | None
    max_attempts: int
    retry_backoff_secs: int
    catch_up: bool
    next_due_at: Instant | None
    last_fired_at: Instant | None
    last_run_id: str | None
    retry_attempt: int = Field(description="Above 0, next_due_at is when this attempt is made again.")
    created_at: Moment
    updated_at: Moment
    warnings: list[str] = Field(description="What was taken but may not be what was meant.")


class ScheduleList(Answer):
    """A page of schedules by name; a short or empty page with `next` is not the end."""

    items: list[ScheduleAnswer]
    next: Cursor
