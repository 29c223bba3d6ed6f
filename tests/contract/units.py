"""A meter of what DynamoDB charges a client for: calls, write units with their index writes, read units.

Write units are counted as docs/design.md does: a row costs one for each started KB of its larger image, twice that in a
transaction; each index of it costs one for a put, a delete or (where it projects what changed) an update, two for a move.
A failed condition costs as much as the row that stood in its way. Reads cost one for each started 4 KB, half of it where
they are not consistent. Images come from the writes themselves: a row this meter
has not seen written is read once, uncounted, before it is first written to.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.contract.audit import item_size

Item = dict[str, Any]
_WRITES = ("PutItem", "UpdateItem", "DeleteItem")


@dataclass(frozen=True)
class _Index:
    partition: str
    sort: str
    everything: bool

    def key(self, item: Item | None) -> tuple[str, str] | None:
        """Return where an item stands in this index, or None if it is not in it."""
        if item is None or self.partition not in item or self.sort not in item:
            return None
        return str(item[self.partition]), str(item[self.sort])


@dataclass
class Units:
    """What was counted: calls by operation, write units of rows and of indexes, read units."""

    calls: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    indexes: int = 0
    reads: float = 0.0

    @property
    def writes(self) -> int:
        """All write units."""
        return self.rows + self.indexes


class UnitMeter:
    """Counts from its creation on; `total` is what has been counted, `counting()` a part of it.

    It asks updates to answer the new row where the caller did not: callers must not rely on an answer without one.
    """

    def __init__(self, client: Any) -> None:
        """Count the calls of a client (of boto3, or a wrapper of one that has its `meta`)."""
        self.total = Units()
        self._client = client
        self._lock = threading.Lock()
        self._own = threading.local()
        self._images: dict[tuple[str, str, str], Item | None] = {}
        self._indexes: dict[str, list[_Index]] = {}
        client.meta.events.register("provide-client-params.dynamodb", self._before)
        client.meta.events.register("after-call.dynamodb", self._after)

    @contextmanager
    def counting(self) -> Iterator[Units]:
        """Count what happens inside on its own, too."""
        outer = self.total
        inner = self.total = Units()
        try:
            yield inner
        finally:
            self.total = outer
            outer.calls += inner.calls
            outer.rows += inner.rows
            outer.indexes += inner.indexes
            outer.reads += inner.reads

    def _before(self, params: Item, model: Any, context: Item, **_: Any) -> Item | None:
        if getattr(self._own, "reading", False):
            return None
        context["metered"] = params
        for part in _written(model.name, params):
            self._image(part)
        if model.name == "UpdateItem" and params.get("ReturnValues", "NONE") == "NONE":
            context["metered"] = params = {**params, "ReturnValues": "ALL_NEW"}
        return params

    def _after(self, parsed: Item, model: Any, context: Item, **_: Any) -> None:
        params = context.get("metered")
        if params is None:
            return
        with self._lock:
            self.total.calls[model.name] += 1
            if "Error" in parsed:
                self._count_refused(model.name, params, parsed)
            elif model.name in _WRITES:
                after = {"PutItem": params.get("Item"), "UpdateItem": parsed.get("Attributes")}.get(
                    model.name
                )
                self._count_write(params, after, 1)
            elif model.name == "TransactWriteItems":
                for part in _written(model.name, params):
                    self._count_write(part, self._after_part(part), 2)
            elif model.name == "BatchWriteItem":
                for part in _written(model.name, params):
                    self._count_write(part, part.get("Item"), 1)
            else:
                self.total.reads += _read_units(model.name, params, parsed)

    def _count_write(self, part: Item, after: Item | None, times: int) -> None:
        place = _place(part)
        before, self._images[place] = self._images.get(place), after
        self.total.rows += times * max(_units(before), _units(after), 1)
        self.total.indexes += sum(_moved(index, before, after) for index in self._of(part["TableName"]))

    def _after_part(self, part: Item) -> Item | None:
        """Return the image a part of a transaction leaves: no answer tells it, so what was updated is read."""
        if part["kind"] == "Update":
            return self._read(_place(part))
        return self._images[_place(part)] if part["kind"] == "ConditionCheck" else part.get("Item")

    def _count_refused(self, operation: str, params: Item, parsed: Item) -> None:
        codes = ("ConditionalCheckFailedException", "TransactionCanceledException")
        if parsed["Error"].get("Code") in codes:
            times = 2 if operation == "TransactWriteItems" else 1
            for part in _written(operation, params):
                self.total.rows += times * max(_units(self._images.get(_place(part))), 1)

    def _image(self, part: Item) -> None:
        place = _place(part)
        if place not in self._images:
            self._images.setdefault(place, self._read(place))

    def _read(self, place: tuple[str, str, str]) -> Item | None:
        """Return an item as it stands, uncounted."""
        key = {"pk": {"S": place[1]}, "sk": {"S": place[2]}}
        self._own.reading = True
        try:
            found = self._client.get_item(TableName=place[0], Key=key, ConsistentRead=True)
        finally:
            self._own.reading = False
        item: Item | None = found.get("Item")
        return item

    def _of(self, table: str) -> list[_Index]:
        if table not in self._indexes:
            self._own.reading = True
            try:
                described = self._client.describe_table(TableName=table)["Table"]
            finally:
                self._own.reading = False
            self._indexes[table] = [_index(one) for one in described.get("GlobalSecondaryIndexes", ())]
        return self._indexes[table]


def _index(described: Item) -> _Index:
    partition, sort = (key["AttributeName"] for key in described["KeySchema"])
    return _Index(partition, sort, described["Projection"]["ProjectionType"] == "ALL")


def _written(operation: str, params: Item) -> Iterator[Item]:
    """Return what a request writes: parts with a table and an item or a key."""
    if operation in _WRITES:
        yield params
    elif operation == "TransactWriteItems":
        for action in params["TransactItems"]:
            for kind, part in action.items():
                yield {**part, "kind": kind}
    elif operation == "BatchWriteItem":
        for table, requests in params["RequestItems"].items():
            for request in requests:
                for part in request.values():
                    yield {**part, "TableName": table}


def _place(part: Item) -> tuple[str, str, str]:
    key = part.get("Key") or part["Item"]
    return part["TableName"], key["pk"]["S"], key["sk"]["S"]


def _units(item: Item | None) -> int:
    return 0 if item is None else -(-item_size(item) // 1024)


def _read_units(operation: str, params: Item, answer: Item) -> float:
    """Return what a read costs: each item of a get on its own, the items of a query together, by 4 KB."""
    if operation == "BatchGetItem":
        ((table, asked),) = params["RequestItems"].items()
        sizes = [item_size(item) for item in answer["Responses"].get(table, ())]
        sizes += [0] * (len(asked["Keys"]) - len(sizes))
        return sum(max(1, -(-size // 4096)) for size in sizes) * (1.0 if asked.get("ConsistentRead") else 0.5)
    if operation not in ("GetItem", "Query", "Scan"):
        return 0.0
    items = [answer["Item"]] if "Item" in answer else answer.get("Items", ())
    size = sum(item_size(item) for item in items)
    return max(1, -(-size // 4096)) * (1.0 if params.get("ConsistentRead") else 0.5)


def _moved(index: _Index, before: Item | None, after: Item | None) -> int:
    was, now = index.key(before), index.key(after)
    size = max(_units(before), _units(after), 1) if index.everything else 1
    if was == now:
        return size if now is not None and index.everything and before != after else 0
    return size * ((was is not None) + (now is not None))
