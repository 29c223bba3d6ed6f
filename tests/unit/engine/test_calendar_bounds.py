"""Calendars with many users, members and broken rows: one stops no other, and everything stays within its bounds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from duetime.core.calendars import CompositeCalendar
from duetime.core.errors import ScheduleError
from duetime.core.exchange import Outcome
from duetime.core.faults import Unreadable
from duetime.core.run import RunError
from duetime.engine import calendars, pauses, query
from duetime.engine.tick import tick
from tests.unit.engine.calendarscene import NEVER, daily, put, put_and_die, row
from tests.world import START, World


def test_one_user_that_cannot_be_read_stops_no_other() -> None:
    world = World()
    put(world, "cal", daily("08:00", "18:00"))
    world.put("a-bad", schedule="every 1m calendar=cal")
    world.put("b-good", schedule="every 1m calendar=cal")
    real = world.memory.get_job

    def get_job(project: str, job: str) -> Any:
        if job == "a-bad":
            raise Unreadable("row", "default#a-bad", "cannot be read by this release", "Upgrade.")
        return real(project, job)

    world.memory.get_job = get_job  # type: ignore[method-assign]
    put(world, "cal", NEVER, world.engine)
    world.run_for(600)
    assert len(world.starts("b-good")) >= 8


def test_calendars_with_users_that_cannot_be_read_starve_no_other() -> None:
    world = World()
    put(world, "good", daily("08:00", "18:00"))
    world.put("fine", schedule="every 1m calendar=good")
    for n in range(10):
        put(world, f"c{n}", daily("08:00", "18:00"))
        world.put(f"bad{n}", schedule=f"every 1m calendar=c{n}")
    real = world.memory.get_job

    def get_job(project: str, job: str) -> Any:
        if job.startswith("bad"):
            raise Unreadable("row", job, "cannot be read by this release", "Upgrade.")
        return real(project, job)

    world.memory.get_job = get_job  # type: ignore[method-assign]
    for n in range(10):
        put(world, f"c{n}", NEVER, world.engine)
    world.run_for(1)
    put_and_die(world, "good", NEVER)
    world.run_for(600)
    assert len(world.starts("fine")) >= 8


def test_a_growing_calendar_stops_no_trigger_under_another() -> None:
    world = World()
    for n in range(31):
        put(world, f"leaf{n}", daily("12:00", "12:01"))
    put(world, "d", daily("13:00", "13:01"))
    put(world, "c", {"kind": "composite", "calendars": ["d"]})
    put(world, "b", {"kind": "composite", "calendars": ["c"]})
    put(world, "a", {"kind": "composite", "calendars": ["leaf0"]})
    world.put(
        triggers=[
            {"name": "t1", "schedule": "every 1m calendar=a"},
            {"name": "t2", "schedule": "every 1m calendar=b"},
        ],
        overlap="parallel",
    )
    put(world, "a", {"kind": "composite", "calendars": [f"leaf{n}" for n in range(31)]})
    assert [r.state for r in world.memory.get_triggers("default", "job")] == ["waiting", "waiting"]


def test_calendars_of_one_job_may_grow_after_it_was_put() -> None:
    world = World()
    for n in range(124):
        put(world, f"leaf{n}", daily("12:00", "12:01"))
    for n in range(4):
        put(world, f"c{n}", {"kind": "composite", "calendars": [f"leaf{n * 31}"]})
    triggers = [{"name": f"t{n}", "schedule": f"every 10s calendar=c{n}"} for n in range(4)]
    world.put(triggers=triggers, overlap="parallel")
    for n in range(4):
        put(world, f"c{n}", {"kind": "composite", "calendars": [f"leaf{n * 31 + m}" for m in range(31)]})
    tick(world.engine_plain)
    assert pauses.pause_job(world.engine_plain, "default", "job", who="test").paused
    assert world.memory.changed_calendars(limit=10) == ()


def test_two_members_that_grow_at_once_stop_no_trigger() -> None:
    world = World()
    names = [f"leaf{n}" for n in range(31)]
    for name in names:
        put(world, name, daily("12:00", "12:01"))
    for n in range(4):
        put(world, f"x{n}", daily(f"1{n}:10", f"1{n}:20"))
    put(world, "top", {"kind": "composite", "calendars": names})
    world.put(schedule="every 1m calendar=top")
    world.interleave["store.change_calendar"] = lambda: put(
        world, "leaf1", {"kind": "composite", "calendars": ["x0", "x1"]}
    )
    put(world, "leaf0", {"kind": "composite", "calendars": ["x2", "x3"]}, world.engine)
    world.run_for(300)
    assert (row(world).state, world.nominals()) == ("waiting", [60, 120, 180, 240, 300])
    with pytest.raises(ScheduleError, match="more than 32 members"):
        put(world, "leaf2", {"kind": "composite", "calendars": ["x0", "x3"]})


def test_jitter_does_not_reach_into_an_exclusion() -> None:
    world = World()
    put(world, "cal", daily("08:01:01", "09:00"))
    world.put(schedule="*/10 * * * * * calendar=cal", overlap="parallel", trigger={"jitter": "10m"})
    world.run_for(900)
    assert [at for at in world.starts() if at > 61] == []


def test_a_list_reads_a_calendar_once() -> None:
    world = World()
    put(world, "cal", NEVER)
    for n in range(50):
        world.put(f"job{n}", schedule="every 1m calendar=cal")
    world.run_for(1)
    world.trace.clear()
    query.list_statuses(world.engine, "default", limit=1000)
    counts = Counter(world.trace)
    assert counts["store.get_calendars"] <= 2


def test_arming_stays_within_the_lease_of_the_tick() -> None:
    world = World()
    put(world, "cal", NEVER)
    for n in range(60):
        world.put(f"job{n:02}", schedule="every 1h calendar=cal")
    put_and_die(world, "cal", daily("12:00", "12:01"))
    real_get, real_due, seen = world.memory.get_job, world.memory.due_triggers, []

    def due(*args: Any, **kwargs: Any) -> Any:
        world.clock.advance_ms(14_000)  # a slow claim, not long enough for a renewal
        return real_due(*args, **kwargs)

    def get_job(project: str, job: str) -> Any:
        world.clock.advance_ms(1_000)
        seen.append(world.memory._leases["tick"].until_ms - world.clock.now_ms())
        return real_get(project, job)

    world.memory.due_triggers, world.memory.get_job = due, get_job  # type: ignore[method-assign]
    tick(world.engine_plain, deadline_ms=world.clock.now_ms() + 60_000)
    assert min(seen) > 0


def test_the_reason_of_an_error_is_the_reason() -> None:
    world = World()
    put(world, "m", NEVER)
    put(world, "top", {"kind": "composite", "calendars": ["m"]})
    world.put(schedule="every 1m calendar=top")
    stored = world.memory._calendars["default", "top"]
    world.memory._calendars["default", "top"] = replace(stored, calendar=CompositeCalendar(("m", "gone")))
    world.run_for(120)
    assert "gone" in row(world).error
    assert "object at 0x" not in row(world).error


def test_a_retry_goes_on_in_an_exclusion() -> None:
    world = World()
    put(world, "cal", NEVER)
    seen: list[int] = []

    def once_bad(invocation: Any) -> Any:
        seen.append(1)
        return Outcome("succeeded") if len(seen) > 1 else Outcome("failed", error=RunError("X", "x"))

    world.handler("job", once_bad)
    world.put(schedule="every 5m calendar=cal", retry={"max_retries": 1, "delay": "30s"})
    world.run_for(305)
    put(world, "cal", daily("08:00", "20:00"), world.engine)
    world.run_for(120)
    assert sorted(world.states()[:2]) == ["failed", "succeeded"]


def test_covers_leave_out_what_is_excluded() -> None:
    for misfire in ("run_once", "skip"):
        world = World()
        put(world, "cal", daily("08:04", "08:08"))
        world.put(schedule="*/30 * * * * * calendar=cal", overlap="parallel", trigger={"misfire": misfire})
        world.ticking = False
        world.run_for(700)
        tick(world.engine_plain)
        covers = [r.covers for r in world.runs() if r.covers]
        assert [(c.first - START, c.last - START, c.count) for c in covers] == [(150, 690, 11)]


def test_a_change_says_whom_it_silences() -> None:
    world = World()
    put(world, "rest", NEVER)
    calendars.put_calendar(
        world.engine_plain, "default", "both", {"kind": "composite", "calendars": ["rest"]}, who="test"
    )
    world.put("noon", schedule="0 12 * * * calendar=rest")
    world.put("above", schedule="once 2027-01-16T12:00:00Z calendar=both")
    world.put("hourly", schedule="0 * * * * calendar=both")
    for dry_run in (True, False):
        said = calendars.put_calendar(
            world.engine_plain, "default", "rest", daily("11:00", "13:00"), who="test", dry_run=dry_run
        ).warnings
        assert said == ("It excludes every occurrence still to come of job noon, job above.",)
    assert row(world, "noon").state == "complete"
    again = calendars.put_calendar(world.engine_plain, "default", "rest", NEVER, who="test")
    assert again.warnings == ()
