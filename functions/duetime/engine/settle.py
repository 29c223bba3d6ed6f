"""Settling a run that has ended: free its slot, try it again, re-arm its fixed delay. Every step can be repeated.

The marks a crash leaves are the run's `follow_up` (retry or recovery is due; the sweep settles again) and an `acquired`
trigger past its deadline (the tick repairs it).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from duetime.core.definition import RetryOn
from duetime.core.errors import ScheduleError
from duetime.core.exchange import JobChange
from duetime.core.ids import run_id
from duetime.core.plan import plan
from duetime.core.retry import decide_retry
from duetime.core.run import Run
from duetime.core.stored import StoredCalendar, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.engine.chain import is_fixed_delay, ordinal_of, reach
from duetime.engine.changing import is_off
from duetime.engine.claim import claim_due
from duetime.engine.context import LEASE_MARGIN_MS, Engine
from duetime.engine.dispatch import launch
from duetime.engine.occurrences import Calendars, trees
from duetime.engine.rearm import GRACE, rearm
from duetime.engine.slots import give_back

log = logging.getLogger(__name__)


def needs_follow_up(
    run: Run, stored: StoredJob | None, *, outcome: str, permanent: bool, now_ms: int
) -> bool:
    """Whether a run that ends with this outcome will be tried again: its record then carries the follow-up mark."""
    return _following(run, stored, outcome=outcome, permanent=permanent, now_ms=now_ms) is not None


def _following(
    run: Run, stored: StoredJob | None, *, outcome: str, permanent: bool, now_ms: int
) -> Run | None:
    """Return the run that follows one that did not succeed: a retry, a recovery, or none."""
    if stored is None or stored.uid != run.uid:
        return None
    on: RetryOn = "timeout" if outcome == "timeout" else "lost" if outcome == "lost" else "failed"
    first_queued_ms = run.first_queued_ms if run.first_queued_ms is not None else run.queued_ms
    seed = run.retry_of or run.id
    at = decide_retry(
        stored.job.retry, outcome=on, attempt=run.attempt, permanent=permanent,
        first_queued_ms=first_queued_ms, now_ms=now_ms, seed=seed,
    )  # fmt: skip
    kind = "retry"
    if at is None and on == "lost" and stored.job.requests_recovery and run.kind != "recovery":
        at, kind = -(-now_ms // 1000), "recovery"
    if at is None:
        return None
    nominal = run.nominal if run.nominal is not None else run.scheduled_at
    attempt = run.attempt + 1
    return replace(
        run,
        id=run_id(
            run.project, run.job, run.uid,
            trigger=run.trigger or "", nominal=nominal, kind=kind, ordinal=run.ordinal, attempt=attempt,
        ),
        kind="retry" if kind == "retry" else "recovery",
        attempt=attempt, retry_of=seed, first_queued_ms=first_queued_ms, scheduled_at=at, start_at=at, queued_ms=now_ms,
        covers=None, waits=True, keep_days=_keep(stored, run), state="queued", reason=None, revision=1, fence=0,
        resends=0, watch_at=None, instance=None, slot=None, lease_ms=None, started_ms=None, finished_ms=None,
        result_json=None, error=None, follow_up=False,
    )  # fmt: skip


def _keep(stored: StoredJob, run: Run) -> int:
    return run.keep_days if stored.job.keep_history is None else stored.job.keep_history


def settle(engine: Engine, run: Run, stored: StoredJob | None, *, keep_slot: bool = False) -> None:
    """Do what is due after the end of a begun run; `keep_slot` where its handler may still be at work."""
    if not keep_slot:
        give_back(engine, run)
    following: Run | None = None
    if run.follow_up:
        outcome = "lost" if run.state == "lost" else "failed"
        if run.error is not None and run.error.code == "TIMEOUT_RUN":
            outcome = "timeout"
        # The same figures as at the record, so the same decision and the same id: repeating it changes nothing.
        following = _following(run, stored, outcome=outcome, permanent=False, now_ms=run.finished_ms or 0)
        if following is not None:
            launch(engine, following)
    row = _delayed_row(engine, run)
    if row is not None:
        if following is None:
            _rearm(engine, row, run)
        else:
            deadline = following.start_at + row.timeout + LEASE_MARGIN_MS // 1000 + GRACE
            engine.store.extend_trigger(row, run=run.id, outstanding=following.id, deadline=deadline)
    if run.follow_up:
        engine.store.settle_run(run)


def settle_skipped(engine: Engine, run: Run, stored: StoredJob | None) -> None:
    """Do what is due after a run that ended without starting: it counts as finished, and not as one of `repeat_count`."""
    if run.trigger is None or stored is None or stored.uid != run.uid:
        return
    row = next(
        (one for one in engine.store.get_triggers(run.project, run.job) if one.name == run.trigger), None
    )
    if row is None:
        return
    # What did not start is none of the count; the tickets of the starts make it hold, should one be given back twice.
    given_back = run.state in ("skipped", "superseded")
    if given_back and row.remaining is not None and run.kind == "schedule" and _counts_for(row, run):
        completed = row.state == "complete"
        row = _refunded(engine, stored, row, run)
        if completed:
            claim_due(engine, row.project, row.job, only=row.name)
    if row.state == "acquired" and row.outstanding == run.id:
        _rearm(engine, row, run)


def _rearm(engine: Engine, row: TriggerRow, run: Run) -> None:
    """Arm a fixed delay again after its run, and claim it at once where it is due before the next tick.

    One that was changed meanwhile (a calendar of it, for example) is read again, a few times; then the tick repairs it.
    """
    finished_ms = run.finished_ms or engine.clock.now_ms()
    for _ in range(3):
        if rearm(engine, row, Calendars(engine.store), run=run, finished_ms=finished_ms):
            claim_due(engine, row.project, row.job, only=row.name)
            return
        rows = engine.store.get_triggers(row.project, row.job)
        now = next((one for one in rows if one.name == row.name), None)
        if now is None or now.state != "acquired" or now.outstanding != run.id:
            return
        row = now


def _refunded(engine: Engine, stored: StoredJob, row: TriggerRow, run: Run) -> TriggerRow:
    """Give a skipped occurrence back to `repeat_count`; a trigger that had completed by it is armed again.

    Only the one who won the skip gives back, so it happens at most once; a crash before it costs one run of the count,
    never one too many. A trigger that moved on meanwhile is read again, a few times.
    """
    for _ in range(5):
        fresh = engine.store.get_job(row.project, row.job)
        if fresh is None or fresh.uid != stored.uid:
            return row
        stored = fresh
        rows = engine.store.get_triggers(row.project, row.job)
        current = next((one for one in rows if one.name == row.name), None)
        if current is None or current.remaining is None or not _counts_for(current, run):
            return row
        # A run that no claim has counted yet is met again as ended and never counted: its claim must lose its write.
        back = 1 if _is_counted(current, run) else 0
        changed = replace(current, remaining=current.remaining + back, revision=current.revision + 1)
        used: tuple[StoredCalendar, ...] = ()
        if current.state == "complete":
            name = current.schedule.calendar
            used, calendars = trees(engine.store, row.project, () if name is None else (name,))
            due = _next_or_none(current, max(reach(run), current.last_due or current.anchor), calendars)
            if due is not None:
                changed = replace(changed, state="waiting", due_at=due)
                if is_off(stored, row.name):
                    changed = replace(changed, state="paused", due_at=None, held_due=due)
        after = tuple(changed if one.name == row.name else one for one in rows)
        if engine.store.change_job(JobChange(stored, stored, rows, after, used)):
            return changed
    return row


def _next_or_none(row: TriggerRow, after: int, calendars: Mapping[str, object]) -> int | None:
    try:
        return plan(row.schedule, anchor=row.anchor, calendars=calendars).next(after)
    except ScheduleError as error:
        log.warning("trigger %s/%s stays complete: %s", row.job, row.name, error)
        return None


def _is_counted(row: TriggerRow, run: Run) -> bool:
    """Whether the trigger has moved on past a run and so counted it."""
    nominal = run.nominal if run.nominal is not None else run.scheduled_at
    if row.returned and nominal > row.returned:
        return False
    ahead_of_claim = row.state == "waiting" and row.due_at is not None and row.due_at <= nominal
    return row.last_due is not None and nominal <= row.last_due and not ahead_of_claim


def _counts_for(row: TriggerRow, run: Run) -> bool:
    """Whether a run was one of the count a trigger has now: a changed schedule counts anew."""
    return run.nominal is not None and run.ordinal == ordinal_of(row, run.nominal)


def _delayed_row(engine: Engine, run: Run) -> TriggerRow | None:
    """Return the fixed-delay trigger whose outstanding occurrence this run is, if it is one."""
    if run.trigger is None or "/" not in run.ordinal:
        return None
    for row in engine.store.get_triggers(run.project, run.job):
        if (
            row.name == run.trigger
            and row.state == "acquired"
            and row.outstanding == run.id
            and is_fixed_delay(row)
        ):
            return row
    return None
