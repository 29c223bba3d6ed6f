"""What each transition costs in write units: the table in docs/design.md, counted from the calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from duetime.core.run import Run
from duetime.core.triggerrow import TriggerRow
from duetime.store.dynamodb import DynamoDbStore
from tests.contract.make import NOW, NOW_MS, WHY, a_run, begin, put_row, started
from tests.contract.make import a_row as plain_row
from tests.contract.units import UnitMeter

UNTIL = NOW_MS + 60_000


@pytest.fixture
def meter(client: Any) -> UnitMeter:
    return UnitMeter(client)


def a_row() -> TriggerRow:
    return plain_row("default", "reports.nightly", tenant="acme", remaining=9)


def queued(store: DynamoDbStore) -> Run:
    run = a_run("default", "reports.nightly", tenant="acme", call_json='{"a":1}')
    assert store.enqueue_run(run) is None
    return run


def running(store: DynamoDbStore) -> Run:
    return begin(store, a_run("default", "reports.nightly", tenant="acme"), slot="reports.nightly")


def failed(store: DynamoDbStore) -> Run:
    ended = store.fail_run(running(store), now_ms=NOW_MS, error=WHY, follow_up=True)
    assert ended is not None
    return ended


def new(store: DynamoDbStore) -> Run:
    return a_run("default", "reports.nightly")


def missed(store: DynamoDbStore) -> Run:
    return a_run("default", state="skipped", reason="misfire", finished_ms=NOW_MS, watch_at=None)


RUN_COSTS: list[tuple[str, int, Callable[[DynamoDbStore], Run], Callable[[DynamoDbStore, Run], object]]] = [
    ("enqueue_run", 3, new, lambda store, run: store.enqueue_run(run)),
    ("record_skip", 2, missed, lambda store, run: store.record_skip(run)),
    ("begin_run", 1, queued, lambda store, run: started(store, run)),
    (
        "succeed_run",
        2,
        running,
        lambda store, run: store.succeed_run(run, now_ms=NOW_MS, result_json='{"n":1}'),
    ),
    (
        "fail_run",
        2,
        running,
        lambda store, run: store.fail_run(run, now_ms=NOW_MS, error=WHY, follow_up=False),
    ),
    (
        "fail_run + follow-up",
        1,
        running,
        lambda s, run: s.fail_run(run, now_ms=NOW_MS, error=WHY, follow_up=True),
    ),
    ("settle_run", 2, failed, lambda store, run: store.settle_run(run)),
    (
        "skip_run",
        2,
        queued,
        lambda store, run: store.skip_run("default", run.id, now_ms=NOW_MS, reason="overlap"),
    ),
    (
        "supersede_run",
        2,
        queued,
        lambda s, run: s.supersede_run("default", run.id, now_ms=NOW_MS, reason="paused"),
    ),
    ("withdraw_run", 2, running, lambda store, run: store.withdraw_run(run, now_ms=NOW_MS, reason="paused")),
    ("cancel_run", 2, running, lambda store, run: store.cancel_run(run, now_ms=NOW_MS, reason="stopping")),
    ("watch_run", 3, queued, lambda store, run: store.watch_run(run, watch_at=NOW + 900, resends=1)),
    ("guard_run", 3, running, lambda store, run: store.guard_run(run, watch_at=NOW + 900)),
    ("guard_run, data", 1, running, lambda store, run: store.guard_run(run, base_json='{"n":2}')),
    ("abandon_start", 2, queued, lambda store, run: store.abandon_start(run, now_ms=NOW_MS, follow_up=False)),
    ("lose_run", 2, running, lambda store, run: store.lose_run(run, now_ms=NOW_MS, follow_up=False)),
    (
        "lose_run + follow-up",
        1,
        running,
        lambda store, run: store.lose_run(run, now_ms=NOW_MS, follow_up=True),
    ),
]


@pytest.mark.parametrize("name, units, before, act", RUN_COSTS, ids=[cost[0] for cost in RUN_COSTS])
def test_a_run_transition_costs(
    store: DynamoDbStore,
    meter: UnitMeter,
    name: str,
    units: int,
    before: Callable[[DynamoDbStore], Run],
    act: Callable[[DynamoDbStore, Run], object],
) -> None:
    run = before(store)
    with meter.counting() as counted:
        act(store, run)
    assert (counted.writes, counted.calls.total()) == (units, 1), name


def test_a_trigger_transition_costs(store: DynamoDbStore, meter: UnitMeter) -> None:
    row = put_row(store, a_row())
    with meter.counting() as counted:
        assert store.advance_trigger(
            row, due_at=NOW + 1200, remaining=8, last_due=NOW, last_run="0" * 30, fired=1
        )
    assert counted.writes == 3
    with meter.counting() as lost:
        assert not store.advance_trigger(row, due_at=NOW, remaining=8, last_due=NOW, last_run=None, fired=1)
    assert (lost.writes, lost.calls.total()) == (1, 1)


def test_a_slot_costs_one_each_way(store: DynamoDbStore, meter: UnitMeter) -> None:
    with meter.counting() as taken:
        assert store.acquire_slot("default", "tick", run="0" * 30, until_ms=UNTIL)
    with meter.counting() as freed:
        assert store.release_slot("default", "tick", run="0" * 30)
    assert (taken.writes, freed.writes) == (1, 1)


@pytest.mark.parametrize("slot, units", [(None, 9), ("tick", 11)])
def test_an_occurrence_costs_from_claim_to_history(
    store: DynamoDbStore, meter: UnitMeter, slot: str | None, units: int
) -> None:
    row = put_row(store, a_row())
    run = new(store)
    with meter.counting() as counted:
        assert store.enqueue_run(run) is None
        assert store.advance_trigger(
            row, due_at=NOW + 1200, remaining=8, last_due=NOW, last_run=run.id, fired=1
        )
        if slot is not None:
            assert store.acquire_slot("default", slot, run=run.id, until_ms=UNTIL)
        begun = started(store, run, slot=slot)
        assert begun is not None
        assert store.succeed_run(begun, now_ms=NOW_MS, result_json='{"rows":12}') is not None
        if slot is not None:
            assert store.release_slot("default", slot, run=run.id)
    assert counted.writes == units


def test_long_data_is_charged_once_and_not_at_every_write(store: DynamoDbStore, meter: UnitMeter) -> None:
    run = a_run("default", call_json="c" * 8_000)
    with meter.counting() as counted:
        begun = begin(store, run)
        assert store.succeed_run(begun, now_ms=NOW_MS, result_json=None) is not None
    assert counted.writes == 3 + 1 + 2 + 8


def test_a_row_with_long_names_and_texts_stays_in_one_unit(store: DynamoDbStore, meter: UnitMeter) -> None:
    job = "warehouse.reports.nightly-aggregation"
    run = a_run("data-platform", job, tenant="customer-12345", call_json='{"region":"eu-central-1"}')
    data, result = '{"format":"' + "p" * 120 + '"}', '{"rows":"' + "9" * 120 + '"}'
    with meter.counting() as counted:
        begun = begin(store, run, base_json=data, slot=job, instance="lambda:2026/11/30/[1]0123456789abcdef")
        assert store.succeed_run(begun, now_ms=NOW_MS, result_json=result) is not None
    assert counted.writes == 3 + 1 + 2
