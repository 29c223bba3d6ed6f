"""Jobs, triggers and runs for tests: plain ones, in which a test names only what it is about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from duetime.core.calendars import parse_calendar
from duetime.core.definition import parse_job
from duetime.core.exchange import CalendarChange, JobChange
from duetime.core.ids import run_id
from duetime.core.run import Run, RunError
from duetime.core.schedule import freeze, parse_schedule
from duetime.core.stored import Armed, StoredCalendar, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.ports import Store

NOW = 1_800_000_000
"""The instant tests happen at (2027-01-15T08:00:00Z)."""
NOW_MS = NOW * 1000
LEASE_MS = NOW_MS + 360_000
WHY = RunError("UNEXPECTED_HANDLER", "it broke")


def a_job(
    project: str,
    name: str = "tick",
    *,
    version: int = 1,
    triggers: tuple[str, ...] = ("default",),
    **fields: Any,
) -> StoredJob:
    """Return a stored job that runs every ten minutes under each of the triggers; `fields` are its document's."""
    made = [{"name": one, "schedule": "every 10m"} for one in triggers]
    document = {"name": name, "target": {"kind": "python", "name": "work"}, "triggers": made, **fields}
    job = parse_job(document)
    frozen = tuple(replace(one, schedule=freeze(one.schedule, now=NOW)) for one in job.triggers)
    armed = {one.name: Armed(generation="g1", anchor=NOW, ordinal=0) for one in job.triggers}
    return StoredJob(project, replace(job, triggers=frozen), "u1", version, armed, NOW_MS, NOW_MS)


def a_row(project: str, job: str = "tick", name: str = "default", **fields: Any) -> TriggerRow:
    """Return a trigger row that waits for its first instant in ten minutes."""
    schedule = freeze(parse_schedule("every 10m"), now=NOW)
    given: dict[str, Any] = {"uid": "u1", "generation": "g1", "anchor": NOW, "due_at": NOW + 600, **fields}
    return TriggerRow(project=project, job=job, name=name, schedule=schedule, **given)


def a_run(project: str, job: str = "tick", *, nominal: int = NOW, n: int = 0, **fields: Any) -> Run:
    """Return a queued run of an occurrence; `n` tells runs of one instant apart."""
    id = run_id(project, job, "u1", trigger="default", nominal=nominal, kind="schedule", ordinal=str(n))
    given: dict[str, Any] = {
        "uid": "u1", "kind": "schedule", "scheduled_at": nominal, "start_at": nominal, "queued_ms": NOW_MS,
        "trigger": "default", "nominal": nominal, "ordinal": str(n), "watch_at": nominal + 120, **fields,
    }  # fmt: skip
    return Run(id=id, project=project, job=job, **given)


def put_job(store: Store, stored: StoredJob, *rows: TriggerRow) -> None:
    """Store a new job with its trigger rows."""
    assert store.change_job(JobChange(None, stored, (), rows))


def put_row(store: Store, row: TriggerRow) -> TriggerRow:
    """Store a trigger row with a job of its own around it."""
    put_job(store, a_job(row.project, row.job, triggers=(row.name,)), row)
    return row


def started(store: Store, run: Run, nonce: str = "n1", **given: Any) -> Run | None:
    """Begin a run that was put; None when the race was lost."""
    fields = {
        "now_ms": NOW_MS,
        "lease_ms": LEASE_MS,
        "instance": "i1",
        "slot": None,
        "base_json": "{}",
        **given,
    }
    return store.begin_run(run.project, run.id, nonce=nonce, **fields)


def begin(store: Store, run: Run, **given: Any) -> Run:
    """Put and begin a run; answers it running under fence 1."""
    assert store.enqueue_run(run) is None
    begun = started(store, run, **given)
    assert begun is not None
    return begun


def read_run(store: Store, run: Run) -> Run:
    """Return a run as it stands."""
    found = store.get_run(run.project, run.id)
    assert found is not None
    return found


def current_row(store: Store, row: TriggerRow) -> TriggerRow:
    """Return a trigger row as it stands."""
    return next(one for one in store.get_triggers(row.project, row.job) if one.name == row.name)


def a_calendar(project: str, name: str = "holidays", *members: str, **fields: Any) -> StoredCalendar:
    """Return a stored calendar of Christmas Day, or one composed of these members."""
    form = (
        {"kind": "composite", "calendars": members}
        if members
        else {"kind": "holiday", "dates": ["2026-12-25"]}
    )
    given: dict[str, Any] = {
        "version": 1,
        "revision": 1,
        "created_ms": NOW_MS,
        "updated_ms": NOW_MS,
        **fields,
    }
    return StoredCalendar(project, name, given.pop("calendar", parse_calendar(form)), **given)


def put_calendar(store: Store, stored: StoredCalendar, *resolved: StoredCalendar) -> StoredCalendar:
    """Store a new calendar whose members are among `resolved`."""
    assert store.change_calendar(CalendarChange(None, stored, resolved))
    return stored


def read_calendar(store: Store, project: str, name: str = "holidays") -> StoredCalendar:
    """Return a calendar as it stands."""
    return store.get_calendars(project, [name])[name]


def users_of(store: Store, project: str, name: str = "holidays") -> list[str]:
    """Return all users of a calendar as "{kind}#{name}"."""
    page = store.calendar_users(project, name, limit=1_000, cursor=None)
    assert page.next is None
    return [f"{one.kind}#{one.name}" for one in page.items]


def job_under(project: str, name: str, *calendars: str, **fields: Any) -> StoredJob:
    """Return a stored job with a trigger under each of the calendars."""
    triggers = [{"name": f"under-{one}", "schedule": f"every 10m calendar={one}"} for one in calendars]
    job = parse_job({"name": name, "target": {"kind": "python", "name": "work"}, "triggers": triggers})
    frozen = tuple(replace(one, schedule=freeze(one.schedule, now=NOW)) for one in job.triggers)
    given: dict[str, Any] = {"uid": "u1", "version": 1, **fields}
    return StoredJob(
        project, replace(job, triggers=frozen), armed={}, created_ms=NOW_MS, updated_ms=NOW_MS, **given
    )
