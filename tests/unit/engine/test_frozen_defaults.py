"""The defaults of a deployment are frozen into what is written, and an author is told what a preview would have told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from duetime.core.errors import ScheduleError
from duetime.core.instants import instant_text
from duetime.core.preview import preview
from duetime.core.schedule import CronSchedule, IntervalSchedule, OnceSchedule, Schedule
from duetime.settings import Settings
from tests.world import START, World

DEFAULTS: dict[str, Any] = {
    "default_zone": "Europe/Berlin", "default_dst_gap": "shift", "default_dst_fold": "both",
}  # fmt: skip
LOCAL = "2027-03-28T02:30:00"
"""A local time that does not exist in Berlin."""
TOLD = f"{LOCAL} does not exist in Europe/Berlin: it runs at the end of the gap, 2027-03-28T01:00:00Z."


def stored(world: World) -> Schedule:
    """Return the schedule of the job as it is stored."""
    found = world.memory.get_job("default", "job")
    assert found is not None
    (trigger,) = found.job.triggers
    assert world.memory.get_triggers("default", "job")[0].schedule == trigger.schedule
    return trigger.schedule


@pytest.mark.parametrize("form", ["30 2 * * *", "every 1d calendar"])
def test_zone_and_policies_are_those_of_the_deployment(form: str) -> None:
    world = World(**DEFAULTS)
    world.put(schedule=form)
    found = stored(world)
    assert isinstance(found, (CronSchedule, IntervalSchedule))
    assert (found.timezone, found.dst_gap, found.dst_fold) == ("Europe/Berlin", "shift", "both")
    plain = World()
    plain.put(schedule=form)
    found = stored(plain)
    assert isinstance(found, (CronSchedule, IntervalSchedule))
    assert (found.timezone, found.dst_gap, found.dst_fold) == ("UTC", "skip", "first")


def test_what_is_written_comes_before_the_defaults() -> None:
    world = World(**DEFAULTS)
    world.put(schedule="30 2 * * * tz=Europe/London gap=skip fold=first")
    found = stored(world)
    assert isinstance(found, CronSchedule)
    assert (found.timezone, found.dst_gap, found.dst_fold) == ("Europe/London", "skip", "first")


def test_a_local_once_is_read_on_the_clock_of_the_deployment() -> None:
    world = World(**DEFAULTS)
    assert world.put(schedule={"at": LOCAL}).warnings == (TOLD,)
    found = stored(world)
    assert isinstance(found, OnceSchedule)
    assert found.at is not None
    assert (instant_text(found.at), found.timezone) == ("2027-03-28T01:00:00Z", "Europe/Berlin")
    with pytest.raises(ScheduleError, match="does not exist in Europe/Berlin") as caught:
        World(default_zone="Europe/Berlin").put(schedule={"at": LOCAL})
    assert caught.value.field == "triggers[0].schedule.at"


@pytest.mark.parametrize("form", ["30 2 * * *", "every 1d calendar", {"at": LOCAL}])
def test_the_same_schedule_put_again_stays_armed_and_another_default_arms_it_anew(form: Any) -> None:
    world = World(**DEFAULTS)
    told = world.put(schedule=form).warnings
    (before,) = world.memory.get_triggers("default", "job")
    world.run_for(90)
    assert world.put(schedule=form).warnings == told
    (again,) = world.memory.get_triggers("default", "job")
    assert (again.generation, again.anchor, again.due_at) == (before.generation, START, before.due_at)
    settings = {**DEFAULTS, "default_zone": "America/New_York"}
    world.engine = replace(world.engine, settings=Settings(claim_threads=1, shards=1, **settings))
    world.put(schedule=form)
    (other,) = world.memory.get_triggers("default", "job")
    assert other.generation != before.generation
    assert other.due_at != before.due_at


@pytest.mark.parametrize(
    "form, some",
    [
        ({"at": LOCAL, "timezone": "Europe/Berlin", "dst_gap": "shift"}, True),
        ("every 10m delay", True),
        ("every 10m delay x1", False),
        ("30 2 * * * tz=Europe/Berlin", True),
        ("0 0 9 * * 2-6", True),
        ("once 2027-10-31T02:30:00 tz=Europe/Berlin", True),
        ("once 2027-01-01T00:00:00Z", True),
        ("once in 10m", False),
        ("every 10m", False),
        ("every 10m x1 immediate", False),
    ],
)
def test_a_creation_tells_what_a_preview_tells(form: Any, some: bool) -> None:
    result = World().put(schedule=form)
    assert result.warnings == preview(form, after=START).warnings
    assert bool(result.warnings) is some


def test_a_window_that_has_ended_meanwhile_is_no_refusal_of_what_stands() -> None:
    world = World()
    form = "every 1m end=2027-01-15T08:02:00Z"
    world.put(schedule=form)
    world.run_for(200)
    assert world.put(schedule=form).warnings == ("Nothing comes due after 2027-01-15T08:03:20Z.",)
    assert preview(form, after=START + 200).warnings == (
        "Nothing comes due after 2027-01-15T08:03:20Z.",
        "Creation refuses it: end_at: '2027-01-15T08:02:00Z' is not in the future.",
    )


def test_upcoming_instants_are_the_runs_of_the_engine() -> None:
    for form in (
        "every 1m x1 immediate",
        "every 1m x3 immediate",
        "every 1m x3",
        "every 7m aligned x3 immediate",
    ):
        world = World()
        world.put(schedule=form)
        world.run_for(1800)
        told = [one - START for one in preview(form, after=START, count=20).upcoming]
        assert [one for one in world.nominals() if one > 0] == told
