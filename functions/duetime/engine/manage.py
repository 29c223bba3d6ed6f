"""Managing jobs: put, delete, pause and resume, each one atomic change, then whatever is due soon is claimed at once.

A change is read, decided and written under guards on everything that was read; a lost race is read again. On any error nothing
is written. When the answer is out, nothing starts in its old form (see docs/design.md, "The start").
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from duetime.core.definition import Job
from duetime.core.errors import ScheduleError
from duetime.core.faults import Conflict, DefinitionError, NotFound, Unavailable
from duetime.core.ids import new_uid
from duetime.core.preview import preview
from duetime.core.stored import Armed, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.engine.arming import Missed, armed_rows, frozen, held, paused_job, rearmed
from duetime.engine.claim import claim_due
from duetime.engine.context import Engine
from duetime.ports import JobChange

log = logging.getLogger(__name__)

TRIES = 8


@dataclass(frozen=True, slots=True)
class PutResult:
    """The job as it stands after a put, whether it is new, and what its author should know."""

    stored: StoredJob
    created: bool
    warnings: tuple[str, ...] = ()
    triggers: tuple[TriggerRow, ...] = ()


def put_job(
    engine: Engine,
    project: str,
    job: Job,
    *,
    who: str,
    must_exist: bool | None = None,
    pause: bool | None = None,
    dry_run: bool = False,
    source: str = "runtime",
    fingerprint: str | None = None,
) -> PutResult:
    """Create or replace a job whole.

    `must_exist`: None takes both, False only creates (CONFLICT_EXISTS), True only replaces (NOT_FOUND_JOB). `pause`: None
    leaves the pause as it is. `dry_run` checks everything and writes nothing.
    """
    _check(engine, job)
    for _ in range(TRIES):
        before, rows = _read(engine, project, job.name, settle=not dry_run)
        if must_exist is False and before is not None:
            raise Conflict(
                "name",
                job.name,
                "exists already",
                "Choose another name, or replace it (PUT; `duetime schedule update`).",
            )
        if must_exist and before is None:
            raise _no_job(job.name)
        after, rows_after, warnings = _written(
            engine, project, job, before, rows, who, pause, source, fingerprint
        )
        if dry_run:
            return PutResult(after, before is None, warnings)
        if engine.store.change_job(JobChange(before, after, rows, rows_after)):
            _claim_soon(engine, project, job.name)
            return PutResult(after, before is None, warnings, rows_after)
    raise _contended(job.name)


def _check(engine: Engine, job: Job) -> None:
    """Refuse what this deployment could never run; nothing has been written yet."""
    engine.targets[job.target.kind].check(job.target)
    if job.timeout > engine.settings.executor_limit:
        raise DefinitionError(
            "timeout", f"{job.timeout} s", "is longer than an executor can run",
            f"Use at most {engine.settings.executor_limit} s, or let the job start work elsewhere and return.",
        )  # fmt: skip
    for index, trigger in enumerate(job.triggers):
        calendar = trigger.schedule.calendar
        if calendar is not None:
            raise DefinitionError(
                f"triggers[{index}].schedule.calendar", calendar, "is no calendar of this project",
                "Leave the calendar out, or create it first.", code="NOT_FOUND_CALENDAR",
            )  # fmt: skip


def _written(
    engine: Engine,
    project: str,
    job: Job,
    before: StoredJob | None,
    rows: tuple[TriggerRow, ...],
    who: str,
    pause: bool | None,
    source: str,
    fingerprint: str | None,
) -> tuple[StoredJob, tuple[TriggerRow, ...], tuple[str, ...]]:
    now_ms = engine.clock.now_ms()
    now_s = now_ms // 1000
    by_name = {row.name: row for row in rows}
    warnings: list[str] = []
    triggers = []
    for index, trigger in enumerate(job.triggers):
        try:
            schedule = frozen(
                trigger.schedule, by_name.get(trigger.name), now_s=now_s, settings=engine.settings
            )
        except ScheduleError as error:
            raise error.within(f"triggers[{index}].schedule") from None
        triggers.append(replace(trigger, schedule=schedule))
        label = f"trigger {trigger.name}: " if len(job.triggers) > 1 else ""
        warnings += [label + text for text in preview(schedule, count=1, after=now_s).warnings]
    job = replace(job, triggers=tuple(triggers))
    paused = before.paused if before is not None and pause is None else bool(pause)
    if before is not None and before.paused and not paused:
        warnings.append("The job was paused; this change resumes it.")
    uid = before.uid if before is not None else new_uid()
    rows_after, armed = armed_rows(
        project, uid, job, by_name, before.armed if before is not None else {}, paused=paused,
        version=0 if before is None else before.version + 1, now_s=now_s,
        new_generation=new_uid()[:8], keep_days=engine.settings.history_days,
    )  # fmt: skip
    after = StoredJob(
        project=project, job=job, uid=uid, version=before.version + 1 if before else 1, armed=armed,
        created_ms=before.created_ms if before else now_ms, updated_ms=now_ms,
        paused=paused,
        paused_by=(before.paused_by if before and before.paused else who) if paused else None,
        paused_note=before.paused_note if before and paused else None,
        source=_source(before, source), fingerprint=fingerprint or (before.fingerprint if before else None),
    )  # fmt: skip
    return after, rows_after, tuple(warnings)


def _source(before: StoredJob | None, source: str) -> str:
    """A code job that is changed at run time is `overridden` and keeps the fingerprint of its code."""
    if source == "runtime" and before is not None and before.source in ("code", "overridden"):
        return "overridden"
    return source


def delete_job(engine: Engine, project: str, name: str, *, who: str) -> None:
    """Delete a job and its triggers; running runs finish, queued ones end superseded, the history is kept."""
    for _ in range(TRIES):
        before, rows = _read(engine, project, name)
        if before is None:
            raise _no_job(name)
        if engine.store.change_job(JobChange(before, None, rows, ())):
            return
    raise _contended(name)


def pause_job(engine: Engine, project: str, name: str, *, who: str, note: str | None = None) -> StoredJob:
    """Stop a job's automatic runs, those sent already included; manual runs go on. Pausing twice changes nothing."""

    def change(
        before: StoredJob, rows: tuple[TriggerRow, ...]
    ) -> tuple[StoredJob, tuple[TriggerRow, ...]] | None:
        if before.paused:
            return None
        after = paused_job(before, who=who, note=note, now_ms=engine.clock.now_ms())
        return after, tuple(_bumped(held(row, now_s=engine.clock.now_ms() // 1000)) for row in rows)

    return _change(engine, project, name, change)


def resume_job(engine: Engine, project: str, name: str, *, who: str, missed: Missed = "drop") -> StoredJob:
    """Let a job run by itself again, from now (`drop`) or with what it missed (`misfire`); a spent once runs once more."""

    def change(
        before: StoredJob, rows: tuple[TriggerRow, ...]
    ) -> tuple[StoredJob, tuple[TriggerRow, ...]] | None:
        now_ms = engine.clock.now_ms()
        armed, after_rows = dict(before.armed), []
        for row in rows:
            mark, trigger = armed[row.name], before.job.trigger(row.name)
            if trigger is not None and trigger.enabled and not mark.paused:
                row, armed[row.name] = rearmed(row, mark, missed=missed, now_s=now_ms // 1000)
            after_rows.append(_bumped(row))
        after = replace(
            before, paused=False, paused_by=None, paused_note=None, armed=armed,
            version=before.version + 1, updated_ms=now_ms,
        )  # fmt: skip
        return after, tuple(after_rows)

    return _change(engine, project, name, change)


def pause_trigger(engine: Engine, project: str, name: str, trigger: str, *, who: str) -> StoredJob:
    """Stop the automatic runs of one trigger."""

    def change(
        before: StoredJob, rows: tuple[TriggerRow, ...]
    ) -> tuple[StoredJob, tuple[TriggerRow, ...]] | None:
        mark = _mark(before, trigger)
        if mark.paused:
            return None
        armed = {**before.armed, trigger: replace(mark, paused=True)}
        after = replace(before, armed=armed, version=before.version + 1, updated_ms=engine.clock.now_ms())
        return after, tuple(
            _bumped(held(row, now_s=engine.clock.now_ms() // 1000)) if row.name == trigger else row
            for row in rows
        )

    return _change(engine, project, name, change)


def resume_trigger(
    engine: Engine, project: str, name: str, trigger: str, *, who: str, missed: Missed = "drop"
) -> StoredJob:
    """Let one trigger run by itself again; while its job is paused it stays so."""

    def change(
        before: StoredJob, rows: tuple[TriggerRow, ...]
    ) -> tuple[StoredJob, tuple[TriggerRow, ...]] | None:
        now_ms = engine.clock.now_ms()
        mark, definition = replace(_mark(before, trigger), paused=False), before.job.trigger(trigger)
        row = next(one for one in rows if one.name == trigger)
        if not before.paused and definition is not None and definition.enabled:
            row, mark = rearmed(row, mark, missed=missed, now_s=now_ms // 1000)
        after = replace(
            before, armed={**before.armed, trigger: mark}, version=before.version + 1, updated_ms=now_ms
        )
        return after, tuple(_bumped(row) if one.name == trigger else one for one in rows)

    return _change(engine, project, name, change)


def _change(
    engine: Engine,
    project: str,
    name: str,
    change: Callable[[StoredJob, tuple[TriggerRow, ...]], tuple[StoredJob, tuple[TriggerRow, ...]] | None],
) -> StoredJob:
    """Read, decide and write until nobody came between; `change` answers None where nothing is to change."""
    for _ in range(TRIES):
        before, rows = _read(engine, project, name)
        if before is None:
            raise _no_job(name)
        decided = change(before, rows)
        if decided is None:
            return before
        after, rows_after = decided
        if engine.store.change_job(JobChange(before, after, rows, rows_after)):
            _claim_soon(engine, project, name)
            return after
    raise _contended(name)


def _read(
    engine: Engine, project: str, name: str, *, settle: bool = True
) -> tuple[StoredJob | None, tuple[TriggerRow, ...]]:
    """Read a job and its triggers; what fell due before now gets its records first, so that no change can lose it."""
    before = engine.store.get_job(project, name)
    if before is None:
        return None, ()
    if settle:
        claim_due(engine, project, name, until=engine.clock.now_ms() // 1000)
    rows = engine.store.get_triggers(project, name)
    for _ in range(TRIES):
        if before is None or {row.name for row in rows} == set(before.armed):
            break
        rows = engine.store.get_triggers(project, name)
        before = engine.store.get_job(project, name)  # somebody changed it between the two reads
    return before, rows


def _claim_soon(engine: Engine, project: str, name: str) -> None:
    """Claim what is due before the next tick; the change is made, so a store that is away now is the tick's business."""
    try:
        claim_due(engine, project, name)
    except Unavailable as error:
        log.warning("job %s is written; what it has due soon is left to the next tick: %s", name, error)


def _bumped(row: TriggerRow) -> TriggerRow:
    return replace(row, revision=row.revision + 1)


def _mark(stored: StoredJob, trigger: str) -> Armed:
    mark = stored.armed.get(trigger)
    if mark is None:
        raise NotFound(
            "trigger", trigger, "is no trigger of this job",
            f"It has {', '.join(stored.armed) or 'none'}.", code="NOT_FOUND_TRIGGER",
        )  # fmt: skip
    return mark


def _no_job(name: str) -> NotFound:
    return NotFound("job", name, "does not exist", "Check the name, or create it first.")


def _contended(name: str) -> Conflict:
    return Conflict(
        "job", name, "was changed by others all the time", "Read it again and repeat the change.",
        code="CONFLICT_VERSION",
    )  # fmt: skip
