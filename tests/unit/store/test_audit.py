"""The audit of requests itself: it refuses what AWS would, also where moto does not."""

from __future__ import annotations

from typing import Any

import pytest

KEY = {"pk": {"S": "a"}, "sk": {"S": "b"}}
GET = {"TableName": "t", "Key": KEY}


def update(**changed: Any) -> dict[str, Any]:
    good = {
        "UpdateExpression": "SET #state = :state",
        "ExpressionAttributeNames": {"#state": "state"},
        "ExpressionAttributeValues": {":state": {"S": "waiting"}},
    }
    return {**GET, **good, **changed}


@pytest.mark.parametrize(
    "operation, request_, breach",
    [
        (
            "update_item",
            update(ExpressionAttributeNames={"#state": "state", "#b": "b"}),
            "ExpressionAttributeNames: used",
        ),
        ("update_item", update(ExpressionAttributeValues={}), "ExpressionAttributeValues: used"),
        (
            "update_item",
            update(UpdateExpression="SET #state = :state, timeout = :state"),
            "without an alias: {'timeout'}",
        ),
        ("put_item", {"TableName": "t", "Item": KEY | {"pk": {"S": ""}}}, "pk: ''"),
        ("put_item", {"TableName": "t", "Item": KEY | {"due_shard": {"N": "1"}}}, "due_shard is a N"),
        ("put_item", {"TableName": "t", "Item": KEY | {"n": {"N": "1.5"}}}, "n is no whole number"),
        ("put_item", {"TableName": "t", "Item": KEY | {"text": {"S": "x" * 500_000}}}, "over 400 KB"),
        ("get_item", {"TableName": "t", "Key": KEY | {"sk": {"S": "x" * 1_025}}}, "sk: 'xxx"),
        ("batch_get_item", {"RequestItems": {"t": {"Keys": [KEY, KEY]}}}, "reads an item twice"),
        (
            "batch_get_item",
            {"RequestItems": {"t": {"Keys": [KEY | {"sk": {"S": str(n)}} for n in range(101)]}}},
            "101 parts",
        ),
        (
            "transact_write_items",
            {"TransactItems": [{"Delete": GET}, {"Delete": GET}]},
            "writes an item twice",
        ),
        (
            "query",
            {"TableName": "t", "IndexName": "due", "ConsistentRead": True},
            "an index is never read consistently",
        ),
    ],
)
def test_a_breach_is_named(client: Any, operation: str, request_: dict[str, Any], breach: str) -> None:
    with pytest.raises(AssertionError) as refused:
        getattr(client, operation)(**request_)
    assert breach in str(refused.value)


def test_what_aws_takes_passes(client: Any) -> None:
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.update_item(**update())
