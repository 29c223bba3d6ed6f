"""Promises about what is kept: recoverable, protected, let go in time, and read only through the indexes that exist."""

from __future__ import annotations

import pytest

from tests.contract.tables import INDEXES
from tests.infra.made import Made

TABLE = "AWS::DynamoDB::Table"
NAMES = ("Definitions", "Runs", "Coordination")


def test_there_are_three_tables(made: Made) -> None:
    assert len(made.of(TABLE)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_on_demand_recoverable_protected_and_lets_rows_go(made: Made, name: str) -> None:
    table = made.one(TABLE, name)
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert table["DeletionProtectionEnabled"] is True
    assert table["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]


@pytest.mark.parametrize("name", NAMES)
def test_tables_outlive_the_stack_unless_the_stage_says_otherwise(made: Made, full: Made, name: str) -> None:
    kept = made.resources[made.id(TABLE, name)]
    assert (kept["DeletionPolicy"], kept["UpdateReplacePolicy"]) == ("Retain", "Retain")
    gone = full.resources[full.id(TABLE, name)]
    assert (gone["DeletionPolicy"], gone["Properties"]["DeletionProtectionEnabled"]) == ("Delete", False)


@pytest.mark.parametrize("name", ["Definitions", "Runs"])
def test_transitions_are_streamed_with_both_images(made: Made, name: str) -> None:
    assert made.one(TABLE, name)["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


def test_coordination_has_neither_stream_nor_index(made: Made) -> None:
    table = made.one(TABLE, "Coordination")
    assert "StreamSpecification" not in table
    assert "GlobalSecondaryIndexes" not in table


@pytest.mark.parametrize(
    "table, index, keys, projection",
    [
        ("Definitions", "due", [("due_shard", "S"), ("due_at", "N")], "ALL"),
        ("Definitions", "catalog", [("catalog", "S"), ("name", "S")], "ALL"),
        ("Runs", "watch", [("watch_shard", "S"), ("watch_at", "N")], "KEYS_ONLY"),
        ("Runs", "feed", [("feed", "S"), ("sk", "S")], "KEYS_ONLY"),
    ],
)
def test_indexes(made: Made, table: str, index: str, keys: list[tuple[str, str]], projection: str) -> None:
    properties = made.one(TABLE, table)
    types = {each["AttributeName"]: each["AttributeType"] for each in properties["AttributeDefinitions"]}
    found = {each["IndexName"]: each for each in properties["GlobalSecondaryIndexes"]}[index]
    assert [(key["AttributeName"], types[key["AttributeName"]]) for key in found["KeySchema"]] == keys
    assert found["Projection"] == {"ProjectionType": projection}


def test_the_store_is_tested_on_tables_made_like_these(made: Made) -> None:
    assert set(INDEXES) == {name.lower() for name in NAMES}
    for name in NAMES:
        properties = made.one(TABLE, name)
        types = {each["AttributeName"]: each["AttributeType"] for each in properties["AttributeDefinitions"]}
        deployed = {}
        for index in properties.get("GlobalSecondaryIndexes", []):
            partition, sort = (key["AttributeName"] for key in index["KeySchema"])
            assert types[partition] == "S"
            deployed[index["IndexName"]] = (
                partition,
                sort,
                types[sort],
                index["Projection"]["ProjectionType"],
            )
        assert deployed == INDEXES[name.lower()]
