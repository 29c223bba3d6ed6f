"""The in-memory run queue: nothing early, express first, nothing lost."""

from __future__ import annotations

import threading

from duetime.clock import ManualClock, SystemClock
from duetime.core.exchange import Dispatch
from duetime.local.queue import LEAD_MS, LocalQueue

T0 = 1_800_000_000


def dispatch(run: str, start_at: int, priority: int = 5) -> Dispatch:
    return Dispatch("default", run, "job", start_at, priority)


def taken(queue: LocalQueue) -> list[str]:
    found = []
    while (one := queue.take(wait=False)) is not None:
        found.append(one.run)
    return found


def test_nothing_is_handed_out_before_its_time_comes_near() -> None:
    clock = ManualClock(T0 * 1000)
    queue = LocalQueue(clock)
    assert queue.send([dispatch("a", T0 + 10)], now_ms=clock.now_ms()) == ()
    clock.advance_ms(10_000 - LEAD_MS - 1)
    assert (queue.backlog(), taken(queue)) == (0, [])
    clock.advance_ms(1)
    assert (queue.backlog(), taken(queue), queue.backlog()) == (1, ["a"], 0)


def test_what_is_due_comes_by_its_time_and_urgent_ones_first() -> None:
    clock = ManualClock(T0 * 1000)
    queue = LocalQueue(clock)
    queue.send(
        [
            dispatch("late", T0 + 2),
            dispatch("early", T0 + 1),
            dispatch("express", T0 + 3, priority=7),
            dispatch("most", T0 + 2, priority=6),
        ],
        now_ms=clock.now_ms(),
    )
    clock.advance_ms(5_000)
    assert taken(queue) == ["express", "early", "most", "late"]


def test_equal_messages_keep_the_order_of_their_arrival() -> None:
    clock = ManualClock(T0 * 1000)
    queue = LocalQueue(clock)
    runs = [f"r{number}" for number in range(20)]
    for run in runs:
        queue.send([dispatch(run, T0 - 5)], now_ms=clock.now_ms())
    assert taken(queue) == runs


def test_a_message_put_back_comes_again_later() -> None:
    clock = ManualClock(T0 * 1000)
    queue = LocalQueue(clock)
    queue.put_back(dispatch("a", T0), delay_ms=1_000)
    assert taken(queue) == []
    clock.advance_ms(1_000)
    assert taken(queue) == ["a"]


def test_a_taker_wakes_for_a_nearer_message_and_when_the_queue_closes() -> None:
    clock = SystemClock()
    queue = LocalQueue(clock)
    found: list[str | None] = []

    def take() -> None:
        while (one := queue.take()) is not None:
            found.append(one.run)
        found.append(None)

    taker = threading.Thread(target=take)
    taker.start()
    now_ms = clock.now_ms()
    queue.send([dispatch("far", now_ms // 1000 + 600)], now_ms=now_ms)
    queue.send([dispatch("now", now_ms // 1000)], now_ms=now_ms)
    queue.put_back(dispatch("soon", 0), delay_ms=50)
    while len(found) < 2:
        clock.sleep_ms(5)
        assert clock.now_ms() - now_ms < 15_000, found
    queue.close()
    taker.join(2)
    assert found == ["now", "soon", None]
    assert queue.take() is None


def test_each_message_goes_to_one_of_many_takers() -> None:
    queue = LocalQueue(SystemClock())
    found: list[str] = []
    takers = [threading.Thread(target=lambda: _take_all(queue, found)) for _ in range(8)]
    for taker in takers:
        taker.start()
    runs = [f"r{number}" for number in range(400)]
    for run in runs:
        queue.send([dispatch(run, 0)], now_ms=0)
    while queue.backlog():
        SystemClock().sleep_ms(5)
    queue.close()
    for taker in takers:
        taker.join(2)
    assert sorted(found) == sorted(runs)


def _take_all(queue: LocalQueue, found: list[str]) -> None:
    while (one := queue.take()) is not None:
        found.append(one.run)
