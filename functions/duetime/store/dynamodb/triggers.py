"""Trigger transitions: each is one guarded write; and the due index, which one unreadable row never stops."""

from __future__ import annotations

import logging
from typing import Any, Final

from duetime.core.exchange import Page
from duetime.core.faults import Unreadable
from duetime.core.triggerrow import TriggerRow
from duetime.store.dynamodb.attributes import n, s
from duetime.store.dynamodb.base import DynamoDbBase
from duetime.store.dynamodb.calls import attempt, call
from duetime.store.dynamodb.conditions import Guard, Sum, guard, update
from duetime.store.dynamodb.keys import TRIGGER, Item, Value, due_shard, trigger_key
from duetime.store.dynamodb.triggerrow import read_trigger

_log = logging.getLogger(__name__)

_ADVANCE: Final = guard("advance_trigger", "uid", "revision")
_ACQUIRE: Final = guard("acquire_trigger", "uid", "revision")
_COMPLETE: Final = guard("complete_trigger", "uid", "revision")
_REARM: Final = guard("rearm_trigger", "uid", "revision", "outstanding")
_EXTEND: Final = guard("extend_trigger", "uid", "outstanding")
_FAULT: Final = guard("fault_trigger", "uid", "revision")
_PARK: Final = Guard("fault_unreadable", (), ("due_at",))

_DUE: Final = "#due_shard = :shard AND #due_at <= :horizon"
_UNDUE: Final = ("due_shard", "due_at")


class DynamoDbTriggers(DynamoDbBase):
    """The part of duetime.ports.DefinitionStore about the scheduling state of triggers."""

    def due_triggers(self, shard: int, *, horizon: int, limit: int, cursor: str | None) -> Page[TriggerRow]:
        """Return triggers of one shard with due_at <= horizon, earliest first, from an index that may lag."""
        request: dict[str, Any] = {
            "TableName": self._tables.definitions,
            "IndexName": "due",
            "KeyConditionExpression": _DUE,
            "ExpressionAttributeNames": {"#due_shard": "due_shard", "#due_at": "due_at"},
            "ExpressionAttributeValues": {":shard": s(str(shard)), ":horizon": n(horizon)},
            "Limit": limit,
        }
        if cursor is not None:
            due_at, project, job, name = cursor.split("#")
            request["ExclusiveStartKey"] = {
                "due_shard": s(str(shard)), "due_at": {"N": due_at}, **trigger_key(project, job, name)
            }  # fmt: skip
        answer = call(self._client.query, request)
        rows = [row for row in map(self._read, answer["Items"]) if row is not None]
        last = answer.get("LastEvaluatedKey")
        next = None
        if last is not None:
            next = "#".join((last["due_at"]["N"], last["pk"]["S"], last["sk"]["S"].removeprefix(TRIGGER)))
        return Page(tuple(rows), next)

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
        return self._move_trigger(
            _ADVANCE, row,
            due_at=due_at, remaining=remaining, last_due=last_due, last_run=last_run, fired=fired,
        )  # fmt: skip

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
        return self._move_trigger(
            _ACQUIRE, row,
            state="acquired", due_at=deadline, remaining=remaining, last_due=last_due, last_run=outstanding,
            outstanding=outstanding, fired=fired,
        )  # fmt: skip

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
        return self._move_trigger(
            _COMPLETE, row,
            state="complete", due_at=None, remaining=remaining, last_due=last_due, last_run=last_run,
            outstanding=None, fired=fired,
        )  # fmt: skip

    def rearm_trigger(self, row: TriggerRow, *, run: str, due_at: int) -> bool:
        """acquired → waiting. Guard: acquired, `run` is the outstanding one, and the revision is that of `row`."""
        return self._move_trigger(
            _REARM, row, run, state="waiting", due_at=due_at, last_run=run, outstanding=None
        )

    def extend_trigger(self, row: TriggerRow, *, run: str, outstanding: str, deadline: int) -> bool:
        """acquired → acquired with another outstanding run or a later deadline. Guard: `run` is the outstanding one."""
        return self._move_trigger(_EXTEND, row, run, due_at=deadline, outstanding=outstanding)

    def fault_trigger(self, row: TriggerRow, *, error: str) -> bool:
        """waiting | acquired → error with the reason kept. Guard: the revision."""
        return self._move_trigger(_FAULT, row, state="error", due_at=None, outstanding=None, error=error)

    def _move_trigger(self, held: Guard, row: TriggerRow, run: str = "", **fields: str | int | None) -> bool:
        """Make one transition; a field that is None is removed, and with `due_at` its place in the due index."""
        sets: dict[str, Value | Sum] = {"revision": Sum("revision", n(1))}
        removes: tuple[str, ...] = ("returned",) if "fired" in fields else ()  # a claim counts what it puts
        for name, value in fields.items():
            if value is None:
                removes += _UNDUE if name == "due_at" else (name,)
            else:
                sets[name] = s(value) if isinstance(value, str) else n(value)
        if "due_at" in sets:
            sets["due_shard"] = due_shard(row.project, row.job, row.name, self.shards)
        was: Item = {"uid": s(row.uid), "revision": n(row.revision), "outstanding": s(run)}
        key = trigger_key(row.project, row.job, row.name)
        return attempt(
            self._client.update_item, update(self._tables.definitions, key, held, was, sets, removes)
        ).won

    def _read(self, item: Item) -> TriggerRow | None:
        try:
            return read_trigger(item)
        except Unreadable as error:
            if error.newer:  # a newer release reads it well: leave it due for that one
                _log.error("a trigger does not fire until the newer release is back: %s", error)
            else:
                self._park(item, error)
            return None

    def _park(self, item: Item, error: Unreadable) -> None:
        """Put a row nobody can read into `error`, out of the due index; guarded by the due instant that was read."""
        sets: dict[str, Value | Sum] = {"state": s("error"), "error": s(str(error))}
        if item.get("revision", {}).get("N", "").isdigit():
            sets["revision"] = Sum("revision", n(1))
        key = {"pk": item["pk"], "sk": item["sk"]}
        request = update(self._tables.definitions, key, _PARK, {"due_at": item["due_at"]}, sets, _UNDUE)
        if attempt(self._client.update_item, request).won:
            _log.error("a trigger is parked in state error until it is put again: %s", error)
