"""Before 1970 and long after the tables end: clocks go on by their rules, leap days by the calendar, both to the letter.

1900 to 1969 and 2037 to 2500 are taken in samples, with every seam of the tables (2100, and each 400 years) among them.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from duetime import Cron
from duetime.core.cron import cron_grid
from duetime.core.crondays import ever_matches
from duetime.core.cronparse import parse_cron
from duetime.core.plan import plan
from duetime.core.schedulekinds import CronSchedule
from duetime.core.zones import CYCLE, NEAR_END, offset_at, zone, zone_names
from tests.laws import oracle, strategies
from tests.laws.around import POLICIES, Around, agree

DAY = 86_400
ODD = sorted({
    *strategies.RESTLESS, "Africa/El_Aaiun", "Africa/Monrovia", "America/Nuuk", "America/Scoresbysund", "America/Sao_Paulo",
    "Asia/Hebron", "Asia/Kathmandu", "Europe/London", "Pacific/Easter", "Pacific/Kwajalein", "Pacific/Norfolk",
})  # fmt: skip
"""Zones with changes of their own: rules into 2087, days that are missing, offsets that are no whole minutes or hours."""
YEARS = [
    *range(1900, 1970, 9),
    *range(2037, 2048),
    *range(2083, 2103),
    *range(2110, 2500, 31),
    2399,
    2400,
    2499,
    2500,
]


@pytest.mark.parametrize("name", ODD)
def test_changes_of_other_times_agree_with_the_oracle(name: str) -> None:
    turn = len(name)
    for year in YEARS:
        for change in oracle.transitions(name, year, year + 1):
            turn += 1
            around = Around(change, name)
            assert offset_at(zone(name), change - 1) == around.before
            assert offset_at(zone(name), change) == around.after
            cron = around.cron(turn)
            expected = around.expected(oracle.Cron(cron).matches)
            for gap, fold in POLICIES:
                occurrences = plan(CronSchedule(cron, name, gap, fold), anchor=0)
                agree(occurrences, expected[gap, fold], around.first, around.last)


def test_every_clock_goes_on_beyond_its_table() -> None:
    """At the seams and in the cycles after them, each zone of the package shows what Python's own reading shows."""
    end_of_python = 250_000_000_000
    seams = [NEAR_END, *range(NEAR_END + CYCLE, end_of_python, CYCLE)]
    for name in zone_names():
        clock, other = zone(name), oracle.zone_of(name)
        probes = [seam + step for seam in seams for step in (-40_000, -1, 0, 40_000, 100 * DAY, 250 * DAY)]
        for instant in (*probes, *range(-5_000_000_000, 0, 700_000_001)):
            expected = (oracle.EPOCH + timedelta(seconds=instant)).astimezone(other).utcoffset()
            assert expected is not None
            assert offset_at(clock, instant) == expected.total_seconds(), (name, instant)


@pytest.mark.parametrize("name", ["America/New_York", "Pacific/Auckland", "America/Nuuk", "UTC"])
@pytest.mark.parametrize("cron", ["*/30 * * * *", "30 2 * * SUN", "0 0 1 1 *"])
def test_the_seams_of_the_tables_lose_and_double_nothing(name: str, cron: str) -> None:
    seams = [NEAR_END + turn * CYCLE for turn in range(3)]
    for first in [seam - 30 * 3_600 for seam in seams]:
        last, matches = first + 60 * 3_600, oracle.Cron(cron).matches
        expected = [one for one in range(first, last, 1_800) if matches(oracle.local(one, name))]
        agree(plan(CronSchedule(cron, name, "skip", "first"), anchor=0), expected, first, last - 1)


def test_leap_days_are_those_of_the_calendar() -> None:
    leap_days = [
        date(year, 2, 29) for year in range(1600, 2801) if year % 4 == 0 and (year % 100 or year % 400 == 0)
    ]
    schedule, found = Cron("0 0 29 2 *"), datetime(1599, 1, 1, tzinfo=UTC)
    for day in leap_days:
        following = schedule.next(found)
        assert following is not None
        assert following.date() == day
        found = following
    backwards = plan(CronSchedule("0 0 29 2 *", "UTC", "skip", "first"), anchor=0)
    for earlier, later in pairwise(leap_days):
        first, second = ((one - date(1970, 1, 1)).days * DAY for one in (earlier, later))
        assert backwards.previous(second) == first
        assert backwards.previous(first + 1) == first
        assert backwards.count(first, second) == 2


@pytest.mark.parametrize("day", ["L", "L-28", "LW", "29W", "28W", "1W", "*/7"])
@pytest.mark.parametrize("weekday", ["*", "SUN", "MONL", "3#5"])
def test_februaries_of_any_century_agree_with_the_oracle(day: str, weekday: str) -> None:
    grid, asked = cron_grid(f"0 0 {day} 2 {weekday}"), oracle.Cron(f"0 0 {day} 2 {weekday}")
    for year in [
        *range(1896, 1906),
        *range(1996, 2005),
        *range(2096, 2106),
        *range(2196, 2206),
        *range(2396, 2405),
    ]:
        start, end = (date(year, month, 1) for month in (1, 4))
        days = [start + timedelta(days=number) for number in range((end - start).days)]
        expected = [(one - date(1970, 1, 1)).days for one in days if asked.on(one)]
        first, last = ((one - date(1970, 1, 1)).days * DAY for one in (start, end))
        found, wall = [], grid.after(first - 1)
        while wall is not None and wall < last:
            found.append(wall // DAY)
            wall = grid.after(wall)
        assert found == expected, year
        assert grid.tally(first, last) == len(expected)
        backwards, wall = [], grid.upto(last - 1)
        while wall is not None and wall >= first:
            backwards.append(wall // DAY)
            wall = grid.upto(wall - 1)
        assert backwards[::-1] == expected, year


@given(
    strategies.expressions(), st.sampled_from(ODD), strategies.gaps, strategies.folds,
    st.integers(-2 * CYCLE, CYCLE), st.integers(0, 3 * CYCLE), st.integers(0, 3 * CYCLE),
)  # fmt: skip
def test_counts_of_centuries_add_up(
    cron: str, zone_name: str, gap: Any, fold: Any, start: int, one: int, two: int
) -> None:
    assume(ever_matches(parse_cron(cron)))
    occurrences = plan(CronSchedule(cron, zone_name, gap, fold), anchor=0)
    first, middle = NEAR_END + start, NEAR_END + start + min(one, two)
    last = occurrences.next(
        NEAR_END + start + max(one, two)
    )  # the bound is an occurrence, and both bounds count
    assert last is not None
    assert occurrences.count(first, last) == occurrences.count(first, middle) + occurrences.count(
        middle + 1, last
    )
    assert occurrences.count(first, last) == occurrences.count(first, last - 1) + 1
    assert occurrences.count(last, last) == 1
    assert occurrences.count(last, last + 2 * CYCLE) == occurrences.count(last + 1, last + 2 * CYCLE) + 1
