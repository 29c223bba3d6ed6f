"""Recording what a run came to, under its fence, and the follow-up that is due then.

The decision whether to retry is taken before the record, so that a failed run that will be tried again leaves a
mark: a crash between record and retry is found by the sweep.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from duetime.core.exchange import Outcome
from duetime.core.faults import Unavailable
from duetime.core.jsontext import dumps
from duetime.core.run import Run, RunError, cut
from duetime.core.stored import StoredJob
from duetime.engine.context import Engine
from duetime.engine.settle import needs_follow_up, settle

log = logging.getLogger(__name__)
T = TypeVar("T")

SPARE_MS = 5_000
"""This long before a lease ends its holder stops trying."""
MAX_MESSAGE = 4_000


def record(engine: Engine, run: Run, stored: StoredJob, outcome: Outcome) -> Run | None:
    """Write the outcome and settle; None when the lease was lost meanwhile (a zombie changes nothing)."""
    until_ms = run.lease_ms or 0
    ended = insist(engine, lambda: _write(engine, run, stored, outcome), until_ms, "record", run)
    if ended is None:
        log.warning("run %s ended here but its lease was lost: nothing is recorded", run.id)
        return None
    log.info("run %s of %s %s", ended.id, ended.job, ended.state)
    insist(
        engine,
        lambda: settle(engine, ended, stored, keep_slot=outcome.still_running),
        until_ms,
        "settle",
        run,
    )
    return ended


def _write(engine: Engine, run: Run, stored: StoredJob, outcome: Outcome) -> Run | None:
    now_ms = engine.clock.now_ms()
    if outcome.status == "succeeded":
        result = None if outcome.result is None else dumps(outcome.result)
        if result is not None and cut(result) != result:
            result = dumps(cut(result))
        return engine.store.succeed_run(run, now_ms=now_ms, result_json=result)
    error = outcome.error or RunError("UNEXPECTED", "the target gave no reason")
    if outcome.status == "canceled":
        return engine.store.cancel_run(run, now_ms=now_ms, reason=error.message)
    if outcome.status == "timeout":
        error = RunError("TIMEOUT_RUN", f"the run took longer than its timeout of {stored.job.timeout} s")
    elif error.code == "TIMEOUT_RUN":
        error = RunError(
            "USER_TIMEOUT_RUN", error.message
        )  # ours means that the engine saw it; a handler's own does not
    error = RunError(error.code[:64], cut(error.message, MAX_MESSAGE))
    follow_up = needs_follow_up(
        run, stored, outcome=outcome.status, permanent=outcome.permanent, now_ms=now_ms
    )
    return engine.store.fail_run(run, now_ms=now_ms, error=error, follow_up=follow_up)


def insist(engine: Engine, step: Callable[[], T], until_ms: int, what: str, run: Run) -> T | None:
    """Repeat a step of a begun run while the store is away, until shortly before its lease ends; then None.

    What stays undone is found by the sweep after the lease.
    """
    pause_ms = 100
    while True:
        try:
            return step()
        except Unavailable as error:
            log.warning("the store is away, cannot %s run %s yet: %s", what, run.id, error)
            if engine.clock.now_ms() + pause_ms > until_ms - SPARE_MS:
                return None
            engine.clock.sleep_ms(pause_ms)
            pause_ms = min(2 * pause_ms, 5_000)
