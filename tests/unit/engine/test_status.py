"""A job's status speaks of now, though claims have looked two minutes ahead."""

from __future__ import annotations

import pytest

from duetime.engine import pauses, query
from duetime.engine.query import JobStatus
from tests.world import START, World


def _status(world: World) -> JobStatus:
    return query.status(world.engine, "default", "job")


def _seen(world: World) -> tuple[int | None, int | None]:
    status = _status(world)
    next_due, last = status.next_due_at, status.last_fired_at
    return (None if next_due is None else next_due - START, None if last is None else last - START)


@pytest.mark.parametrize(
    "seconds, seen", [(0, (10, None)), (5, (10, None)), (12, (20, 10)), (115, (120, 110))]
)
def test_an_interval_shows_its_next_and_last_instant(seconds: float, seen: tuple[int, int | None]) -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(seconds)
    assert _seen(world) == seen


def test_the_last_run_is_the_run_of_the_last_instant() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(25)
    assert query.get_run(world.engine, "default", _status(world).last_run_id or "").nominal == START + 20


def test_a_once_is_not_spent_before_its_instant() -> None:
    world = World()
    world.put(schedule="once in 20s")
    assert _seen(world) == (20, None)
    assert _status(world).triggers[0].state == "waiting"
    world.run_for(30)
    assert _seen(world) == (None, 20)
    assert _status(world).triggers[0].state == "complete"


def test_a_counted_interval_ends_after_its_last_instant() -> None:
    world = World()
    world.put(schedule="every 10s x3", overlap="parallel")
    world.run_for(15)
    assert _seen(world) == (20, 10)
    world.run_for(30)
    assert _seen(world) == (None, 30)


def test_a_fixed_delay_shows_its_outstanding_occurrence() -> None:
    world = World()
    world.put(schedule="every 20s delay")
    assert _seen(world) == (20, None)
    world.run_for(21)
    assert _seen(world)[0] == 41
    assert _status(world).triggers[0].last_run is not None


def test_a_paused_job_has_no_next_instant() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(15)
    pauses.pause_job(world.engine, "default", "job", who="test")
    assert _seen(world) == (None, 10)
