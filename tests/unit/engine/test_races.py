"""Races between an executor and whoever changes the definition, step by step."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from duetime.engine import manage, pauses
from tests.world import World


def _pause(world: World) -> object:
    return pauses.pause_job(world.engine_plain, "default", "job", who="test")


def _delete(world: World) -> object:
    manage.delete_job(world.engine_plain, "default", "job", who="test")
    return None


def _reschedule(world: World) -> object:
    return world.put(schedule="every 1h", overlap="parallel")


@pytest.mark.parametrize("change", [_pause, _delete, _reschedule])
@pytest.mark.parametrize("overlap", ["parallel", "skip"])
def test_nothing_starts_in_its_old_form_after_the_answer(
    change: Callable[[World], object], overlap: str
) -> None:
    world = World()
    world.put(schedule="every 10s", overlap=overlap)
    world.interleave["store.begin_run"] = lambda: change(world)
    world.run_for(15)
    assert world.calls == []
    assert world.states()[0] == "superseded"
    assert world.memory.slot_holder("default", "job") is None


def test_an_edit_before_the_begin_gives_the_run_todays_data() -> None:
    world = World()
    world.put(schedule="every 10s", data={"version": 1})
    world.interleave["store.begin_run"] = lambda: world.put(schedule="every 10s", data={"version": 2})
    world.run_for(15)
    assert [dict(one.data) for one in world.calls] == [{"version": 2}]
    assert world.runs()[0].base_json == '{"version":2}'


def test_an_edit_that_forbids_overlap_is_kept_by_a_run_that_began_without_a_slot() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.interleave["store.begin_run"] = lambda: world.put(schedule="every 10s", overlap="skip")
    world.handler("job", takes_ms=15_000)
    world.run_for(60)
    spans = sorted((one.start_ms, one.end_ms) for one in world.calls)
    assert len(spans) > 1
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_a_tick_that_loses_to_an_edit_leaves_the_new_schedule_alone() -> None:
    world = World()
    world.interleave["store.advance_trigger"] = lambda: world.put(schedule="every 1000s", overlap="parallel")
    world.put(schedule="every 100s", overlap="parallel")
    world.run_for(1100)
    assert world.starts() == [1000]


def test_a_zombie_changes_nothing() -> None:
    """An executor whose lease ended finds its fence gone (cases b-30, b-54)."""
    world = World()
    world.put(schedule="once in 10s", timeout="30s")

    def swept() -> None:
        world.clock.advance_ms(400_000)
        from duetime.engine.sweep import sweep

        sweep(world.engine_plain)

    world.interleave["store.succeed_run"] = swept
    world.run_for(15)
    assert world.states() == ["lost"]
