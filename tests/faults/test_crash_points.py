"""A process may die at any call of a port: whatever it left behind is mended, and each occurrence has one account.

Every scenario is run once to count its port calls, then once for each call and kind of fault. The checker knows the
instants that were due, what the handlers themselves recorded, and the history; it trusts no label of the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from duetime.core.exchange import Invocation, Outcome
from duetime.core.run import RunError
from duetime.engine import pauses
from tests.world import START, World

LONG = 1500
"""Seconds a scenario is given to settle after its faults: leases, three resends and two sweeps."""


def _cron(world: World) -> set[int]:
    world.put(schedule="*/20 * * * * *", overlap="parallel", timeout="30s")
    world.run_for(150)
    pauses.pause_job(world.engine_plain, "default", "job", who="test")
    return set(range(20, 141, 20))


def _slot(world: World) -> set[int]:
    world.handler("job", takes_ms=5_000)
    world.put(schedule="every 30s", overlap="skip", timeout="30s")
    world.run_for(130)
    pauses.pause_job(world.engine_plain, "default", "job", who="test")
    return {30, 60, 90, 120}


def _retry(world: World) -> set[int]:
    failed: set[str] = set()

    def twice(invocation: Invocation) -> Outcome:
        if invocation.run.attempt < 3:
            failed.add(invocation.run.id)
            return Outcome("failed", error=RunError("BROKEN", "again"))
        return Outcome("succeeded")

    world.handler("job", twice)
    world.put(schedule="once in 20s", retry={"max_retries": 3, "delay": "10s"}, timeout="30s")
    world.run_for(200)
    return {20}


def _delay(world: World) -> set[int]:
    world.handler("job", takes_ms=2_000)
    world.put(schedule="every 40s delay x3", timeout="30s")
    world.run_for(400)
    return set()


def _outage(world: World) -> set[int]:
    world.put(schedule="every 25s", overlap="parallel", timeout="30s")
    world.run_for(30)
    world.ticking = False
    world.run_for(300)
    world.ticking = True
    world.run_for(100)
    pauses.pause_job(world.engine_plain, "default", "job", who="test")
    return set(range(25, 430, 25))


def _edit(world: World) -> set[int]:
    world.put(schedule="every 20s", overlap="parallel", timeout="30s")
    world.run_for(50)
    world.guarded(lambda: world.put(schedule="every 50s", overlap="parallel", timeout="30s"))
    if world.memory.get_triggers("default", "job")[0].schedule.every != 50:  # type: ignore[union-attr]
        world.put(
            schedule="every 50s", overlap="parallel", timeout="30s"
        )  # the client repeats what was not answered
    world.run_for(110)
    pauses.pause_job(world.engine_plain, "default", "job", who="test")
    return {20, 40}


SCENARIOS: dict[str, Callable[[World], set[int]]] = {
    "cron": _cron, "slot": _slot, "retry": _retry, "delay": _delay, "outage": _outage, "edit": _edit,
}  # fmt: skip


def _settle(world: World) -> None:
    world.fault_at(0, "none")
    world.run_for(LONG)


def _check(world: World, due: set[int], forbids_overlap: bool) -> None:
    runs = world.runs()
    open_runs = [(run.id, run.state) for run in runs if not run.ended or run.follow_up]
    assert open_runs == [], "something is stuck"
    accounts: Counter[int] = Counter()
    for run in runs:
        if run.kind != "schedule" or run.nominal is None:
            continue
        if run.covers is None:
            accounts[run.nominal - START] += 1
        else:
            step = world.memory.get_triggers("default", "job")[0].schedule.every  # type: ignore[union-attr]
            for instant in range(run.covers.first, run.covers.last + 1, step):
                accounts[instant - START] += 1
    assert {instant: count for instant, count in accounts.items() if count > 1} == {}, "accounted for twice"
    assert due - set(accounts) == set(), "no record covers it"
    started = Counter(one.run for one in world.calls)
    assert [run for run, count in started.items() if count > 1] == [], "started twice"
    for one in world.calls:
        if one.nominal is not None:
            assert one.start_ms >= one.nominal * 1000, "started early"
    if forbids_overlap:
        spans = sorted((one.start_ms, one.end_ms) for one in world.calls)
        assert all(end <= start for (_, end), (start, _) in pairwise(spans)), "overlapped"
    holder = world.memory.slot_holder("default", "job")
    assert holder is None or world.memory.get_run("default", holder[0]).ended, "the slot is stuck"  # type: ignore[union-attr]
    row = world.memory.get_triggers("default", "job")[0]
    assert row.state in ("paused", "complete", "waiting"), f"the trigger is stuck: {row.state}"


def _calls(name: str) -> int:
    world = World()
    SCENARIOS[name](world)
    return world.calls_made


@pytest.mark.parametrize("kind", ["before", "after", "away"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_crash_point_is_mended(name: str, kind: str) -> None:
    total = _calls(name)
    assert total > 20
    for number in range(1, total + 1):
        world = World()
        # What a client asked for and was never answered it repeats: only the running system's own steps fail here.
        world.fault_at(number, kind)
        try:
            due = SCENARIOS[name](world)
        except BaseException as error:
            if type(error).__name__ not in ("Crash", "Unavailable"):
                raise
            continue
        _settle(world)
        try:
            _check(world, due, forbids_overlap=name in ("slot", "retry", "delay"))
        except AssertionError as error:
            raise AssertionError(
                f"{name}, {kind} call {number} ({world.trace[number - 1]}): {error}"
            ) from error


@pytest.mark.parametrize("name", SCENARIOS)
def test_doubled_messages_change_nothing(name: str) -> None:
    world = World(copies=3)
    due = SCENARIOS[name](world)
    _settle(world)
    _check(world, due, forbids_overlap=name in ("slot", "retry", "delay"))


def test_lost_messages_are_sent_again_by_the_sweep() -> None:
    world = World()
    world.put(schedule="once in 100s")
    assert world.manual_queue.lose_all() == 1
    world.run_for(600)
    assert world.states() == ["succeeded"]
