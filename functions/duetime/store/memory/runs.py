"""Run transitions in memory: each finds the run, checks its guard, and puts the next value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from duetime.core.ids import key_of_run
from duetime.core.machine import sources_of
from duetime.core.run import Run, RunError
from duetime.store.checks import LEASE_ENDED, NEVER_STARTED, check_state, is_own_end, skipped_from_the_start
from duetime.store.memory.state import MemoryState

_Guard = Callable[[Run], bool]


class MemoryRuns(MemoryState):
    """The transitions of duetime.ports.RunStore."""

    def enqueue_run(self, run: Run) -> Run | None:
        """Put a new queued run; answers the row that stands where its id exists."""
        check_state(run, "queued")
        return self._new(run)

    def record_skip(self, run: Run) -> Run | None:
        """Put a new run that is skipped from the start; answers the row that stands where its id exists."""
        return self._new(skipped_from_the_start(run))

    def watch_run(self, run: Run, *, watch_at: int, resends: int) -> Run | None:
        """queued → queued, to be looked at at another instant. Guard: queued and the revision."""
        return self._move_run("watch_run", run, _revision_of(run), watch_at=watch_at, resends=resends)

    def guard_run(self, run: Run, *, watch_at: int | None = None, base_json: str | None = None) -> Run | None:
        """running → running, to be looked at at another instant or with other base data. Guard: the fence."""
        changed: dict[str, Any] = {} if watch_at is None else {"watch_at": watch_at}
        if base_json is not None:
            changed["base_json"] = base_json
        return self._move_run("guard_run", run, _fence_of(run), **changed)

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
        """queued → running: fence + 1, lease and frozen base data. Guard: queued."""
        key = _key(project, run)
        with self._writing():
            stored = self._startable("begin_run", project, run)
            if stored is None:
                return self._runs[key] if self._nonces.get(key) == nonce else None
            self._nonces[key] = nonce
            return self._put(
                stored, state="running", fence=stored.fence + 1, started_ms=now_ms, lease_ms=lease_ms,
                instance=instance, slot=slot, base_json=base_json,
            )  # fmt: skip

    def supersede_run(self, project: str, run: str, *, now_ms: int, reason: str) -> Run | None:
        """queued → superseded, unstarted. Guard: queued."""
        return self._drop("supersede_run", project, run, state="superseded", now_ms=now_ms, reason=reason)

    def skip_run(self, project: str, run: str, *, now_ms: int, reason: str) -> Run | None:
        """queued → skipped. Guard: queued."""
        return self._drop("skip_run", project, run, state="skipped", now_ms=now_ms, reason=reason)

    def abandon_start(self, run: Run, *, now_ms: int, follow_up: bool) -> Run | None:
        """queued → lost, never started. Guard: queued and the revision."""
        return self._end(
            "abandon_start", run, _revision_of(run), now_ms, follow_up, state="lost", reason=NEVER_STARTED
        )

    def withdraw_run(self, run: Run, *, now_ms: int, reason: str) -> Run | None:
        """running → superseded before the handler was called. Guard: the fence."""
        return self._end(
            "withdraw_run", run, _fence_of(run), now_ms, False, state="superseded", reason=reason
        )

    def succeed_run(self, run: Run, *, now_ms: int, result_json: str | None) -> Run | None:
        """running → succeeded. Guard: the fence."""
        return self._end(
            "succeed_run", run, _fence_of(run), now_ms, False, state="succeeded", result_json=result_json
        )

    def fail_run(self, run: Run, *, now_ms: int, error: RunError, follow_up: bool) -> Run | None:
        """running → failed. Guard: the fence."""
        return self._end("fail_run", run, _fence_of(run), now_ms, follow_up, state="failed", error=error)

    def cancel_run(self, run: Run, *, now_ms: int, reason: str) -> Run | None:
        """running → canceled: the host stopped before the handler was done. Guard: the fence."""
        return self._end("cancel_run", run, _fence_of(run), now_ms, False, state="canceled", reason=reason)

    def lose_run(self, run: Run, *, now_ms: int, follow_up: bool) -> Run | None:
        """running → lost. Guard: the fence and the lease end read."""
        return self._end("lose_run", run, _lease_of(run), now_ms, follow_up, state="lost", reason=LEASE_ENDED)

    def settle_run(self, run: Run) -> Run | None:
        """Clear the follow-up mark of an ended run and take it out of the watch index. Guard: the mark is set."""
        with self._writing():
            stored = self._runs.get(_key(run.project, run.id))
            return self._put(stored, follow_up=False, watch_at=None) if stored and stored.follow_up else None

    def _new(self, run: Run) -> Run | None:
        key = _key(run.project, run.id)
        with self._writing():
            standing = self._runs.get(key)
            if standing is None:
                self._set_run(None, run)
            return standing

    def _startable(self, transition: str, project: str, run: str) -> Run | None:
        stored = self._runs.get(_key(project, run))
        return stored if stored is not None and stored.state in sources_of(transition) else None

    def _put(self, stored: Run, **fields: Any) -> Run:
        return self._set_run(stored, replace(stored, revision=stored.revision + 1, **fields))

    def _move_run(self, transition: str, run: Run, guard: _Guard, **fields: Any) -> Run | None:
        with self._writing():
            stored = self._startable(transition, run.project, run.id)
            if stored is not None:
                return self._put(stored, **fields) if guard(stored) else None
            standing = self._runs.get(_key(run.project, run.id))
            return standing if standing is not None and is_own_end(transition, standing, run) else None

    def _end(
        self, transition: str, run: Run, guard: _Guard, now_ms: int, follow_up: bool, **fields: Any
    ) -> Run | None:
        if not follow_up:
            fields["watch_at"] = None
        return self._move_run(transition, run, guard, finished_ms=now_ms, follow_up=follow_up, **fields)

    def _drop(self, transition: str, project: str, run: str, *, now_ms: int, **fields: Any) -> Run | None:
        with self._writing():
            stored = self._startable(transition, project, run)
            return None if stored is None else self._put(stored, finished_ms=now_ms, watch_at=None, **fields)


def _key(project: str, run: str) -> tuple[str, str]:
    key_of_run(run)  # refuses what is no run id at all, as every store does
    return project, run


def _revision_of(run: Run) -> _Guard:
    return lambda stored: stored.revision == run.revision


def _fence_of(run: Run) -> _Guard:
    return lambda stored: stored.fence == run.fence


def _lease_of(run: Run) -> _Guard:
    return lambda stored: (stored.fence, stored.lease_ms) == (run.fence, run.lease_ms)
