"""`repeat_count` holds to the run: whatever pauses, calendars, slow claims, crashes and skewed clocks do to the look-ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from duetime.clock import ManualClock
from duetime.core.faults import Unavailable
from duetime.engine import pauses, query
from duetime.engine.claim import claim_due
from tests.unit.engine.calendarscene import NEVER, daily, put, put_and_die
from tests.world import START, Crash, World


def pause(world: World, engine: Any = None) -> None:
    pauses.pause_job(engine or world.engine_plain, "default", "job", who="test")


def resume(world: World, engine: Any = None, *, missed: Any = "drop") -> None:
    pauses.resume_job(engine or world.engine_plain, "default", "job", who="test", missed=missed)


def die() -> None:
    raise Crash("the process dies here")


def _paused_and_excluded(world: World) -> None:
    world.put(schedule="every 10s x20 calendar=cal", overlap="parallel")
    world.run_for(5)
    pause(world)
    put(world, "cal", daily("08:00", "08:03"))
    resume(world)


def _excluded_under_a_slow_claim(world: World) -> None:
    world.interleave["store.enqueue_run"] = lambda: put(world, "cal", daily("08:00:25", "08:01:45"))
    world.put(schedule="every 10s x20 calendar=cal", overlap="parallel")


def _given_back_under_a_slow_claim(world: World) -> None:
    put(world, "cal", daily("08:00:25", "08:01:45"))
    world.interleave["store.enqueue_run"] = lambda: put(world, "cal", NEVER)
    world.put(schedule="every 10s x20 calendar=cal", overlap="parallel")


def _excluded_after_a_claim_that_died(world: World) -> None:
    world.interleave["store.advance_trigger"] = die
    world.guarded(lambda: world.put(schedule="every 10s x20 calendar=cal", overlap="parallel"))
    put_and_die(world, "cal", daily("08:00", "08:01"))


def _resumed_twice_around_an_exclusion(world: World) -> None:
    world.put(schedule="every 10s x20 calendar=cal", overlap="parallel")
    world.run_for(2)
    pause(world)
    world.interleave["store.enqueue_run"] = die
    world.guarded(lambda: resume(world, world.engine))
    put_and_die(world, "cal", daily("08:00", "08:59"))
    claim_due(world.engine_plain, "default", "job")
    put_and_die(world, "cal", NEVER)
    pause(world)
    resume(world)


def _paused_while_a_run_begins(world: World) -> None:
    world.put(schedule="every 10s x20 calendar=cal", overlap="parallel")
    world.run_for(8.9)
    world.interleave["store.change_job"] = lambda: world.run_for(2)
    pause(world, world.engine)
    world.run_for(300)
    resume(world)


def _paused_by_a_host_whose_clock_is_behind(world: World) -> None:
    world.put(schedule="every 10s x20", overlap="parallel")
    world.run_for(33)
    behind = replace(world.engine_plain, clock=ManualClock(world.clock.now_ms() - 20_000))
    pause(world, behind)
    resume(world, behind)


@pytest.mark.parametrize(
    "scenario",
    [
        _paused_and_excluded,
        _excluded_under_a_slow_claim,
        _given_back_under_a_slow_claim,
        _excluded_after_a_claim_that_died,
        _resumed_twice_around_an_exclusion,
        _paused_while_a_run_begins,
        _paused_by_a_host_whose_clock_is_behind,
    ],
)
def test_a_count_runs_never_too_often(scenario: Callable[[World], None]) -> None:
    world = World()
    put(world, "cal", NEVER)
    scenario(world)
    world.run_for(1800)
    assert len(world.calls) == 20
    states = query.status(world.engine_plain, "default", "job").triggers
    assert [row.state for row in states] == ["complete"]


def test_a_count_with_skips_runs_never_too_often_beside_a_pause() -> None:
    world = World()
    world.handler("job", takes_ms=15_000)
    world.put(schedule="every 10s x6", overlap="skip")
    world.run_for(1)
    behind = replace(world.engine_plain, clock=ManualClock(START * 1000 + 19_990))
    world.interleave["store.skip_run"] = lambda: pause(world, behind)
    world.run_for(200)
    resume(world)
    world.run_for(1800)
    assert 0 < len(world.calls) <= 6


def test_a_run_that_is_withdrawn_is_not_counted() -> None:
    world = World()
    world.put(schedule="every 10s x3", overlap="parallel")
    world.interleave["store.begin_run"] = lambda: pause(world)
    world.run_for(30)
    assert world.calls == []
    resume(world)
    world.run_for(600)
    assert len(world.calls) == 3


@pytest.mark.parametrize("schedule, runs", [("every 1m calendar=cal", 9), ("every 1m delay calendar=cal", 8)])
def test_a_resume_with_what_was_missed_does_not_wait_for_what_was_given_back(
    schedule: str, runs: int
) -> None:
    world = World()
    put(world, "cal", daily("08:00", "09:00"))
    world.put(schedule=schedule)
    world.run_for(60)
    pause(world)
    world.run_for(240)
    put(world, "cal", NEVER)
    world.run_for(400)
    resume(world, missed="misfire")
    world.run_for(600)
    assert len(world.calls) >= runs


def test_an_edit_waits_until_what_was_missed_is_recorded() -> None:
    world = World()
    world.put(schedule="every 1m", overlap="parallel")
    world.run_for(65)
    world.ticking = False
    world.run_for(600)

    def away() -> None:
        raise Unavailable("store", "enqueue_run", "is busy", "Try again.")

    world.interleave["store.enqueue_run"] = away
    with pytest.raises(Unavailable, match="cannot be recorded now"):
        world.put(schedule="every 2m", overlap="parallel")
    world.ticking = True
    world.run_for(300)
    covered = {
        at - START
        for run in world.runs()
        for at in range(run.nominal or 0, (run.covers.last if run.covers else run.nominal or 0) + 1, 60)
    }
    assert set(range(60, 661, 60)) <= covered


def test_a_once_with_immediate_runs_at_creation_as_well() -> None:
    world = World()
    world.put(schedule={"in": "10m", "immediate": True})
    world.run_for(700)
    assert world.starts() == [0, 600]
