"""From the core's values to what the API answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from duetime.contracts.api_job import JobAnswer, RetryAnswer, TriggerAnswer
from duetime.contracts.api_run import CoversAnswer, ErrorAnswer, RunAnswer
from duetime.contracts.instants import instant_text, moment_text
from duetime.core.definition import Retry, Trigger
from duetime.core.durations import duration_text
from duetime.core.jsontext import loads_exact, merge_data
from duetime.core.run import Covers, Run
from duetime.core.schedule import schedule_json, schedule_text
from duetime.core.stored import StoredJob
from duetime.core.target import target_document
from duetime.core.triggerrow import TriggerRow
from duetime.engine.query import JobStatus

MAX_LISTED: Final = 256
"""Bytes of a result or an error's message that a list shows; stores keep longer ones apart from their runs."""


def run_answer(run: Run) -> RunAnswer:
    """Return a run as the API shows it alone: whole."""
    data = merge_data(_json(run.base_json) or {}, _json(run.call_json) or {})
    return _run_answer(run, data, run.result_json, None if run.error is None else run.error.message)


def listed_run(run: Run) -> RunAnswer:
    """Return a run as lists show it: without its data, and without what is long."""
    message = None if run.error is None else run.error.message
    return _run_answer(run, None, _short(run.result_json), _short(message) or None)


def _run_answer(
    run: Run, data: Mapping[str, Any] | None, result_json: str | None, message: str | None
) -> RunAnswer:
    return RunAnswer(
        id=run.id, project=run.project, job=run.job, trigger=run.trigger, kind=run.kind, status=run.state,
        scheduled_at=instant_text(run.scheduled_at),
        queued_at=moment_text(run.queued_ms),
        started_at=moment_text(run.started_ms),
        finished_at=moment_text(run.finished_ms),
        attempt=run.attempt, retry_of=run.retry_of,
        covers=None if run.covers is None else _covers_answer(run.covers),
        data=data, result=_json(result_json),
        error=None if run.error is None else ErrorAnswer(code=run.error.code, message=message),
        reason=run.reason, instance=run.instance, tenant=run.tenant,
    )  # fmt: skip


def _short(text: str | None) -> str | None:
    return text if text is not None and len(text.encode()) <= MAX_LISTED else None


def _covers_answer(covers: Covers) -> CoversAnswer:
    shown = {"from": instant_text(covers.first), "to": instant_text(covers.last), "count": covers.count}
    return CoversAnswer.model_validate(shown)


def _json(text: str | None) -> Any:
    return None if text is None else loads_exact(text)


def job_answer(status: JobStatus, warnings: tuple[str, ...] = ()) -> JobAnswer:
    """Return a job as the API shows it, complete, with where its triggers stand."""
    stored = status.stored
    job = stored.job
    rows = {row.name: row for row in status.triggers}
    return JobAnswer(
        id=stored.uid, project=stored.project, name=job.name, description=job.description, tags=list(job.tags),
        target=target_document(job.target), data=dict(job.data),
        triggers=[_trigger_answer(stored, one, rows.get(one.name)) for one in job.triggers],
        tenant=job.tenant, overlap=job.overlap, retry=_retry_answer(job.retry), timeout=duration_text(job.timeout),
        priority=job.priority, requests_recovery=job.requests_recovery, keep_history=job.keep_history,
        version=stored.version, source=stored.source,
        paused=stored.paused, paused_by=stored.paused_by, paused_note=stored.paused_note,
        next_due_at=instant_text(status.next_due_at), last_fired_at=instant_text(status.last_fired_at),
        last_run_id=status.last_run_id,
        created_at=moment_text(stored.created_ms), updated_at=moment_text(stored.updated_ms), warnings=list(warnings),
    )  # fmt: skip


def _retry_answer(retry: Retry) -> RetryAnswer:
    return RetryAnswer(
        max_retries=retry.max_retries, delay=duration_text(retry.delay), backoff=retry.backoff, factor=retry.factor,
        max_delay=duration_text(retry.max_delay),
        give_up_after=_duration(retry.give_up_after),
        jitter=_duration(retry.jitter), on=list(retry.on),
    )  # fmt: skip


def _trigger_answer(stored: StoredJob, trigger: Trigger, row: TriggerRow | None) -> TriggerAnswer:
    mark = stored.armed.get(trigger.name)
    waiting = row is not None and row.state == "waiting"
    return TriggerAnswer(
        name=trigger.name, schedule=schedule_json(trigger.schedule), text=schedule_text(trigger.schedule),
        data=dict(trigger.data), priority=trigger.priority, misfire=trigger.misfire,
        misfire_threshold=duration_text(trigger.misfire_threshold), jitter=_duration(trigger.jitter),
        description=trigger.description, enabled=trigger.enabled, paused=mark is not None and mark.paused,
        state=None if row is None else row.state,
        next_due_at=instant_text(row.due_at if waiting and row is not None else None),
        last_fired_at=instant_text(row.last_due if row is not None else None),
        last_run_id=row.last_run if row is not None else None,
        error=row.error if row is not None else None,
    )  # fmt: skip


def _duration(seconds: int | None) -> str | None:
    """A duration that may be none; no time at all is none, as it is in a body."""
    return duration_text(seconds) if seconds else None
