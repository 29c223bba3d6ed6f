"""The stores of the contract suite: the embedded one, and DynamoDB as moto answers it in this process.

A run against a real service imports the test modules and brings its own fixtures of these names: `store` (empty, or shared
by tests, for each test keeps to a project of its own), `clock` and `project`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from duetime.clock import ManualClock
from duetime.ports import Store
from duetime.store.dynamodb import DynamoDbStore
from duetime.store.memory import MemoryStore
from tests.contract.make import NOW_MS
from tests.contract.moto_client import moto_client
from tests.contract.tables import create_tables

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def dynamodb() -> Iterator[Any]:
    """A DynamoDB client answered by moto, each of whose requests is held to AWS's own rules."""
    with moto_client() as client:
        yield client


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at NOW."""
    return ManualClock(NOW_MS)


@pytest.fixture
def project() -> str:
    """A project of this test alone."""
    return f"p{next(_NUMBERS)}"


@pytest.fixture(params=["memory", "dynamodb"])
def store(request: pytest.FixtureRequest, clock: ManualClock) -> Store:
    """A store: each test runs once on each."""
    if request.param == "memory":
        return MemoryStore(clock)
    client = request.getfixturevalue("dynamodb")
    return DynamoDbStore(client, create_tables(client, f"t{next(_NUMBERS)}-"), clock)
