"""Between the schedule resource and the job it is the simple form of: a job with exactly one trigger named `default`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from duetime.contracts.api_schedule import ScheduleAnswer, ScheduleBody
from duetime.contracts.instants import instant_text, moment_text
from duetime.core.definition import Job, Retry, Trigger
from duetime.core.errors import ScheduleError
from duetime.core.faults import DefinitionError, DuetimeError
from duetime.core.jsontext import check_data
from duetime.core.names import check_slug
from duetime.core.run import Run
from duetime.core.schedule import parse_schedule, schedule_json
from duetime.core.stored import StoredJob
from duetime.core.target import parse_target, target_document
from duetime.engine.query import JobStatus

TRIGGER: Final = "default"
_HELD: Final = frozenset({"name", "target", "triggers", "data", "overlap", "retry"})
"""Fields of a job that a schedule holds; every other one is at its default in a job put as a schedule."""


def schedule_job(body: ScheduleBody, raw: Mapping[str, Any], name: str | None = None) -> Job:
    """Return the job a schedule body stands for; `raw` is the body as sent, `name` the one in the path.

    Raises DuetimeError naming the field of the schedule body.
    """
    own = check_slug(body.name, "name")
    if name is not None and own != name:
        raise DefinitionError("name", own, "is not the name in the path", f"Use {name}.")
    if body.on_overlap == "queue":
        raise DefinitionError("on_overlap", "queue", "is not taken by this release", "Use skip or parallel.")
    if body.queue_cap is not None:
        raise DefinitionError(
            "queue_cap", body.queue_cap, "goes only with on_overlap queue, which this release does not take",
            "Leave it out.",
        )  # fmt: skip
    try:
        schedule = parse_schedule(raw["trigger"])
    except ScheduleError as error:
        raise error.within("trigger") from None
    return Job(
        name=own,
        target=parse_target(raw["target"]),
        triggers=(Trigger(TRIGGER, schedule, misfire="skip" if body.catch_up is False else "run_once"),),
        data=check_data(raw["inputs"], "inputs"),
        overlap=body.on_overlap or "skip",
        retry=Retry(max_retries=(body.max_attempts or 1) - 1, delay=body.retry_backoff_secs or 60),
    )


def in_words_of_schedule(error: DuetimeError) -> DuetimeError:
    """Return an error about the job with its field named as in the schedule body."""
    for ours, theirs in (("triggers[0].schedule", "trigger"), ("data", "inputs")):
        if error.field == ours or error.field.startswith((ours + ".", ours + "[")):
            error.field = theirs + error.field[len(ours) :]
    return error


def is_schedule(stored: StoredJob) -> bool:
    """Whether a job is a schedule: exactly one trigger, named `default`, and a schedule's name."""
    try:
        check_slug(stored.job.name, "name")
    except DefinitionError:
        return False
    return [one.name for one in stored.job.triggers] == [TRIGGER]


def _not_default(value: Any, plain: Any, prefix: str, held: frozenset[str]) -> list[str]:
    return [
        prefix + one.name
        for one in fields(value)
        if one.name not in held and getattr(value, one.name) != getattr(plain, one.name)
    ]


def lost_options(before: StoredJob | None) -> tuple[str, ...]:
    """Return a warning for each option of a job that a put as a schedule takes back to its default."""
    if before is None:
        return ()
    job, plain = before.job, Job(before.job.name, before.job.target)
    lost = _not_default(job, plain, "", _HELD)
    lost += _not_default(job.retry, plain.retry, "retry.", frozenset({"max_retries", "delay"}))
    trigger = job.trigger(TRIGGER)
    if trigger is not None:
        plain_trigger = Trigger(TRIGGER, trigger.schedule)
        lost += _not_default(trigger, plain_trigger, "trigger ", frozenset({"name", "schedule", "misfire"}))
    return tuple(
        f"{name} is back at its default: the schedule form does not hold it, PUT the job to set it."
        for name in lost
    )


def schedule_answer(
    status: JobStatus, warnings: tuple[str, ...] = (), retry: Run | None = None
) -> ScheduleAnswer:
    """Return a schedule as the API shows it; `retry` is the retry that waits for its time, if any."""
    stored = status.stored
    job, trigger = stored.job, stored.job.triggers[0]
    mark = stored.armed.get(TRIGGER)
    off = stored.paused or not trigger.enabled or (mark is not None and mark.paused)
    spent = any(row.state == "complete" for row in status.triggers)
    due = [at for at in (status.next_due_at, retry.start_at if retry is not None else None) if at is not None]
    return ScheduleAnswer(
        id=stored.uid, project=stored.project, name=job.name, enabled=not off and not spent,
        trigger=schedule_json(trigger.schedule), target=target_document(job.target), inputs=dict(job.data),
        on_overlap=job.overlap, queue_cap=None, max_attempts=job.retry.max_retries + 1,
        retry_backoff_secs=job.retry.delay, catch_up=trigger.misfire == "run_once",
        next_due_at=instant_text(min(due, default=None)), last_fired_at=instant_text(status.last_fired_at),
        last_run_id=status.last_run_id, retry_attempt=0 if retry is None else retry.attempt - 1,
        created_at=moment_text(stored.created_ms), updated_at=moment_text(stored.updated_ms), warnings=list(warnings),
    )  # fmt: skip
