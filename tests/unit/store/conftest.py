"""A DynamoDB store on moto with fresh tables, its client and its clock."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from duetime.clock import ManualClock
from duetime.store.dynamodb import DynamoDbStore, Tables
from tests.contract.make import NOW_MS
from tests.contract.moto_client import moto_client
from tests.contract.tables import create_tables

_NUMBERS = count(1)


@pytest.fixture
def client() -> Iterator[Any]:
    """A client of its own, so that a test can meddle with its calls."""
    with moto_client() as found:
        yield found


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at NOW."""
    return ManualClock(NOW_MS)


@pytest.fixture
def tables(client: Any) -> Tables:
    """Three empty tables."""
    return create_tables(client, f"u{next(_NUMBERS)}-")


@pytest.fixture
def store(client: Any, tables: Tables, clock: ManualClock) -> DynamoDbStore:
    """A store over them."""
    return DynamoDbStore(client, tables, clock)
