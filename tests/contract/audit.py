"""What AWS refuses and emulators let pass: every request of a client is held to it before it is sent.

Names and values of expressions are all used and all defined, no attribute is named bare (it may be a reserved word), no key is
empty, batches and transactions keep their limits, no item is written twice in one, indexes are not read consistently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_EXPRESSIONS = ("ConditionExpression", "UpdateExpression", "KeyConditionExpression", "FilterExpression")
_WORDS = {
    "SET", "REMOVE", "ADD", "AND", "OR", "NOT", "IN", "BETWEEN",
    "attribute_exists", "attribute_not_exists", "begins_with", "if_not_exists", "pk", "sk",
}  # fmt: skip
_MOST = {"BatchGetItem": 100, "BatchWriteItem": 25, "TransactWriteItems": 100}


def audit(client: Any) -> None:
    """Hold every later request of this client to the rules; a breach is an AssertionError in the caller."""
    client.meta.events.register("provide-client-params.dynamodb", _check)


def _check(params: dict[str, Any], model: Any, **_: Any) -> None:
    parts = list(_parts(model.name, params))
    assert len(parts) <= _MOST.get(model.name, 1), f"{model.name} with {len(parts)} parts"
    for part in parts:
        _check_expressions(part)
        _check_items(part)
    if "IndexName" in params:
        assert not params.get("ConsistentRead"), "an index is never read consistently"
    if model.name == "TransactWriteItems":
        keys = [f"{part['TableName']} {_key(part)}" for part in parts]
        assert len(set(keys)) == len(keys), f"a transaction writes an item twice: {keys}"


def _key(part: dict[str, Any]) -> dict[str, Any]:
    return part.get("Key") or {name: part["Item"][name] for name in ("pk", "sk")}


def _parts(operation: str, params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if operation == "TransactWriteItems":
        for action in params["TransactItems"]:
            yield from action.values()
    elif operation == "BatchGetItem":
        for table in params["RequestItems"].values():
            keys = [str(key) for key in table["Keys"]]
            assert len(set(keys)) == len(keys), f"a batch reads an item twice: {keys}"
            yield from ({"Key": key} for key in table["Keys"])
    elif operation == "BatchWriteItem":
        for requests in params["RequestItems"].values():
            for request in requests:
                yield from request.values()
    else:
        yield params


def _check_expressions(part: dict[str, Any]) -> None:
    tokens: set[str] = set()
    for name in _EXPRESSIONS:
        tokens |= set(re.findall(r"[#:]?[A-Za-z_][A-Za-z0-9_]*", part.get(name, "")))
    for kind, given in (("#", "ExpressionAttributeNames"), (":", "ExpressionAttributeValues")):
        used = {token for token in tokens if token.startswith(kind)}
        assert used == set(part.get(given, {})), f"{given}: used {sorted(used)}, given {part.get(given)}"
        assert given not in part or part[given], f"{given} is empty"
    bare = {token for token in tokens if token[0] not in "#:"} - _WORDS
    assert not bare, f"named without an alias: {bare}"


def _check_items(part: dict[str, Any]) -> None:
    for item in (part.get("Item"), part.get("Key"), part.get("ExclusiveStartKey")):
        for name, value in (item or {}).items():
            ((kind, content),) = value.items()
            assert kind != "N" or re.fullmatch(r"-?\d{1,38}", content), (
                f"{name} is no whole number: {content}"
            )
            if name in ("pk", "sk", "due_shard", "watch_shard", "feed", "catalog", "name"):
                assert kind == "S", f"{name} is a {kind}"
                assert 0 < len(content.encode()) <= (2048 if name != "sk" else 1024), f"{name}: {content!r}"
    assert item_size(part.get("Item") or {}) <= 400 * 1024, "a row is over 400 KB"


def item_size(item: dict[str, Any]) -> int:
    """Return the bytes DynamoDB counts for an item: names, texts in UTF-8, numbers at two digits a byte."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: dict[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        return len(content.lstrip("-").strip("0")) // 2 + 2
    if kind == "B":
        return len(content)
    assert kind in ("BOOL", "NULL"), f"rows hold no {kind}"
    return 1
