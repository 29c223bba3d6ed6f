"""Changes of a calendar in the way of claims, starts, pauses and fixed delays: no count grows, nothing is lost or doubled."""

from __future__ import annotations

from collections import Counter
from functools import partial

from duetime.engine import pauses
from duetime.engine.tick import tick
from tests.unit.engine.calendarscene import NEVER, daily, put, put_and_die, row
from tests.world import START, World


def test_a_claim_that_read_the_calendar_before_its_change_loses_its_write() -> None:
    world = World()
    put(world, "cal", daily("08:02", "09:00"))
    world.interleave["store.advance_trigger"] = lambda: put(world, "cal", NEVER)
    world.put(schedule="every 1m calendar=cal")  # its claim of 60 is at work when the PUT comes
    world.run_for(600)
    assert world.memory.changed_calendars(limit=10) == ()
    assert world.nominals()[:9] == [60 * n for n in range(1, 10)]


def test_a_fixed_delay_armed_under_the_calendar_before_its_change_is_armed_anew() -> None:
    world = World()
    put(world, "cal", daily("08:01:30", "18:00"))
    world.put(schedule="every 1m delay calendar=cal")
    world.interleave["store.rearm_trigger"] = lambda: put(world, "cal", NEVER)
    world.run_for(400)
    assert world.memory.changed_calendars(limit=10) == ()
    assert len(world.calls) >= 4


def test_a_refund_decided_under_the_calendar_before_its_change_is_decided_anew() -> None:
    world = World()
    put(world, "cal", daily("08:01:30", "18:00"))
    world.handler("job", takes_ms=55_000)
    world.put(
        triggers=[
            {"name": "long", "schedule": "every 50s x1"},
            {"name": "t", "schedule": "every 1m x1 calendar=cal"},
        ],
        overlap="skip",
    )
    world.interleave["store.change_job"] = lambda: put(world, "cal", NEVER)
    world.run_for(600)
    assert "store.change_job" not in world.interleave
    assert [r.state for r in world.runs() if r.trigger == "t"][:2] == ["skipped", "succeeded"], [
        (r.trigger, (r.nominal or 0) - START, r.state, r.reason) for r in world.runs()
    ]


def test_a_fixed_delay_whose_only_run_is_excluded_runs_later() -> None:
    world = World()
    put(world, "cal", NEVER)
    world.put(schedule="every 1m delay x1 calendar=cal")
    world.run_for(5)
    put(world, "cal", daily("08:01", "08:05"))
    world.run_for(1800)
    assert len(world.calls) == 1


def test_a_fixed_delay_whose_run_is_excluded_waits_for_no_deadline() -> None:
    world = World()
    put(world, "cal", NEVER)
    world.put(schedule="every 1m delay calendar=cal", timeout="14m")
    world.run_for(5)
    put(world, "cal", daily("08:01", "08:05"))
    world.run_for(420)
    assert world.starts()[0] <= 360


def test_a_pause_before_the_users_are_armed_gives_back_no_run_too_many() -> None:
    world = World()
    put(world, "cal", daily("08:00:25", "08:01:55"))
    world.put(schedule="every 10s x4 calendar=cal", overlap="parallel")  # 10, 20, 120 are put: 1 left
    put_and_die(world, "cal", NEVER)
    world.run_for(1)
    pauses.pause_job(world.engine_plain, "default", "job", who="t")
    pauses.resume_job(world.engine_plain, "default", "job", who="t")
    world.run_for(600)
    assert len(world.calls) <= 4


def test_a_job_younger_than_the_change_gets_no_instant_from_before_it() -> None:
    world = World()
    put(world, "cal", NEVER)
    world.run_for(65)
    put_and_die(world, "cal", daily("12:00", "12:01"))
    world.run_for(10)
    world.put(schedule="*/10 * * * * * calendar=cal", overlap="parallel")
    world.run_for(120)
    assert world.nominals()[0] == 80


def test_a_resume_between_change_and_arming_keeps_the_count() -> None:
    world = World()
    put(world, "cal", NEVER)
    world.put(schedule="*/10 * * * * * calendar=cal", overlap="parallel")
    world.put(schedule="every 10s aligned x20 calendar=cal", overlap="parallel")
    pauses.pause_job(world.engine_plain, "default", "job", who="t")
    world.run_for(245)
    put_and_die(world, "cal", daily("12:00", "12:01"))
    world.run_for(45)  # 290
    pauses.resume_job(world.engine_plain, "default", "job", who="t")
    world.run_for(1000)
    odd = [(r.nominal or 0) - START for r in world.runs() if r.reason == "paused when it was due"]
    assert (len(world.calls), odd) == (20, [])


def test_a_resume_with_what_was_missed_before_the_arming_covers_nothing_twice() -> None:
    world = World()
    put(world, "cal", NEVER)
    world.put(
        schedule="*/10 * * * * * calendar=cal", overlap="parallel", trigger={"misfire_threshold": "30s"}
    )
    world.run_for(11)
    pauses.pause_job(world.engine_plain, "default", "job", who="t")
    world.run_for(54)  # 65
    put_and_die(world, "cal", daily("12:00", "12:01"))
    world.run_for(41)  # 106
    pauses.resume_job(world.engine_plain, "default", "job", who="t", missed="misfire")
    world.run_for(120)
    accounts: Counter[int] = Counter()
    for run in world.runs():
        if run.state != "succeeded":
            continue
        last = run.covers.last if run.covers else run.nominal
        accounts.update(at - START for at in range(run.nominal or 0, (last or 0) + 1, 10))
    assert {at: n for at, n in accounts.items() if n > 1} == {}


def test_a_change_starts_nothing_of_a_paused_job() -> None:
    world = World()
    put(world, "cal", NEVER)
    world.put(schedule="every 1m calendar=cal end=2027-01-15T20:00:00Z")
    put(world, "cal", daily("08:00", "20:01"))
    assert row(world).state == "complete"
    world.run_for(180)
    pauses.pause_job(world.engine_plain, "default", "job", who="t")
    put(world, "cal", NEVER)
    world.run_for(300)
    assert row(world).state != "waiting"
    assert [r.reason for r in world.runs() if r.reason == "paused"] == []


def test_what_is_excluded_before_the_arming_costs_no_count() -> None:
    world = World()
    put(world, "cal", NEVER)
    world.put(schedule="every 10s x20 calendar=cal", overlap="parallel")
    world.run_for(5)
    put_and_die(world, "cal", daily("08:00", "08:01"))
    world.run_for(1200)
    assert len(world.calls) == 20


def test_a_fixed_delay_does_not_come_early_when_its_history_is_gone() -> None:
    world = World()
    put(world, "cal", daily("00:00", "00:01"))
    world.put(schedule="every 2d delay calendar=cal", keep_history=1)
    world.run_for(2 * 86_400 + 60)
    assert len(world.starts()) == 1
    world.run_for(86_400 + 3_600)  # a day before its next
    put(world, "cal", daily("00:00", "00:02"), world.engine)
    world.run_for(60)
    assert len(world.starts()) == 1


def test_a_fixed_delay_does_not_come_early_after_a_skipped_misfire() -> None:
    world = World()
    put(world, "cal", daily("00:00", "00:01"))
    world.put(schedule="every 10m delay calendar=cal", trigger={"misfire": "skip"})
    world.run_for(610)
    world.ticking = False
    world.run_for(900)
    tick(world.engine_plain)  # 1200 is 5 minutes late: skipped; next 2110
    before = row(world).due_at
    put(world, "cal", daily("00:00", "00:02"))
    assert row(world).due_at == before


def test_an_excluded_fixed_delay_moves_to_the_first_free_instant() -> None:
    world = World()
    put(world, "cal", NEVER)
    world.put(schedule="every 1h delay calendar=cal")
    world.run_for(3600 - 50)
    put_and_die(world, "cal", daily("09:00", "09:10"))
    world.sweeping = True
    world.run_for(1200)
    assert world.starts() == [4200]


def test_an_exclusion_between_the_checks_of_a_start_holds() -> None:
    for call in ("store.acquire_slot", "store.begin_run"):
        for how in (put, put_and_die):
            world = World()
            put(world, "cal", NEVER)
            world.put(schedule="every 100s calendar=cal")
            world.interleave[call] = partial(how, world, "cal", daily("08:00", "08:10"))
            world.run_for(300)
            assert world.starts() == []
