"""The benchmarks' stand-in for DynamoDB, alone and beside moto."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from moto.core.models import botocore_stubber

from benchmarks.aws.transport import Aws
from duetime.clock import ManualClock
from duetime.ports import Store
from duetime.store.dynamodb import DynamoDbStore, Tables
from tests.contract.make import NOW_MS
from tests.contract.moto_client import moto_client
from tests.contract.tables import create_tables
from tests.unit.benchmarks.twin import Twin

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    """A client of both."""
    with moto_client() as moto:
        alone = Aws().client("dynamodb", plain=True)
        alone.meta.events.unregister("before-send", botocore_stubber)
        yield Twin(moto, alone)


@pytest.fixture(scope="module")
def tables(twin: Any) -> Tables:
    """Three tables in both."""
    return create_tables(twin, "both-")


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at NOW."""
    return ManualClock(NOW_MS)


@pytest.fixture
def project() -> str:
    """A project of this test alone."""
    return f"p{next(_NUMBERS)}"


@pytest.fixture
def store(twin: Any, tables: Tables, clock: ManualClock) -> Store:
    """The store whose every call is made twice."""
    return DynamoDbStore(twin, tables, clock)
