"""The cost tables of the README follow from their own formulas, and the calls in them are counted here.

Prices are list prices and what is called assumed there is assumed; write and read units come from the engine at work on
the DynamoDB store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import pytest

from duetime.clock import ManualClock
from duetime.core.definition import parse_job
from duetime.core.exchange import Invocation, Outcome
from duetime.engine import manage
from duetime.engine.context import Engine
from duetime.engine.execute import execute
from duetime.engine.stop import Stop
from duetime.engine.sweep import sweep
from duetime.engine.tick import tick
from duetime.settings import Settings
from duetime.store.dynamodb import DynamoDbStore
from tests.contract.moto_client import moto_client
from tests.contract.tables import create_tables
from tests.contract.units import UnitMeter, Units
from tests.docs.snippets import table
from tests.world import START, ManualQueue

WRITE, READ, SQS, CALL, GB_S, LOG_GB, EVENT = 0.625, 0.125, 0.40, 0.20, 16.67, 0.50, 1.00
"""Dollars, a million each but for GB of logs."""
MINUTES: Final = 43_800
HOUR: Final = (START // 3600 + 1) * 3600


class Doer:
    """A target that is done at once."""

    kind = "python"

    def check(self, target: Any) -> None:
        """Takes every name."""

    def deliver(self, invocation: Invocation) -> Outcome:
        return Outcome("succeeded", result={"rows": 3})


@dataclass
class Counted:
    """An engine on the DynamoDB store whose units are metered."""

    engine: Engine
    clock: ManualClock
    queue: ManualQueue
    meter: UnitMeter

    def count(self, step: Callable[[], object]) -> Units:
        with self.meter.counting() as counted:
            step()
        return counted


@pytest.fixture
def counted() -> Iterator[Counted]:
    with moto_client() as client:
        clock = ManualClock((HOUR - 300) * 1000)
        queue = ManualQueue(clock)
        store = DynamoDbStore(client, create_tables(client, ""), clock)
        engine = Engine(store, queue, {"python": Doer()}, clock, Settings(), "counted")  # type: ignore[arg-type]  # a mapping is all the engine needs
        yield Counted(engine, clock, queue, UnitMeter(client))


def test_an_idle_minute_costs_these_units(counted: Counted) -> None:
    counted.count(lambda: (tick(counted.engine), sweep(counted.engine)))  # the first one makes the leases
    units = counted.count(lambda: (tick(counted.engine), sweep(counted.engine)))
    assert (units.writes, units.reads) == (4, 8.5)
    assert "4 write units" in idle()[0]["how it is computed"]
    assert "8.5 read units" in idle()[0]["how it is computed"]


@pytest.mark.parametrize("overlap, writes", [("parallel", 9), ("skip", 11)])
def test_a_run_costs_these_units(counted: Counted, overlap: str, writes: int) -> None:
    document = {
        "target": {"kind": "python", "name": "any"},
        "overlap": overlap,
        "triggers": [{"schedule": "0 * * * *"}],
    }
    manage.put_job(counted.engine, "default", parse_job(document, name="any"), who="test")
    empty = counted.count(lambda: tick(counted.engine))
    counted.clock.advance_ms(200_000)
    claimed = counted.count(lambda: tick(counted.engine))
    counted.clock.advance_ms(99_000)
    dispatch = counted.queue.take()
    assert dispatch is not None
    deadline_ms = counted.clock.now_ms() + 900_000
    # How late runs begin is noted twice a minute for each host, whatever it runs: no part of a run.
    counted.engine.store.report_lag = lambda **_: None  # type: ignore[method-assign]
    executed = counted.count(lambda: execute(counted.engine, dispatch, deadline_ms=deadline_ms, stop=Stop()))
    assert claimed.writes - empty.writes + executed.writes == writes
    assert executed.reads == 3
    how = {row["a million runs"]: row["how it is computed"] for row in table("run cost")}
    assert "9 units a run" in how["writes"]
    assert "11 with overlap `skip`" in how["writes"]
    assert "3 units a run" in how["reads"]


def idle() -> list[dict[str, str]]:
    return table("idle cost")


def money(amount: float) -> str:
    return str(Decimal(f"{amount:.6f}").quantize(Decimal("0.01"), ROUND_HALF_UP))


def test_the_idle_sum_follows() -> None:
    a_minute = {
        "tick and sweep, DynamoDB": 4 * WRITE + 8 * READ,
        "tick and sweep, Lambda": 2 * CALL + (0.1 * 1.0 + 0.1 * 0.5) * GB_S,
        "run queues, SQS": 2 * 5 * 3 * SQS,
        "logs": 2 * LOG_GB,  # KB a minute are GB a million minutes
    }
    amounts = {name: each * MINUTES / 1e6 for name, each in a_minute.items()} | {"alarms": 20 * 0.10}
    said = {row["idle, a month"]: row["$"] for row in idle()}
    assert said == {name: money(amount) for name, amount in amounts.items()} | {
        "sum": money(sum(amounts.values()))
    }


@pytest.mark.parametrize("column, share, relayed", [("trickle $", 1.0, 1.0), ("bulk $", 0.1, 0.01)])
def test_the_sum_of_a_million_runs_follows(column: str, share: float, relayed: float) -> None:
    amounts = {
        "writes": 9 * WRITE,
        "reads": 3 * READ,
        "SQS": 3 * SQS * share,
        "executor": (CALL + 0.5 * 1.6 * GB_S) * share,
        "events": 3 * EVENT,
        "relay": 3 * (CALL + 0.5 * 0.05 * GB_S) * relayed,
        "logs": LOG_GB,
        "history": 0.25 * 7 / 30,
    }
    said = {row["a million runs"]: row[column] for row in table("run cost")}
    assert said == {name: money(amount) for name, amount in amounts.items()} | {
        "sum": money(sum(amounts.values()))
    }
