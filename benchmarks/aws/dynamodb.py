"""DynamoDB as far as Duetime calls it: requests and answers in its own JSON, over tables in memory, one call at a time.

Guards and updates are evaluated as they are written, pages are cut at a megabyte, read units are counted. A parameter or an
expression that is not known here is an `Unknown`, never passed over. tests/unit/benchmarks holds it to what moto answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

from benchmarks.aws.expressions import Item, Missing, Unknown, condition, holds, plain, updated
from benchmarks.aws.tables import HIGHEST, Index, Page, Place, Row, Table, only

Answer = dict[str, Any]
_NOTHING: Final[Item] = {}


class Refused(Exception):
    """A request that DynamoDB refuses: the error's code, its message and what else its answer holds."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.more = code, message, more


class DynamoDb:
    """The service. `tables` may be filled directly; `read_units` and `write_units` grow with the calls."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.read_units = 0.0
        self._write_units = 0
        self._written: list[tuple[Table, Item | None, Item | None, int]] = []
        self._lock = threading.Lock()
        self._verbs: dict[str, Callable[[Answer], Answer]] = {
            "BatchGetItem": self._batch_get,
            "CreateTable": self._create_table,
            "DeleteItem": self._delete,
            "DescribeTable": self._describe_table,
            "GetItem": self._get,
            "PutItem": self._put,
            "Query": self._query,
            "Scan": self._scan,
            "TransactWriteItems": self._transact,
            "UpdateItem": self._update,
        }

    def answer(self, operation: str, request: Answer) -> Answer:
        """Return the answer to a request; raises Refused for what DynamoDB refuses, Unknown for what is not known here."""
        if operation not in self._verbs:
            raise Unknown(f"operation {operation}")
        with self._lock:
            answer = self._verbs[operation](request)
        if request:
            raise Unknown(f"{operation} with {sorted(request)}")
        return answer

    @property
    def write_units(self) -> int:
        """The write units of all calls so far: counted when asked for, not while others are measured."""
        written, self._written = self._written, []
        self._write_units += sum(
            times * table.units(before, after) for table, before, after, times in written
        )
        return self._write_units

    def _table(self, name: str) -> Table:
        if name not in self.tables:
            raise Refused("ResourceNotFoundException", "Requested resource not found")
        return self.tables[name]

    # --- writes ----------------------------------------------------------------------------------------------------

    def _put(self, request: Answer) -> Answer:
        table, item = self._table(request.pop("TableName")), request.pop("Item")
        before = self._check(table, request, table.row(item))
        self._write(table, before, item)
        return {}

    def _delete(self, request: Answer) -> Answer:
        table, key = self._table(request.pop("TableName")), request.pop("Key")
        before = self._check(table, request, table.row(key))
        self._write(table, before, None)
        return {}

    def _update(self, request: Answer) -> Answer:
        table, key = self._table(request.pop("TableName")), request.pop("Key")
        names, values = _names(request), _values(request)
        before = self._check(table, request, table.row(key), names, values)
        try:
            after = updated(request.pop("UpdateExpression"), key if before is None else before, names, values)
        except Missing as missing:
            problem = "The provided expression refers to an attribute that does not exist in the item"
            raise Refused("ValidationException", problem) from missing
        self._write(table, before, after)
        wanted = request.pop("ReturnValues", "NONE")
        if wanted not in ("NONE", "ALL_NEW"):
            raise Unknown(f"ReturnValues {wanted}")
        return {"Attributes": after} if wanted == "ALL_NEW" else {}

    def _transact(self, request: Answer) -> Answer:
        request.pop("ClientRequestToken", None)
        actions = [next(iter(action.items())) for action in request.pop("TransactItems")]
        parts = [(kind, self._table(part.pop("TableName")), part) for kind, part in actions]
        reasons = [self._reason(table, part) for _, table, part in parts]
        if any(reason["Code"] != "None" for reason in reasons):
            told = ", ".join(reason["Code"] for reason in reasons)
            message = (
                f"Transaction cancelled, please refer cancellation reasons for specific reasons [{told}]"
            )
            raise Refused("TransactionCanceledException", message, CancellationReasons=reasons)
        for kind, table, part in parts:
            if kind not in ("Put", "Delete", "ConditionCheck"):
                raise Unknown(f"TransactWriteItems with {kind}")
            after = part.pop("Item") if kind == "Put" else None
            row = table.row(after or part.pop("Key"))
            before = None if row is None else row.item
            self._write(table, before, before if kind == "ConditionCheck" else after, 2)
            if part:
                raise Unknown(f"{kind} with {sorted(part)}")
        return {}

    def _write(self, table: Table, before: Item | None, after: Item | None, times: int = 1) -> None:
        self._written.append((table, before, after, times))
        if after is not None and after is not before:
            table.put(after)
        elif after is None and before is not None:
            table.delete(before)

    def _check(
        self,
        table: Table,
        request: Answer,
        row: Row | None,
        names: Any = None,
        values: Any = None,
        times: int = 1,
    ) -> Item | None:
        """Hold a write to its condition and return the row before it; a failed one costs as much as a write.

        Names and values are taken from the request unless they are given.
        """
        names = _names(request) if names is None else names
        values = _values(request) if values is None else values
        tell = request.pop("ReturnValuesOnConditionCheckFailure", "NONE") == "ALL_OLD"
        written = request.pop("ConditionExpression", None)
        before = None if row is None else row.item
        if written is not None and not holds(condition(written), before or _NOTHING, names, values):
            self._written.append((table, before, before, times))
            more = {"Item": before} if tell and before is not None else {}
            raise Refused("ConditionalCheckFailedException", "The conditional request failed", **more)
        return before

    def _reason(self, table: Table, part: Answer) -> Answer:
        """Return why one part of a transaction cancels it; the code None means that it does not."""
        try:
            self._check(table, part, table.row(part["Item"] if "Item" in part else part["Key"]), times=2)
        except Refused as refused:
            return {"Code": "ConditionalCheckFailed", "Message": refused.message, **refused.more}
        return {"Code": "None"}

    # --- reads -----------------------------------------------------------------------------------------------------

    def _get(self, request: Answer) -> Answer:
        row = self._table(request.pop("TableName")).row(request.pop("Key"))
        units = _read(row.size if row else 0, consistent=request.pop("ConsistentRead", False))
        return self._charged(request, units, {} if row is None else {"Item": row.item})

    def _batch_get(self, request: Answer) -> Answer:
        found: dict[str, list[Item]] = {}
        units = 0.0
        for name, wanted in request.pop("RequestItems").items():
            consistent = wanted.pop("ConsistentRead", False)
            rows = [self._table(name).row(key) for key in wanted.pop("Keys")]
            if wanted:
                raise Unknown(f"BatchGetItem with {sorted(wanted)}")
            units += sum(_read(row.size if row else 0, consistent=consistent) for row in rows)
            found[name] = [row.item for row in rows if row is not None]
        return self._charged(request, units, {"Responses": found, "UnprocessedKeys": {}}, listed=True)

    def _query(self, request: Answer) -> Answer:
        table = self._table(request.pop("TableName"))
        index = table.indexes[request.pop("IndexName")] if "IndexName" in request else table.own
        names, values = _names(request), _values(request)
        partition, low, high = _range(request.pop("KeyConditionExpression"), index, names, values)
        places = index.between(partition, low, high)
        after = request.pop("ExclusiveStartKey", None)
        backward = not request.pop("ScanIndexForward", True)
        if after is not None:
            start = index.place(after)
            if start is None:
                raise Unknown(f"ExclusiveStartKey {after}")
            places = [place for place in places if (place < start[1] if backward else place > start[1])]
        page = table.page(iter(reversed(places) if backward else places), request.pop("Limit", None))
        answer = _told(page, page.rows, index)
        return self._charged(
            request, _read(page.size, consistent=request.pop("ConsistentRead", False)), answer
        )

    def _scan(self, request: Answer) -> Answer:
        table = self._table(request.pop("TableName"))
        names, values = _names(request), _values(request)
        page = table.scan(request.pop("ExclusiveStartKey", None), request.pop("Limit", None))
        rows = page.rows
        if "FilterExpression" in request:
            node = condition(request.pop("FilterExpression"))
            rows = [row for row in rows if holds(node, row.item, names, values)]
        answer = _told(page, rows, table.own)
        return self._charged(
            request, _read(page.size, consistent=request.pop("ConsistentRead", False)), answer
        )

    def _charged(self, request: Answer, units: float, answer: Answer, *, listed: bool = False) -> Answer:
        self.read_units += units
        if request.pop("ReturnConsumedCapacity", "NONE") == "TOTAL":
            told = {"TableName": "", "CapacityUnits": units}
            answer["ConsumedCapacity"] = [told] if listed else told
        return answer

    # --- tables ----------------------------------------------------------------------------------------------------

    def _create_table(self, request: Answer) -> Answer:
        name, own = request.pop("TableName"), request.pop("KeySchema")
        types = {one["AttributeName"]: one["AttributeType"] for one in request.pop("AttributeDefinitions")}
        if [one["AttributeName"] for one in own] != ["pk", "sk"]:
            raise Unknown(f"CreateTable with the key {own}")
        indexes = {}
        for made in request.pop("GlobalSecondaryIndexes", ()):
            partition, sort = (one["AttributeName"] for one in made["KeySchema"])
            everything = made["Projection"]["ProjectionType"] == "ALL"
            indexes[made["IndexName"]] = Index(partition, sort, types[sort], everything)
        self.tables[name] = Table(indexes)
        request.pop("BillingMode")
        request.pop("StreamSpecification", None)
        return {"TableDescription": _described(name, self.tables[name])}

    def _describe_table(self, request: Answer) -> Answer:
        name = request.pop("TableName")
        return {"Table": _described(name, self._table(name))}


def _names(request: Answer) -> dict[str, str]:
    found: dict[str, str] = request.pop("ExpressionAttributeNames", {})
    return found


def _values(request: Answer) -> Item:
    found: Item = request.pop("ExpressionAttributeValues", _NOTHING)
    return found


def _range(
    text: str, index: Index, names: dict[str, str], values: Item
) -> tuple[str, Place | None, Place | None]:
    """Return the partition a key condition names and the first and last place it lets through."""
    node = condition(text)
    parts = node[1:] if node[0] == "and" else (node,)
    partition: str | None = None
    low: Place | None = None
    high: Place | None = None
    for kind, path, *operands in parts:
        name = names.get(path[1], path[1])
        told = [plain(values[one[1]])[1] for one in operands]
        if (kind, name) == ("=", index.partition):
            partition = told[0]
        elif name == index.sort:
            low, high = _bounds(kind, told)
        else:
            raise Unknown(f"key condition {text!r}")
    if partition is None:
        raise Unknown(f"key condition {text!r}")
    return partition, low, high


def _bounds(kind: str, told: list[Any]) -> tuple[Place | None, Place | None]:
    if kind == "<=":
        return None, (told[0], HIGHEST, HIGHEST)
    if kind == "between":
        return (told[0], "", ""), (told[1], HIGHEST, HIGHEST)
    if kind == "begins_with":
        return (told[0], "", ""), (told[0] + HIGHEST, HIGHEST, HIGHEST)
    raise Unknown(f"key condition with {kind}")


def _told(page: Page, rows: list[Row], index: Index) -> Answer:
    """Return the answer of a Query or Scan that read `page` and found `rows`."""
    keys = list(dict.fromkeys(("pk", "sk", index.partition, index.sort)))
    items: Iterator[Item] = (row.item if index.everything else only(row.item, keys) for row in rows)
    answer: Answer = {"Items": list(items), "Count": len(rows), "ScannedCount": len(page.rows)}
    if page.more and page.rows:
        answer["LastEvaluatedKey"] = only(page.rows[-1].item, keys)
    return answer


def _read(size: int, *, consistent: bool) -> float:
    """Return the read units of so many bytes: one for each started 4 KB, half of it where the read may lag."""
    return max(1, -(-size // 4096)) * (1.0 if consistent else 0.5)


def _described(name: str, table: Table) -> Answer:
    indexes = [
        {
            "IndexName": index,
            "KeySchema": _schema(made.partition, made.sort),
            "Projection": {"ProjectionType": "ALL" if made.everything else "KEYS_ONLY"},
            "IndexStatus": "ACTIVE",
        }
        for index, made in table.indexes.items()
    ]
    described: Answer = {"TableName": name, "TableStatus": "ACTIVE", "KeySchema": _schema("pk", "sk")}
    return {**described, "GlobalSecondaryIndexes": indexes} if indexes else described


def _schema(partition: str, sort: str) -> list[Answer]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]
