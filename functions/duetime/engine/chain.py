"""The chain of records that one claim puts for one trigger, each after what the one before covers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

from duetime.core.ids import ordinal_text, run_id
from duetime.core.jitter import jittered
from duetime.core.misfire import Claim, Occurrence, decide
from duetime.core.plan import Plan, plan
from duetime.core.run import Run
from duetime.core.schedule import OnceSchedule
from duetime.core.schedulekinds import has_fixed_delay
from duetime.core.triggerrow import TriggerRow
from duetime.engine.context import Engine
from duetime.engine.dispatch import watched
from duetime.engine.occurrences import Calendars

T = TypeVar("T")


class Undecidable(Exception):
    """A trigger about which nothing can be decided: its schedule, zone or row is at fault, and nothing else."""


LONGEST: Final = 400
"""Records one claim puts or meets at most; what is left stays due."""


@dataclass(slots=True)
class Chain:
    """What stands for a trigger after its records were put, and where the trigger moves to.

    `open_runs` may still need a message: those put now, and those a claim before put and perhaps did not send.
    `acquires` is the outstanding run of a fixed delay. `blocked` keeps the trigger due.
    """

    row: TriggerRow
    remaining: int | None
    fired: int
    last_due: int | None
    last_run: str | None
    next_due: int | None = None
    acquires: Run | None = None
    blocked: bool = False
    fresh_runs: int = 0
    fresh_skips: int = 0
    open_runs: list[Run] = field(default_factory=list)


def is_fixed_delay(row: TriggerRow) -> bool:
    """Whether a trigger has one outstanding occurrence at a time."""
    return has_fixed_delay(row.schedule)


def ordinal_of(row: TriggerRow, nominal: int) -> str:
    """Return the ordinal in the id of the run of one of a trigger's instants."""
    return ordinal_text(
        ordinal=row.ordinal, again=row.again, again_from=row.again_from, again_until=row.again_until,
        nominal=nominal,
        generation=row.generation if is_fixed_delay(row) else None,
    )  # fmt: skip


def runs_of(engine: Engine, project: str, job: str, *, since: int, until: int) -> Iterator[Run]:
    """Yield the runs of a job whose nominal instant is at or after `since` and before `until`."""
    cursor: str | None = None
    while True:
        page = engine.store.list_job_runs(project, job, limit=200, cursor=cursor, since=since, until=until)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def is_occurrence(run: Run, row: TriggerRow) -> bool:
    """Whether a run is of an occurrence of a trigger in its present form."""
    if run.trigger != row.name or run.kind != "schedule" or run.nominal is None:
        return False
    return run.ordinal == ordinal_of(row, run.nominal)


def occurrence_runs(engine: Engine, row: TriggerRow, *, since: int, until: int) -> Iterator[Run]:
    """Yield the runs of a trigger, in its present form, with a nominal instant from `since` to before `until`."""
    runs = runs_of(engine, row.project, row.job, since=since, until=until)
    return (run for run in runs if is_occurrence(run, row))


def put_chain(engine: Engine, row: TriggerRow, now_s: int, calendars: Calendars) -> Chain:
    """Put the records of everything due before the horizon, and return where that leaves the trigger.

    First put wins: where a record stands that covers something else than decided here, the decision is taken anew for
    what comes after it. An instant that a calendar has come to exclude since it was armed is passed over.
    """
    under = calendars.under(row.project, row.schedule)
    occurrences = _pure(lambda: plan(row.schedule, anchor=row.anchor, calendars=under))
    last_due = row.last_due
    if row.returned and last_due is not None:
        last_due = min(last_due, row.returned)
    chain = Chain(row, row.remaining, row.fired, last_due, row.last_run)
    due: int | None = row.due_at
    if due is not None and row.schedule.calendar is not None:
        due = _pure(partial(occurrences.at_or_after, due))
        if due is not None and due > now_s + engine.settings.horizon:
            chain.next_due = due
            return chain
    for _ in range(LONGEST):
        if due is None:
            return chain
        decision = _pure(partial(_decide, engine, row, occurrences, due, now_s, chain.remaining))
        due = _put_decided(engine, chain, decision, occurrences, now_s)
    chain.next_due = due
    return chain


def _pure(decide: Callable[[], T]) -> T:
    """Take a step that calls nobody: whatever it raises is the trigger's own fault."""
    try:
        return decide()
    except Exception as error:
        raise Undecidable(str(error)) from error


def _decide(
    engine: Engine, row: TriggerRow, occurrences: Plan, due: int, now_s: int, remaining: int | None
) -> Claim:
    return decide(
        occurrences,
        due=due,
        now=now_s,
        horizon=now_s + engine.settings.horizon,
        misfire=row.misfire,
        threshold=row.misfire_threshold,
        single=is_fixed_delay(row),
        forgiving=isinstance(row.schedule, OnceSchedule),
        remaining=remaining,
    )


def _put_decided(engine: Engine, chain: Chain, decision: Claim, occurrences: Plan, now_s: int) -> int | None:
    """Put the records of one decision in order; the answer is where to decide anew, or None when the chain is whole."""
    row = chain.row
    records = _pure(lambda: [make_run(row, one, occurrences, now_s) for one in decision.runs])
    if decision.skipped is not None:
        missed = Occurrence(decision.skipped.first, decision.skipped.first, decision.skipped)
        records.insert(0, skip_of(make_run(row, missed, occurrences, now_s)))
    for record in records:
        put = engine.store.record_skip if record.state == "skipped" else engine.store.enqueue_run
        standing = put(record if record.state == "skipped" else watched(record, now_s))
        _count(chain, record if standing is None else standing, fresh=standing is None)
        if is_fixed_delay(row):
            _single(chain, record if standing is None else standing, occurrences, now_s)
            return None
        if standing is not None and reach(standing) != reach(record):
            following = occurrences.next(reach(standing))
            horizon = now_s + engine.settings.horizon
            if following is None or following > horizon or chain.remaining == 0:
                chain.next_due = None if chain.remaining == 0 else following
                return None
            return following
    chain.next_due = decision.next_due
    return None


def _single(chain: Chain, record: Run, occurrences: Plan, now_s: int) -> None:
    """Finish the chain of a fixed delay: its one run is outstanding, or has ended and sets the next due instant."""
    if not record.ended or record.follow_up:
        chain.acquires = record
        return
    finished_ms = record.finished_ms if record.finished_ms is not None else now_s * 1000
    chain.next_due = None if chain.remaining == 0 else occurrences.after_finish(-(-finished_ms // 1000))


def reach(run: Run) -> int:
    """Return the last nominal instant a record stands for."""
    if run.covers is not None:
        return run.covers.last
    return run.scheduled_at if run.nominal is None else run.nominal


def _count(chain: Chain, record: Run, *, fresh: bool) -> None:
    if record.state in ("skipped", "superseded"):
        chain.fresh_skips += int(fresh)
        return
    chain.fresh_runs += int(fresh)
    chain.fired += 1
    chain.last_run, chain.last_due = record.id, record.nominal
    if chain.remaining is not None:
        chain.remaining = max(0, chain.remaining - 1)
    if record.state == "queued":
        chain.open_runs.append(record)


def make_run(row: TriggerRow, one: Occurrence, occurrences: Plan, now_s: int) -> Run:
    """Return the run of one occurrence; its id depends on what it is, not on who makes it or when."""
    ordinal = ordinal_of(row, one.nominal)
    start_at = one.scheduled_at
    if row.jitter and one.covers is None:
        start_at = jittered(
            one.nominal,
            seed=f"{row.project}/{row.job}/{row.name}",
            jitter=row.jitter,
            next_nominal=occurrences.room(one.nominal),
            end_at=row.schedule.end_at,
        )
    identity = run_id(
        row.project, row.job, row.uid, trigger=row.name, nominal=one.nominal, kind="schedule", ordinal=ordinal
    )
    return Run(
        identity, row.project, row.job, row.uid, "schedule", one.scheduled_at, start_at, now_s * 1000,
        trigger=row.name, nominal=one.nominal, ordinal=ordinal, priority=row.priority,
        covers=one.covers, tenant=row.tenant, keep_days=row.keep_days,
    )  # fmt: skip


def skip_of(run: Run) -> Run:
    """Return the record of a misfire that is skipped, under the id its run would have had."""
    return replace(run, state="skipped", reason="misfire", finished_ms=run.queued_ms, covers=run.covers)
