"""Changes of a calendar meet crashes: what it excludes does not run, what it gives back does, each under one account.

The scenario is run once to count its port calls, then once for each call and kind of fault. The checker knows which
instants are due under the calendar as it was at the time, and what the handlers and the history say.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest

from duetime.core.calendars import Calendar, parse_calendar
from duetime.engine import calendars, query
from tests.world import START, World

CHANGES = (
    (50, "08:01:00", "08:01:40"),
    (110, "08:02:40", "08:03:40"),
    (165, "08:05:00", "08:06:00"),
    (170, "08:05:20", "08:05:40"),
)
"""Seconds after START, which is 08:00:00, and what is excluded from then on, to before the second time."""
STEP, END = 20, 360
EXCLUDED = {20, 60, 80, 160, 320}
"""20 is excluded at first, then 60 and 80, then 160; from 165 on 300 to 340, of which 300 and 340 are given back."""
NEAR = {180, 200}
"""Given back at 165, when the look-ahead may or may not have passed them: they run or do not."""
LATE = {60, 80, 160}
"""Excluded at their time and free later: one whose start a crash has put off may then start."""
DUE = set(range(STEP, END + 1, STEP)) - EXCLUDED - NEAR


def _excluding(first: str, last: str) -> Calendar:
    return parse_calendar({"kind": "daily", "from": first, "to": last})


def _put(world: World, engine: Any, calendar: Calendar) -> None:
    calendars.put_calendar(engine, "default", "member", calendar, who="test")


def _scenario(world: World) -> None:
    """Change a member of the composite that a job is under, four times; a client repeats what was not answered."""
    _put(world, world.engine_plain, _excluding("08:00:00", "08:00:30"))
    both = {"kind": "composite", "calendars": ["member"]}
    calendars.put_calendar(world.engine_plain, "default", "both", both, who="test")
    world.put(
        schedule="every 20s x40 calendar=both end=2027-01-15T08:06:05Z", overlap="parallel", timeout="30s"
    )
    passed = 0
    for at, first, last in CHANGES:
        world.run_for(at - passed)
        passed, wanted = at, _excluding(first, last)
        world.guarded(partial(_put, world, world.engine, wanted))
        if calendars.get_calendar(world.engine_plain, "default", "member").calendar != wanted:
            _put(world, world.engine_plain, wanted)
    world.run_for(END + 10 - passed)


def _calls() -> int:
    world = World()
    _scenario(world)
    return world.calls_made


def test_without_a_crash_exactly_what_was_due_runs() -> None:
    world = World()
    _scenario(world)
    _check(world, crashed=False)


@pytest.mark.parametrize("kind", ["before", "after", "away"])
def test_every_crash_point_of_a_calendar_change_is_mended(kind: str) -> None:
    total = _calls()
    assert total > 80
    for number in range(1, total + 1):
        world = World()
        world.fault_at(number, kind)
        try:
            _scenario(world)
        except BaseException as error:
            if type(error).__name__ not in ("Crash", "Unavailable"):
                raise
            continue
        world.fault_at(0, "none")
        world.run_for(1500)
        try:
            _check(world, crashed=True)
        except AssertionError as error:
            raise AssertionError(f"{kind} call {number} ({world.trace[number - 1]}): {error}") from error


def _check(world: World, *, crashed: bool) -> None:
    started = Counter(one.nominal - START for one in world.calls if one.nominal is not None)
    assert {at: count for at, count in started.items() if count > 1} == {}, "started twice"
    accounts = Counter(
        run.nominal - START
        for run in world.runs()
        if run.nominal is not None and not (run.reason or "").startswith("excluded")
    )
    assert {at for at, count in accounts.items() if count > 1} == set(), "accounted for twice"
    assert set(accounts) - NEAR - (LATE if crashed else set()) == DUE, (
        "not exactly what was due has an account"
    )
    lost = {run.nominal - START for run in world.runs() if run.nominal is not None and run.state == "lost"}
    assert set(started) | lost == set(accounts), "not exactly what has an account was started"
    assert len(lost) <= 1, "one crash loses one run at most"
    assert world.memory.changed_calendars(limit=10) == (), "the mark stands"
    row = query.status(world.engine_plain, "default", "job").triggers[0]
    assert row.state == "complete"
    assert row.remaining is not None
    assert row.remaining <= 40 - len(accounts), "the count has grown"
