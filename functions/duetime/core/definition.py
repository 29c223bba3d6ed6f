"""Definitions: what a job is, when it runs and by which policies, checked whole before anything is stored.

`parse_job` takes the JSON form (API bodies, stored documents, code jobs alike) and `job_document` gives it back;
`parse_job(job_document(job)) == job`. Every refusal names the field by its path, the value and the way out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from duetime.core.durations import duration_text
from duetime.core.errors import ScheduleError
from duetime.core.faults import DefinitionError
from duetime.core.fields import DAY, Fields, choice, flag, integer, read, seconds, strings, text
from duetime.core.jsontext import check_data
from duetime.core.names import check_name
from duetime.core.schedule import Schedule, parse_schedule, schedule_json
from duetime.core.target import Target, parse_target, target_document

MAX_TRIGGERS: Final = 40
"""A job and its triggers are written in one transaction of at most 100 items."""
MAX_CALENDARS: Final = 20
"""A calendar that a job begins to use takes two items of the same transaction."""
MAX_TAGS: Final = 20
MAX_DESCRIPTION: Final = 1_000
EXPRESS_PRIORITY: Final = 7
PRIORITY_WORDS: Final = {"low": 2, "below_normal": 4, "normal": 5, "above_normal": 7, "high": 9}

Misfire = Literal["run_once", "skip"]
Overlap = Literal["parallel", "skip"]
Backoff = Literal["fixed", "exponential"]
RetryOn = Literal["failed", "timeout", "lost"]


@dataclass(frozen=True, slots=True)
class Retry:
    """When a run that did not succeed is tried again; all durations in seconds."""

    max_retries: int = 0
    delay: int = 60
    backoff: Backoff = "fixed"
    factor: float = 2.0
    max_delay: int = 30 * DAY
    give_up_after: int | None = None
    jitter: int = 0
    on: tuple[RetryOn, ...] = ("failed", "timeout")


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a job runs: a schedule, and how late, doubled and urgent occurrences are treated. Durations in seconds."""

    name: str
    schedule: Schedule
    data: Mapping[str, Any] = field(default_factory=dict)
    priority: int = 5
    misfire: Misfire = "run_once"
    misfire_threshold: int = 60
    jitter: int = 0
    description: str = ""
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Job:
    """What to do: a target, its data, its triggers and its policies. Durations in seconds, history in days."""

    name: str
    target: Target
    triggers: tuple[Trigger, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    tags: tuple[str, ...] = ()
    tenant: str | None = None
    overlap: Overlap = "skip"
    retry: Retry = Retry()
    timeout: int = 300
    priority: int | None = None
    requests_recovery: bool = False
    keep_history: int | None = None

    def trigger(self, name: str | None) -> Trigger | None:
        """Return the trigger of this name, or None."""
        return next((one for one in self.triggers if one.name == name), None)


def _priority(value: Any, path: str) -> int:
    if isinstance(value, str) and value in PRIORITY_WORDS:
        return PRIORITY_WORDS[value]
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10:
        return value
    raise DefinitionError(
        path, value, "is no priority", f"Use 1 to 10 or one of {', '.join(PRIORITY_WORDS)}."
    )


def _overlap(value: Any, path: str) -> Overlap:
    if isinstance(value, bool):
        return "parallel" if value else "skip"
    if value in ("queue", "block", "cancel_running"):
        raise DefinitionError(path, value, "is an overlap this release does not run", "Use parallel or skip.")
    return choice(value, path, ("parallel", "skip"))  # type: ignore[no-any-return]  # checked against the literal


_RETRY: Final[Fields] = {
    "max_retries": lambda v, p: integer(v, p, 0, 100),
    "delay": lambda v, p: seconds(v, p, 1, 30 * DAY),
    "backoff": lambda v, p: choice(v, p, ("fixed", "exponential")),
    "factor": lambda v, p: _factor(v, p),
    "max_delay": lambda v, p: seconds(v, p, 1, 30 * DAY),
    "give_up_after": lambda v, p: seconds(v, p, 1, 366 * DAY),
    "jitter": lambda v, p: 0 if v == 0 and not isinstance(v, bool) else seconds(v, p, 1, DAY),
    "on": lambda v, p: strings(v, p, 3, lambda i, q: str(choice(i, q, ("failed", "timeout", "lost")))),
}


def _factor(value: Any, path: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= 100:
        return float(value)
    raise DefinitionError(path, value, "is out of range", "Use a number from 1 to 100.")


def parse_retry(document: Any, path: str = "retry") -> Retry:
    """Return the retry policy of its JSON form.

    >>> parse_retry({"max_retries": 2, "delay": "1m", "backoff": "exponential"}).delay
    60
    """
    return Retry(**read(document, path, _RETRY, 'Use an object such as {"max_retries": 2, "delay": "1m"}.'))


def _schedule(value: Any, path: str, *, check_zones: bool = True) -> Schedule:
    try:
        return parse_schedule(value, check_zones=check_zones)
    except ScheduleError as error:
        raise error.within(path) from None


_TRIGGER: Final[Fields] = {
    "name": check_name,
    "schedule": lambda v, p: _schedule(v, p),
    "data": check_data,
    "priority": _priority,
    "misfire": lambda v, p: choice(v, p, ("run_once", "skip")),
    "misfire_threshold": lambda v, p: seconds(v, p, 1, DAY),
    "jitter": lambda v, p: 0 if v == 0 and not isinstance(v, bool) else seconds(v, p, 1, DAY),
    "description": lambda v, p: text(v, p, MAX_DESCRIPTION),
    "enabled": flag,
}


_STORED_TRIGGER: Final[Fields] = {**_TRIGGER, "schedule": lambda v, p: _schedule(v, p, check_zones=False)}


def parse_trigger(document: Any, path: str = "triggers[0]", known: Fields = _TRIGGER) -> Trigger:
    """Return the trigger of its JSON form; `name` is `default` where left out.

    >>> parse_trigger({"schedule": "every 10m"}).name
    'default'
    """
    fields = read(
        document, path, known, 'Use an object such as {"name": "default", "schedule": "every 10m"}.'
    )
    if "schedule" not in fields:
        raise DefinitionError(f"{path}.schedule", None, "is missing", 'Give one, such as "0 9 * * MON-FRI".')
    return Trigger(**{"name": "default", **fields})


def _triggers(value: Any, path: str, known: Fields = _TRIGGER) -> tuple[Trigger, ...]:
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise DefinitionError(path, value, "is no list", 'Use a list such as [{"schedule": "every 10m"}].')
    if len(value) > MAX_TRIGGERS:
        raise DefinitionError(
            path, len(value), "are too many", f"Use at most {MAX_TRIGGERS} triggers; split the job."
        )
    found = tuple(parse_trigger(item, f"{path}[{index}]", known) for index, item in enumerate(value))
    seen: set[str] = set()
    for index, one in enumerate(found):
        if one.name in seen:
            raise DefinitionError(
                f"{path}[{index}].name", one.name, "occurs twice", "Give each trigger its own name."
            )
        seen.add(one.name)
    calendars = {one.schedule.calendar for one in found} - {None}
    if len(calendars) > MAX_CALENDARS:
        raise DefinitionError(
            path, len(calendars), "are too many different calendars",
            f"Use at most {MAX_CALENDARS}: join some in a composite calendar, or split the job.",
        )  # fmt: skip
    return found


_JOB: Final[Fields] = {
    "name": check_name,
    "target": parse_target,
    "triggers": _triggers,
    "data": check_data,
    "description": lambda v, p: text(v, p, MAX_DESCRIPTION),
    "tags": lambda v, p: strings(v, p, MAX_TAGS, check_name),
    "tenant": lambda v, p: check_name(v, p),
    "overlap": _overlap,
    "retry": parse_retry,
    "timeout": lambda v, p: seconds(v, p, 1, 30 * DAY),
    "priority": _priority,
    "requests_recovery": flag,
    "keep_history": lambda v, p: integer(v, p, 0, 3650),
}


_STORED_JOB: Final[Fields] = {**_JOB, "triggers": lambda v, p: _triggers(v, p, _STORED_TRIGGER)}


_LATER: Final[Fields] = {
    "queue_cap": lambda v, p: integer(v, p, 1, 1_000_000),
    "concurrency_key": lambda v, p: text(v, p, 256),
    "runs_on": check_name,
    "run_on_every_instance": flag,
    "heartbeat": lambda v, p: seconds(v, p, 1, DAY),
    "pause_on_failure": lambda v, p: integer(v, p, 1, 1_000),
    "alert_after": lambda v, p: seconds(v, p, 1, 30 * DAY),
    "delete_after_completion": flag,
}
"""Fields of a job that this release checks and does not run: better refused at write than ignored at fire time."""


def _refuse_later(document: Any) -> None:
    """Say of a field that comes later that it does, once its value is right."""
    for key, value in document.items() if isinstance(document, Mapping) else ():
        if key in _LATER and value is not None and _LATER[key](value, key) is not False:
            raise DefinitionError(
                key, value, "is a policy this release does not run", "Leave it out for now."
            )


def parse_job(document: Any, *, name: str | None = None, stored: bool = False) -> Job:
    """Return the job of its JSON form; `name` (from a path) must agree with the one in the document.

    A `stored` one is readable whatever has become of the time zones its schedules name.

    >>> parse_job({"target": {"kind": "python", "name": "reports.nightly"}}, name="nightly").timeout
    300
    """
    _refuse_later(document)
    if isinstance(document, Mapping):
        document = {key: value for key, value in document.items() if key not in _LATER}
    example = 'Use an object such as {"target": {"kind": "python", "name": "reports.nightly"}}.'
    fields = read(document, "", _STORED_JOB if stored else _JOB, example)
    if name is not None and fields.setdefault("name", check_name(name, "name")) != name:
        raise DefinitionError(
            "name", fields["name"], "is not the name in the path", f"Use {name}, or leave it out."
        )
    for required in ("name", "target"):
        if required not in fields:
            raise DefinitionError(required, None, "is missing", "Give it; see the OpenAPI document.")
    return Job(**fields)


def job_document(job: Job) -> dict[str, Any]:
    """Return the JSON form of a job, without what equals the default.

    >>> job_document(parse_job({"target": {"kind": "python", "name": "a"}}, name="nightly"))
    {'name': 'nightly', 'target': {'kind': 'python', 'name': 'a'}}
    """
    return {
        "name": job.name,
        "target": target_document(job.target),
        **({"triggers": [trigger_document(one) for one in job.triggers]} if job.triggers else {}),
        **_unless_default(
            job, Job(job.name, job.target), ("data", "description", "tenant", "overlap", "priority")
        ),
        **({"tags": list(job.tags)} if job.tags else {}),
        **({"retry": retry_document(job.retry)} if job.retry != Retry() else {}),
        **_unless_default(job, Job(job.name, job.target), ("timeout",), duration_text),
        **_unless_default(job, Job(job.name, job.target), ("requests_recovery", "keep_history")),
    }


def trigger_document(trigger: Trigger) -> dict[str, Any]:
    """Return the JSON form of a trigger, without what equals the default."""
    plain = Trigger(trigger.name, trigger.schedule)
    return {
        "name": trigger.name,
        "schedule": schedule_json(trigger.schedule),
        **_unless_default(trigger, plain, ("data", "priority", "misfire", "description", "enabled")),
        **_unless_default(trigger, plain, ("misfire_threshold", "jitter"), duration_text),
    }


def retry_document(retry: Retry) -> dict[str, Any]:
    """Return the JSON form of a retry policy, without what equals the default."""
    return {
        **_unless_default(retry, Retry(), ("max_retries", "backoff", "factor")),
        **_unless_default(retry, Retry(), ("delay", "max_delay", "give_up_after", "jitter"), duration_text),
        **({"on": list(retry.on)} if retry.on != Retry().on else {}),
    }


def _unless_default(
    value: Any, plain: Any, names: Sequence[str], write: Callable[[Any], Any] = lambda found: found
) -> dict[str, Any]:
    return {
        name: write(getattr(value, name)) for name in names if getattr(value, name) != getattr(plain, name)
    }
