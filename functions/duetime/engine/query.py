"""Reading: a job's status, lists of jobs and runs. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from duetime.core.errors import ScheduleError
from duetime.core.exchange import Page
from duetime.core.faults import NotFound
from duetime.core.ids import run_id
from duetime.core.instants import earliest
from duetime.core.machine import TriggerState
from duetime.core.run import Run
from duetime.core.stored import StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.engine.chain import is_fixed_delay, ordinal_of
from duetime.engine.context import Engine
from duetime.engine.occurrences import Calendars

MOST_PAGES = 10
"""Store pages one filtered read looks through; what is left has a cursor, so a short page is not the end."""


@dataclass(frozen=True, slots=True)
class JobStatus:
    """A job and where its triggers stand; instants are UTC epoch seconds."""

    stored: StoredJob
    triggers: tuple[TriggerRow, ...]

    @property
    def next_due_at(self) -> int | None:
        """The next instant any of its triggers is due, or None."""
        return min(
            (row.due_at for row in self.triggers if row.state == "waiting" and row.due_at), default=None
        )

    @property
    def last_fired(self) -> TriggerRow | None:
        """The trigger whose occurrence was dispatched last, or None."""
        fired = [row for row in self.triggers if row.last_due is not None and row.last_run is not None]
        return max(fired, key=lambda row: row.last_due or 0, default=None)

    @property
    def last_fired_at(self) -> int | None:
        """The nominal instant of the occurrence dispatched last, or None."""
        return self.last_fired.last_due if self.last_fired else None

    @property
    def last_run_id(self) -> str | None:
        """The id of the run dispatched last, or None."""
        return self.last_fired.last_run if self.last_fired else None


def status(engine: Engine, project: str, name: str) -> JobStatus:
    """Return a job and its triggers, read consistently; raises NOT_FOUND_JOB."""
    stored = engine.store.get_job(project, name)
    if stored is None:
        raise NotFound("job", name, "does not exist", "Check the name, or list the jobs.")
    return JobStatus(stored, _as_of_now(engine, engine.store.get_triggers(project, name)))


def list_statuses(
    engine: Engine, project: str, *, prefix: str = "", limit: int, cursor: str | None = None
) -> Page[JobStatus]:
    """Return jobs by name with where their triggers stand."""
    page = engine.store.list_jobs(project, prefix=prefix, limit=limit, cursor=cursor)
    calendars = Calendars(engine.store)
    items = tuple(
        JobStatus(one, _as_of_now(engine, engine.store.get_triggers(project, one.job.name), calendars))
        for one in page.items
    )
    return Page(items, page.next)


def placed(engine: Engine, stored: StoredJob, rows: tuple[TriggerRow, ...]) -> JobStatus:
    """Return the status of a job as it was just written, whatever others have made of it since."""
    return JobStatus(stored, _as_of_now(engine, rows))


def _as_of_now(
    engine: Engine, rows: tuple[TriggerRow, ...], calendars: Calendars | None = None
) -> tuple[TriggerRow, ...]:
    """Return trigger rows as they stand at this second: claims look ahead, and people ask about now."""
    now_s = engine.clock.now_ms() // 1000
    calendars = calendars or Calendars(engine.store)
    return tuple(_as_of(engine, row, now_s, calendars) for row in rows)


def _as_of(engine: Engine, row: TriggerRow, now_s: int, calendars: Calendars) -> TriggerRow:
    if row.last_due is None or row.last_due <= now_s:
        return row if row.outstanding is None else replace(row, last_run=row.outstanding)
    state, due = row.state, row.due_at
    back: TriggerState = "waiting" if state in ("complete", "acquired") else state
    if is_fixed_delay(row):
        return replace(row, due_at=row.last_due, last_due=None, state=back)
    try:
        occurrences = calendars.plan(row)
    except ScheduleError:  # its zone or calendar is gone: the next claim puts it into `error`
        return row
    # What was put ahead may have been given back since, or a calendar may have come to exclude it.
    put = row.last_due if occurrences.contains(row.last_due) else None
    nearest = earliest(occurrences.next(now_s), put)
    if nearest is not None and not row.returned:
        state, due = back, nearest
    fired, run = occurrences.previous(now_s + 1), None
    if fired is not None:
        run = run_id(
            row.project, row.job, row.uid,
            trigger=row.name, nominal=fired, kind="schedule", ordinal=ordinal_of(row, fired),
        )  # fmt: skip
        # An occurrence from before the trigger was armed has no run: then it has not fired yet.
        if engine.store.get_run(row.project, run) is None:
            fired = run = None
    return replace(row, state=state, due_at=due if state == "waiting" else None, last_due=fired, last_run=run)


def get_run(engine: Engine, project: str, run: str) -> Run:
    """Return one run whole; raises NOT_FOUND_RUN for another project's, an expired or an unknown one."""
    found = engine.store.get_run(project, run)
    if found is None:
        raise NotFound(
            "run", run, "does not exist or its history has expired", "Take the id from a list of runs.",
            code="NOT_FOUND_RUN",
        )  # fmt: skip
    return found


def job_runs(
    engine: Engine,
    project: str,
    name: str,
    *,
    limit: int,
    cursor: str | None = None,
    states: Collection[str] | None = None,
    trigger: str | None = None,
    since: int | None = None,
    until: int | None = None,
) -> Page[Run]:
    """Return a job's runs, newest nominal instant first; the history outlives the job."""

    def read(left: int, after: str | None) -> Page[Run]:
        return engine.store.list_job_runs(project, name, limit=left, cursor=after, since=since, until=until)

    return _filtered(read, limit, cursor, lambda run: _matches(run, states, trigger))


def project_runs(
    engine: Engine,
    project: str,
    *,
    limit: int,
    cursor: str | None = None,
    states: Collection[str] | None = None,
    job: str | None = None,
    trigger: str | None = None,
    since: int | None = None,
    until: int | None = None,
) -> Page[Run]:
    """Return a project's runs, newest nominal instant first; with a job, that job's."""
    if job is not None:
        return job_runs(
            engine,
            project,
            job,
            limit=limit,
            cursor=cursor,
            states=states,
            trigger=trigger,
            since=since,
            until=until,
        )

    def read(left: int, after: str | None) -> Page[Run]:
        return engine.store.list_runs(project, limit=left, cursor=after, since=since, until=until)

    return _filtered(read, limit, cursor, lambda run: _matches(run, states, trigger))


def _matches(run: Run, states: Collection[str] | None, trigger: str | None) -> bool:
    return (not states or run.state in states) and (trigger is None or run.trigger == trigger)


def _filtered(
    read: Callable[[int, str | None], Page[Run]],
    limit: int,
    cursor: str | None,
    matches: Callable[[Run], bool],
) -> Page[Run]:
    """Read pages until `limit` items match, bounded; no page is cut in the middle, so nothing is lost or doubled."""
    found: list[Run] = []
    for _ in range(MOST_PAGES):
        page = read(limit - len(found), cursor)
        found += [run for run in page.items if matches(run)]
        cursor = page.next
        if cursor is None or len(found) >= limit:
            break
    return Page(tuple(found), cursor)
