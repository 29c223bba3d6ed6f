"""Runs against the state machine's table: from every state, every transition does what the table says and no more."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from duetime.core.machine import ENDED, RUN_TRANSITIONS
from duetime.core.run import Run
from duetime.ports import Store
from tests.contract.make import NOW, NOW_MS, WHY, a_run, begin, read_run, started

TRANSITIONS: dict[str, Callable[[Store, Run], Run | None]] = {
    "watch_run": lambda store, run: store.watch_run(run, watch_at=NOW + 500, resends=1),
    "begin_run": lambda store, run: started(store, run, "n9"),
    "supersede_run": lambda store, run: store.supersede_run(
        run.project, run.id, now_ms=NOW_MS, reason="paused"
    ),
    "skip_run": lambda store, run: store.skip_run(run.project, run.id, now_ms=NOW_MS, reason="overlap"),
    "abandon_start": lambda store, run: store.abandon_start(run, now_ms=NOW_MS, follow_up=False),
    "guard_run": lambda store, run: store.guard_run(run, watch_at=NOW + 500),
    "withdraw_run": lambda store, run: store.withdraw_run(run, now_ms=NOW_MS, reason="paused"),
    "succeed_run": lambda store, run: store.succeed_run(run, now_ms=NOW_MS, result_json=None),
    "fail_run": lambda store, run: store.fail_run(run, now_ms=NOW_MS, error=WHY, follow_up=False),
    "cancel_run": lambda store, run: store.cancel_run(run, now_ms=NOW_MS, reason="stopping"),
    "lose_run": lambda store, run: store.lose_run(run, now_ms=NOW_MS, follow_up=False),
}
NEW = {"enqueue_run", "record_skip"}
OWN_END = {
    "succeeded": "succeed_run",
    "failed": "fail_run",
    "canceled": "cancel_run",
    "superseded": "withdraw_run",
}
"""The transitions that, coming upon their own end under the same fence, know it for theirs."""


def in_state(store: Store, project: str, state: str, n: int) -> Run:
    run = a_run(project, n=n)
    if state == "skipped":
        run = replace(run, state="skipped", reason="misfire", finished_ms=NOW_MS, watch_at=None)
        assert store.record_skip(run) is None
        return run
    if state == "queued":
        assert store.enqueue_run(run) is None
        return run
    run = begin(store, run)
    if state == "running":
        return run
    ended = TRANSITIONS[OWN_END.get(state, "lose_run")](store, run)
    assert ended is not None
    return ended


def test_every_transition_of_the_table_is_tried_here() -> None:
    assert {one.name for one in RUN_TRANSITIONS} == set(TRANSITIONS) | NEW


@pytest.mark.parametrize("name", list(TRANSITIONS))
def test_a_transition_starts_only_from_the_states_of_the_table(store: Store, project: str, name: str) -> None:
    expected = next(one for one in RUN_TRANSITIONS if one.name == name)
    for n, state in enumerate(["queued", "running", *sorted(ENDED)]):
        run = in_state(store, project, state, n)
        assert run.state == state
        moved = TRANSITIONS[name](store, run)
        if state in expected.sources:
            assert moved is not None
            assert (moved.state, moved.revision) == (expected.target, run.revision + 1)
            assert read_run(store, run) == moved
        else:
            assert moved == (run if OWN_END.get(state) == name else None), state
            assert read_run(store, run) == run


def test_of_a_success_and_a_loss_at_once_one_wins(store: Store, project: str) -> None:
    for n in range(8):
        begun = begin(store, a_run(project, n=n))
        with ThreadPoolExecutor(2) as pool:
            won = pool.submit(store.succeed_run, begun, now_ms=NOW_MS, result_json=None)
            lost = pool.submit(store.lose_run, begun, now_ms=NOW_MS, follow_up=False)
            results = [won.result(), lost.result()]
        assert sum(one is not None for one in results) == 1
        assert read_run(store, begun) in results
