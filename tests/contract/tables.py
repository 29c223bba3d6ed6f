"""The three tables as docs/design.md says, made with the low-level client: for moto, the emulator and benchmarks."""

from __future__ import annotations

from typing import Any

from duetime.store.dynamodb import Tables

# Table → its indexes: (partition key, sort key and its type, projection).
INDEXES: dict[str, dict[str, tuple[str, str, str, str]]] = {
    "definitions": {"due": ("due_shard", "due_at", "N", "ALL"), "catalog": ("catalog", "name", "S", "ALL")},
    "runs": {
        "watch": ("watch_shard", "watch_at", "N", "KEYS_ONLY"),
        "feed": ("feed", "sk", "S", "KEYS_ONLY"),
    },
    "coordination": {},
}


def create_tables(client: Any, prefix: str) -> Tables:
    """Create the tables `{prefix}definitions`, `{prefix}runs` and `{prefix}coordination`; they are empty and ready."""
    for kind, indexes in INDEXES.items():
        _create(client, prefix + kind, indexes)
    for kind in INDEXES:
        client.get_waiter("table_exists").wait(TableName=prefix + kind, WaiterConfig={"Delay": 1})
    return Tables(prefix + "definitions", prefix + "runs", prefix + "coordination")


def _create(client: Any, name: str, indexes: dict[str, tuple[str, str, str, str]]) -> None:
    attributes = {"pk": "S", "sk": "S"}
    described = []
    for index, (partition, sort, kind, projection) in indexes.items():
        attributes |= {partition: "S", sort: kind}
        described.append(
            {
                "IndexName": index,
                "KeySchema": _keys(partition, sort),
                "Projection": {"ProjectionType": projection},
            }
        )
    client.create_table(
        TableName=name,
        KeySchema=_keys("pk", "sk"),
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": kind} for key, kind in attributes.items()
        ],
        BillingMode="PAY_PER_REQUEST",
        **({"GlobalSecondaryIndexes": described} if described else {}),
        **(
            {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
            if described
            else {}
        ),
    )


def _keys(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]
