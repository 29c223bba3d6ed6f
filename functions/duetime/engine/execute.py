"""Executing one run: wait for its instant, check it may start, take its slot, begin, deliver, record, settle.

A pipeline of small steps over one value; each step either hands on or ends with an answer for the queue: `done`
(acknowledge) or `again` (nothing was decided; deliver the message once more). A begun run is always acknowledged.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from duetime.core.applies import why_not
from duetime.core.exchange import Dispatch, Invocation, Outcome
from duetime.core.faults import NotFound, Unavailable
from duetime.core.ids import new_uid
from duetime.core.jsontext import dumps, loads_exact, merge_data
from duetime.core.overlap import slot_of
from duetime.core.run import Run, RunError
from duetime.core.schedule import IntervalSchedule, schedule_text
from duetime.core.stored import StoredJob
from duetime.engine.context import FIRST_LOOK, LEASE_MARGIN_MS, Engine
from duetime.engine.dispatch import message, send
from duetime.engine.occurrences import Calendars
from duetime.engine.record import insist, record
from duetime.engine.settle import settle_skipped
from duetime.engine.slots import give_back, give_back_if_over, take_slot
from duetime.engine.stop import RunToken, Stop

log = logging.getLogger(__name__)

Answer = Literal["done", "again"]

EARLY_MS: Final = 10_000
"""A message this much too early is sent again with its delay instead of being waited for."""
MARGIN_MS: Final = 5_000
"""What an execution environment needs after the longest run that it takes."""
LONGEST_FUNCTION_MS: Final = 900_000
"""How long a Lambda function can go on at most."""
LAG_EVERY_MS: Final = 30_000
_LAG_REPORTED: Final[dict[str, int]] = {}
_LAG_LOCK: Final = threading.Lock()


@dataclass(slots=True)
class _Start:
    """One run on its way to its start."""

    run: Run
    stored: StoredJob


def execute(engine: Engine, dispatch: Dispatch, *, deadline_ms: int, stop: Stop) -> Answer:
    """Execute the run of one message; `deadline_ms` (UTC epoch ms) is when this environment must be done.

    Never raises for what a run or a race can do; only a store that cannot be reached before the begin was decided
    makes it answer `again`.
    """
    if stop.stopping:
        return "again"
    try:
        start = _prepare(engine, dispatch, deadline_ms)
        begun = _begin(engine, start) if isinstance(start, _Start) else None
    except Unavailable as error:
        log.warning("run %s was not begun and its message comes again: %s", dispatch.run, error)
        return "again"
    if not isinstance(start, _Start):
        return start
    if begun is not None:
        verified = insist(
            engine, lambda: _verify(engine, begun, start.stored), begun.lease_ms or 0, "verify", begun
        )
        if isinstance(verified, _Start):
            _run(engine, verified, deadline_ms, stop)
        elif verified is not None:
            _settle_withdrawn(engine, verified)
    return "done"


def _run(engine: Engine, start: _Start, deadline_ms: int, stop: Stop) -> None:
    """Deliver a begun run, record what came of it, and stay with a handler that ignores its timeout."""
    _report_lag(engine, start.run)
    token = stop.token()
    try:
        outcome = _deliver(engine, start, token, deadline_ms)
        if outcome.status != "succeeded" and stop.canceled and token.canceled:
            outcome = replace(outcome, status="canceled", error=RunError("CONFLICT_CANCELED", "stopping"))
        if outcome.still_running:
            _hold(engine, start.run, deadline_ms)
        record(engine, start.run, start.stored, outcome)
        if outcome.error is not None and outcome.error.code == "NOT_FOUND_HANDLER":
            _fault_trigger(engine, start)
        if outcome.returned is not None:
            _await_return(engine, start.run, outcome.returned, deadline_ms)
    finally:
        stop.done(token)


def _fault_trigger(engine: Engine, start: _Start) -> None:
    """Put a trigger whose handler no code registers into `error`: a sync that registers it, or a resume, lets it go on."""
    run, target = start.run, start.stored.job.target
    try:
        engine.targets[target.kind].check(target)
    except NotFound as error:
        for row in engine.store.get_triggers(run.project, run.job):
            if row.name == run.trigger and row.uid == run.uid and row.state in ("waiting", "acquired"):
                engine.store.fault_trigger(row, error=f"{error.code}: {error}"[:500])


def _hold(engine: Engine, run: Run, deadline_ms: int) -> None:
    """Keep the slot of a run whose handler goes on, for as long as this environment or a remote function can live."""
    if run.slot is not None:
        until_ms = max(deadline_ms, engine.clock.now_ms() + LONGEST_FUNCTION_MS)
        insist(
            engine,
            lambda: engine.store.acquire_slot(run.project, run.slot or "", run=run.id, until_ms=until_ms),
            run.lease_ms or 0, "hold the slot of", run,
        )  # fmt: skip


def _await_return(engine: Engine, run: Run, returned: Callable[[float], bool], deadline_ms: int) -> None:
    """Stay until the handler returns, then free its slot; an environment that ends first takes the handler with it."""
    while not returned(1.0):
        if engine.clock.now_ms() > deadline_ms + LONGEST_FUNCTION_MS:
            return
    give_back(engine, run)


def _report_lag(engine: Engine, run: Run) -> None:
    """Tell the sweep how late runs begin, at most twice a minute and host."""
    now_ms = engine.clock.now_ms()
    with _LAG_LOCK:
        if abs(now_ms - _LAG_REPORTED.get(engine.instance, 0)) < LAG_EVERY_MS:
            return
        _LAG_REPORTED[engine.instance] = now_ms
    lag_ms = max(0, (run.started_ms or now_ms) - run.start_at * 1000)
    try:
        engine.store.report_lag(lag_ms=lag_ms, now_ms=now_ms)
    except Unavailable as error:
        log.warning("the begin lag was not noted: %s", error)


def _prepare(engine: Engine, dispatch: Dispatch, deadline_ms: int) -> _Start | Answer:
    """Read the run ahead of its start and wait for it; an answer for the queue when there is nothing to start here."""
    now_ms = engine.clock.now_ms()
    early_ms = dispatch.start_at * 1000 - now_ms
    if early_ms > EARLY_MS:
        return "again" if send(engine, [dispatch]) else "done"
    run = engine.store.get_run(dispatch.project, dispatch.run)
    if run is None or run.state != "queued":
        log.info("run %s needs no start: %s", dispatch.run, run.state if run else "unknown or expired")
        return "done"
    engine.clock.sleep_ms(dispatch.start_at * 1000 - engine.clock.now_ms())
    stored = engine.store.get_job(run.project, run.job)
    reason = why_not(stored, run, _calendars(engine, stored, run))
    if reason is not None or stored is None:
        ended = engine.store.supersede_run(
            run.project, run.id, now_ms=engine.clock.now_ms(), reason=reason or "deleted"
        )
        if ended is not None:
            settle_skipped(engine, ended, stored)
        return "done"
    needed_ms = stored.job.timeout * 1000 + MARGIN_MS
    if engine.clock.now_ms() + needed_ms > deadline_ms and deadline_ms - now_ms < _longest_ms(engine):
        # Another environment has its whole time ahead; this one has spent too much of its own.
        refused = send(engine, [message(run, start_at=engine.clock.now_ms() // 1000)])
        return "again" if refused else "done"
    return _Start(run, stored)


def _calendars(engine: Engine, stored: StoredJob | None, run: Run) -> Mapping[str, object]:
    """The calendars of a run's trigger, read consistently: what they exclude now does not start."""
    trigger = None if stored is None or run.kind != "schedule" else stored.job.trigger(run.trigger)
    return {} if trigger is None else Calendars(engine.store).under(run.project, trigger.schedule)


def _longest_ms(engine: Engine) -> int:
    return engine.settings.executor_limit * 1000 + MARGIN_MS


def _begin(engine: Engine, start: _Start) -> Run | None:
    """Take the slot and begin; None when the run is skipped, postponed, superseded or begun by another copy."""
    run, stored = start.run, start.stored
    lease_ms = engine.clock.now_ms() + stored.job.timeout * 1000 + LEASE_MARGIN_MS
    slot = take_slot(engine, run, stored, until_ms=lease_ms)
    if slot.decision == "skip":
        skipped = engine.store.skip_run(
            run.project,
            run.id,
            now_ms=engine.clock.now_ms(),
            reason=f"overlap: run {slot.holder} holds the slot",
        )
        if skipped is not None:
            settle_skipped(engine, skipped, stored)
        return None
    if slot.decision == "wait":
        _postpone(engine, run)
        return None
    ticket = _ticket(run, stored)
    if ticket is not None and not engine.store.take_ticket(
        run.project, ticket[0], run=run.id, limit=ticket[1], now_ms=engine.clock.now_ms()
    ):
        spent = engine.store.supersede_run(
            run.project, run.id, now_ms=engine.clock.now_ms(), reason="repeat_count is spent"
        )
        if spent is not None and slot.name is not None:
            give_back_if_over(engine, replace(spent, slot=slot.name))
        return None
    begun = engine.store.begin_run(
        run.project, run.id, now_ms=engine.clock.now_ms(), lease_ms=lease_ms, instance=engine.instance,
        slot=slot.name, base_json=_base(stored, run),
        nonce=new_uid(),
    )  # fmt: skip
    if begun is None and slot.name is not None:
        # A copy that lost its begin returns the slot only if the run has ended: else the winner is using it.
        now = engine.store.get_run(run.project, run.id)
        if now is not None and now.ended:
            give_back_if_over(engine, replace(now, slot=slot.name))
    return begun


def _ticket(run: Run, stored: StoredJob) -> tuple[str, int] | None:
    """Under which name the starts of a run's trigger are counted, and how many there may be; None where it has no count.

    The look-ahead reckons with a count; this makes it hold, whatever pauses, calendars and crashes have done to it.
    """
    trigger, mark = stored.job.trigger(run.trigger), stored.armed.get(run.trigger or "")
    if run.kind != "schedule" or trigger is None or mark is None:
        return None
    limit = trigger.schedule.repeat_count if isinstance(trigger.schedule, IntervalSchedule) else None
    return None if limit is None else (f"{run.job}#{run.uid}#{trigger.name}#{mark.generation}", limit)


def _base(stored: StoredJob, run: Run) -> str:
    """Return the data frozen into a run: that of the first attempt, or job ← trigger as they are today."""
    if run.base_json is not None:
        return run.base_json
    trigger = stored.job.trigger(run.trigger)
    return dumps(merge_data(stored.job.data, trigger.data if trigger else {}))


def _verify(engine: Engine, begun: Run, before: StoredJob) -> _Start | Run | None:
    """Read the definition once more: what was acknowledged before the begin is seen now, at the latest.

    Answers the run when it was withdrawn. Target and data are today's; timeout and retry of this attempt are those its
    lease was taken under.
    """
    stored = engine.store.get_job(begun.project, begun.job)
    reason = why_not(stored, begun, _calendars(engine, stored, begun))
    if reason is None and stored is not None and stored.version != before.version:
        slot = slot_of(stored.job.overlap, stored.job.name)
        if slot is not None and begun.slot is None:
            taken = take_slot(engine, replace(begun, waits=False), stored, until_ms=begun.lease_ms or 0)
            reason = None if taken.decision == "start" else f"overlap: run {taken.holder} holds the slot"
            begun = replace(begun, slot=taken.name if reason is None else None)
    if reason is not None or stored is None:
        withdrawn = engine.store.withdraw_run(begun, now_ms=engine.clock.now_ms(), reason=reason or "deleted")
        if withdrawn is not None:
            give_back(engine, withdrawn)
            ticket = _ticket(begun, before)
            if ticket is not None:
                engine.store.return_ticket(begun.project, ticket[0])
        return withdrawn
    if stored.version != before.version and begun.kind not in ("retry", "recovery"):
        again = engine.store.guard_run(begun, base_json=_base(stored, replace(begun, base_json=None)))
        if again is None:
            return None
        begun = replace(again, slot=begun.slot)
    return _Start(begun, replace(stored, job=replace(stored.job, timeout=before.job.timeout)))


def _settle_withdrawn(engine: Engine, run: Run) -> None:
    """Settle a withdrawn run once: a repeated refund would give one too many, a lost one is repaired by the tick."""
    try:
        settle_skipped(engine, run, engine.store.get_job(run.project, run.job))
    except Unavailable as error:
        log.warning("withdrawn run %s is not settled: %s", run.id, error)


def _postpone(engine: Engine, run: Run) -> None:
    """Let a run that waits for its slot come again in a while: 5 s at first, a minute at most."""
    now_s = engine.clock.now_ms() // 1000
    wait = min(60, max(5, (now_s - run.start_at) // 4))
    moved = engine.store.watch_run(run, watch_at=now_s + wait + FIRST_LOOK, resends=0)
    if moved is not None:
        send(engine, [message(moved, start_at=now_s + wait)])


def _deliver(engine: Engine, start: _Start, token: RunToken, deadline_ms: int) -> Outcome:
    """Call the target with the run's merged data; whatever it raises is a failed outcome."""
    run, job = start.run, start.stored.job
    trigger = job.trigger(run.trigger)
    data = merge_data(loads_exact(run.base_json or "{}", "data"), loads_exact(run.call_json or "{}", "data"))
    # From the lease, not from now: whatever was slow since the begin must not let the handler outlive its lease.
    timeout_ms = (run.lease_ms or 0) - LEASE_MARGIN_MS
    invocation = Invocation(
        run=run,
        data=data,
        schedule=schedule_text(trigger.schedule) if trigger else None,
        deadline_ms=min(timeout_ms, deadline_ms - MARGIN_MS),
        token=token,
        target=job.target,
        hard_deadline_ms=min(timeout_ms + LEASE_MARGIN_MS // 2, deadline_ms - MARGIN_MS // 2),
    )
    try:
        return engine.targets[job.target.kind].deliver(invocation)
    except Exception as error:  # a fault of ours must end the run, not leave it running until its lease ends
        log.exception("the delivery of run %s broke", run.id)
        return Outcome("failed", error=RunError("UNEXPECTED", type(error).__name__))
