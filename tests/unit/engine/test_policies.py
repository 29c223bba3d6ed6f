"""Misfire, overlap and retry as the engine applies them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from duetime.core.exchange import Invocation, Outcome
from duetime.core.faults import Conflict, DefinitionError
from duetime.core.run import RunError
from duetime.engine import call, pauses, query
from tests.world import START, Crash, Handler, World


def _failing(times: int, *, permanent: bool = False) -> tuple[list[str], Handler]:
    seen: list[str] = []

    def handler(invocation: Invocation) -> Outcome:
        seen.append(invocation.run.id)
        if len(seen) <= times:
            return Outcome("failed", error=RunError("BROKEN", "no luck"), permanent=permanent)
        return Outcome("succeeded", result=len(seen))

    return seen, handler


def test_a_misfire_runs_once_and_covers_what_was_missed() -> None:
    world = World()
    world.put(schedule="every 10s", overlap="parallel")
    world.run_for(15)
    world.ticking = False
    world.run_for(300)
    world.ticking = True
    world.run_for(60)
    covering = [run for run in world.runs() if run.covers is not None]
    assert len(covering) == 1
    covers = covering[0].covers
    assert covers is not None
    assert covers.count == (covers.last - covers.first) // 10 + 1
    accounted = [
        run.nominal - START for run in world.runs() if run.covers is None and run.nominal is not None
    ]
    accounted += [instant - START for instant in range(covers.first, covers.last + 1, 10)]
    assert sorted(accounted) == list(range(10, max(accounted) + 1, 10))


def test_a_skipped_misfire_leaves_one_record_and_no_late_run() -> None:
    """Case b-01 of the behaviour cases: every 15 s, misfire skip, back after an outage."""
    world = World()
    world.put(
        schedule="every 15s", overlap="parallel", trigger={"misfire": "skip", "misfire_threshold": "1s"}
    )
    world.run_for(10)
    world.manual_queue.lose_all()
    world.ticking = world.sweeping = False
    world.run_for(290)
    world.ticking = True
    world.run_for(120)
    skips = [run for run in world.runs() if run.state == "skipped"]
    assert [run.reason for run in skips] == ["misfire"]
    assert skips[0].covers is not None
    assert skips[0].covers.count > 10
    late = [
        one for one in world.calls if one.nominal is not None and one.start_ms > one.nominal * 1000 + 2000
    ]
    assert late == []
    assert len(world.starts()) > 3


def test_a_short_threshold_does_not_miss_for_ever() -> None:
    world = World()
    world.put(
        schedule="every 10s", overlap="parallel", trigger={"misfire": "skip", "misfire_threshold": "1s"}
    )
    world.ticking = False
    world.run_for(601)
    world.ticking = True
    world.run_for(300)
    assert [one for one in world.starts() if one > 601] == list(range(670, 901, 10))


def test_overlap_skip_leaves_a_record_that_names_the_holder() -> None:
    """Skipped is not failed: no retry, no failure (case b-37)."""
    world = World()
    world.handler("job", takes_ms=25_000)
    world.put(schedule="every 10s", retry={"max_retries": 3, "delay": "1s"})
    world.run_for(100)
    states = world.states()
    assert "skipped" in states
    assert "failed" not in states
    skipped = next(run for run in world.runs() if run.state == "skipped")
    assert skipped.reason is not None
    assert skipped.reason.startswith("overlap: run ")
    spans = sorted((one.start_ms, one.end_ms) for one in world.calls)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize("copies", [1, 2])
def test_a_failing_run_is_retried_as_often_as_allowed(copies: int) -> None:
    """Case b-48: the limit counts attempts, a redelivered message is none."""
    world = World(copies=copies)
    seen, handler = _failing(99)
    world.handler("job", handler)
    world.put(schedule="once in 10s", retry={"max_retries": 2, "delay": "5s"})
    world.run_for(120)
    assert len(seen) == 3
    assert [(run.kind, run.attempt, run.state) for run in world.runs()] == [
        ("schedule", 1, "failed"), ("retry", 2, "failed"), ("retry", 3, "failed"),
    ] or sorted((run.attempt, run.state) for run in world.runs()) == [(1, "failed"), (2, "failed"), (3, "failed")]  # fmt: skip
    assert {run.retry_of for run in world.runs() if run.attempt > 1} == {seen[0]}


def test_exponential_backoff_spreads_the_attempts() -> None:
    world = World()
    world.handler("job", _failing(3)[1])
    world.put(schedule="once in 10s", retry={"max_retries": 5, "delay": "10s", "backoff": "exponential"})
    world.run_for(300)
    assert [b - a for a, b in pairwise(world.starts())] == [11, 21, 41]
    assert world.states().count("succeeded") == 1


def test_a_permanent_failure_and_a_spent_budget_end_the_retries() -> None:
    world = World()
    world.handler("permanent", _failing(9, permanent=True)[1])
    world.handler("budget", _failing(9)[1])
    world.put("permanent", "once in 5s", retry={"max_retries": 5, "delay": "1s"})
    world.put("budget", "once in 5s", retry={"max_retries": 50, "delay": "20s", "give_up_after": "1m"})
    world.run_for(600)
    assert world.starts("permanent") == [5]
    assert len(world.starts("budget")) == 3


def test_a_retry_waits_for_its_slot_and_is_never_skipped() -> None:
    world = World()
    seen, handler = _failing(1)
    world.handler("job", handler, takes_ms=1000)
    world.put(schedule="once in 10s", retry={"max_retries": 1, "delay": "5s"})
    other = call.enqueue(world.engine, "default", "job", delay=7200)
    world.run_for(12)
    assert world.memory.acquire_slot("default", "job", run=other.id, until_ms=2**60)
    world.run_for(20)
    assert len(seen) == 1
    world.memory.release_slot("default", "job", run=other.id)
    world.run_for(70)
    assert len(seen) == 2


def test_a_timeout_is_recorded_and_retried() -> None:
    world = World()

    def hang(invocation: Invocation) -> Outcome:
        world.clock.sleep_ms(invocation.deadline_ms - world.clock.now_ms())
        return Outcome("timeout")

    world.handler("job", hang)
    world.put(schedule="once in 10s", timeout="20s", retry={"max_retries": 1, "delay": "5s"})
    world.run_for(120)
    assert [run.error.code for run in world.runs() if run.error] == ["TIMEOUT_RUN", "TIMEOUT_RUN"]


def test_a_handler_that_ignores_its_timeout_keeps_its_slot_until_it_returns() -> None:
    world = World()
    returned: list[bool] = []

    def ignore(invocation: Invocation) -> Outcome:
        world.clock.sleep_ms((invocation.hard_deadline_ms or 0) - world.clock.now_ms())

        def waits(seconds: float) -> bool:
            assert world.memory.slot_holder("default", "job") is not None
            returned.append(True)
            return len(returned) > 3

        return Outcome("timeout", still_running=True, returned=waits)

    world.handler("job", ignore)
    world.put(schedule="once in 10s", timeout="20s")
    world.run_for(100)
    assert len(returned) == 4
    assert world.memory.slot_holder("default", "job") is None
    assert world.states() == ["failed"]


def test_data_is_merged_from_job_trigger_and_call_and_frozen() -> None:
    world = World()
    world.put(schedule="once in 10s", data={"a": 1, "b": 1}, trigger={"data": {"b": 2, "c": 2}})
    call.enqueue(world.engine, "default", "job", data={"a": 3})
    world.run_for(30)
    assert [dict(one.data) for one in world.calls] == [{"a": 3, "b": 1}, {"a": 1, "b": 2, "c": 2}]


def test_a_trigger_call_returns_the_ended_run_or_says_who_is_running() -> None:
    world = World()
    world.put()
    run = call.start_trigger(world.engine, "default", "job")
    assert run.state == "queued"
    assert world.memory.acquire_slot("default", "job", run=run.id, until_ms=2**60)
    with pytest.raises(Conflict) as caught:
        call.trigger(world.engine, "default", "job", wait_ms=100)
    assert caught.value.code == "CONFLICT_RUNNING"
    world.run_for(5)
    assert query.get_run(world.engine, "default", run.id).state == "succeeded"


def test_a_pause_leaves_manual_runs_alone() -> None:
    world = World()
    world.put(schedule="every 10s")
    pauses.pause_job(world.engine, "default", "job", who="test")
    call.enqueue(world.engine, "default", "job")
    world.run_for(30)
    assert [one.nominal for one in world.calls] == [None]


def test_a_lost_run_is_recovered_once_and_its_slot_is_freed() -> None:
    """Case b-26: a worker that dies in the middle leaves nothing stuck."""
    world = World()
    died: list[bool] = []

    def die(invocation: Invocation) -> Outcome:
        if not died:
            died.append(True)
            raise Crash
        return Outcome("succeeded")

    world.handler("job", die)
    world.put(schedule="once in 10s", timeout="30s", requests_recovery=True)
    world.run_for(400)
    assert sorted((run.kind, run.state) for run in world.runs()) == [
        ("recovery", "succeeded"),
        ("schedule", "lost"),
    ]
    assert world.memory.slot_holder("default", "job") is None


def test_a_lost_run_without_retries_is_not_run_again() -> None:
    """Case b-28: whoever wants no second run gets none."""
    world = World()

    def die(invocation: Invocation) -> Outcome:
        raise Crash

    world.handler("job", die)
    world.put(schedule="once in 10s", timeout="30s")
    world.run_for(1200)
    assert world.states() == ["lost"]


def test_what_a_deployment_cannot_run_is_refused_and_nothing_is_written() -> None:
    world = World()
    for fields, field in (
        ({"timeout": "2d"}, "timeout"),
        ({"schedule": {"cron": "0 9 * * *", "calendar": "holidays"}}, "triggers[0].schedule.calendar"),
    ):
        with pytest.raises(DefinitionError) as caught:
            world.put(**fields)
        assert caught.value.field == field
    assert world.memory.get_job("default", "job") is None
    assert world.changes == []
