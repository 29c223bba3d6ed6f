"""Occurrences run at their instants, once each, whatever kind of schedule made them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from duetime.core.run import Covers
from duetime.engine import manage, pauses, query
from tests.world import START, World


def test_a_cron_every_ten_seconds_runs_each_instant_once() -> None:
    world = World()
    world.put(schedule="*/10 * * * * *", overlap="parallel")
    world.run_for(185)
    assert world.starts() == list(range(10, 181, 10))
    assert world.nominals() == list(range(10, 181, 10))


def test_nothing_starts_before_its_instant() -> None:
    world = World()
    world.put(schedule="every 7s", overlap="parallel")
    world.run_for(120)
    assert [call.start_ms % 1000 for call in world.calls] == [0] * len(world.calls)
    assert world.starts() == list(range(7, 120, 7))


def test_a_once_sooner_than_the_next_tick_runs_at_its_instant() -> None:
    world = World()
    world.run_for(5)
    world.put(schedule="once in 20s")
    world.run_for(30)
    assert world.starts() == [25]
    assert query.status(world.engine, "default", "job").triggers[0].state == "complete"


def test_a_once_in_the_past_is_due_at_once() -> None:
    world = World()
    world.put(schedule="once 2026-01-01T00:00:00Z")
    world.run_for(2)
    assert world.starts() == [0]


def test_an_interval_counts_its_runs_and_completes() -> None:
    world = World()
    world.put(schedule="every 10s x5", overlap="parallel")
    world.run_for(300)
    assert world.starts() == [10, 20, 30, 40, 50]


def test_skipped_occurrences_are_not_counted_by_repeat_count() -> None:
    world = World()
    world.handler("job", takes_ms=15_000)
    world.put(schedule="every 10s x3")
    world.manual_queue.copies = 1
    world.run_for(600)
    assert world.states().count("succeeded") == 3


@pytest.mark.parametrize("takes_s", [1, 3, 70])
def test_a_fixed_delay_waits_for_the_end_of_the_run_before(takes_s: int) -> None:
    world = World()
    world.handler("job", takes_ms=takes_s * 1000)
    world.put(schedule="every 30s delay")
    world.run_for(400)
    starts = world.starts()
    assert starts[0] == 30
    assert all(b - a == 30 + takes_s for a, b in pairwise(starts))


def test_a_one_second_trigger_misses_nothing_over_ticks() -> None:
    world = World()
    world.put(schedule="every 1s", overlap="parallel")
    world.run_for(300)
    assert world.starts() == list(range(1, 301))


def test_far_retries_and_calls_are_sent_by_the_sweep_in_time() -> None:
    from duetime.engine.call import enqueue

    world = World()
    world.put()
    run = enqueue(world.engine, "default", "job", delay=7200)
    assert world.manual_queue.next_ms() is None
    world.run_for(7300)
    assert world.starts() == [7200]
    assert query.get_run(world.engine, "default", run.id).state == "succeeded"


def test_an_edit_that_leaves_the_schedule_changes_no_due_instant() -> None:
    world = World()
    world.put(schedule="every 90s")
    world.run_for(80)
    world.put(schedule="every 90s", description="edited")
    world.run_for(120)
    assert world.starts() == [90, 180]


def test_an_edited_schedule_starts_nothing_of_the_old_one() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(35)
    world.put(schedule="every 100s", overlap="parallel")
    world.run_for(215)
    assert world.starts() == [10, 20, 30, 135, 235]
    assert {run.reason for run in world.runs() if run.state == "superseded"} == {"rescheduled"}


def test_a_pause_stops_what_was_sent_and_a_resume_goes_on_from_now() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(25)
    pauses.pause_job(world.engine, "default", "job", who="test", note="maintenance")
    world.run_for(100)
    assert world.starts() == [10, 20]
    pauses.resume_job(world.engine, "default", "job", who="test")
    world.run_for(30)
    assert world.starts() == [10, 20, 130, 140, 150]


def test_a_resume_with_misfire_catches_up_once() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(25)
    pauses.pause_job(world.engine, "default", "job", who="test")
    world.run_for(200)
    pauses.resume_job(world.engine, "default", "job", who="test", missed="misfire")
    world.run_for(10)
    caught_up = [run for run in world.runs() if run.covers is not None]
    assert [run.state for run in caught_up] == ["succeeded"]
    assert caught_up[0].covers == Covers(START + 30, START + 220, 20)


def test_a_deleted_job_starts_nothing_and_keeps_its_history() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(25)
    manage.delete_job(world.engine, "default", "job", who="test")
    world.run_for(200)
    assert world.starts() == [10, 20]
    assert {run.reason for run in world.runs() if run.state == "superseded"} == {"deleted"}


def test_a_job_made_again_under_an_old_name_never_meets_the_old_runs() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(25)
    manage.delete_job(world.engine, "default", "job", who="test")
    world.put(schedule="every 5s aligned", overlap="parallel")
    world.run_for(20)
    assert world.starts() == [10, 20, 30, 35, 40, 45]


def test_a_resumed_once_runs_again_and_a_put_of_the_same_instant_does_not() -> None:
    world = World()
    world.put(schedule="once in 10s")
    text = "once 2027-01-15T08:00:10Z"
    world.put(schedule=text)
    world.run_for(20)
    world.put(schedule=text)
    world.run_for(20)
    assert world.starts() == [10]
    pauses.resume_job(world.engine, "default", "job", who="test")
    world.run_for(20)
    assert world.starts() == [10, 40]


def test_misses_before_an_edit_are_accounted_for() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(25)
    world.ticking = False
    world.run_for(600)
    world.put(schedule="every 1h")
    world.run_for(5)
    covered = [run.covers for run in world.runs() if run.covers is not None]
    assert len(covered) == 1
    assert covered[0] is not None
    assert covered[0].last == START + 620


def test_an_immediate_fixed_delay_with_a_start_in_the_past_runs_at_creation() -> None:
    world = World()
    world.put(schedule="every 10m delay start=2027-01-01T00:00:00Z immediate")
    world.run_for(650)
    assert world.starts() == [0, 601]
