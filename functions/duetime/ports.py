"""The ports: what the engine needs of the world, with the guarantees every implementation owes it.

tests/contract holds each implementation to these words. Losing a race is a return value (None or False), never an error; an
unreachable service raises `Unavailable`. Instants are UTC epoch seconds, `_ms` milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from duetime.core.exchange import (
    CalendarChange,
    CalendarUser,
    Dispatch,
    Invocation,
    JobChange,
    Lease,
    Outcome,
    Page,
)
from duetime.core.run import Run, RunError
from duetime.core.stored import StoredCalendar, StoredJob
from duetime.core.triggerrow import TriggerRow


class Clock(Protocol):
    """Time as a parameter: what it is, in UTC epoch milliseconds, and waiting."""

    def now_ms(self) -> int: ...

    def sleep_ms(self, milliseconds: int) -> None: ...


class DefinitionStore(Protocol):
    """Jobs and the scheduling state of their triggers."""

    def get_job(self, project: str, job: str) -> StoredJob | None:
        """Return the job, read consistently: every acknowledged change is seen."""

    def get_triggers(self, project: str, job: str) -> tuple[TriggerRow, ...]:
        """Return all trigger rows of a job, read consistently, by name."""

    def change_job(self, change: JobChange) -> bool:
        """Apply a change whole or not at all; False when the job or a trigger is no longer as it was read.

        A calendar that `after` uses and `before` did not must exist (else False) and has its revision raised by one, so
        that no deletion of it slips in between; each of `calendars` must still say what it said when it was read (else
        False). What is handed back equal to what was read is guarded and left as it is; whatever differs has a version or
        revision that has grown (ValueError). More data than a row, or rows than a change holds is refused (DataError).
        """

    def list_jobs(self, project: str, *, prefix: str, limit: int, cursor: str | None) -> Page[StoredJob]:
        """Return jobs by name, from an index that may lag by a moment; `cursor` is the `next` of the page before.

        Data of over 256 bytes may be left out: never change a job that was read here. Unreadable ones are left out.
        """

    def due_triggers(self, shard: int, *, horizon: int, limit: int, cursor: str | None) -> Page[TriggerRow]:
        """Return triggers of one shard with due_at <= horizon, earliest first.

        From an index that may lag: a row may be stale (then its transition is lost) or missing (then it comes later).
        A row that cannot be read is parked in `error` with the reason, is left out, and stops no other; one that a newer
        release wrote is left out and stays due.
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
        """acquired → waiting; `run` becomes the last one. Guard: the revision, and `run` is the outstanding one."""

    def extend_trigger(self, row: TriggerRow, *, run: str, outstanding: str, deadline: int) -> bool:
        """acquired → acquired with another outstanding run or a later deadline. Guard: `run` is the outstanding one."""

    def fault_trigger(self, row: TriggerRow, *, error: str) -> bool:
        """waiting | acquired → error with the reason kept. Guard: the revision."""


class CalendarStore(Protocol):
    """Calendars, and what uses them."""

    def get_calendars(self, project: str, names: Collection[str]) -> Mapping[str, StoredCalendar]:
        """Return the calendars of these names that exist, by name, read consistently; their members are not followed.

        One that cannot be read raises Unavailable.
        """

    def change_calendar(self, change: CalendarChange) -> bool:
        """Apply a change whole or not at all; False when the calendar or a resolved one is no longer as it was read.

        Guard: the revisions. `after` has a revision (and, where the definition differs, a version) that has grown
        (ValueError). Members that `after` has and `before` had not have their revision raised by one. A deletion does not
        look for users: who deletes has read that there are none, and a user that joins raises the revision.
        """

    def calendar_users(
        self, project: str, name: str, *, limit: int, cursor: str | None
    ) -> Page[CalendarUser]:
        """Return what uses a calendar directly, read consistently: composite calendars, then jobs, each by name.

        The cursor is the `next` of the page before, or "{kind}#{name}" of a user to go on after.
        """

    def list_calendars(
        self, project: str, *, prefix: str, limit: int, cursor: str | None
    ) -> Page[StoredCalendar]:
        """Return calendars by name, from an index that may lag by a moment. Unreadable ones are left out."""

    def changed_calendars(self, *, limit: int) -> tuple[StoredCalendar, ...]:
        """Return calendars with `changed_at`, longest first, of all projects, from an index that may lag."""


class RunStore(Protocol):
    """Runs: every transition is guarded, and answers the new value, whole, or None when the race was lost.

    Every write raises the revision by one. A queued or running run never expires.
    """

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
        """Return the runs of one shard with watch_at <= until, whole and read consistently, earliest first."""

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
        """Return a job's runs, newest nominal instant first, without expired ones; since <= nominal < until.

        Texts of over 256 bytes may be left out, and runs that cannot be read are.
        """

    def list_runs(
        self,
        project: str,
        *,
        limit: int,
        cursor: str | None,
        since: int | None = None,
        until: int | None = None,
    ) -> Page[Run]:
        """Return a project's runs as `list_job_runs` does, from an index that may lag by a moment."""


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

    def take_ticket(self, project: str, name: str, *, run: str, limit: int, now_ms: int) -> bool:
        """Count one more start under a name, up to `limit`; False when none is left. The last taker may take again."""

    def return_ticket(self, project: str, name: str) -> None:
        """Take back the count of a start that came to nothing."""

    def acquire_lease(self, name: str, *, holder: str, now_ms: int, ttl_ms: int) -> Lease | None:
        """Take a lease that is free or ended (by now_ms); the token grows by one. None when it is held, also by `holder`."""

    def renew_lease(self, lease: Lease, *, now_ms: int, ttl_ms: int) -> Lease | None:
        """Prolong a lease this token still holds; None when it was lost."""

    def release_lease(self, lease: Lease) -> bool:
        """Give up a lease this token still holds; repeating it is harmless."""

    def report_lag(self, *, lag_ms: int, now_ms: int) -> None:
        """Note how late the latest run began; the last writer wins."""

    def begin_lag(self) -> tuple[int, int] | None:
        """Return (lag_ms, at_ms) as noted last, or None."""


class Store(DefinitionStore, CalendarStore, RunStore, CoordinationStore, Protocol):
    """Everything a store keeps."""


class RunQueue(Protocol):
    """The run queues: at least once, in no order, not before the delay is over."""

    def send(self, dispatches: Sequence[Dispatch], *, now_ms: int) -> tuple[Dispatch, ...]:
        """Send each so that it arrives shortly before its start; answers those that were refused (send them again)."""

    def backlog(self) -> int:
        """Return about how many messages are ready or in flight; 0 means that nobody is busy or behind."""


class EventBus(Protocol):
    """Where transitions are published, at least once."""

    def publish(self, events: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
        """Publish CloudEvents; answers the indexes of those that were refused (publish them again)."""


class Target(Protocol):
    """One kind of target."""

    kind: str

    def check(self, target: Any) -> None:
        """Raise one clear error if this deployment could never call the target (unknown handler, not allowed)."""

    def deliver(self, invocation: Invocation) -> Outcome:
        """Call the target and wait for it; failures are outcomes, not exceptions."""


class Targets(Protocol):
    """The targets of a deployment, by kind."""

    def __getitem__(self, kind: str) -> Target: ...
    def kinds(self) -> Iterable[str]: ...
