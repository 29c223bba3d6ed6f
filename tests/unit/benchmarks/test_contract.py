"""The store over the client of a deployed function, on the benchmarks' stand-in, keeps the whole contract of a store."""

from __future__ import annotations

from itertools import count

import pytest

from benchmarks.aws.transport import Aws
from duetime.clock import ManualClock
from duetime.ports import Store
from duetime.store.dynamodb import DynamoDbStore
from tests.contract.tables import create_tables
from tests.contract.test_coordination import *  # noqa: F403 - the same tests, on this client
from tests.contract.test_definitions import *  # noqa: F403
from tests.contract.test_history import *  # noqa: F403
from tests.contract.test_run_machine import (  # noqa: F401
    test_a_transition_starts_only_from_the_states_of_the_table as test_run_machine,
)
from tests.contract.test_runs import *  # noqa: F403
from tests.contract.test_triggers import *  # noqa: F403

_AWS = Aws()
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def client() -> object:
    """A client as a deployed function has it."""
    made: object = _AWS.client("dynamodb")
    return made


@pytest.fixture
def store(client: object, clock: ManualClock) -> Store:
    """An empty store."""
    made: Store = DynamoDbStore(client, create_tables(client, f"t{next(_NUMBERS)}-"), clock)  # type: ignore[arg-type]  # a client
    return made
