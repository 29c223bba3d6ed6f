"""Schedules under calendars, end to end: what is excluded does not run, and a change of a calendar arms its users anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from duetime.core.calendars import CompositeCalendar
from duetime.core.errors import ScheduleError
from duetime.core.faults import Conflict, DefinitionError, NotFound
from duetime.core.instants import instant_text
from duetime.engine import calendars, pauses, query
from tests.world import START, World

MINUTE = 60
FIRST_MINUTES = {"kind": "daily", "from": "08:00", "to": "08:10"}
"""The ten minutes from START on, which is 08:00 UTC."""
DAY = {"kind": "daily", "from": "08:00", "to": "20:00"}


def put(world: World, name: str, calendar: Any, **options: Any) -> calendars.PutCalendar:
    return calendars.put_calendar(world.engine, "default", name, calendar, who="test", **options)


def state(world: World, job: str = "job") -> str:
    return query.status(world.engine_plain, "default", job).triggers[0].state


@pytest.mark.parametrize(
    "schedule, expected",
    [
        ("* * * * *", [600, 660, 720]),
        ("every 3m", [720]),
        ("every 3m aligned", [720]),
        ("every 4m delay", [600]),
        ("once 2027-01-15T08:05:00Z", []),
        ("once 2027-01-15T08:10:00Z", [600]),
    ],
)
def test_an_excluded_occurrence_is_passed_over(schedule: str, expected: list[int]) -> None:
    world = World()
    put(world, "early", FIRST_MINUTES)
    world.put(schedule=f"{schedule} calendar=early")
    world.run_for(13 * MINUTE - 30)
    assert world.nominals() == expected
    assert set(world.states()) <= {"queued", "succeeded"}


def test_an_exclusion_holds_from_the_answer_on_also_for_what_was_sent_already() -> None:
    world = World()
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    world.put(schedule="every 10s calendar=rest", overlap="parallel")
    world.run_for(65)
    assert world.nominals() == [10, 20, 30, 40, 50, 60]
    put(world, "rest", FIRST_MINUTES)
    world.run_for(700)
    assert world.nominals()[6:8] == [600, 610]
    ended = [run for run in world.runs() if run.state == "superseded"]
    assert ended
    assert {run.reason for run in ended} == {"excluded by calendar rest"}
    assert {run.nominal is not None and START + 60 < run.nominal < START + 600 for run in ended} == {True}


@pytest.mark.parametrize("count", [3, 30])
def test_a_time_given_back_runs_and_a_count_stays_right(count: int) -> None:
    world = World()
    put(world, "early", FIRST_MINUTES)
    world.put(schedule=f"every 10s x{count} calendar=early", overlap="parallel")
    world.run_for(125)
    assert world.calls == []
    put(world, "early", {"kind": "weekly", "days": ["SUN"]})
    world.run_for(20 * MINUTE)
    assert world.nominals() == [130 + 10 * number for number in range(count)]
    assert state(world) == "complete"


def test_a_count_is_not_spent_twice_by_what_was_put_ahead_of_a_change() -> None:
    world = World()
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    world.put(schedule="every 10s x40 calendar=rest", overlap="parallel")
    world.run_for(65)
    for end in ("08:02", "08:03", "08:04"):
        put(world, "rest", {"kind": "daily", "from": "08:01:30", "to": end})
    world.run_for(20 * MINUTE)
    assert len(world.calls) == 40
    assert not [at for at in world.nominals() if 90 <= at < 240]


def test_a_change_during_a_pause_and_a_resume_with_what_was_missed() -> None:
    world = World()
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    world.put(schedule="every 1m calendar=rest")
    world.run_for(90)
    pauses.pause_job(world.engine, "default", "job", who="test")
    put(world, "rest", {"kind": "daily", "from": "08:02", "to": "08:05"})
    world.run_for(300)
    pauses.resume_job(world.engine, "default", "job", who="test", missed="misfire")
    world.run_for(100)
    runs = world.runs()
    caught_up = next(run for run in runs if run.covers is not None)
    assert caught_up.covers is not None
    assert (caught_up.covers.first - START, caught_up.covers.last - START, caught_up.covers.count) == (
        300,
        360,
        2,
    )
    assert world.nominals() == [60, 300, 420, 480]


def test_a_fixed_delay_waits_one_interval_at_most_when_its_time_is_given_back() -> None:
    world = World()
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    world.put(schedule="every 2m delay calendar=rest")
    world.run_for(130)
    put(world, "rest", DAY)
    world.run_for(600)
    assert world.starts() == [120]
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    world.run_for(260)
    assert world.starts() == [120, 850, 971]  # one interval after the change at 730, then after each end


def test_a_fixed_delay_that_was_sent_moves_to_the_first_free_instant() -> None:
    world = World()
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    world.put(schedule="every 70s delay calendar=rest")
    world.run_for(30)
    put(world, "rest", {"kind": "daily", "from": "08:01", "to": "08:02:30"})
    world.run_for(200)
    assert world.starts() == [150, 221]
    assert world.states()[0] == "superseded"


def test_a_once_whose_time_is_given_back_runs_and_one_whose_time_has_passed_does_not() -> None:
    world = World()
    put(world, "early", FIRST_MINUTES)
    world.put("first", schedule="once 2027-01-15T08:02:00Z calendar=early")
    result = world.put("second", schedule="once 2027-01-15T08:08:00Z calendar=early")
    assert "it never runs" in " ".join(result.warnings)
    assert state(world, "first") == state(world, "second") == "complete"
    world.run_for(4 * MINUTE)
    put(world, "early", {"kind": "weekly", "days": ["SUN"]})
    assert (state(world, "first"), state(world, "second")) == ("complete", "waiting")
    world.run_for(6 * MINUTE)
    assert (world.starts("first"), world.starts("second")) == ([], [480])
    put(world, "early", {"kind": "weekly", "days": ["MON"]})
    world.run_for(10 * MINUTE)
    assert world.starts("second") == [480]


def test_what_is_under_a_composite_follows_the_change_of_a_member() -> None:
    world = World()
    put(world, "early", FIRST_MINUTES)
    put(world, "sundays", {"kind": "weekly", "days": ["SUN"]})
    put(world, "both", {"kind": "composite", "calendars": ["early", "sundays"]})
    put(world, "more", {"kind": "composite", "calendars": ["both"]})
    world.put(schedule="every 1m calendar=more")
    world.run_for(65)
    assert world.calls == []
    put(world, "early", {"kind": "daily", "from": "08:00", "to": "08:03"})
    world.run_for(5 * MINUTE)
    assert world.nominals()[0] == 180
    assert world.memory.changed_calendars(limit=10) == ()


def test_a_trigger_that_its_calendar_ends_completes_and_comes_back_with_it() -> None:
    world = World()
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    world.put(schedule="every 1m calendar=rest end=2027-01-15T20:00:00Z")
    world.run_for(65)
    put(world, "rest", DAY)
    assert state(world) == "waiting"  # 20:00:00 itself is free, and both bounds belong to the window
    put(world, "rest", {"kind": "daily", "from": "08:00", "to": "20:01"})
    assert state(world) == "complete"
    put(world, "rest", {"kind": "daily", "from": "08:00", "to": "08:05"})
    assert state(world) == "waiting"
    world.run_for(5 * MINUTE)
    assert world.nominals() == [60, 300, 360]


def test_b_58_a_calendar_that_excludes_every_occurrence_is_refused_at_write() -> None:
    world = World()
    put(world, "mondays", {"kind": "weekly", "days": ["MON"]})
    with pytest.raises(ScheduleError) as caught:
        world.put(schedule="0 9 * * MON calendar=mondays")
    assert caught.value.field == "triggers[0].schedule.calendar"
    assert "excludes every occurrence" in str(caught.value)
    assert world.memory.get_job("default", "job") is None
    # A schedule that stands is put again, whatever its calendar has become.
    world.put(schedule="0 9 * * TUE calendar=mondays")
    put(world, "mondays", {"kind": "weekly", "days": ["TUE"]})
    assert state(world) == "complete"
    assert "excludes every occurrence" in " ".join(
        world.put(schedule="0 9 * * TUE calendar=mondays").warnings
    )


def test_an_unknown_calendar_is_refused_by_name() -> None:
    world = World()
    with pytest.raises(DefinitionError, match="is no calendar of this project") as caught:
        world.put(schedule="every 1m calendar=nope")
    assert (caught.value.code, caught.value.field) == ("NOT_FOUND_CALENDAR", "triggers[0].schedule.calendar")
    with pytest.raises(DefinitionError, match="nope") as caught:
        put(world, "both", {"kind": "composite", "calendars": ["nope"]})
    assert (caught.value.code, caught.value.field) == ("NOT_FOUND_CALENDAR", "calendars")


def test_a_calendar_in_use_cannot_be_deleted_and_says_who_uses_it() -> None:
    world = World()
    put(world, "early", FIRST_MINUTES)
    put(world, "both", {"kind": "composite", "calendars": ["early"]})
    world.put("report", schedule="every 1m calendar=early")
    with pytest.raises(Conflict, match="calendar both, job report") as caught:
        calendars.delete_calendar(world.engine, "default", "early", who="test")
    assert caught.value.code == "CONFLICT_IN_USE"
    calendars.delete_calendar(world.engine, "default", "both", who="test")
    world.put("report", schedule="every 1m")
    calendars.delete_calendar(world.engine, "default", "early", who="test")
    with pytest.raises(NotFound, match="does not exist"):
        calendars.get_calendar(world.engine, "default", "early")


def test_a_job_that_joins_while_its_calendar_is_deleted_keeps_it() -> None:
    world = World()
    put(world, "early", FIRST_MINUTES)
    world.interleave["store.change_calendar"] = lambda: World.put(
        world, "late", schedule="every 1m calendar=early"
    )
    with pytest.raises(Conflict, match="job late"):
        calendars.delete_calendar(world.engine, "default", "early", who="test")
    world.run_for(11 * MINUTE)
    assert world.starts("late")[0] == 600


def test_a_calendar_deleted_while_a_job_joins_is_missed_by_the_job() -> None:
    world = World()
    put(world, "early", FIRST_MINUTES)
    world.interleave["store.change_job"] = lambda: calendars.delete_calendar(
        world.engine_plain, "default", "early", who="test"
    )
    with pytest.raises(DefinitionError, match="is no calendar of this project"):
        world.put(schedule="every 1m calendar=early")


def test_a_calendar_changed_while_a_job_is_put_under_it_is_not_missed() -> None:
    world = World()
    put(world, "early", DAY)

    def change() -> None:
        calendars.put_calendar(world.engine_plain, "default", "early", FIRST_MINUTES, who="test")

    world.interleave["store.change_job"] = change
    world.put(schedule="every 1m calendar=early")
    world.run_for(11 * MINUTE)
    assert world.nominals()[0] == 600


def test_b_60_a_calendar_that_contains_itself_is_refused_at_write() -> None:
    world = World()
    put(world, "a", FIRST_MINUTES)
    put(world, "b", {"kind": "composite", "calendars": ["a"]})
    for members in (["a"], ["b"], ["b", "a"]):
        with pytest.raises(ScheduleError, match="contains itself"):
            put(world, "a", {"kind": "composite", "calendars": members})
    assert calendars.get_calendar(world.engine, "default", "a").version == 1


def test_a_member_cannot_push_what_is_above_it_over_its_bounds() -> None:
    world = World()
    names = [f"c{number}" for number in range(31)]
    for name in names:
        put(world, name, FIRST_MINUTES)
    put(world, "many", {"kind": "composite", "calendars": names})
    put(world, "top", {"kind": "composite", "calendars": ["many", "c0"]})
    with pytest.raises(ScheduleError, match=r"is a member of (many|top)") as caught:
        put(world, "c0", {"kind": "composite", "calendars": ["c1", "c2"]})
    assert caught.value.field == "calendars"


def test_putting_the_same_calendar_again_changes_nothing() -> None:
    world = World()
    first = put(world, "early", FIRST_MINUTES).stored
    assert put(world, "early", FIRST_MINUTES).stored == first
    described = put(world, "early", FIRST_MINUTES, description="the quiet hour").stored
    assert (described.version, described.changed_at) == (1, None)
    assert put(world, "early", DAY, dry_run=True).stored.version == 2
    assert calendars.get_calendar(world.engine, "default", "early") == described
    with pytest.raises(Conflict, match="exists already"):
        put(world, "early", DAY, must_exist=False)


def test_a_holiday_calendar_that_is_over_says_so() -> None:
    world = World()
    old = put(world, "old", {"kind": "holiday", "dates": ["2026-12-25"]})
    assert "last date has passed" in old.warnings[0]
    assert put(world, "new", {"kind": "holiday", "dates": ["2027-12-25"]}).warnings == ()


def test_a_zone_that_no_longer_resolves_stops_its_own_trigger_and_no_other() -> None:
    world = World()
    world.put(
        triggers=[
            {"name": "good", "schedule": "every 1m"},
            {"name": "gone", "schedule": "* * * * * tz=Asia/Singapore"},
        ],
        overlap="parallel",
    )
    world.put("other", schedule="every 1m")
    for key, stored in list(world.memory._jobs.items()):
        triggers = tuple(_in_nowhere(one) for one in stored.job.triggers)
        world.memory._jobs[key] = replace(stored, job=replace(stored.job, triggers=triggers))
    rows = world.memory._triggers["default", "job"]
    rows["gone"] = _in_nowhere(rows["gone"])
    world.run_for(10 * MINUTE + 1)
    good = [run.nominal for run in world.runs() if run.trigger == "good" and run.state == "succeeded"]
    assert good == [START + MINUTE * number for number in range(1, 11)]
    assert len(world.starts("other")) == 10
    status = {row.name: row for row in query.status(world.engine, "default", "job").triggers}
    assert (status["good"].state, status["gone"].state) == ("waiting", "error")
    assert "Nowhere/City" in (status["gone"].error or "")
    ahead = {run.reason for run in world.runs() if run.trigger == "gone" and run.state == "superseded"}
    assert ahead == {"its schedule cannot be decided: timezone is no IANA time zone name"}
    pauses.pause_job(world.engine, "default", "job", who="test")
    pauses.resume_job(world.engine, "default", "job", who="test")
    status = {row.name: row for row in query.status(world.engine, "default", "job").triggers}
    assert (status["good"].state, status["gone"].state) == ("waiting", "error")
    world.put(triggers=[{"name": "good", "schedule": "every 1m"}, {"name": "gone", "schedule": "* * * * *"}])
    assert state(world) == "waiting"
    assert {row.state for row in query.status(world.engine, "default", "job").triggers} == {"waiting"}


def _in_nowhere(one: Any) -> Any:
    if one.name != "gone":
        return one
    return replace(one, schedule=replace(one.schedule, timezone="Nowhere/City"))


def test_a_calendar_that_cannot_be_decided_stops_what_is_under_it_and_no_other() -> None:
    world = World()
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    world.put(schedule="every 1m calendar=rest")
    world.put("other", schedule="every 1m")
    stored = world.memory._calendars["default", "rest"]
    world.memory._calendars["default", "rest"] = replace(stored, calendar=CompositeCalendar(("gone",)))
    world.run_for(5 * MINUTE + 1)
    assert len(world.starts("other")) == 5
    assert state(world) == "error"
    assert "gone" in (query.status(world.engine, "default", "job").triggers[0].error or "")
    put(world, "rest", {"kind": "weekly", "days": ["SUN"]})
    pauses.pause_job(world.engine, "default", "job", who="test")
    pauses.resume_job(world.engine, "default", "job", who="test")
    world.run_for(2 * MINUTE)
    assert state(world) == "waiting"
    assert world.calls[-1].nominal is not None


def test_b_62_after_a_gap_the_calendar_is_asked_about_the_real_instant() -> None:
    world = World()
    put(world, "early", {"kind": "daily", "from": "03:00", "to": "04:00", "timezone": "Europe/Berlin"})
    result = world.put(
        schedule="30 2 * * * tz=Europe/Berlin gap=shift calendar=early start=2027-03-27T12:00:00Z"
    )
    due = result.triggers[0].due_at
    assert due is not None
    assert instant_text(due) == "2027-03-29T00:30:00Z"  # 03:00 on the 28th, where the gap ends, is excluded
