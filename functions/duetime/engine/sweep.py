"""The sweep: look at each run whose time to be looked at has come, and move on whatever is stuck.

Queued runs that never started are sent again after 2, 5 and 15 minutes and then given up; running ones whose lease ended are
lost; ended ones with a follow-up are settled. It reads only what is watched, so it costs the same however many runs exist.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Literal

from duetime.core.faults import DuetimeError
from duetime.core.run import Run
from duetime.engine.context import FIRST_LOOK, Engine
from duetime.engine.dispatch import message, send
from duetime.engine.settle import needs_follow_up, settle
from duetime.engine.slots import SKEW_MS, give_back_if_over

log = logging.getLogger(__name__)

GAPS: Final = (180, 600, 120)
"""Seconds from the first, second and third resend to the next look: 2, 5 and 15 minutes after the start, then lost."""
LATE_MS: Final = 60_000
"""While runs begin later than this, executors are behind: sending again would not help, giving up would be wrong."""
PAGE: Final = 200

Verdict = Literal["nothing", "send", "resend", "later", "give_up", "lose", "guard", "settle"]


@dataclass(slots=True)
class SweepReport:
    """How many runs were looked at, sent again, given up or lost, and settled."""

    seen: int = 0
    sent: int = 0
    lost: int = 0
    settled: int = 0
    held: bool = False


def verdict(run: Run, *, now_ms: int, flowing: bool) -> Verdict:
    """Decide what a watched run needs; `flowing` says that other runs begin in time, or that no message is left."""
    if run.ended:
        return "settle" if run.follow_up else "nothing"
    if run.state == "running":
        return "lose" if (run.lease_ms or 0) + SKEW_MS <= now_ms else "guard"
    if run.start_at * 1000 > now_ms:
        return "send"
    if not flowing:
        return "later"
    return "resend" if run.resends < len(GAPS) else "give_up"


def sweep(engine: Engine) -> SweepReport:
    """Look at every run whose `watch_at` has come."""
    report = SweepReport()
    now_ms = engine.clock.now_ms()
    lease = engine.store.acquire_lease("sweep", holder=engine.instance, now_ms=now_ms, ttl_ms=55_000)
    if lease is None:
        report.held = True
        return report
    try:
        with ThreadPoolExecutor(engine.settings.shards) as pool:
            for part in pool.map(lambda shard: _sweep_shard(engine, shard), range(engine.settings.shards)):
                report.seen += part.seen
                report.sent += part.sent
                report.lost += part.lost
                report.settled += part.settled
    finally:
        engine.store.release_lease(lease)
    return report


def _sweep_shard(engine: Engine, shard: int) -> SweepReport:
    report = SweepReport()
    until = engine.clock.now_ms() // 1000
    cursor: str | None = None
    flowing: bool | None = None
    while True:
        page = engine.store.watched_runs(shard, until=until, limit=PAGE, cursor=cursor)
        if flowing is None and any(run.state == "queued" for run in page.items):
            flowing = _flowing(engine)
        for run in page.items:
            report.seen += 1
            try:
                _treat(engine, run, flowing is True, report)
            except DuetimeError as error:
                log.warning("run %s could not be looked after and stays watched: %s", run.id, error)
        cursor = page.next
        if cursor is None:
            return report


def _flowing(engine: Engine) -> bool:
    """Whether a run that has not started is missing its message: others begin in time, or the queues are empty."""
    lag = engine.store.begin_lag()
    if lag is not None:
        lag_ms, at_ms = lag
        if engine.clock.now_ms() - at_ms < 2 * LATE_MS:
            return lag_ms < LATE_MS
    return engine.queue.backlog() == 0


def _treat(engine: Engine, run: Run, flowing: bool, report: SweepReport) -> None:
    now_ms = engine.clock.now_ms()
    now_s = now_ms // 1000
    what = verdict(run, now_ms=now_ms, flowing=flowing)
    if what == "send":
        send(engine, [message(run)])
        engine.store.watch_run(run, watch_at=run.start_at + FIRST_LOOK, resends=run.resends)
        report.sent += 1
    elif what == "resend":
        log.warning(
            "run %s of %s has not started %s s after its time: sent again",
            run.id,
            run.job,
            now_s - run.start_at,
        )
        send(engine, [message(run, start_at=now_s)])
        engine.store.watch_run(run, watch_at=now_s + GAPS[run.resends], resends=run.resends + 1)
        report.sent += 1
    elif what == "later":
        engine.store.watch_run(run, watch_at=now_s + 60, resends=run.resends)
    elif what == "guard":
        engine.store.guard_run(run, watch_at=((run.lease_ms or 0) + SKEW_MS) // 1000 + 1)
    elif what in ("give_up", "lose"):
        report.lost += int(_lose(engine, run, now_ms))
    elif what == "settle":
        _settle(engine, run)
        report.settled += 1


def _lose(engine: Engine, run: Run, now_ms: int) -> bool:
    stored = engine.store.get_job(run.project, run.job)
    follow_up = needs_follow_up(run, stored, outcome="lost", permanent=False, now_ms=now_ms)
    write = engine.store.lose_run if run.state == "running" else engine.store.abandon_start
    lost = write(run, now_ms=now_ms, follow_up=follow_up)
    if lost is None:
        return False
    log.warning("run %s of %s is lost: %s", lost.id, lost.job, lost.reason)
    settle(engine, lost, stored)
    return True


def _settle(engine: Engine, run: Run) -> None:
    """Settle again what a crash left half done; a handler that ignored its timeout keeps its slot."""
    settle(engine, run, engine.store.get_job(run.project, run.job), keep_slot=True)
    give_back_if_over(engine, run)
