"""Slots, leases and the lag of begins: one row each, one write each."""

from __future__ import annotations

from typing import Final

from duetime.core.exchange import Lease
from duetime.core.ids import new_uid
from duetime.store.dynamodb.attributes import n, need_number, need_text, s, text
from duetime.store.dynamodb.base import DynamoDbBase
from duetime.store.dynamodb.calls import attempt, call
from duetime.store.dynamodb.keys import FORMAT, lag_key, lease_key, slot_key, tickets_key

_MINE: Final = "#run = :run"
_FREE_OR_MINE: Final = f"attribute_not_exists(pk) OR {_MINE}"
_FREE_MINE_OR_THAT: Final = f"{_FREE_OR_MINE} OR #run = :instead"
_RUN: Final = {"#run": "run"}
_HELD: Final = {"#holder": "holder", "#token": "token", "#until": "until_ms"}
_TICKETS_KEPT: Final = 800 * 86_400
"""Seconds a count of starts is kept after the last one: over twice the longest interval."""
_STILL_MINE: Final = "attribute_exists(#holder) AND #token = :was"


class DynamoDbCoordination(DynamoDbBase):
    """A duetime.ports.CoordinationStore."""

    def acquire_slot(
        self, project: str, slot: str, *, run: str, until_ms: int, instead_of: str | None = None
    ) -> bool:
        """Take a free slot (or one this run holds already); with `instead_of` also from exactly that holder."""
        item = slot_key(project, slot) | {
            "row": s("slot"),
            "v": n(FORMAT),
            "run": s(run),
            "until_ms": n(until_ms),
        }
        values = {":run": s(run)} if instead_of is None else {":run": s(run), ":instead": s(instead_of)}
        request = {
            "TableName": self._tables.coordination,
            "Item": item,
            "ConditionExpression": _FREE_OR_MINE if instead_of is None else _FREE_MINE_OR_THAT,
            "ExpressionAttributeNames": _RUN,
            "ExpressionAttributeValues": values,
        }
        return attempt(self._client.put_item, request).won

    def slot_holder(self, project: str, slot: str) -> tuple[str, int] | None:
        """Return (run id, until_ms) of the holder, read consistently, or None when the slot is free."""
        request = {
            "TableName": self._tables.coordination,
            "Key": slot_key(project, slot),
            "ConsistentRead": True,
        }
        item = call(self._client.get_item, request).get("Item")
        return None if item is None else (need_text(item, "run"), need_number(item, "until_ms"))

    def release_slot(self, project: str, slot: str, *, run: str) -> bool:
        """Free the slot if this run holds it."""
        request = {
            "TableName": self._tables.coordination,
            "Key": slot_key(project, slot),
            "ConditionExpression": _MINE,
            "ExpressionAttributeNames": _RUN,
            "ExpressionAttributeValues": {":run": s(run)},
        }
        return attempt(self._client.delete_item, request).won

    def take_ticket(self, project: str, name: str, *, run: str, limit: int, now_ms: int) -> bool:
        """Count one more start under a name, up to `limit`; the last taker may take again."""
        request = {
            "TableName": self._tables.coordination,
            "Key": tickets_key(project, name),
            "UpdateExpression": "ADD #taken :one SET #last = :run, #expires = :expires, #row = :row, #v = :v",
            "ConditionExpression": "attribute_not_exists(#taken) OR (#taken < :limit AND NOT #last = :run)",
            "ExpressionAttributeNames": {
                "#taken": "taken", "#last": "last", "#expires": "expires_at", "#row": "row", "#v": "v",
            },
            "ExpressionAttributeValues": {
                ":one": n(1), ":run": s(run), ":limit": n(limit), ":row": s("tickets"), ":v": n(FORMAT),
                ":expires": n(now_ms // 1000 + _TICKETS_KEPT),
            },
        }  # fmt: skip
        done = attempt(self._client.update_item, request)
        return done.won or (done.row is not None and text(done.row, "last") == run)

    def return_ticket(self, project: str, name: str) -> None:
        """Take back the count of a start that came to nothing."""
        request = {
            "TableName": self._tables.coordination,
            "Key": tickets_key(project, name),
            "UpdateExpression": "ADD #taken :back SET #last = :nobody",
            "ConditionExpression": "#taken > :none",
            "ExpressionAttributeNames": {"#taken": "taken", "#last": "last"},
            "ExpressionAttributeValues": {":back": n(-1), ":nobody": s("-"), ":none": n(0)},
        }
        attempt(self._client.update_item, request)

    def acquire_lease(self, name: str, *, holder: str, now_ms: int, ttl_ms: int) -> Lease | None:
        """Take a lease that is free or ended; the token grows by one. None when it is held, also by this holder."""
        write_id = new_uid()
        request = {
            "TableName": self._tables.coordination,
            "Key": lease_key(name),
            "UpdateExpression": "SET #row = :row, #v = :v, #holder = :holder, #until = :until, #write = :write"
            " ADD #token :one",
            "ConditionExpression": "attribute_not_exists(#holder) OR #until <= :now",
            "ExpressionAttributeNames": {**_HELD, "#row": "row", "#v": "v", "#write": "write_id"},
            "ExpressionAttributeValues": {
                ":row": s("lease"),
                ":v": n(FORMAT),
                ":holder": s(holder),
                ":until": n(now_ms + ttl_ms),
                ":write": s(write_id),
                ":one": n(1),
                ":now": n(now_ms),
            },
            "ReturnValues": "ALL_NEW",
        }
        done = attempt(self._client.update_item, request)
        if done.row is None or not (done.won or text(done.row, "write_id") == write_id):
            return None
        return Lease(name, holder, need_number(done.row, "token"), now_ms + ttl_ms)

    def renew_lease(self, lease: Lease, *, now_ms: int, ttl_ms: int) -> Lease | None:
        """Prolong a lease this token still holds; None when it was lost."""
        request = {
            "TableName": self._tables.coordination,
            "Key": lease_key(lease.name),
            "UpdateExpression": "SET #until = :until",
            "ConditionExpression": _STILL_MINE,
            "ExpressionAttributeNames": _HELD,
            "ExpressionAttributeValues": {":was": n(lease.token), ":until": n(now_ms + ttl_ms)},
        }
        done = attempt(self._client.update_item, request)
        return Lease(lease.name, lease.holder, lease.token, now_ms + ttl_ms) if done.won else None

    def release_lease(self, lease: Lease) -> bool:
        """Give up a lease this token still holds; its row stays, so that the token goes on growing."""
        request = {
            "TableName": self._tables.coordination,
            "Key": lease_key(lease.name),
            "UpdateExpression": "REMOVE #holder, #until",
            "ConditionExpression": _STILL_MINE,
            "ExpressionAttributeNames": _HELD,
            "ExpressionAttributeValues": {":was": n(lease.token)},
        }
        return attempt(self._client.update_item, request).won

    def report_lag(self, *, lag_ms: int, now_ms: int) -> None:
        """Note how late the latest run began."""
        item = lag_key() | {"row": s("lag"), "v": n(FORMAT), "lag_ms": n(lag_ms), "at_ms": n(now_ms)}
        call(self._client.put_item, {"TableName": self._tables.coordination, "Item": item})

    def begin_lag(self) -> tuple[int, int] | None:
        """Return (lag_ms, at_ms) as noted last, or None."""
        request = {"TableName": self._tables.coordination, "Key": lag_key()}
        item = call(self._client.get_item, request).get("Item")
        return None if item is None else (need_number(item, "lag_ms"), need_number(item, "at_ms"))
