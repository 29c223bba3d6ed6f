"""The stand-in of the benchmarks answers what moto answers: the contract suite of the store, each call made on both."""

from __future__ import annotations

from tests.contract.test_coordination import *  # noqa: F403
from tests.contract.test_definitions import *  # noqa: F403
from tests.contract.test_run_machine import *  # noqa: F403
from tests.contract.test_runs import *  # noqa: F403
from tests.contract.test_triggers import *  # noqa: F403
from tests.contract.test_history import *  # noqa: F403
