"""Claiming due triggers: decide purely, put the records, send the messages, then move the triggers on.

Used by the tick for pages of triggers and by everything that arms a trigger before the horizon, so that both take the same
path. The records of a trigger are a chain: they are put in the order of their nominal instants, and where one stands
already (a claim that crashed, or another that is at work) the claim goes on after what that one covers. So any two
claimers agree, and no occurrence is covered twice or not at all. A trigger moves on only when all its runs are put and
sent; one that cannot be decided is put into `error` and stops no other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from duetime.core.faults import Unavailable
from duetime.engine.chain import Chain, Undecidable, occurrence_runs, ordinal_of, put_chain
from duetime.engine.context import LEASE_MARGIN_MS, Engine
from duetime.engine.dispatch import is_near, message, send
from duetime.engine.occurrences import Calendars
from duetime.engine.rearm import GRACE, repair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duetime.core.run import Run
    from duetime.core.triggerrow import TriggerRow

log = logging.getLogger(__name__)
A = TypeVar("A")
B = TypeVar("B")
_Each = Callable[[Callable[[A], B], Iterable[A]], list[B]]


@dataclass(slots=True)
class Claimed:
    """What one claim came to: triggers moved on, runs put anew, skip records, races lost, triggers faulted, put off.

    Of those put off, `unrecorded` counts the ones whose records could not be put, so that they must not be changed yet.
    """

    triggers: int = 0
    runs: int = 0
    skipped: int = 0
    lost: int = 0
    faulted: int = 0
    put_off: int = 0
    unrecorded: int = 0

    def add(self, other: Claimed) -> None:
        """Add the counts of another claim."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


def claim(engine: Engine, rows: Sequence[TriggerRow], *, threads: int = 1) -> Claimed:
    """Claim due triggers: their runs up to the horizon are put and sent, and each trigger is moved to its next instant."""
    counts = Claimed()
    now_s = engine.clock.now_ms() // 1000
    calendars = Calendars(engine.store)
    with _each(threads) as each:

        def put(row: TriggerRow) -> Chain | None:
            return _guarded(engine, row, counts, lambda: put_chain(engine, row, now_s, calendars))

        chains = [
            chain for chain in each(put, [row for row in rows if row.state == "waiting"]) if chain is not None
        ]
        for chain in chains:
            counts.runs += chain.fresh_runs
            counts.skipped += chain.fresh_skips
        # A fixed delay is acquired before it is sent: its run may end within milliseconds and re-arm it.
        single = [chain for chain in chains if chain.acquires is not None]
        _move(engine, each, single, counts)
        _send(engine, chains, now_s)
        _move(
            engine, each, [chain for chain in chains if chain.acquires is None and not chain.blocked], counts
        )
        counts.put_off += sum(chain.blocked for chain in chains)

        def mend(row: TriggerRow) -> bool | None:
            mended = _guarded(engine, row, counts, lambda: repair(engine, row, calendars))
            if mended:
                counts.add(claim_due(engine, row.project, row.job, only=row.name))
            return mended

        for mended in each(mend, [row for row in rows if row.state == "acquired"]):
            counts.triggers += int(mended is True)
    return counts


def _guarded(engine: Engine, row: TriggerRow, counts: Claimed, step: Callable[[], B]) -> B | None:
    """Take one step for one trigger, so that nothing that happens to it stops the others.

    Only a trigger about which nothing can be decided is put into `error`. Whatever else goes wrong is the deployment's
    or AWS's fault, and leaves it due.
    """
    try:
        return step()
    except Undecidable as error:
        log.exception("trigger %s/%s cannot be decided and is put into error", row.job, row.name)
        counts.faulted += 1
        _quietly(row, partial(engine.store.fault_trigger, row, error=str(error)[:500]))
    except Unavailable as error:
        log.warning("trigger %s/%s stays due: %s", row.job, row.name, error)
        counts.put_off += 1
        counts.unrecorded += 1
    except Exception:  # whatever it is, it must not stop the other triggers
        log.exception("trigger %s/%s stays due: its claim broke", row.job, row.name)
        counts.put_off += 1
    return None


def _quietly(row: TriggerRow, step: Callable[[], object]) -> None:
    """Take a step that mends; if it breaks too, the log says so and the sweep or the next tick mends it."""
    try:
        step()
    except Exception:  # the claim goes on: this is only tidying up
        log.exception("tidying up after trigger %s/%s broke", row.job, row.name)


@contextmanager
def _each(threads: int) -> Iterator[_Each]:  # type: ignore[type-arg]  # generic in each use
    """Give a map over items, in threads where there are any to gain; results keep the order."""
    if threads <= 1:
        yield lambda function, items: [function(item) for item in items]
        return
    with ThreadPoolExecutor(threads) as pool:
        yield lambda function, items: _shared(pool, threads, function, list(items))


def _shared(pool: ThreadPoolExecutor, threads: int, function: Callable[[A], B], items: list[A]) -> list[B]:
    """Map in threads that take the next item when they are done with one: cheaper than a future for each item."""
    found: dict[int, B] = {}
    left = iter(range(len(items)))

    def work(_: int) -> None:
        for place in left:
            found[place] = function(items[place])

    for _ in pool.map(work, range(min(threads, len(items)))):
        pass
    return [found[place] for place in range(len(items))]


def _send(engine: Engine, chains: Iterable[Chain], now_s: int) -> None:
    """Send every near run of these chains, urgent and early ones first; a refused one keeps its trigger due."""
    near = [
        message(run)
        for chain in chains
        if not chain.blocked
        for run in chain.open_runs
        if is_near(run, now_s)
    ]
    near.sort(key=lambda dispatch: (-dispatch.priority, dispatch.start_at))
    try:
        refused = {dispatch.run for dispatch in send(engine, near)} if near else set()
    except Unavailable as error:
        log.warning("the run queue is away, all claimed triggers stay due: %s", error)
        refused = {dispatch.run for dispatch in near}
    if refused:
        for chain in chains:
            chain.blocked = chain.blocked or any(run.id in refused for run in chain.open_runs)


def _move(engine: Engine, each: _Each, chains: Sequence[Chain], counts: Claimed) -> None:  # type: ignore[type-arg]
    def move(chain: Chain) -> bool | None:
        return _guarded(engine, chain.row, counts, lambda: _move_on(engine, chain))

    for chain, won in zip(chains, each(move, chains), strict=True):
        counts.triggers += int(won is True)
        counts.lost += int(won is False)
        if won is not True and chain.acquires is not None:
            chain.blocked = True
        if won is False and chain.acquires is not None:
            _quietly(chain.row, partial(_disown, engine, chain, chain.acquires))


def _disown(engine: Engine, chain: Chain, run: Run) -> None:
    """Look why a fixed delay was not acquired, and end its run if the trigger has been armed in another form meanwhile.

    If the row names this very run, the write was ours and only its answer was lost: the run is sent. While the
    trigger stands as it did, its run is left for whoever claims it next.
    """
    row = chain.row
    now = next((one for one in engine.store.get_triggers(row.project, row.job) if one.name == row.name), None)
    if now is not None and now.outstanding == run.id:
        chain.blocked = False
        return
    stands = now is not None and (now.uid, now.state, now.due_at) == (row.uid, "waiting", row.due_at)
    if now is None or not stands or ordinal_of(now, run.nominal or run.start_at) != run.ordinal:
        engine.store.supersede_run(run.project, run.id, now_ms=engine.clock.now_ms(), reason="armed anew")


def _move_on(engine: Engine, chain: Chain) -> bool:
    """Write where the trigger stands after its chain of records."""
    row = chain.row
    if chain.acquires is not None:
        run = chain.acquires
        deadline = run.start_at + row.timeout + LEASE_MARGIN_MS // 1000 + GRACE
        return engine.store.acquire_trigger(
            row, deadline=deadline, remaining=chain.remaining, last_due=run.nominal or run.start_at,
            outstanding=run.id, fired=chain.fired,
        )  # fmt: skip
    if chain.next_due is None:
        won = engine.store.complete_trigger(
            row,
            remaining=chain.remaining,
            last_due=chain.last_due,
            last_run=chain.last_run,
            fired=chain.fired,
        )
        if won and chain.remaining == 0 and row.schedule.calendar is not None:
            _withdraw_rest(engine, chain)
        return won
    last_due = chain.last_due if chain.last_due is not None else row.due_at or chain.next_due
    return engine.store.advance_trigger(
        row, due_at=chain.next_due, remaining=chain.remaining, last_due=last_due,
        last_run=chain.last_run, fired=chain.fired,
    )  # fmt: skip


def _withdraw_rest(engine: Engine, chain: Chain) -> None:
    """End what was put ahead beyond the count: a calendar that gave back earlier times has let them take its place."""
    now_ms = engine.clock.now_ms()
    since, until = (chain.last_due or 0) + 1, now_ms // 1000 + engine.settings.horizon + 1
    for run in occurrence_runs(engine, chain.row, since=since, until=until):
        if run.state == "queued":
            engine.store.supersede_run(run.project, run.id, now_ms=now_ms, reason="beyond repeat_count")


def claim_due(
    engine: Engine, project: str, job: str, *, only: str | None = None, until: int | None = None
) -> Claimed:
    """Claim at once what is due among a job's triggers up to `until` (default: the horizon).

    The path of everything outside a tick. A trigger waiting for the end of its fixed delay is looked at when its deadline has
    passed.
    """
    now_s = engine.clock.now_ms() // 1000
    horizon = now_s + engine.settings.horizon if until is None else until
    rows = [
        row
        for row in engine.store.get_triggers(project, job)
        if row.due_at is not None
        and only in (None, row.name)
        and (
            (row.state == "waiting" and row.due_at <= horizon)
            or (row.state == "acquired" and row.due_at <= now_s)
        )
    ]
    return claim(engine, rows) if rows else Claimed()
