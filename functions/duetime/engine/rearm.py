"""Fixed delays: arming a trigger again after its one outstanding run has ended, and repairing it after a crash."""

from __future__ import annotations

from typing import Final

from duetime.core.applies import EXCLUDED
from duetime.core.errors import ScheduleError
from duetime.core.ids import run_id
from duetime.core.run import Run
from duetime.core.triggerrow import TriggerRow
from duetime.engine.context import Engine
from duetime.engine.occurrences import Calendars

GRACE: Final = 120
"""Seconds past the end of a lease after which the tick looks at a fixed-delay trigger again."""


def repair(engine: Engine, row: TriggerRow, calendars: Calendars) -> bool:
    """Look at a fixed-delay trigger whose run is past its deadline: re-arm it if the run ended, else wait on.

    This is what brings a trigger back whose executor crashed between recording the run and re-arming.
    """
    now_ms = engine.clock.now_ms()
    run = _latest_attempt(engine, row)
    if run is not None and (not run.ended or run.follow_up):
        until = max(run.lease_ms or 0, run.start_at * 1000, now_ms) // 1000 + GRACE
        return engine.store.extend_trigger(row, run=row.outstanding or "", outstanding=run.id, deadline=until)
    finished_ms = now_ms if run is None or run.finished_ms is None else run.finished_ms
    return rearm(engine, row, calendars, run=run, finished_ms=finished_ms)


def _latest_attempt(engine: Engine, row: TriggerRow) -> Run | None:
    """Return the outstanding run of a fixed delay, or the last of the retries that followed it while it was paused."""
    run = engine.store.get_run(row.project, row.outstanding) if row.outstanding else None
    while run is not None and run.state in ("failed", "lost") and run.nominal is not None:
        following = run_id(
            run.project, run.job, run.uid,
            trigger=run.trigger or "", nominal=run.nominal, kind="retry", ordinal=run.ordinal, attempt=run.attempt + 1,
        )  # fmt: skip
        retry = engine.store.get_run(row.project, following)
        if retry is None:
            break
        run = retry
    return run


def rearm(
    engine: Engine, row: TriggerRow, calendars: Calendars, *, run: Run | None, finished_ms: int
) -> bool:
    """Arm a fixed-delay trigger again, one interval after its run ended (rounded up to a second).

    A run that did not start because a calendar excluded its instant is moved to the first free one instead. A trigger
    whose schedule cannot be decided is put into `error`.
    """
    spent = row.remaining is not None and row.remaining <= 0
    # After a resume that drops its misses, `held_due` is its instant: the next is counted from there at the earliest.
    ended = max(-(-finished_ms // 1000), row.held_due or 0)
    moved = run is not None and run.state == "superseded" and (run.reason or "").startswith(EXCLUDED)
    try:
        occurrences = calendars.plan(row)
        due = occurrences.at_or_after(ended) if moved else occurrences.after_finish(ended)
    except ScheduleError as error:
        return engine.store.fault_trigger(row, error=str(error)[:500])
    outstanding = row.outstanding or ""
    if spent or due is None:
        return engine.store.complete_trigger(
            row, remaining=row.remaining, last_due=row.last_due,
            last_run=outstanding or row.last_run, fired=row.fired,
        )  # fmt: skip
    return engine.store.rearm_trigger(row, run=outstanding, due_at=due)
