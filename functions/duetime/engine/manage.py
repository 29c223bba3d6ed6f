"""Managing jobs: put and delete, each one atomic change, then whatever is due soon is claimed at once.

On any error nothing is written. When the answer is out, nothing starts in its old form (see docs/design.md, "The start").
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from duetime.core.definition import Job
from duetime.core.errors import ScheduleError
from duetime.core.exchange import JobChange
from duetime.core.faults import Conflict, DefinitionError
from duetime.core.ids import new_uid
from duetime.core.preview import preview
from duetime.core.stored import StoredCalendar, StoredJob, calendars_of
from duetime.core.triggerrow import TriggerRow
from duetime.engine.arming import Around, armed_rows, frozen, refuse_excluded
from duetime.engine.changing import TRIES, Rows, claim_soon, contended, no_job, read_around, read_job
from duetime.engine.context import Engine


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
        before, rows = read_job(engine, project, job.name, settle=not dry_run)
        used, around = _around(engine, project, job, rows)
        if must_exist is False and before is not None:
            raise Conflict(
                "name",
                job.name,
                "exists already",
                "Choose another name, or replace it (PUT; `duetime schedule update`).",
            )
        if must_exist and before is None:
            raise no_job(job.name)
        after, rows_after, warnings = _written(
            engine, project, job, before, rows, who, pause, source, fingerprint, around
        )
        if dry_run:
            return PutResult(after, before is None, warnings)
        if engine.store.change_job(JobChange(before, after, rows, rows_after, used)):
            claim_soon(engine, project, job.name)
            return PutResult(after, before is None, warnings, rows_after)
    raise contended(job.name)


def _check(engine: Engine, job: Job) -> None:
    """Refuse what this deployment could never run; nothing has been written yet."""
    engine.targets[job.target.kind].check(job.target)
    if job.timeout > engine.settings.executor_limit:
        raise DefinitionError(
            "timeout", f"{job.timeout} s", "is longer than an executor can run",
            f"Use at most {engine.settings.executor_limit} s, or let the job start work elsewhere and return.",
        )  # fmt: skip


def _around(engine: Engine, project: str, job: Job, rows: Rows) -> tuple[tuple[StoredCalendar, ...], Around]:
    """Return the calendars that the triggers of a job use now; refuse a name that is none."""
    stored, around = read_around(engine, project, calendars_of(job), rows)
    known = {one.name for one in stored}
    for index, trigger in enumerate(job.triggers):
        name = trigger.schedule.calendar
        if name is not None and name not in known:
            raise DefinitionError(
                f"triggers[{index}].schedule.calendar", name, "is no calendar of this project",
                "Leave the calendar out, or create it first.", code="NOT_FOUND_CALENDAR",
            )  # fmt: skip
    return stored, around


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
    around: Around,
) -> tuple[StoredJob, tuple[TriggerRow, ...], tuple[str, ...]]:
    now_ms = engine.clock.now_ms()
    now_s = now_ms // 1000
    by_name = {row.name: row for row in rows}
    warnings: list[str] = []
    triggers = []
    for index, trigger in enumerate(job.triggers):
        row = by_name.get(trigger.name)
        try:
            schedule = frozen(trigger.schedule, row, now_s=now_s, settings=engine.settings)
            if row is None or schedule != row.schedule:
                refuse_excluded(schedule, now_s, around)
            notes = preview(
                schedule, count=2, after=now_s, calendars=around.calendars,
                timezone=engine.settings.default_zone, written=trigger.schedule,
            ).warnings  # fmt: skip
        except ScheduleError as error:
            raise error.within(f"triggers[{index}].schedule") from None
        triggers.append(replace(trigger, schedule=schedule))
        label = f"trigger {trigger.name}: " if len(job.triggers) > 1 else ""
        warnings += [label + text for text in notes]
    job = replace(job, triggers=tuple(triggers))
    paused = before.paused if before is not None and pause is None else bool(pause)
    if before is not None and before.paused and not paused:
        warnings.append("The job was paused; this change resumes it.")
    uid = before.uid if before is not None else new_uid()
    rows_after, armed = armed_rows(
        project, uid, job, by_name, before.armed if before is not None else {}, paused=paused,
        version=0 if before is None else before.version + 1, now_s=now_s,
        new_generation=new_uid()[:8], keep_days=engine.settings.history_days, around=around,
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
        before, rows = read_job(engine, project, name)
        if before is None:
            raise no_job(name)
        if engine.store.change_job(JobChange(before, None, rows, ())):
            return
    raise contended(name)
