"""Pauses, resumes, edits and counts in each other's way: every occurrence keeps exactly one account."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from duetime.core.definition import parse_job
from duetime.core.exchange import Invocation, Outcome
from duetime.core.run import RunError
from duetime.engine import call, manage, pauses, query
from duetime.engine.arming import Missed
from tests.world import START, Crash, World

TARGET = {"kind": "python", "name": "job"}


def _pause(world: World) -> None:
    pauses.pause_job(world.engine_plain, "default", "job", who="test")


def _resume(world: World, missed: Missed = "drop") -> None:
    pauses.resume_job(world.engine_plain, "default", "job", who="test", missed=missed)


def _put_triggers(world: World, *triggers: dict[str, object]) -> None:
    document = {"target": TARGET, "triggers": list(triggers), "overlap": "parallel"}
    manage.put_job(world.engine_plain, "default", parse_job(document, name="job"), who="test")


@pytest.mark.parametrize("away", [1, 100])
@pytest.mark.parametrize("count", [5, 20])
def test_a_pause_costs_no_run_of_a_repeat_count(count: int, away: int) -> None:
    world = World()
    world.put(schedule=f"every 10s x{count}", overlap="parallel")
    world.run_for(5)
    _pause(world)
    world.run_for(away)
    _resume(world)
    world.run_for(600)
    assert len(world.calls) == count
    row = query.status(world.engine, "default", "job").triggers[0]
    assert (row.state, row.remaining, row.fired) == ("complete", 0, count)


def test_pauses_and_resumes_in_a_row_give_back_what_was_put_ahead_once() -> None:
    world = World()
    world.put(schedule="every 10s x20", overlap="parallel")
    world.run_for(5)
    _pause(world)
    for _ in range(3):
        world.interleave["queue.send"] = world.interleave["store.enqueue_run"] = _die
        world.guarded(lambda: pauses.resume_job(world.engine, "default", "job", who="test"))
        world.interleave.clear()
        _pause(world)
    _resume(world)
    world.run_for(600)
    assert len(world.calls) == 20


def _die() -> None:
    raise Crash("the process dies before it claims")


def test_a_skip_given_back_after_an_outage_covers_nothing_twice() -> None:
    world = World()
    world.handler("job", takes_ms=400_000)
    world.put(schedule="every 5m x1")
    world.ticking = False
    world.run_for(3600)
    call.enqueue(world.engine, "default", "job")
    world.ticking = True
    world.run_for(2500)
    accounts: Counter[int] = Counter()
    for run in world.runs():
        if run.kind == "schedule" and run.nominal is not None:
            last = run.covers.last if run.covers is not None else run.nominal
            accounts.update(range(run.nominal - START, last - START + 1, 300))
    assert set(accounts.values()) == {1}
    assert [run.state for run in world.runs() if run.kind == "schedule"].count("succeeded") == 1


def test_a_fixed_delay_edited_into_a_grid_starts_nothing_of_the_old_form() -> None:
    world = World()
    world.put(schedule="every 40s delay", overlap="parallel")
    world.run_for(5)
    world.put(schedule="every 5s", overlap="parallel")
    world.run_for(60)
    assert max(Counter(one.nominal for one in world.calls).values()) == 1


def test_a_fixed_delay_paused_at_work_goes_on_from_the_resume() -> None:
    world = World()
    world.handler("job", takes_ms=20_000)
    world.put(schedule="every 10m delay")
    world.interleave["store.succeed_run"] = lambda: _pause(world)
    world.run_for(7200)
    _resume(world)
    world.run_for(1200)
    assert world.starts() == [600, 7800]
    assert {run.covers for run in world.runs()} == {None}


def test_a_trigger_made_again_under_its_old_name_runs_its_past_once() -> None:
    world = World()
    once = "once 2027-01-15T08:01:00Z"
    world.put(schedule=once)
    world.run_for(100)
    world.put()
    world.run_for(10)
    world.put(schedule=once)
    world.run_for(20)
    assert world.starts() == [60, 110]


def test_an_edit_between_the_reads_of_a_resume_is_read_again() -> None:
    world = World()
    world.put(schedule="every 1h")
    _pause(world)
    world.interleave["store.get_triggers"] = lambda: _put_triggers(
        world, {"name": "b", "schedule": "every 1h"}
    )
    assert not pauses.resume_job(world.engine, "default", "job", who="test").paused


def test_a_skip_given_back_under_a_pause_arms_nothing() -> None:
    world = World()
    world.handler("job", takes_ms=30_000)
    world.put(schedule="every 1m x1")
    call.enqueue(world.engine, "default", "job", delay=50)
    world.interleave["store.skip_run"] = lambda: _pause(world)
    world.run_for(300)
    assert [one.nominal for one in world.calls] == [None]
    _resume(world)
    world.run_for(120)
    assert len(world.calls) == 2


def test_a_resume_with_misfire_keeps_the_records_of_what_is_still_to_come() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(5)
    _pause(world)
    world.run_for(20)
    _resume(world, "misfire")
    world.run_for(100)
    later = Counter(
        run.nominal for run in world.runs() if run.nominal is not None and run.nominal > START + 25
    )
    assert set(later.values()) == {1}
    spans = sorted(one.start_ms for one in world.calls)
    assert all(a < b for a, b in pairwise(spans))


def test_a_pause_within_the_claim_of_a_fixed_delay_leaves_one_outstanding() -> None:
    world = World()

    def meanwhile() -> None:
        _pause(world)
        _resume(world)

    world.interleave["store.acquire_trigger"] = meanwhile
    world.put(schedule="every 5m delay", overlap="parallel")
    world.run_for(1500)
    assert all(b - a >= 300 for a, b in pairwise(world.starts()))


def test_a_handlers_own_timeout_code_is_retried_like_any_failure() -> None:
    world = World()

    def fails(invocation: Invocation) -> Outcome:
        return Outcome("failed", error=RunError("TIMEOUT_RUN", "mine"))

    world.handler("job", fails)
    world.put(schedule="once in 5s", retry={"max_retries": 2, "delay": "10s", "on": ["failed"]})
    world.run_for(120)
    assert world.states() == ["failed"] * 3
    assert {run.error.code for run in world.runs() if run.error is not None} == {"USER_TIMEOUT_RUN"}


@pytest.mark.parametrize("before, count", [("every 10s start=2027-01-15T08:00:00Z", 3), ("every 10s x10", 3)])
def test_a_count_set_by_an_edit_holds_for_what_was_put_ahead(before: str, count: int) -> None:
    world = World()
    world.put(schedule=before, overlap="parallel")
    world.run_for(5)
    world.put(
        schedule=f"every 10s x{count}{before.removeprefix('every 10s').removeprefix(' x10')}",
        overlap="parallel",
    )
    world.run_for(400)
    assert len(world.calls) == count


def test_a_store_away_while_a_fixed_delay_is_acquired_drops_no_occurrence() -> None:
    quiet = World()
    quiet.put(schedule="every 5m delay x3", overlap="parallel")
    quiet.run_for(200)
    number = quiet.trace.index("store.acquire_trigger") + 1
    world = World()
    world.fault_at(number, "away")
    world.put(schedule="every 5m delay x3", overlap="parallel")
    world.run_for(1500)
    assert len(world.starts()) == 3
    assert world.starts()[0] == 300


def test_a_fault_of_the_deployment_stops_no_trigger_for_good() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")

    def expired() -> None:
        raise RuntimeError("ExpiredTokenException")

    world.interleave["store.enqueue_run"] = expired
    world.run_for(200)
    assert world.memory.get_triggers("default", "job")[0].state == "waiting"
    assert world.starts() == list(range(10, 201, 10))


def test_a_trigger_that_left_error_counts_nothing_twice() -> None:
    world = World()
    world.put(schedule="every 10s x30", overlap="parallel")
    world.run_for(25)
    row = world.memory.get_triggers("default", "job")[0]
    assert world.memory.fault_trigger(row, error="NOT_FOUND_HANDLER: gone")
    pauses.resume_trigger(world.engine, "default", "job", "default", who="test")
    world.run_for(600)
    assert len(world.calls) == 30


def test_a_second_pause_takes_nothing_from_a_resume_with_misfire() -> None:
    world = World()
    world.put(schedule="every 1m", overlap="parallel")
    world.run_for(65)
    _pause(world)
    world.run_for(600)
    _resume(world, "misfire")
    _pause(world)
    _resume(world, "misfire")
    world.run_for(30)
    assert [run.state for run in world.runs() if run.covers is not None] == ["succeeded"]


def test_a_fixed_delay_paused_while_it_fails_waits_for_its_retry() -> None:
    world = World()
    attempts: list[int] = []

    def fails(invocation: Invocation) -> Outcome:
        attempts.append(invocation.run.attempt)
        if len(attempts) == 1:
            _pause(world)
            return Outcome("failed", error=RunError("BROKEN", "once"))
        return Outcome("succeeded")

    world.handler("job", fails, takes_ms=8_000)
    world.put(schedule="every 10s delay", overlap="parallel", retry={"max_retries": 1, "delay": "45s"})
    world.run_for(30)
    _resume(world)
    world.run_for(120)
    spans = sorted((one.start_ms, one.end_ms) for one in world.calls)
    assert attempts[:2] == [1, 2]
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_a_fixed_delay_resumed_at_rest_is_claimed_at_once() -> None:
    world = World()
    world.handler("job", takes_ms=5_000)
    world.put(schedule="every 10s delay")
    world.interleave["store.succeed_run"] = lambda: _pause(world)
    world.run_for(92)
    _resume(world)
    world.run_for(30)
    assert world.starts() == [10, 102, 117]


def test_a_late_message_of_before_a_pause_does_not_start_after_an_edit() -> None:
    world = World()
    world.put(schedule="every 1m", overlap="parallel")
    world.run_for(50)
    late = world.manual_queue.take_all()
    world.run_for(20)
    _pause(world)
    world.run_for(20)
    _resume(world)
    world.put(schedule="every 30s", overlap="parallel")
    for one in late:
        world.manual_queue.send([one], now_ms=world.clock.now_ms())
    world.run_for(5)
    assert world.calls == []
