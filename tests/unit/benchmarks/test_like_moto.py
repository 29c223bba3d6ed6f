"""The stand-in answers what moto answers: tests of the store, each call made on both, and what only benchmarks call."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from duetime.store.dynamodb import Tables
from tests.contract.test_coordination import *  # noqa: F403 - the same tests, on other clients
from tests.contract.test_definitions import *  # noqa: F403
from tests.contract.test_history import (  # noqa: F401
    test_a_jobs_runs_come_newest_first,
    test_more_rows_than_one_batch_keep_their_order,
    test_watched_runs_come_when_their_look_is_due,
)
from tests.contract.test_runs import *  # noqa: F403
from tests.unit.benchmarks.twin import Twin


def everything(client: Any, request: dict[str, Any]) -> list[Any]:
    """Scan three rows a page."""
    found: list[Any] = []
    start: dict[str, Any] = {}
    while True:
        answer = client.scan(**request, Limit=3, **start)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def put(twin: Any, tables: Tables, count: int) -> None:
    for number in range(count):
        key = {"pk": {"S": f"scan#{number:03}"}, "sk": {"S": "TRIGGER#default"}}
        due = {"row": {"S": "trigger"}, "due_at": {"N": str(number)}} if number % 2 else {"row": {"S": "job"}}
        twin.put_item(TableName=tables.definitions, Item={**key, **due})


def test_a_scan_finds_what_its_filter_lets_through(twin: Any, tables: Tables) -> None:
    put(twin, tables, 20)
    request: dict[str, Any] = {
        "TableName": tables.definitions,
        "FilterExpression": "#row = :trigger AND #due_at <= :horizon AND begins_with(pk, :mine)",
        "ExpressionAttributeNames": {"#row": "row", "#due_at": "due_at"},
        "ExpressionAttributeValues": {
            ":trigger": {"S": "trigger"}, ":horizon": {"N": "9"}, ":mine": {"S": "scan#"}
        },
    }  # fmt: skip
    # The order of a scan is each service's own, and so is where its pages end.
    moto, stand_in = (
        sorted(one["due_at"]["N"] for one in everything(client, request))
        for client in (twin.moto, twin.stand_in)
    )
    assert stand_in == moto == ["1", "3", "5", "7", "9"]


@pytest.mark.parametrize(
    "change, values",
    [
        ("SET #n = #n + :one", {":one": {"N": "1"}}),
        ("SET #m = #n + :one, #k = :one REMOVE #n", {":one": {"N": "1"}}),
        ("SET #n = :one ADD #m :one", {":one": {"N": "5"}}),
        ("SET #n = :one, #m = #n - :one", {":one": {"N": "1"}}),
    ],
)
@pytest.mark.parametrize("before", [{}, {"n": {"N": "7"}}, {"n": {"N": "7"}, "m": {"N": "2"}}])
def test_updates_change_the_same(twin: Twin, tables: Tables, change: str, values: Any, before: Any) -> None:
    key = {"pk": {"S": "update"}, "sk": {"S": "X"}}
    client: Any = twin
    client.put_item(TableName=tables.coordination, Item={**key, **before})
    names = {name: name[1] for name in ("#n", "#m", "#k") if name in change}
    compared = twin.compared
    try:
        client.update_item(
            TableName=tables.coordination,
            Key=key,
            UpdateExpression=change,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            ReturnValues="ALL_NEW",
        )
    except ClientError as refused:
        assert refused.response["Error"]["Code"] == "ValidationException"  # noqa: PT017 - both refused it alike
    assert twin.compared == compared + 1


def test_a_table_that_is_not_there_is_refused_alike(twin: Any) -> None:
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        twin.get_item(TableName="nowhere", Key={"pk": {"S": "a"}, "sk": {"S": "b"}})
