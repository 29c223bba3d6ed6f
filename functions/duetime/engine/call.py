"""Calls: runs that somebody asks for now or for later, beside what the triggers do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from duetime.core.faults import Conflict, DefinitionError, NotFound
from duetime.core.ids import new_uid, run_id
from duetime.core.jsontext import check_data, dumps
from duetime.core.overlap import slot_of
from duetime.core.run import Run
from duetime.core.stored import StoredJob
from duetime.engine.context import Engine
from duetime.engine.dispatch import launch
from duetime.engine.slots import held_by

POLL_MS: Final = 100
MAX_AHEAD: Final = 366 * 86_400


def enqueue(
    engine: Engine,
    project: str,
    name: str,
    *,
    data: Mapping[str, Any] | None = None,
    at: int | None = None,
    delay: int | None = None,
    tenant: str | None = None,
    waits: bool = True,
) -> Run:
    """Put a run of a job for now, for `at` (UTC epoch seconds) or after `delay` seconds, and return it at once.

    It waits for its slot where the job forbids overlap, unless `waits` is false: then a taken slot skips it.
    """
    stored = _job(engine, project, name)
    call = check_data(data or {}, "data")
    now_s = engine.clock.now_ms() // 1000
    if at is not None and delay is not None:
        raise DefinitionError("delay", delay, "cannot stand beside `at`", "Give one of the two.")
    start = max(now_s, at) if at is not None else now_s + (delay or 0)
    if start > now_s + MAX_AHEAD:
        raise DefinitionError(
            "at" if at is not None else "delay", start, "is too far ahead", "Use at most 366 days."
        )
    run = _manual(engine, stored, call, start, tenant, waits)
    launch(engine, run)
    return run


def start_trigger(
    engine: Engine,
    project: str,
    name: str,
    *,
    data: Mapping[str, Any] | None = None,
    tenant: str | None = None,
) -> Run:
    """Put a run of a job for now and return at once; CONFLICT_RUNNING when its slot is held at this moment."""
    stored = _job(engine, project, name)
    slot = slot_of(stored.job.overlap, name)
    holder = held_by(engine, project, slot) if slot is not None else None
    if holder is not None and not (holder.ended and holder.until_ms <= engine.clock.now_ms()):
        raise _running(name, holder.run)
    return enqueue(engine, project, name, data=data, tenant=tenant, waits=False)


def trigger(
    engine: Engine,
    project: str,
    name: str,
    *,
    data: Mapping[str, Any] | None = None,
    wait_ms: int,
    tenant: str | None = None,
) -> Run:
    """Run a job now and wait for its end, at most `wait_ms`; the run returned may be unfinished then.

    Raises CONFLICT_RUNNING when another run holds the slot, seen before the start or at it.
    """
    run = start_trigger(engine, project, name, data=data, tenant=tenant)
    until_ms = engine.clock.now_ms() + wait_ms
    while True:
        now = engine.store.get_run(project, run.id)
        run = now if now is not None else run
        if run.state == "skipped":
            raise _running(name, run.reason or "another run")
        left_ms = until_ms - engine.clock.now_ms()
        if run.ended or left_ms <= 0:
            return run
        engine.clock.sleep_ms(min(POLL_MS, left_ms))


def _job(engine: Engine, project: str, name: str) -> StoredJob:
    stored = engine.store.get_job(project, name)
    if stored is None:
        raise NotFound("job", name, "does not exist", "Check the name, or create it first.")
    return stored


def _manual(
    engine: Engine, stored: StoredJob, call: dict[str, Any], start: int, tenant: str | None, waits: bool
) -> Run:
    job, ordinal = stored.job, new_uid()
    now_ms = engine.clock.now_ms()
    return Run(
        id=run_id(stored.project, job.name, stored.uid, trigger="", nominal=start, kind="manual", ordinal=ordinal),
        project=stored.project, job=job.name, uid=stored.uid, kind="manual",
        scheduled_at=start, start_at=start, queued_ms=now_ms, ordinal=ordinal,
        priority=5 if job.priority is None else job.priority, tenant=tenant or job.tenant, waits=waits,
        call_json=dumps(call) if call else None,
        keep_days=engine.settings.history_days if job.keep_history is None else job.keep_history,
    )  # fmt: skip


def _running(name: str, holder: str) -> Conflict:
    return Conflict(
        "job", name, f"is running already ({holder})", "Wait for its end, enqueue instead, or allow overlap.",
        code="CONFLICT_RUNNING",
    )  # fmt: skip
