"""The meter itself: what it counts is what DynamoDB's price list says."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.store.dynamodb import Tables
from tests.contract.units import UnitMeter

KEY = {"pk": {"S": "a"}, "sk": {"S": "b"}}
DUE = {"due_shard": {"S": "1"}, "due_at": {"N": "5"}}


def fill(size: int) -> dict[str, Any]:
    return {"text": {"S": "x" * size}}


@pytest.fixture
def meter(client: Any) -> UnitMeter:
    return UnitMeter(client)


def cost(meter: UnitMeter, client: Any, operation: str, **request: Any) -> tuple[int, int]:
    with meter.counting() as counted:
        getattr(client, operation)(**request)
    return counted.rows, counted.indexes


def test_a_row_costs_each_started_kilobyte_of_its_larger_image(
    client: Any, tables: Tables, meter: UnitMeter
) -> None:
    table = tables.coordination
    assert cost(meter, client, "put_item", TableName=table, Item=KEY | fill(100)) == (1, 0)
    assert cost(meter, client, "put_item", TableName=table, Item=KEY | fill(1_100)) == (2, 0)
    assert cost(meter, client, "put_item", TableName=table, Item=KEY | fill(10)) == (2, 0)
    assert cost(meter, client, "delete_item", TableName=table, Key=KEY) == (1, 0)
    assert cost(meter, client, "delete_item", TableName=table, Key=KEY) == (1, 0)


def test_an_index_costs_a_put_a_delete_and_both_for_a_move(
    client: Any, tables: Tables, meter: UnitMeter
) -> None:
    table = tables.definitions
    later = {"due_shard": {"S": "1"}, "due_at": {"N": "6"}}
    assert cost(meter, client, "put_item", TableName=table, Item=KEY) == (1, 0)
    assert cost(meter, client, "put_item", TableName=table, Item=KEY | DUE) == (1, 1)
    assert cost(meter, client, "put_item", TableName=table, Item=KEY | DUE) == (1, 0)
    assert cost(meter, client, "put_item", TableName=table, Item=KEY | DUE | fill(5)) == (1, 1)
    assert cost(meter, client, "put_item", TableName=table, Item=KEY | later | fill(5)) == (1, 2)
    assert cost(meter, client, "put_item", TableName=table, Item=KEY | fill(5)) == (1, 1)


def test_an_index_of_keys_costs_nothing_while_they_stay(
    client: Any, tables: Tables, meter: UnitMeter
) -> None:
    watched = KEY | {"watch_shard": {"S": "1"}, "watch_at": {"N": "5"}, "feed": {"S": "p#1"}}
    assert cost(meter, client, "put_item", TableName=tables.runs, Item=watched) == (1, 2)
    assert cost(meter, client, "put_item", TableName=tables.runs, Item=watched | fill(3_000)) == (3, 0)


def test_an_update_is_measured_by_what_it_leaves(client: Any, tables: Tables, meter: UnitMeter) -> None:
    client.put_item(TableName=tables.definitions, Item=KEY | DUE)
    request = {
        "TableName": tables.definitions,
        "Key": KEY,
        "UpdateExpression": "SET #due_at = :due_at, #text = :text",
        "ExpressionAttributeNames": {"#due_at": "due_at", "#text": "text"},
        "ExpressionAttributeValues": {":due_at": {"N": "9"}, ":text": {"S": "x" * 2_000}},
    }
    assert cost(meter, client, "update_item", **request) == (2, 4)


def test_a_transaction_costs_twice_and_its_checks_too(client: Any, tables: Tables, meter: UnitMeter) -> None:
    client.put_item(TableName=tables.coordination, Item=KEY)
    check = {"TableName": tables.coordination, "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}
    put = {"TableName": tables.definitions, "Item": KEY | DUE}
    actions = [{"Put": put}, {"ConditionCheck": check}]
    assert cost(meter, client, "transact_write_items", TransactItems=actions) == (4, 1)
    other = {"TableName": tables.definitions, "Key": KEY}
    assert cost(meter, client, "transact_write_items", TransactItems=[{"Delete": other}]) == (2, 1)


def test_a_failed_condition_is_charged(client: Any, tables: Tables, meter: UnitMeter) -> None:
    client.put_item(TableName=tables.coordination, Item=KEY | fill(2_500))
    absent = {
        "TableName": tables.coordination,
        "Item": KEY,
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    with meter.counting() as counted, pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(**absent)
    assert (counted.writes, counted.calls) == (3, {"PutItem": 1})
    action = {"Put": absent}
    with meter.counting() as counted, pytest.raises(client.exceptions.TransactionCanceledException):
        client.transact_write_items(TransactItems=[action])
    assert counted.writes == 6


def test_rows_written_before_the_meter_are_known_to_it(client: Any, tables: Tables) -> None:
    client.put_item(TableName=tables.definitions, Item=KEY | DUE | fill(1_500))
    meter = UnitMeter(client)
    assert cost(meter, client, "put_item", TableName=tables.definitions, Item=KEY) == (2, 2)
    assert meter.total.calls == {"PutItem": 1}


def test_reads_cost_by_four_kilobytes_and_half_where_they_may_be_stale(
    client: Any, tables: Tables, meter: UnitMeter
) -> None:
    client.put_item(TableName=tables.coordination, Item=KEY | fill(5_000))
    with meter.counting() as counted:
        client.get_item(TableName=tables.coordination, Key=KEY, ConsistentRead=True)
        client.get_item(TableName=tables.coordination, Key=KEY)
        client.get_item(TableName=tables.coordination, Key={**KEY, "sk": {"S": "none"}})
        client.batch_get_item(RequestItems={tables.coordination: {"Keys": [KEY], "ConsistentRead": True}})
        client.query(
            TableName=tables.coordination,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": "a"}},
        )
    assert counted.reads == 2 + 1 + 0.5 + 2 + 1
    assert counted.writes == 0
    assert meter.total.reads == counted.reads
