"""Expressions of DynamoDB: what is known is evaluated, what is not is refused, loudly."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.aws.dynamodb import DynamoDb
from benchmarks.aws.expressions import Unknown, condition, holds, update, updated
from benchmarks.aws.sqs import Sqs

ROW: dict[str, Any] = {"pk": {"S": "a#b"}, "n": {"N": "7"}, "state": {"S": "queued"}, "on": {"BOOL": True}}
VALUES: dict[str, Any] = {
    ":seven": {"N": "7"},
    ":nine": {"N": "9"},
    ":ten": {"N": "10"},
    ":text": {"S": "7"},
    ":queued": {"S": "queued"},
    ":que": {"S": "que"},
    ":true": {"BOOL": True},
}


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("n = :seven", True),
        ("n = :text", False),
        ("n < :ten AND n > :nine", False),
        ("n < :ten AND :nine < :ten", True),
        ("n <= :seven AND n >= :seven", True),
        ("n BETWEEN :seven AND :nine", True),
        ("#s IN (:text, :queued)", True),
        ("#s IN (:text)", False),
        ("begins_with(#s, :que) AND NOT attribute_exists(other)", True),
        ("attribute_not_exists(pk) OR (n = :nine OR n = :seven) AND on = :true", True),
        ("(attribute_not_exists(pk) OR n = :seven) AND n = :nine", False),
        ("other = :seven", False),
        ("other <= :seven", False),
    ],
)
def test_conditions(text: str, wanted: bool) -> None:
    assert holds(condition(text), ROW, {"#s": "state"}, VALUES) is wanted


def test_an_update_reads_the_row_before_it() -> None:
    after = updated("SET n = :nine, old = n, sum = n + :ten REMOVE state ADD count :seven", ROW, {}, VALUES)
    assert after == {
        "pk": {"S": "a#b"}, "n": {"N": "9"}, "old": {"N": "7"}, "sum": {"N": "17"}, "on": {"BOOL": True},
        "count": {"N": "7"},
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "n <> :seven",
        "size(n) = :seven",
        "contains(#s, :que)",
        "n = :seven n = :nine",
        "n = ",
        "n = 7",
        "n.m = :seven",
        "n = :seven; state = :queued",
    ],
)
def test_a_condition_that_is_not_known_is_refused(text: str) -> None:
    with pytest.raises(Unknown):
        holds(condition(text), ROW, {"#s": "state"}, VALUES)


@pytest.mark.parametrize(
    "text",
    [
        "DELETE n :seven",
        "SET n = if_not_exists(n, :seven)",
        "SET n",
        "SET :seven = n",
        "SET n = :seven REMOVE n",
    ],
)
def test_an_update_that_is_not_known_is_refused(text: str) -> None:
    with pytest.raises(Unknown):
        update(text)


@pytest.mark.parametrize(
    "operation, request_",
    [
        ("ExportTableToPointInTime", {}),
        ("GetItem", {"ProjectionExpression": "pk"}),
        ("PutItem", {"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}}, "ReturnValues": "ALL_OLD"}),
        ("Query", {"KeyConditionExpression": "sk = :v", "ExpressionAttributeValues": {":v": {"S": "b"}}}),
    ],
)
def test_a_request_that_is_not_known_is_refused(operation: str, request_: dict[str, Any]) -> None:
    service = DynamoDb()
    service.answer(
        "CreateTable",
        {
            "TableName": "t",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk"}, {"AttributeName": "sk"}],
            "AttributeDefinitions": [],
        },
    )
    given = {"TableName": "t", "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}, **request_}
    if operation != "GetItem":
        del given["Key"]
    with pytest.raises(Unknown):
        service.answer(operation, given)


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [{"Id": str(n), "MessageBody": "x"} for n in range(11)],
        [{"Id": "0", "MessageBody": "x"}, {"Id": "0", "MessageBody": "y"}],
        [{"Id": "0", "MessageBody": "x", "DelaySeconds": 901}],
    ],
)
def test_messages_that_sqs_would_refuse_are_refused(entries: list[dict[str, Any]]) -> None:
    with pytest.raises(Unknown):
        Sqs().answer("SendMessageBatch", {"QueueUrl": "q", "Entries": entries})
