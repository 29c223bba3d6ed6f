"""The store's contract suite once more, on the emulator's DynamoDB: over the network, with its own indexes and races.

On tables of its own, made like the stack's (tests/infra/test_tables.py holds the two together): the functions that are
deployed would move on what the suite puts there.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from types import ModuleType
from typing import Any

import pytest

from duetime.clock import ManualClock
from duetime.store.dynamodb import DynamoDbStore, Tables
from tests.contract import (
    test_calendar_users,
    test_calendars,
    test_coordination,
    test_definitions,
    test_history,
    test_run_machine,
    test_runs,
    test_triggers,
)
from tests.contract.make import NOW_MS
from tests.contract.tables import create_tables
from tests.e2e.emulator import Emulator

_NUMBERS = count(1)


def _suite(*modules: ModuleType) -> dict[str, Callable[..., Any]]:
    """The tests of the modules; the name of each says where it is from, so that none hides another."""
    return {
        f"test_{module.__name__.rpartition('.test_')[2]}_{name.removeprefix('test_')}": test
        for module in modules
        for name, test in vars(module).items()
        if name.startswith("test_")
    }


globals().update(
    _suite(
        test_calendars, test_calendar_users, test_coordination, test_definitions, test_history, test_run_machine,
        test_runs, test_triggers,
    )
)  # fmt: skip


@pytest.fixture(scope="module")
def dynamodb(emulator: Emulator) -> Any:
    return emulator.client("dynamodb")


@pytest.fixture
def tables(dynamodb: Any) -> Tables:
    # New for each test: the emulator's indexes slow down with every item.
    return create_tables(dynamodb, f"contract{next(_NUMBERS)}-")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW_MS)


@pytest.fixture
def project() -> str:
    return f"p{next(_NUMBERS)}"


@pytest.fixture
def store(dynamodb: Any, tables: Tables, clock: ManualClock) -> DynamoDbStore:
    return DynamoDbStore(dynamodb, tables, clock)
