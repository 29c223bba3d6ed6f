"""Lists by name, from the catalog index: each partition holds the jobs, or the calendars, of one project."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from duetime.store.dynamodb.attributes import s
from duetime.store.dynamodb.calls import call
from duetime.store.dynamodb.keys import Item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def catalog_page(
    client: DynamoDBClient,
    table: str,
    catalog: str,
    *,
    prefix: str,
    limit: int,
    cursor: str | None,
    key: Callable[[str], Item],
) -> tuple[list[Item], str | None]:
    """Return rows of one partition whose names begin with `prefix`, and the last name if there may be more.

    `cursor` is the last name of the page before; `key` makes a row's own key of its name.
    """
    request: dict[str, Any] = {
        "TableName": table,
        "IndexName": "catalog",
        "KeyConditionExpression": "#catalog = :catalog",
        "ExpressionAttributeNames": {"#catalog": "catalog"},
        "ExpressionAttributeValues": {":catalog": s(catalog)},
        "Limit": limit,
    }
    if prefix:
        request["KeyConditionExpression"] += " AND begins_with(#name, :prefix)"
        request["ExpressionAttributeNames"]["#name"] = "name"
        request["ExpressionAttributeValues"][":prefix"] = s(prefix)
    if cursor is not None:
        request["ExclusiveStartKey"] = {"catalog": s(catalog), "name": s(cursor), **key(cursor)}
    answer = call(client.query, request)
    last = answer.get("LastEvaluatedKey")
    return answer["Items"], None if last is None else last["name"]["S"]
