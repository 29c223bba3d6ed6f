"""Run transitions: each is one guarded write, and answers the whole new run or None when the race was lost.

Every write leaves its own `write_id` in the row. The client repeats a write whose answer was lost; if the first one had got
through, the repeated one fails its condition and finds the id of its own write: then it has won, not lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from duetime.core.ids import new_uid
from duetime.core.run import Run, RunError
from duetime.store.checks import LEASE_ENDED, NEVER_STARTED, check_state, is_own_end, skipped_from_the_start
from duetime.store.dynamodb.attributes import TRUE, n, need_number, s, text, texts
from duetime.store.dynamodb.calls import attempt, call
from duetime.store.dynamodb.conditions import ABSENT, Guard, Sum, guard, update
from duetime.store.dynamodb.history import DynamoDbHistory
from duetime.store.dynamodb.keys import Item, Value, run_key, run_shard
from duetime.store.dynamodb.runrow import (
    DAY_SECONDS,
    FOR_EVER,
    UNENDED_DAYS,
    Payload,
    keep_for,
    new_row,
    payload_of,
    read_run,
)

_WATCH: Final = guard("watch_run", "revision")
_GUARD: Final = guard("guard_run", "fence")
_BEGIN: Final = guard("begin_run")
_SUPERSEDE: Final = guard("supersede_run")
_SKIP: Final = guard("skip_run")
_ABANDON: Final = guard("abandon_start", "revision")
_WITHDRAW: Final = guard("withdraw_run", "fence")
_SUCCEED: Final = guard("succeed_run", "fence")
_FAIL: Final = guard("fail_run", "fence")
_CANCEL: Final = guard("cancel_run", "fence")
_LOSE: Final = guard("lose_run", "fence", "lease_ms")
_SETTLE: Final = Guard("settle_run", (), ("follow_up",))

_Sets = dict[str, Value | Sum]
_UNWATCH: Final = ("watch_shard", "watch_at")


class DynamoDbRuns(DynamoDbHistory):
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
        return self._move_run(_WATCH, run, {**self._watched(run.id, watch_at), "resends": n(resends)})

    def guard_run(self, run: Run, *, watch_at: int | None = None, base_json: str | None = None) -> Run | None:
        """running → running, to be looked at at another instant or with other base data. Guard: the fence."""
        sets = {} if watch_at is None else self._watched(run.id, watch_at)
        if base_json is not None:
            self._keep(run, "base", base_json, sets, run.lease_ms or run.queued_ms, margin=UNENDED_DAYS)
            run = replace(run, base_json=base_json)
        return self._move_run(_GUARD, run, sets)

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
        base, payload = payload_of("base", base_json)
        if payload is not None and not self._put_base(project, run, payload, lease_ms, nonce):
            return None
        sets: _Sets = {
            "state": s("running"),
            "fence": Sum("fence", n(1)),
            "started_ms": n(now_ms),
            "lease_ms": n(lease_ms),
            "instance": s(instance),
            "base": base or s(base_json),
        }
        if slot is not None:
            sets["slot"] = s(slot)
        return self._write(_BEGIN, project, run, {}, sets, write_id=nonce)

    def supersede_run(self, project: str, run: str, *, now_ms: int, reason: str) -> Run | None:
        """queued → superseded, unstarted. Guard: queued."""
        return self._write(_SUPERSEDE, project, run, {}, _ended("superseded", now_ms, reason), _UNWATCH)

    def skip_run(self, project: str, run: str, *, now_ms: int, reason: str) -> Run | None:
        """queued → skipped. Guard: queued."""
        return self._write(_SKIP, project, run, {}, _ended("skipped", now_ms, reason), _UNWATCH)

    def abandon_start(self, run: Run, *, now_ms: int, follow_up: bool) -> Run | None:
        """queued → lost, never started. Guard: queued and the revision."""
        return self._end(_ABANDON, run, _ended("lost", now_ms, NEVER_STARTED), follow_up)

    def withdraw_run(self, run: Run, *, now_ms: int, reason: str) -> Run | None:
        """running → superseded before the handler was called. Guard: the fence."""
        return self._end(_WITHDRAW, run, _ended("superseded", now_ms, reason), False)

    def succeed_run(self, run: Run, *, now_ms: int, result_json: str | None) -> Run | None:
        """running → succeeded. Guard: the fence."""
        sets = _ended("succeeded", now_ms)
        self._keep(run, "result", result_json, sets, now_ms)
        return self._end(_SUCCEED, run, sets, False)

    def fail_run(self, run: Run, *, now_ms: int, error: RunError, follow_up: bool) -> Run | None:
        """running → failed. Guard: the fence."""
        sets = {**_ended("failed", now_ms), "error_code": s(error.code)}
        self._keep(run, "error", error.message, sets, now_ms)
        return self._end(_FAIL, run, sets, follow_up)

    def cancel_run(self, run: Run, *, now_ms: int, reason: str) -> Run | None:
        """running → canceled: the host stopped before the handler was done. Guard: the fence."""
        return self._end(_CANCEL, run, _ended("canceled", now_ms, reason), False)

    def lose_run(self, run: Run, *, now_ms: int, follow_up: bool) -> Run | None:
        """running → lost. Guard: the fence and the lease end read."""
        return self._end(_LOSE, run, _ended("lost", now_ms, LEASE_ENDED), follow_up)

    def settle_run(self, run: Run) -> Run | None:
        """Clear the follow-up mark of an ended run and take it out of the watch index. Guard: the mark is set."""
        return self._write(
            _SETTLE, run.project, run.id, {"follow_up": TRUE}, {}, (*_UNWATCH, "follow_up"), known=run
        )

    def _new(self, run: Run) -> Run | None:
        write_id = new_uid()
        item, payloads = new_row(run, shards=self.shards, write_id=write_id)
        if payloads:
            self._put_payloads(run.project, run.id, payloads, _unended(run.start_at, keep_for(run)))
        request = {"TableName": self._tables.runs, "Item": item, "ConditionExpression": ABSENT}
        done = attempt(self._client.put_item, request)
        if done.won or _mine(done.row, write_id):
            return None
        # The answer to a failed condition always has the row; should it not, the run is read once more.
        return self._whole(done.row) if done.row is not None else self.get_run(run.project, run.id)

    def _watched(self, run: str, watch_at: int) -> _Sets:
        return {"watch_shard": s(run_shard(run, self.shards)), "watch_at": n(watch_at)}

    def _move_run(self, held: Guard, run: Run, sets: _Sets, removes: tuple[str, ...] = ()) -> Run | None:
        """Make a transition of a run as it was read: what its guard names must be the same."""
        was: Item = {}
        for name in held.same:
            value = getattr(run, name)
            if value is None:
                return None
            was[name] = n(value)
        return self._write(held, run.project, run.id, was, sets, removes, known=run)

    def _end(self, held: Guard, run: Run, sets: _Sets, follow_up: bool) -> Run | None:
        if follow_up:
            return self._move_run(held, run, {**sets, "follow_up": TRUE})
        return self._move_run(held, run, sets, _UNWATCH)

    def _write(
        self,
        held: Guard,
        project: str,
        run: str,
        was: Item,
        sets: _Sets,
        removes: tuple[str, ...] = (),
        *,
        known: Run | None = None,
        write_id: str | None = None,
    ) -> Run | None:
        write_id = write_id or new_uid()
        sets = {**sets, "revision": Sum("revision", n(1)), "write_id": s(write_id)}
        request = update(self._tables.runs, run_key(project, run), held, was, sets, removes)
        done = attempt(self._client.update_item, {**request, "ReturnValues": "ALL_NEW"})
        if done.row is None:
            return None
        if done.won or _mine(done.row, write_id):
            return self._whole(done.row, known)
        if known is not None and is_own_end(held.transition, read_run(done.row).run, known):
            return self._whole(done.row, known)
        return None

    def _keep(
        self, run: Run, field: str, value: str | None, sets: _Sets, until_ms: int, *, margin: int = 0
    ) -> None:
        """Add a text to a write: into the row, or as a payload that is written now and kept `margin` days longer."""
        attribute, payload = payload_of(field, value)
        if attribute is not None:
            sets[field] = attribute
        if payload is not None:
            kept = keep_for(run)
            expires_at = None if kept == FOR_EVER else until_ms // 1000 + kept + margin * DAY_SECONDS
            self._put_payloads(run.project, run.id, [payload], expires_at)

    def _put_base(self, project: str, run: str, payload: Payload, lease_ms: int, nonce: str) -> bool:
        """Write long base data before the begin that speaks of it; False when there is nothing left to begin."""
        request: dict[str, Any] = {
            "TableName": self._tables.runs,
            "Key": run_key(project, run),
            "ConsistentRead": True,
        }
        item = call(self._client.get_item, request).get("Item")
        if item is None or not (text(item, "state") in _BEGIN.sources or _mine(item, nonce)):
            return False
        expires_at = _unended(lease_ms // 1000, need_number(item, "keep_for"))
        self._put_payloads(project, run, [payload], expires_at)
        return True


def _ended(state: str, now_ms: int, reason: str | None = None) -> _Sets:
    return {
        "state": s(state),
        "finished_ms": n(now_ms),
        "expires_at": Sum("keep_for", n(now_ms // 1000)),
        **texts(reason=reason),
    }


def _unended(instant: int, kept: int) -> int | None:
    """Return when a payload may go whose run will end some time after `instant`."""
    return None if kept == FOR_EVER else instant + kept + UNENDED_DAYS * DAY_SECONDS


def _mine(row: Item | None, write_id: str) -> bool:
    return row is not None and text(row, "write_id") == write_id
