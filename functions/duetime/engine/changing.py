"""How a job is changed: read with its triggers, decided, and written under guards on everything that was read.

A lost race is read again. What is due before the next tick is claimed right after the change.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

from duetime.core.exchange import JobChange
from duetime.core.faults import Conflict, NotFound, Unavailable
from duetime.core.stored import StoredCalendar, StoredJob, calendars_of
from duetime.core.triggerrow import TriggerRow
from duetime.engine.arming import Around, is_ahead
from duetime.engine.chain import is_occurrence, runs_of
from duetime.engine.claim import claim_due
from duetime.engine.context import Engine
from duetime.engine.occurrences import trees

log = logging.getLogger(__name__)

TRIES: Final = 8
"""How often a change that lost its race is read again and repeated."""

Rows = tuple[TriggerRow, ...]


def changed(
    engine: Engine,
    project: str,
    name: str,
    change: Callable[[StoredJob, Rows, Around], tuple[StoredJob, Rows] | None],
) -> StoredJob:
    """Read, decide and write until nobody came between; `change` answers None where nothing is to change."""
    for _ in range(TRIES):
        before, rows = read_job(engine, project, name)
        if before is None:
            raise no_job(name)
        used, around = read_around(engine, project, calendars_of(before.job), rows)
        decided = change(before, rows, around)
        if decided is None:
            return before
        after, rows_after = decided
        if engine.store.change_job(JobChange(before, after, rows, rows_after, used)):
            claim_soon(engine, project, name)
            return after
    raise contended(name)


def read_job(
    engine: Engine, project: str, name: str, *, settle: bool = True
) -> tuple[StoredJob | None, Rows]:
    """Read a job and its triggers; what fell due before now gets its records first, so that no change can lose it."""
    before = engine.store.get_job(project, name)
    if before is None:
        return None, ()
    if settle and claim_due(engine, project, name, until=engine.clock.now_ms() // 1000).unrecorded:
        raise Unavailable("job", name, "has missed occurrences that cannot be recorded now", "Try again.")
    rows = engine.store.get_triggers(project, name)
    for _ in range(TRIES):
        if before is None or {row.name for row in rows} == set(before.armed):
            break
        rows = engine.store.get_triggers(project, name)
        before = engine.store.get_job(project, name)  # somebody changed it between the two reads
    return before, rows


def claim_soon(engine: Engine, project: str, name: str) -> None:
    """Claim what is due before the next tick; the change is made, so a store that is away now is the tick's business."""
    try:
        claim_due(engine, project, name)
    except Unavailable as error:
        log.warning("job %s is written; what it has due soon is left to the next tick: %s", name, error)


def is_off(stored: StoredJob, trigger: str) -> bool:
    """Whether a trigger does not run by itself now: its job or it is paused, or it is not enabled."""
    definition, mark = stored.job.trigger(trigger), stored.armed.get(trigger)
    return stored.paused or definition is None or not definition.enabled or mark is None or mark.paused


def read_around(
    engine: Engine, project: str, names: Collection[str], rows: Rows
) -> tuple[tuple[StoredCalendar, ...], Around]:
    """Return the calendars of these names that exist, and what a decision about these triggers needs to know."""
    used, calendars = trees(engine.store, project, names)
    now_s = engine.clock.now_ms() // 1000
    counted = [row for row in rows if row.schedule.calendar is not None and row.remaining is not None]
    ahead = {row.name: 0 for row in counted}
    put = [row for row in counted if is_ahead(row, now_s)]
    if put:
        # One pass over the job's runs, whatever number of triggers they are of.
        by_name = {row.name: row for row in put}
        until = max(row.last_due or 0 for row in put) + 1
        for run in runs_of(engine, project, put[0].job, since=now_s + 1, until=until):
            row = by_name.get(run.trigger or "")
            if row is not None and is_occurrence(run, row) and (run.nominal or 0) <= (row.last_due or 0):
                ahead[row.name] += run.state not in ("skipped", "superseded")
    return used, Around(calendars, ahead)


def bumped(row: TriggerRow) -> TriggerRow:
    """Return a trigger row with the revision of its next write."""
    return replace(row, revision=row.revision + 1)


def no_job(name: str) -> NotFound:
    """Return the error for a job that is not there."""
    return NotFound("job", name, "does not exist", "Check the name, or create it first.")


def contended(name: str) -> Conflict:
    """Return the error for a change that lost every race."""
    return Conflict(
        "job", name, "was changed by others all the time", "Read it again and repeat the change.",
        code="CONFLICT_VERSION",
    )  # fmt: skip
