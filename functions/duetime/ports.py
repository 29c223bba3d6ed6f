"""The ports: what the engine needs of the world, with the guarantees every implementation owes it.

One conformance suite (tests/contract) holds each implementation to these words. Losing a race is a return value (None or
False), never an exception; an unreachable service raises `Unavailable`. Instants are UTC epoch seconds, names ending in
`_ms` are UTC epoch milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from duetime.core.run import Run, RunError
from duetime.core.stored import StoredJob
from duetime.core.triggerrow import TriggerRow

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Items of one read and where the next begins; a short or empty page with `next` is not the end."""

    items: tuple[T, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class JobChange:
    """One atomic change of a job and its triggers.

    `before` is the job as it was read (None: it must not exist), `after` what it becomes (None: it is deleted).
    `triggers_before` are all trigger rows as read; each row of `triggers_after` replaces or joins them, the others go.
    """

    before: StoredJob | None
    after: StoredJob | None
    triggers_before: tuple[TriggerRow, ...] = ()
    triggers_after: tuple[TriggerRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One row before and after a write, as the tables' streams tell it; at least once, in order per row."""

    before: StoredJob | TriggerRow | Run | None
    after: StoredJob | TriggerRow | Run | None
    at_ms: int


class Clock(Protocol):
    """Time as a parameter."""

    def now_ms(self) -> int:
        """Return the time now, in UTC epoch milliseconds."""

    def sleep_ms(self, milliseconds: int) -> None:
        """Wait."""


class DefinitionStore(Protocol):
    """Jobs and the scheduling state of their triggers."""

    def get_job(self, project: str, job: str) -> StoredJob | None:
        """Return the job, read consistently: every acknowledged change is seen."""

    def get_triggers(self, project: str, job: str) -> tuple[TriggerRow, ...]:
        """Return all trigger rows of a job, read consistently, by name."""

    def change_job(self, change: JobChange) -> bool:
        """Apply a change whole or not at all; False when the job or a trigger is no longer as it was read."""

    def list_jobs(self, project: str, *, prefix: str, limit: int, cursor: str | None) -> Page[StoredJob]:
        """Return jobs by name, from an index that may lag by a moment; `cursor` is the `next` of the page before."""

    def due_triggers(self, shard: int, *, horizon: int, limit: int, cursor: str | None) -> Page[TriggerRow]:
        """Return triggers of one shard with due_at <= horizon, earliest first.

        From an index that may lag: a row may be stale (then its transition is lost) or missing (then it comes later).
        A row that cannot be read is parked in `error` by `fault_unreadable`, is left out, and stops no other.
        """

    def advance_trigger(
        self,
        row: TriggerRow,
        *,
        due_at: int,
        remaining: int | None,
        last_due: int,
        last_run: str | None,
        fired: int,
    ) -> bool:
        """waiting → waiting at the next due instant. Guard: the revision is the one of `row`."""

    def acquire_trigger(
        self,
        row: TriggerRow,
        *,
        deadline: int,
        remaining: int | None,
        last_due: int,
        outstanding: str,
        fired: int,
    ) -> bool:
        """waiting → acquired: one occurrence is in progress until `deadline`. Guard: the revision."""

    def complete_trigger(
        self,
        row: TriggerRow,
        *,
        remaining: int | None,
        last_due: int | None,
        last_run: str | None,
        fired: int,
    ) -> bool:
        """waiting | acquired → complete: nothing is left. Guard: the revision."""

    def rearm_trigger(self, row: TriggerRow, *, run: str, due_at: int) -> bool:
        """acquired → waiting. Guard: state is acquired and `run` is the outstanding one."""

    def extend_trigger(self, row: TriggerRow, *, run: str, outstanding: str, deadline: int) -> bool:
        """acquired → acquired with another outstanding run or a later deadline. Guard: `run` is the outstanding one."""

    def fault_trigger(self, row: TriggerRow, *, error: str) -> bool:
        """waiting | acquired → error with the reason kept. Guard: the revision."""


class RunStore(Protocol):
    """Runs: every transition is guarded, and answers the new value or None when the race was lost."""

    def enqueue_run(self, run: Run) -> Run | None:
        """Put a new queued run and answer None; where its id exists, change nothing and answer the row that stands.

        The row that stands is what makes two claimers agree: first put wins, the other goes on after it. A queued row has
        no expiry: however far ahead its start is, it is kept until it has ended.
        """

    def record_skip(self, run: Run) -> Run | None:
        """Put a new run that is skipped from the start, with its reason and covers; answers as `enqueue_run` does."""

    def get_run(self, project: str, run: str) -> Run | None:
        """Return a run, read consistently; None if there is none in this project or its history has expired."""

    def watch_run(self, run: Run, *, watch_at: int, resends: int) -> Run | None:
        """queued → queued, to be looked at by the sweep at another instant. Guard: queued and the revision."""

    def guard_run(self, run: Run, *, watch_at: int | None = None, base_json: str | None = None) -> Run | None:
        """running → running, looked at by the sweep at another instant or with base data frozen anew. Guard: the fence."""

    def begin_run(
        self,
        project: str,
        run: str,
        *,
        now_ms: int,
        lease_ms: int,
        instance: str,
        slot: str | None,
        base_json: str,
        nonce: str,
    ) -> Run | None:
        """queued → running: fence + 1, lease and frozen base data. Guard: queued. Answers the whole run.

        `nonce` is new for each attempt to begin and kept in the row: a write whose answer was lost and that is repeated
        finds its own nonce and has won. Texts spilled into payload items are keyed by their content, so a copy that
        loses its begin overwrites nothing.
        """

    def supersede_run(self, project: str, run: str, *, now_ms: int, reason: str) -> Run | None:
        """queued → superseded, unstarted. Guard: queued."""

    def skip_run(self, project: str, run: str, *, now_ms: int, reason: str) -> Run | None:
        """queued → skipped. Guard: queued."""

    def abandon_start(self, run: Run, *, now_ms: int, follow_up: bool) -> Run | None:
        """queued → lost, never started. Guard: queued and the revision."""

    def withdraw_run(self, run: Run, *, now_ms: int, reason: str) -> Run | None:
        """running → superseded before the handler was called. Guard: the fence."""

    def succeed_run(self, run: Run, *, now_ms: int, result_json: str | None) -> Run | None:
        """running → succeeded. Guard: the fence. An ended run leaves the watch index unless follow-up is marked."""

    def fail_run(self, run: Run, *, now_ms: int, error: RunError, follow_up: bool) -> Run | None:
        """running → failed. Guard: the fence."""

    def cancel_run(self, run: Run, *, now_ms: int, reason: str) -> Run | None:
        """running → canceled: the host stopped before the handler was done. Guard: the fence."""

    def lose_run(self, run: Run, *, now_ms: int, follow_up: bool) -> Run | None:
        """running → lost. Guard: the fence and the lease end read; only the sweep calls it, after the lease."""

    def settle_run(self, run: Run) -> Run | None:
        """Clear the follow-up mark of an ended run and take it out of the watch index. Guard: the mark is set."""

    def watched_runs(self, shard: int, *, until: int, limit: int, cursor: str | None) -> Page[Run]:
        """Return the runs of one shard with watch_at <= until, rows read consistently, earliest first."""

    def list_job_runs(
        self,
        project: str,
        job: str,
        *,
        limit: int,
        cursor: str | None,
        since: int | None = None,
        until: int | None = None,
    ) -> Page[Run]:
        """Return a job's runs, newest nominal instant first, without expired ones; since <= nominal < until."""

    def list_runs(
        self,
        project: str,
        *,
        limit: int,
        cursor: str | None,
        since: int | None = None,
        until: int | None = None,
    ) -> Page[Run]:
        """Return a project's runs, newest nominal instant first, from an index that may lag by a moment."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A named lock with a fencing token that only grows."""

    name: str
    holder: str
    token: int
    until_ms: int


class CoordinationStore(Protocol):
    """Slots, leases and the lag of begins."""

    def acquire_slot(
        self, project: str, slot: str, *, run: str, until_ms: int, instead_of: str | None = None
    ) -> bool:
        """Take a free slot (or one this run holds already); with `instead_of` also from exactly that holder."""

    def slot_holder(self, project: str, slot: str) -> tuple[str, int] | None:
        """Return (run id, until_ms) of the holder, read consistently, or None when the slot is free."""

    def release_slot(self, project: str, slot: str, *, run: str) -> bool:
        """Free the slot if this run holds it; repeating it is harmless."""

    def acquire_lease(self, name: str, *, holder: str, now_ms: int, ttl_ms: int) -> Lease | None:
        """Take a lease that is free or ended (by now_ms); the token grows by one. None when another holds it."""

    def renew_lease(self, lease: Lease, *, now_ms: int, ttl_ms: int) -> Lease | None:
        """Prolong a lease this token still holds; None when it was lost."""

    def release_lease(self, lease: Lease) -> bool:
        """Give up a lease this token still holds; repeating it is harmless."""

    def report_lag(self, *, lag_ms: int, now_ms: int) -> None:
        """Note how late the latest run began; the last writer wins."""

    def begin_lag(self) -> tuple[int, int] | None:
        """Return (lag_ms, at_ms) as noted last, or None."""


class Store(DefinitionStore, RunStore, CoordinationStore, Protocol):
    """Everything a store keeps."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One message on a run queue: which run, when it starts (UTC epoch seconds), how urgent, of which tenant."""

    project: str
    run: str
    job: str
    start_at: int
    priority: int = 5
    tenant: str | None = None


class RunQueue(Protocol):
    """The run queues: at least once, in no order, not before the delay is over."""

    def send(self, dispatches: Sequence[Dispatch], *, now_ms: int) -> tuple[Dispatch, ...]:
        """Send each so that it arrives shortly before its start; answers those that were refused (send them again)."""

    def backlog(self) -> int:
        """Return about how many messages are ready or in flight: 0 means that no executor is busy or behind."""


class EventBus(Protocol):
    """Where transitions are published, at least once."""

    def publish(self, events: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
        """Publish CloudEvents; answers the indexes of those that were refused (publish them again)."""


class CancelToken(Protocol):
    """Told to a target when its run should stop (timeout, stopping)."""

    @property
    def canceled(self) -> bool:
        """Whether the run should stop now."""

    def wait(self, seconds: float) -> bool:
        """Wait until told to stop, at most `seconds`; answers `canceled`."""

    def cancel(self) -> None:
        """Tell the run to stop; a target does so at its deadline."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a target is told: the run, its merged data, the schedule's text, its deadline and its cancel token.

    `hard_deadline_ms` is when the environment's time is up: a target that has not ended by then answers `still_running`
    (None: it is the deadline itself).
    """

    run: Run
    data: Mapping[str, Any]
    schedule: str | None
    deadline_ms: int
    token: CancelToken
    target: Any = field(default=None)
    hard_deadline_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a delivery came to. `permanent` failures are never retried; `result` is any JSON value.

    `still_running` (with `timeout` only): the handler ignored its timeout and had not returned at the hard deadline.
    """

    status: Literal["succeeded", "failed", "timeout", "canceled"]
    result: Any = None
    error: RunError | None = None
    permanent: bool = False
    still_running: bool = False
    returned: Callable[[float], bool] | None = None


class Target(Protocol):
    """One kind of target."""

    kind: str

    def check(self, target: Any) -> None:
        """Raise one clear error if this deployment could never call the target (unknown handler, not allowed)."""

    def deliver(self, invocation: Invocation) -> Outcome:
        """Call the target and wait for it; failures are outcomes, not exceptions."""


class Targets(Protocol):
    """The targets of a deployment, by kind."""

    def __getitem__(self, kind: str) -> Target:
        """Return the target of this kind."""

    def kinds(self) -> Iterable[str]:
        """Return the kinds this deployment delivers."""


__all__ = [
    "CancelToken",
    "Change",
    "Clock",
    "CoordinationStore",
    "DefinitionStore",
    "Dispatch",
    "EventBus",
    "Invocation",
    "JobChange",
    "Lease",
    "Outcome",
    "Page",
    "RunQueue",
    "RunStore",
    "Store",
    "Target",
    "Targets",
]
