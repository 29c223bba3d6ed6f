"""Cron against the oracle: near clock changes of every zone, for every policy, forwards, backwards, asked and counted."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from duetime import Cron
from duetime.core.cron import check_cron, cron_grid
from duetime.core.crondays import ever_matches
from duetime.core.cronparse import parse_cron
from duetime.core.crontimes import Times
from duetime.core.plan import Plan, plan
from duetime.core.schedulekinds import CronSchedule
from duetime.core.zones import CYCLE
from tests.laws import oracle, strategies

DAY = 86_400


def _plan(cron: str, zone: str, gap: str, fold: str) -> Plan:
    if not _ever(cron):
        assume(False)
    return plan(CronSchedule(cron, zone, gap, fold), anchor=0)  # type: ignore[arg-type]  # drawn from the literals


def _ever(cron: str) -> bool:
    """Whether any date can match; the strategy draws some expressions of which none does."""
    return ever_matches(parse_cron(cron))


def _walk(occurrences: Plan, first: int, last: int) -> list[int]:
    """The occurrences from `first` to `last`, by asking for the next again and again."""
    found: list[int] = []
    instant = occurrences.next(first - 1)
    while instant is not None and instant <= last:
        assert not found or instant > found[-1]
        found.append(instant)
        instant = occurrences.next(instant)
    return found


def _agree(occurrences: Plan, expected: list[int], first: int, last: int) -> None:
    """All four questions have the same answer as the oracle's list."""
    assert _walk(occurrences, first, last) == expected
    assert occurrences.count(first, last) == len(expected)
    backwards, instant = [], occurrences.previous(last + 1)
    while instant is not None and instant >= first:
        backwards.append(instant)
        instant = occurrences.previous(instant)
    assert backwards[::-1] == expected
    some, held = expected[:: len(expected) // 300 + 1], set(expected)
    for probe in {*some, *(one + 1 for one in some), *(one + 60 for one in some), first, last}:
        if first <= probe <= last:
            assert occurrences.contains(probe) == (probe in held)


@given(st.data(), strategies.expressions(), strategies.zones, strategies.gaps, strategies.folds)
def test_minutes_agree_with_the_oracle_near_clock_changes(
    data: st.DataObject, cron: str, zone: str, gap: str, fold: str
) -> None:
    first = data.draw(strategies.near_changes(zone, DAY))
    last = first + DAY * 3 // 2
    occurrences = _plan(cron, zone, gap, fold)
    matches = oracle.Cron(cron).matches
    expected = oracle.occurrences(
        matches, zone, first, last, shift=gap == "shift", both=fold == "both", step=60
    )
    _agree(occurrences, list(expected), first, last)


@given(st.data(), strategies.expressions(seconds=True), strategies.zones, strategies.gaps, strategies.folds)
def test_seconds_agree_with_the_oracle_near_clock_changes(
    data: st.DataObject, cron: str, zone: str, gap: str, fold: str
) -> None:
    first = data.draw(strategies.near_changes(zone, 3_000))
    last = first + 6_000
    occurrences = _plan(cron, zone, gap, fold)
    matches = oracle.Cron(cron).matches
    expected = oracle.occurrences(
        matches, zone, first, last, shift=gap == "shift", both=fold == "both", step=1
    )
    _agree(occurrences, list(expected), first, last)


@given(strategies.day_field(), strategies.weekday_field(), st.integers(-10_000, 200_000))
def test_days_agree_with_the_oracle_in_any_year(day: str, weekday: str, start: int) -> None:
    cron = f"0 0 {day} * {weekday}"
    grid, asked = cron_grid(check_cron(cron)), oracle.Cron(cron)
    first = date(1970, 1, 1) + timedelta(days=start)
    expected = [start + n for n in range(800) if asked.on(first + timedelta(days=n))]
    found, wall = [], grid.after(start * DAY - 1)
    while wall is not None and wall < (start + 800) * DAY:
        found.append(wall // DAY)
        wall = grid.after(wall)
    assert found == expected
    assert grid.tally(start * DAY, (start + 800) * DAY) == len(expected)


@given(strategies.expressions(seconds=True), st.integers(0, 3 * DAY))
def test_times_of_day_are_counted_and_found_backwards_as_forwards(cron: str, wall: int) -> None:
    assume(_ever(cron))
    grid = cron_grid(cron)
    after = grid.after(wall)
    assert after is not None
    assert after > wall
    assert grid.upto(after) == after
    before = grid.upto(after - 1)
    assert before is None or before <= wall
    assert grid.tally(wall + 1, after) == 0
    assert grid.tally(wall + 1, after + 1) == 1


@given(
    strategies.expressions(), strategies.zones, strategies.gaps, strategies.folds, st.integers(0, CYCLE - 1)
)
def test_the_calendar_repeats_after_400_years(cron: str, zone: str, gap: str, fold: str, after: int) -> None:
    occurrences, start = _plan(cron, zone, gap, fold), 4_102_444_800 + after
    following, previous = occurrences.next(start), occurrences.previous(start)
    assert following is not None
    assert occurrences.next(start + CYCLE) == following + CYCLE
    if previous is not None and previous > 4_102_444_800:
        assert occurrences.previous(start + CYCLE) == previous + CYCLE


@given(strategies.expressions(), strategies.zones, strategies.instants)
def test_next_is_after_and_previous_of_next_goes_back(cron: str, zone: str, instant: int) -> None:
    occurrences = _plan(cron, zone, "shift", "both")
    following = occurrences.next(instant)
    if following is None:
        return
    assert following > instant
    assert occurrences.contains(following)
    assert occurrences.count(instant + 1, following) == 1
    previous = occurrences.previous(following)
    assert previous is None or previous <= instant
    assert previous is None or occurrences.next(previous) == following


@given(st.data(), strategies.zones, strategies.gaps, strategies.folds, st.integers(1, 400 * DAY))
def test_a_rare_occurrence_is_found_from_far_on_both_sides(
    data: st.DataObject, zone: str, gap: str, fold: str, away: int
) -> None:
    """One date a year at the time of a clock change, asked for from up to a year away."""
    change = data.draw(st.sampled_from(oracle.transitions(zone, 1970, 2038) or [1_000_000_000]))
    minutes = data.draw(st.integers(-90, 90))
    wall = oracle.local(change, zone).replace(tzinfo=None, fold=0) + timedelta(minutes=minutes)
    cron = f"{wall.minute} {wall.hour} {wall.day} {wall.month} *"
    first, last = change - 6 * 3_600, change + 6 * 3_600
    expected = list(
        oracle.occurrences(
            oracle.Cron(cron).matches, zone, first, last, shift=gap == "shift", both=fold == "both", step=60
        )
    )
    occurrences = _plan(cron, zone, gap, fold)
    assert _walk(occurrences, first, last) == expected
    if expected:
        others = _walk(occurrences, change - 380 * DAY, change + 800 * DAY)
        earlier = [one for one in others if one < expected[0]][-1:]
        later = [one for one in others if one > expected[-1]][:1]
        start, end = max([first - away, *earlier]), min([last + away, *later])
        assert occurrences.next(start) == expected[0]
        assert occurrences.previous(end) == expected[-1]
        assert occurrences.count(start + 1, end - 1) == len(expected)


@given(strategies.expressions(), strategies.zones, strategies.instants)
def test_skip_is_part_of_shift_and_first_is_part_of_both(cron: str, zone: str, instant: int) -> None:
    narrow, wide = _plan(cron, zone, "skip", "first"), _plan(cron, zone, "shift", "both")
    for occurrence in _walk(narrow, instant, instant + 2 * DAY)[:200]:
        assert wide.contains(occurrence)


_masks = st.tuples(st.integers(0, 59), st.integers(0, 59)).map(
    lambda ends: (2 << max(ends)) - (1 << min(ends))
)


@given(_masks, _masks, st.integers(1, 2**24 - 1), st.lists(st.integers(0, 86_399), max_size=30))
def test_times_of_day_are_the_product_of_their_fields(
    second: int, minute: int, hour: int, probes: list[int]
) -> None:
    times = Times(second, minute, hour)
    every = [t for t in range(86_400) if second >> t % 60 & minute >> t // 60 % 60 & hour >> t // 3_600 & 1]
    held = set(every)
    minutes = [time - time % 60 for time in every[:: len(every) // 7 + 1]]
    assert (times.first, times.last, times.total) == (every[0], every[-1], len(every))
    for probe in [*probes, *minutes, *(minute + 59 for minute in minutes)]:
        assert times.rank(probe) == bisect_left(every, probe)
        if probe < times.last:
            assert times.after(probe) == every[bisect_right(every, probe)]
        if probe >= times.first:
            assert times.upto(probe) == every[bisect_right(every, probe) - 1]
        assert times.matches(probe) == (probe in held)
        if probe in held:
            start, end = times.run(probe)
            assert start <= probe < end
            assert held.issuperset(range(start, end))


@given(strategies.expressions(seconds=True))
def test_reading_never_depends_on_case_or_spacing(cron: str) -> None:
    one, other = parse_cron(cron.upper()), parse_cron(cron.lower())
    assert [field.mask for field in one[1:7]] == [field.mask for field in other[1:7]]
    if _ever(cron):
        spaced = "  " + cron.replace(" ", " \t ") + " "
        assert Cron(spaced).next(datetime(2026, 1, 1, tzinfo=UTC)) == Cron(cron).next(
            datetime(2026, 1, 1, tzinfo=UTC)
        )


@pytest.mark.parametrize("zone", strategies.RESTLESS)
@pytest.mark.parametrize("fold", ["first", "both"])
@pytest.mark.parametrize("gap", ["skip", "shift"])
def test_common_shapes_agree_with_the_oracle_around_each_change(zone: str, gap: str, fold: str) -> None:
    """Around each change of 2024 and 2025, for expressions that land on both sides of it."""
    for change in oracle.transitions(zone, 2024, 2026):
        for cron in ("*/15 * * * *", "30 1,2 * * *", "0 0 * * *", "59 23 * * *", "7 0-3 * * SUN"):
            first, last = change - 3 * 3_600, change + 26 * 3_600
            expected = oracle.occurrences(
                oracle.Cron(cron).matches,
                zone,
                first,
                last,
                shift=gap == "shift",
                both=fold == "both",
                step=60,
            )
            _agree(_plan(cron, zone, gap, fold), list(expected), first, last)
