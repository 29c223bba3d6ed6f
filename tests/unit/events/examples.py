"""One change of a row for each type of event: the examples of events/outbound are what the relay makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from duetime.core.definition import Job, parse_job
from duetime.core.exchange import Change, Dispatch
from duetime.core.ids import run_id
from duetime.core.run import Covers, Run, RunError
from duetime.core.schedule import freeze
from duetime.core.stored import Armed, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.engine.relay import events_of

DUE = 1_800_000_000
"""2027-01-15T08:00:00Z."""
UID = "7q3zt0c9m1x8kd52"
GENERATION = "4f9k2m7x"
INSTANCE = "lambda/1f0c6e2a"


def job() -> Job:
    """Return a job with one trigger."""
    return parse_job(
        {
            "name": "reports.nightly",
            "target": {"kind": "python", "name": "reports.nightly"},
            "triggers": [{"name": "morning", "schedule": "cron 0 0 8 * * * tz=UTC"}],
            "tenant": "acme",
        }
    )


def stored(**changes: Any) -> StoredJob:
    """Return the job as stored."""
    armed = {"morning": Armed(GENERATION, DUE - 86_400, 0)}
    first = StoredJob("default", job(), UID, 1, armed, (DUE - 86_400) * 1000, (DUE - 86_400) * 1000 + 250)
    return replace(first, **changes)


def row(**changes: Any) -> TriggerRow:
    """Return the trigger's row."""
    trigger = job().triggers[0]
    schedule = freeze(trigger.schedule, now=DUE - 86_400)
    first = TriggerRow(
        "default",
        "reports.nightly",
        "morning",
        UID,
        GENERATION,
        schedule,
        DUE - 86_400,
        due_at=DUE,
        tenant="acme",
    )
    return replace(first, **changes)


def run(**changes: Any) -> Run:
    """Return a queued run of the trigger."""
    first = Run(
        id=id_of(),
        project="default",
        job="reports.nightly",
        uid=UID,
        kind="schedule",
        scheduled_at=DUE,
        start_at=DUE,
        queued_ms=(DUE - 90) * 1000 + 417,
        trigger="morning",
        nominal=DUE,
        tenant="acme",
        watch_at=DUE + 120,
    )
    return replace(first, **changes)


def id_of(*, kind: str = "schedule", attempt: int = 1) -> str:
    """Return the id of a run of the trigger."""
    return run_id(
        "default",
        "reports.nightly",
        UID,
        trigger="morning",
        nominal=DUE,
        kind=kind,
        ordinal="0",
        attempt=attempt,
    )


def running(**changes: Any) -> Run:
    """Return the run once it has begun."""
    started_ms = DUE * 1000 + 12
    begun = run(
        state="running",
        revision=2,
        fence=1,
        started_ms=started_ms,
        lease_ms=started_ms + 360_000,
        instance=INSTANCE,
    )
    return replace(begun, **changes)


def ended(state: str, **changes: Any) -> Run:
    """Return the run once it has ended."""
    return running(state=state, revision=3, finished_ms=DUE * 1000 + 2_345, watch_at=None, **changes)


DISPATCH = Dispatch("default", id_of(), "reports.nightly", DUE, 8, "acme")

FIRST_ERROR = RunError("UPSTREAM_DOWN", "The report service answered 503.")
COVERS = Covers(DUE - 3 * 86_400, DUE, 4)
UNKNOWN_ZONE = "timezone: 'Mars/Olympus' is no zone this release knows. Use an IANA name."


def changes() -> dict[str, Change]:
    """Return one change for each type of event."""
    paused = stored(
        version=2,
        paused=True,
        paused_by="ops",
        paused_note="The source is being moved.",
        updated_ms=DUE * 1000,
    )
    retry = ended(
        "failed",
        id=id_of(kind="retry", attempt=2),
        kind="retry",
        attempt=2,
        retry_of=id_of(),
        error=FIRST_ERROR,
    )
    queued = run()
    at_ms = DUE * 1000 + 3_000
    return {
        "duetime.job.scheduled": Change(None, stored(), at_ms),
        "duetime.job.unscheduled": Change(stored(), None, at_ms),
        "duetime.job.paused": Change(stored(), paused, at_ms),
        "duetime.job.resumed": Change(paused, stored(version=3, updated_ms=DUE * 1000 + 900), at_ms),
        "duetime.run.queued": Change(None, queued, at_ms),
        "duetime.run.started": Change(queued, running(), at_ms),
        "duetime.run.succeeded": Change(running(), ended("succeeded"), at_ms),
        "duetime.run.failed": Change(replace(retry, state="running", error=None), retry, at_ms),
        "duetime.run.canceled": Change(running(), ended("canceled", reason="stopping"), at_ms),
        "duetime.run.lost": Change(running(), ended("lost", reason="lease_ended"), at_ms),
        "duetime.run.skipped": Change(
            None, run(state="skipped", reason="misfire", covers=COVERS, finished_ms=queued.queued_ms), at_ms
        ),
        "duetime.run.superseded": Change(
            queued,
            run(state="superseded", revision=2, reason="paused", finished_ms=DUE * 1000 + 12),
            at_ms,
        ),
        "duetime.trigger.completed": Change(
            row(), row(state="complete", due_at=None, revision=2, last_due=DUE, last_run=id_of()), at_ms
        ),
        "duetime.trigger.error": Change(
            row(), row(state="error", due_at=None, revision=2, error=UNKNOWN_ZONE), at_ms
        ),
    }


def event_examples() -> dict[str, dict[str, Any]]:
    """Return the example of each type: what the relay makes of the change above."""
    found: dict[str, dict[str, Any]] = {}
    for kind, change in changes().items():
        (event,) = events_of(change)
        found[kind] = event
    return found
