"""Runs as the API answers them, and the bodies of calls that make one."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import ConfigDict, Field

from duetime.contracts.api_types import Answer, Cursor, Data, Documented, Duration, Instant, Moment, Request
from duetime.core.machine import RunState
from duetime.core.run import RunKind

STATES: tuple[str, ...] = get_args(RunState)


class CoversAnswer(Answer):
    """The occurrences one record stands for."""

    model_config = ConfigDict(serialize_by_alias=True)

    from_: Instant = Field(alias="from", description="First nominal instant, included.")
    to: Instant = Field(description="Last nominal instant, included.")
    count: int = Field(ge=1)


class ErrorAnswer(Answer):
    """Why a run did not succeed."""

    code: str = Field(description="Stable code, or the handler's own.")
    message: str | None = Field(description="What went wrong. In lists, null where it is over 256 bytes.")


class RunAnswer(Answer):
    """One execution of a job."""

    id: str
    project: str
    job: str
    trigger: str | None = Field(description="Null for a run that no trigger asked for.")
    kind: RunKind
    status: RunState
    scheduled_at: Instant = Field(description="The nominal instant; for a manual run, when it was to start.")
    queued_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    attempt: int = Field(ge=1)
    retry_of: str | None = Field(description="Id of the first attempt, if this is a later one.")
    covers: CoversAnswer | None = Field(description="The occurrences it stands for, where more than one.")
    data: Annotated[Any, Documented(dict[str, Any] | None)] = Field(
        description="job ← trigger ← call, frozen when the run began; before that, what the call gave. Null in lists."
    )
    result: Annotated[Any, Documented(Any)] = Field(
        description="What it returned: any JSON value, cut at 32 KiB. In lists, null where it is over 256 bytes."
    )
    error: ErrorAnswer | None
    reason: str | None = Field(description="Why it was skipped, superseded or lost.")
    instance: str | None = Field(description="Where it ran.")
    tenant: str | None


class RunList(Answer):
    """A page of runs, newest nominal instant first; a short or empty page with `next` is not the end."""

    items: list[RunAnswer]
    next: Cursor


class TriggerCall(Request):
    """What a manual run is given; job ← call, key by key."""

    data: Data = Field(default_factory=dict)
    tenant: str | None = None


class EnqueueCall(TriggerCall):
    """What an enqueued run is given, and when it starts: at once, at an instant, or after a delay."""

    at: str | None = Field(default=None, description="RFC 3339 with offset. Not together with delay.")
    delay: Duration = None


class RequestAnswer(Answer):
    """The run that was made."""

    request_id: str = Field(description="Id of the run.")
