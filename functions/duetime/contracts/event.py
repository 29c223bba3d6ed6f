"""The events Duetime publishes: CloudEvents 1.0, one for each transition of a run, a job or a trigger.

The shapes below only ever grow: fields are added, never renamed, removed or given another meaning, so whoever reads
today's events reads tomorrow's. Every field of `data` is always there; null says that it does not apply (yet).
events/outbound holds the schema and an example of each type, generated from here.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from duetime.contracts.instants import Instant, Moment
from duetime.contracts.message import Name, RunId
from duetime.core.faults import DefinitionError

SEQUENCE_DIGITS: Final = 10


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True)


class CoversData(_Shape):
    """The occurrences one record stands for."""

    from_: Instant = Field(alias="from", description="First nominal instant, included.")
    to: Instant = Field(description="Last nominal instant, included.")
    count: int = Field(ge=1, description="How many occurrences.")


class ErrorData(_Shape):
    """Why a run did not succeed."""

    code: str = Field(description="Stable code, or the handler's own.")
    message: str = Field(description="What happened, cut to 8 KiB.")


class RunData(_Shape):
    """A run at the moment of its transition."""

    job: Name
    trigger: Name | None = Field(default=None, description="Null for a run that no trigger asked for.")
    run: RunId
    kind: str = Field(description="schedule, manual, retry or recovery; more may come.")
    state: str = Field(description="The state the run has entered.")
    nominal: Instant | None = Field(
        default=None, description="The instant of the schedule this run stands for."
    )
    scheduled_at: Instant = Field(description="When it was due.")
    queued_at: Moment
    started_at: Moment | None = None
    finished_at: Moment | None = None
    error: ErrorData | None = None
    reason: str | None = Field(default=None, description="Why it was skipped, superseded, canceled or lost.")
    attempt: int = Field(ge=1)
    retry_of: RunId | None = Field(default=None, description="Id of the first attempt.")
    covers: CoversData | None = Field(
        default=None, description="The occurrences it stands for, where more than one."
    )
    instance: str | None = Field(default=None, description="Where it ran.")
    tenant: Name | None = None


class JobData(_Shape):
    """A job after its change."""

    job: Name
    trigger: Name | None = Field(
        default=None, description="The trigger paused or resumed; null for the whole job."
    )
    state: Literal["active", "paused", "deleted"]
    version: int = Field(ge=1, description="Version of the definition; it grows with every change.")
    triggers: tuple[Name, ...] = Field(default=(), description="Names of the job's triggers.")
    reason: str | None = Field(default=None, description="The note left at a pause.")
    tenant: Name | None = None


class TriggerData(_Shape):
    """A trigger that will not fire any more."""

    job: Name
    trigger: Name
    state: Literal["complete", "error"]
    nominal: Instant | None = Field(default=None, description="Its last occurrence.")
    run: RunId | None = Field(default=None, description="Id of its last run.")
    reason: str | None = Field(default=None, description="Why it is in error.")
    tenant: Name | None = None


class Event(_Shape):
    """A CloudEvent: the envelope that all events share."""

    specversion: Literal["1.0"]
    id: str = Field(min_length=1, description="Stable: a transition told twice has the same id.")
    source: str = Field(pattern=r"^/duetime/[a-z][a-z0-9_-]{0,62}$", description="/duetime/{project}")
    type: str = Field(description="What happened.")
    subject: str = Field(description="Id of the run, or name of the job.")
    time: Moment = Field(description="When it happened.")
    datacontenttype: Literal["application/json"]
    sequence: str = Field(
        pattern=rf"^\d{{{SEQUENCE_DIGITS}}}$",
        description="Order among the events of one run, job or trigger: compare as text; numbers may be left out.",
    )


class RunEvent(Event):
    """A transition of a run."""

    data: RunData


class JobEvent(Event):
    """A change of a job."""

    data: JobData


class TriggerEvent(Event):
    """The end of a trigger."""

    data: TriggerData


class EventType(NamedTuple):
    """One type of event: its model, the states its data can have, and when it is published."""

    model: type[RunEvent | JobEvent | TriggerEvent]
    states: tuple[str, ...]
    when: str


TYPES: Final[dict[str, EventType]] = {
    "duetime.job.scheduled": EventType(
        JobEvent, ("active", "paused"), "A job was created or its definition changed."
    ),
    "duetime.job.unscheduled": EventType(JobEvent, ("deleted",), "A job was deleted."),
    "duetime.job.paused": EventType(
        JobEvent, ("active", "paused"), "A job, or one trigger of it, was paused."
    ),
    "duetime.job.resumed": EventType(
        JobEvent, ("active", "paused"), "A job, or one trigger of it, was resumed."
    ),
    "duetime.run.queued": EventType(RunEvent, ("queued",), "A run was put and waits for its start."),
    "duetime.run.started": EventType(RunEvent, ("running",), "A run began."),
    "duetime.run.succeeded": EventType(RunEvent, ("succeeded",), "A run ended well."),
    "duetime.run.failed": EventType(
        RunEvent, ("failed",), "A run failed or timed out; a retry is a run of its own."
    ),
    "duetime.run.canceled": EventType(RunEvent, ("canceled",), "A run was told to stop before it was done."),
    "duetime.run.lost": EventType(
        RunEvent, ("lost",), "A run never started, or its executor was never heard of again."
    ),
    "duetime.run.skipped": EventType(RunEvent, ("skipped",), "An occurrence was not run, with the reason."),
    "duetime.run.superseded": EventType(
        RunEvent, ("superseded",), "A run was overtaken by a change before it began."
    ),
    "duetime.trigger.completed": EventType(TriggerEvent, ("complete",), "A trigger has no occurrence left."),
    "duetime.trigger.error": EventType(TriggerEvent, ("error",), "A trigger cannot fire, with the reason."),
}
"""Every type this release publishes."""


def schema_of(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of one type of event; readers should pass over fields they do not know."""
    entry = TYPES[kind]
    schema = entry.model.model_json_schema(by_alias=True)
    schema["properties"]["type"] = {**schema["properties"]["type"], "const": kind}
    reference = schema["properties"]["data"]["$ref"].rsplit("/", 1)[-1]
    schema["$defs"][reference]["properties"]["state"]["enum"] = list(entry.states)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{kind}.schema.json",
        **schema,
        "title": kind,
        "description": entry.when,
    }


def published_types(setting: str) -> frozenset[str]:
    """Return the types that the setting `published_types` names: `*` for all, or a list separated by commas.

    >>> sorted(published_types("duetime.run.failed, duetime.run.lost"))
    ['duetime.run.failed', 'duetime.run.lost']
    """
    if setting.strip() == "*":
        return frozenset(TYPES)
    names = [name.strip() for name in setting.split(",") if name.strip()]
    for name in names:
        if name not in TYPES:
            raise DefinitionError(
                "DUETIME_PUBLISHED_TYPES",
                name,
                "is no type of event",
                f"Use * or some of {', '.join(TYPES)}.",
            )
    return frozenset(names)
