"""Jobs: the body that defines one, and the job as the API answers it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from duetime.contracts.api_forms import ScheduleIn, ScheduleOut, TargetIn, TargetOut
from duetime.contracts.api_types import (
    Answer,
    Cursor,
    Data,
    Documented,
    Duration,
    DurationText,
    Instant,
    Moment,
    Request,
)
from duetime.core.definition import PRIORITY_WORDS, Backoff, Misfire, Overlap, RetryOn
from duetime.core.machine import TriggerState
from duetime.core.names import NAME_PATTERN

_Priority = Annotated[
    Any,
    Documented(
        Annotated[int, Field(ge=1, le=10)]
        | Annotated[str, Field(json_schema_extra={"enum": [*PRIORITY_WORDS]})]
    ),
]
"""1 to 10 or a word."""


class RetryBody(Request):
    """When a run that did not succeed is tried again."""

    max_retries: int | None = Field(default=None, ge=0, le=100, description="Default 0.")
    delay: Duration = Field(default=None, description="Before each retry; default 1m.")
    backoff: Backoff | None = Field(
        default=None, description="Default fixed; exponential multiplies by factor."
    )
    factor: float | None = Field(default=None, ge=1, le=100, description="Default 2.")
    max_delay: Duration = Field(default=None, description="Default 30d.")
    give_up_after: Duration = Field(
        default=None, description="Budget of all attempts together; default none."
    )
    jitter: Duration = Field(default=None, description="Spreads retries; default none.")
    on: list[RetryOn] | None = Field(default=None, description="Default failed and timeout.")


class TriggerBody(Request):
    """When a job runs."""

    name: str | None = Field(default=None, pattern=NAME_PATTERN, description="Default `default`.")
    schedule: ScheduleIn
    data: Data = Field(default=None)
    priority: _Priority = Field(default=None, description="Default 5.")
    misfire: Misfire | None = Field(
        default=None, description="What a late occurrence does; default run_once."
    )
    misfire_threshold: Duration = Field(default=None, description="How late is late; default 1m.")
    jitter: Duration = Field(default=None, description="Spreads starts; default none.")
    description: str | None = Field(default=None, max_length=1000)
    enabled: bool | None = Field(default=None, description="Default true.")


class JobBody(Request):
    """A job. What is left out, or null, has its default; PUT replaces the whole job."""

    name: str | None = Field(
        default=None, description="1-128 of a-z, 0-9, '.', '_' and '-'; with PUT it may be left out.",
        json_schema_extra={"pattern": NAME_PATTERN},
    )  # fmt: skip
    target: TargetIn
    triggers: Annotated[Any, Documented(list[TriggerBody] | None)] = Field(
        default=None, description="At most 40."
    )
    data: Data = Field(default=None)
    description: str | None = Field(default=None, description="At most 1000 characters.")
    tags: Annotated[Any, Documented(list[str] | None)] = Field(default=None, description="At most 20.")
    tenant: str | None = Field(default=None, description="A name; runs carry it.")
    overlap: Annotated[Any, Documented(Overlap | bool | None)] = Field(
        default=None,
        description="What a run does that meets a running one; default skip. true = parallel, false = skip.",
    )
    retry: Annotated[Any, Documented(RetryBody | None)] = Field(
        default=None, description="Default: no retries."
    )
    timeout: Duration = Field(default=None, description="Of each attempt; default 5m, at most 30d.")
    priority: _Priority = Field(default=None, description="Of its manual runs; default 5.")
    requests_recovery: bool | None = Field(
        default=None, description="Run again what was lost. Use true or false."
    )
    keep_history: int | None = Field(default=None, description="Days; use 0 (for ever) to 3650.")


class RetryAnswer(Answer):
    """The retry policy, complete."""

    max_retries: int
    delay: DurationText
    backoff: Backoff
    factor: float
    max_delay: DurationText
    give_up_after: DurationText | None
    jitter: DurationText | None
    on: list[RetryOn]


class TriggerAnswer(Answer):
    """A trigger and its state."""

    name: str
    schedule: ScheduleOut
    text: str = Field(description="The schedule as text.")
    data: Data
    priority: int
    misfire: Misfire
    misfire_threshold: DurationText
    jitter: DurationText | None
    description: str
    enabled: bool
    paused: bool
    state: TriggerState | None = Field(description="Null when it was only checked (dry_run).")
    next_due_at: Instant | None
    last_fired_at: Instant | None
    last_run_id: str | None
    error: str | None = Field(description="Why its state is error.")


class JobAnswer(Answer):
    """A job, complete, with what the scheduler knows of it."""

    id: str = Field(description="New at each creation, also of a job made again under an old name.")
    project: str
    name: str
    description: str
    tags: list[str]
    target: TargetOut
    data: Data
    triggers: list[TriggerAnswer]
    tenant: str | None
    overlap: Overlap
    retry: RetryAnswer
    timeout: DurationText
    priority: int | None
    requests_recovery: bool
    keep_history: int | None
    version: int
    source: str = Field(description="runtime, code or overridden.")
    paused: bool
    paused_by: str | None
    paused_note: str | None
    next_due_at: Instant | None
    last_fired_at: Instant | None
    last_run_id: str | None
    created_at: Moment
    updated_at: Moment
    warnings: list[str] = Field(description="What was taken but may not be what was meant.")


class JobList(Answer):
    """A page of jobs by name; a short or empty page with `next` is not the end."""

    items: list[JobAnswer]
    next: Cursor


class PauseBody(Request):
    """Why automatic runs stop."""

    note: str | None = Field(default=None, max_length=1000, description="At most 1000 characters.")


class ResumeBody(Request):
    """What becomes of the occurrences missed while paused."""

    missed: Literal["drop", "misfire"] = Field(
        default="drop",
        description="drop: the next one is the next from now; misfire: the misfire policy decides.",
    )
