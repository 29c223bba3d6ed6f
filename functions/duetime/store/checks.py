"""What every store refuses before it writes: values no caller may hand it, and definitions no row could hold.

The first are programming errors (ValueError, naming the row); the second is the user's to mend (DataError).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from duetime.core.definition import Job
from duetime.core.exchange import JobChange
from duetime.core.faults import DataError
from duetime.core.jsontext import dumps
from duetime.core.machine import RUN_TRANSITIONS
from duetime.core.run import Run
from duetime.core.triggerrow import TriggerRow
from duetime.store.uses import MAX_ROWS, decided_under, job_uses

MAX_JOB_DATA_BYTES: Final = 350 * 1024
"""The data of a job and of all its triggers live in one row, and a row holds 400 KB."""
NEVER_STARTED: Final = "never_started"
"""The reason of a run that was put and sent but never begun (`abandon_start`)."""
LEASE_ENDED: Final = "lease_ended"
"""The reason of a run whose executor did not record an end within its lease (`lose_run`)."""


_OWN_ENDS: Final = {
    one.name: one.target
    for one in RUN_TRANSITIONS
    if one.name in ("withdraw_run", "succeed_run", "fail_run", "cancel_run")
}


def job_data(job: Job) -> dict[str, Any]:
    """Return what a job's data item holds: the job's data and, by name, the data of its triggers that have any.

    >>> from duetime.core.definition import parse_job
    >>> job_data(parse_job({"name": "a", "target": {"kind": "python", "name": "a"}, "data": {"n": 1}}))
    {'job': {'n': 1}}
    """
    triggers = {one.name: dict(one.data) for one in job.triggers if one.data}
    return {**({"job": dict(job.data)} if job.data else {}), **({"triggers": triggers} if triggers else {})}


def check_change(change: JobChange) -> None:
    """Refuse a change that could not be guarded (a version or revision that does not grow) or not be stored."""
    before, after = change.before, change.after
    if before is None and after is None:
        raise ValueError("a JobChange without before and after changes nothing")
    if before and after and after != before and after.version <= before.version:
        raise ValueError(f"job {after.job.name}: version {after.version} does not follow {before.version}")
    if after is None and change.triggers_after:
        raise ValueError("a deleted job keeps no trigger rows")
    known = {row.name: row for row in change.triggers_before}
    for row in change.triggers_after:
        read = known.get(row.name)
        if read is not None and row != read and row.revision <= read.revision:
            raise ValueError(f"trigger {row.name}: revision {row.revision} does not follow {read.revision}")
    if after is not None:
        _check_size(after.job)
    rows = 2 + len(touched(change))  # the job and its data are two
    rows += job_uses(change).rows(decided_under(change))
    if rows > MAX_ROWS:
        hint = f"Change fewer triggers and calendars at a time: one change writes at most {MAX_ROWS} rows."
        raise DataError("triggers", f"{rows} rows", "are too many for one change", hint, code="TOO_LARGE")


def _check_size(job: Job) -> None:
    if not any(one.data for one in job.triggers):  # one object alone is within its own limit already
        return
    size = len(dumps(job_data(job)).encode())
    if size > MAX_JOB_DATA_BYTES:
        hint = f"Keep them under {MAX_JOB_DATA_BYTES} bytes; keep large inputs in S3 and give their keys."
        raise DataError(
            "triggers", f"{size} bytes", "and the job hold too much data in all", hint, code="TOO_LARGE"
        )


def check_state(run: Run, state: str) -> None:
    """Refuse a new run that is not in the state its transition leads to."""
    if run.state != state:
        raise ValueError(f"run {run.id}: state {run.state}, but this transition makes it {state}")


def skipped_from_the_start(run: Run) -> Run:
    """Return a skip record as every store keeps it: ended when it was made, and never watched."""
    check_state(run, "skipped")
    return replace(
        run, watch_at=None, finished_ms=run.queued_ms if run.finished_ms is None else run.finished_ms
    )


def is_own_end(transition: str, standing: Run, run: Run) -> bool:
    """Whether the run that stands in the way of a finishing write is what that same write has made of it before.

    Only who began a run knows its fence, so the same end under the same fence is the writer's own, repeated.
    """
    return standing.fence == run.fence and standing.state == _OWN_ENDS.get(transition)


def touched(change: JobChange) -> tuple[tuple[TriggerRow | None, TriggerRow | None], ...]:
    """Return (before, after) of every trigger row of a change; rows that stay as they are come with before == after."""
    after = {row.name: row for row in change.triggers_after}
    known = {row.name for row in change.triggers_before}
    kept = tuple((row, after.get(row.name)) for row in change.triggers_before)
    return kept + tuple((None, row) for row in change.triggers_after if row.name not in known)
