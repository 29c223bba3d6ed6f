"""What the families of transitions share: the client, the tables, the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetime.ports import Clock
from duetime.store.dynamodb.keys import Tables

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoDbBase:
    """The connection of a store."""

    def __init__(self, client: DynamoDBClient, tables: Tables, clock: Clock, *, shards: int = 8) -> None:
        """Use these tables. `clock` says what has expired; `shards` is that of the due, watch and feed indexes.

        The number of shards may grow: rows move at their next write and the lower shards are still read.
        """
        self.shards = shards
        self._client = client
        self._tables = tables
        self._clock = clock
