"""What only the embedded store does: it tells its listeners, and forgets what has expired."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import pytest

from duetime.clock import ManualClock
from duetime.core.exchange import Change, JobChange
from duetime.core.run import Run
from duetime.store.memory import MemoryStore
from tests.contract.make import NOW, NOW_MS, WHY, a_job, a_row, a_run, begin, put_job, started

DAY_MS = 86_400_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW_MS)


@pytest.fixture
def memory(clock: ManualClock) -> MemoryStore:
    return MemoryStore(clock)


def test_listeners_are_told_each_write_with_the_row_before_and_after(
    memory: MemoryStore, clock: ManualClock
) -> None:
    told: list[Change] = []
    memory.subscribe(told.append)
    run = a_run("default")
    begun = begin(memory, run)
    clock.advance_ms(7)
    done = memory.succeed_run(begun, now_ms=NOW_MS, result_json=None)
    assert told == [Change(None, run, NOW_MS), Change(run, begun, NOW_MS), Change(begun, done, NOW_MS + 7)]


def test_a_change_of_a_job_tells_each_row_that_changed(memory: MemoryStore) -> None:
    told: list[Change] = []
    memory.subscribe(told.append)
    stored, kept, gone = (
        a_job("default", triggers=("a", "b")),
        a_row("default", name="a"),
        a_row("default", name="b"),
    )
    put_job(memory, stored, kept, gone)
    after = replace(stored, version=2)
    joined = a_row("default", name="c")
    assert memory.change_job(JobChange(stored, after, (kept, gone), (kept, joined)))
    assert [(change.before, change.after) for change in told[3:]] == [
        (stored, after),
        (gone, None),
        (None, joined),
    ]
    assert memory.change_job(JobChange(after, None, (kept, joined), ()))
    assert [(change.before, change.after) for change in told[6:]] == [
        (after, None),
        (kept, None),
        (joined, None),
    ]


def test_a_lost_race_tells_nothing(memory: MemoryStore) -> None:
    run = a_run("default")
    assert memory.enqueue_run(run) is None
    told: list[Change] = []
    memory.subscribe(told.append)
    memory.enqueue_run(run)
    memory.succeed_run(run, now_ms=NOW_MS, result_json=None)
    memory.settle_run(run)
    assert told == []


def test_a_listener_may_read_and_write_and_is_told_in_order(memory: MemoryStore) -> None:
    told: list[str] = []

    def listen(change: Change) -> None:
        assert isinstance(change.after, Run)
        told.append(change.after.state)
        if change.after.state == "queued":
            assert started(memory, change.after) is not None
            assert told == ["queued"]  # its own write is told after it has returned

    memory.subscribe(listen)
    memory.enqueue_run(a_run("default"))
    assert told == ["queued", "running"]


def test_a_listener_that_fails_harms_nobody(memory: MemoryStore, caplog: pytest.LogCaptureFixture) -> None:
    told: list[Change] = []

    def fail(change: Change) -> None:
        raise RuntimeError("broken")

    memory.subscribe(fail)
    memory.subscribe(told.append)
    with caplog.at_level(logging.ERROR):
        assert memory.enqueue_run(a_run("default")) is None
    assert len(told) == 1
    assert "this listener has missed it" in caplog.text


def test_changes_of_a_row_are_told_in_their_order_whoever_writes(memory: MemoryStore) -> None:
    told: list[Change] = []
    memory.subscribe(told.append)
    runs = [a_run("default", n=n) for n in range(40)]

    def live(run: Run) -> None:
        begun = begin(memory, run)
        for look in range(10):
            memory.guard_run(begun, watch_at=NOW + look)
        memory.fail_run(begun, now_ms=NOW_MS, error=WHY, follow_up=False)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(live, runs))
    assert len(told) == 40 * 13
    for run in runs:
        chain = [change for change in told if isinstance(change.after, Run) and change.after.id == run.id]
        assert [isinstance(one.after, Run) and one.after.revision for one in chain] == list(range(1, 14))
        assert all(later.before == earlier.after for earlier, later in pairwise(chain))


def test_expired_runs_are_dropped_as_others_are_put(memory: MemoryStore, clock: ManualClock) -> None:
    for n in range(200):
        memory.succeed_run(begin(memory, a_run("default", n=n, keep_days=1)), now_ms=NOW_MS, result_json=None)
    assert len(memory._runs) == 200
    clock.advance_ms(DAY_MS)
    for n in range(50):
        assert memory.enqueue_run(a_run("default", nominal=NOW + 90_000, n=n)) is None
    assert len(memory._runs) == 50
    assert len(memory.list_runs("default", limit=500, cursor=None).items) == 50


def test_reading_leaves_nothing_behind(memory: MemoryStore) -> None:
    for n in range(100):
        memory.list_runs(f"p{n}", limit=1, cursor=None)
        memory.list_jobs(f"p{n}", prefix="", limit=1, cursor=None)
        memory.get_triggers(f"p{n}", "tick")
    assert not memory._feed
    assert not memory._catalog
    assert not memory._triggers
