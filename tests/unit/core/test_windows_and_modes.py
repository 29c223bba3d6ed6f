"""The four interval modes, windows at their exact bounds, `immediate` and `repeat_count`."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest

from duetime import parse_schedule, upcoming
from duetime.core.plan import Plan, plan
from duetime.core.schedule import freeze

NOW = 1_790_000_000
"""2026-09-21T14:13:20Z."""


def _plan(form: object, now: int = NOW) -> Plan:
    return plan(freeze(parse_schedule(form), now=now), anchor=now)


def _next(occurrences: Plan, after: int, count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        following = occurrences.next(found[-1] if found else after)
        if following is None:
            break
        found.append(following)
    return found


def test_fixed_rate_counts_from_creation_or_start() -> None:
    assert _next(_plan("every 10m"), NOW, 3) == [NOW + 600, NOW + 1_200, NOW + 1_800]
    assert _next(_plan("every 10m immediate"), NOW - 1, 3) == [NOW, NOW + 600, NOW + 1_200]
    started = _plan("every 1h start=2026-09-21T12:00:00Z")
    assert _next(started, NOW, 2) == [NOW + 2_800, NOW + 6_400]
    late = _plan("every 1h start=2026-09-21T15:00:00Z immediate")
    assert _next(late, NOW, 2) == [NOW + 2_800, NOW + 6_400]


def test_fixed_delay_counts_from_the_end_of_a_run() -> None:
    occurrences = _plan("every 10m delay")
    assert occurrences.next(NOW) == NOW + 600
    assert occurrences.after_finish(NOW + 777) == NOW + 1_377
    assert occurrences.after_finish(NOW - 5_000) == NOW + 600
    assert occurrences.previous(NOW + 10_000) is None
    assert occurrences.contains(NOW + 601)
    assert not occurrences.contains(NOW + 599)
    assert occurrences.count(NOW, NOW + 100_000) == 1
    assert occurrences.count(NOW, NOW + 599) == 0
    fenced = _plan("every 10m delay end=2026-09-21T15:00:00Z")
    assert fenced.after_finish(NOW + 2_200) == NOW + 2_800
    assert fenced.after_finish(NOW + 2_201) is None


def test_aligned_ignores_when_it_was_created() -> None:
    occurrences = _plan("every 5m aligned")
    assert _next(occurrences, NOW, 2) == [NOW + 100, NOW + 400]
    assert occurrences.previous(NOW) == NOW - 200
    assert _next(_plan("every 5m aligned immediate"), NOW - 1, 2) == [NOW, NOW + 100]


def test_whole_days_keep_the_local_time_of_their_creation() -> None:
    occurrences = _plan("every 1d calendar tz=Europe/Berlin", now=1_774_602_000)  # 2026-03-27T10:00 in Berlin
    found = _next(occurrences, 1_774_602_000, 4)
    assert [later - earlier for earlier, later in itertools.pairwise(found)] == [82_800, 86_400, 86_400]


def test_both_bounds_of_a_window_belong_to_it() -> None:
    hourly = _plan("0 * * * * start=2026-09-22T00:00:00Z end=2026-09-22T03:00:00Z")
    midnight = 1_790_035_200
    expected = [midnight + hour * 3_600 for hour in range(4)]
    assert _next(hourly, NOW, 9) == expected
    assert hourly.count(0, 4_000_000_000) == 4
    assert hourly.previous(4_000_000_000) == expected[-1]
    assert hourly.previous(expected[0]) is None
    assert [hourly.contains(one) for one in (midnight - 3_600, midnight, expected[-1], expected[-1] + 3_600)] == [
        False, True, True, False,
    ]  # fmt: skip
    single = _plan("0 * * * * start=2026-09-22T01:00:00Z end=2026-09-22T01:00:00Z")
    assert _next(single, NOW, 9) == [midnight + 3_600]
    rate = _plan("every 1h start=2026-09-22T00:00:00Z end=2026-09-22T02:00:00Z immediate")
    assert _next(rate, NOW, 9) == expected[:3]


def test_immediate_is_one_more_run_at_creation_or_at_the_start_of_the_window() -> None:
    cron = _plan("0 * * * * immediate")
    assert _next(cron, NOW - 1, 2) == [NOW, NOW + 2_800]
    assert cron.contains(NOW)
    assert cron.count(NOW, NOW + 2_800) == 2
    assert cron.previous(NOW + 1) == NOW
    ahead = _plan("0 0 * * * start=2026-09-22T10:30:00Z immediate")
    assert _next(ahead, NOW, 2) == [1_790_073_000, 1_790_121_600]
    exact = _plan("0 0 * * * start=2026-09-22T00:00:00Z immediate")
    assert exact.count(NOW, 1_790_035_200) == 1
    once = _plan("once in 10m immediate")
    assert _next(once, NOW - 1, 5) == [NOW, NOW + 600]


def test_a_once_is_one_instant_and_then_nothing() -> None:
    past = _plan("once 2020-01-01T00:00:00Z")
    assert past.next(NOW) is None
    assert past.contains(1_577_836_800)
    assert past.count(0, NOW) == 1


def test_previews_stop_at_repeat_count() -> None:
    after = datetime(2026, 1, 1, tzinfo=UTC)
    assert len(upcoming("every 10m x3", after=after, count=10)) == 3
    assert len(upcoming("every 10m", after=after, count=10)) == 10
    assert upcoming("every 10m", after=after, count=0) == []


def test_counting_is_arithmetic() -> None:
    month = 30 * 86_400
    assert _plan("every 1s").count(NOW, NOW + month) == month
    assert _plan("* * * * * *").count(NOW, NOW + month) == month + 1
    assert _plan("* * * * * * tz=America/New_York").count(NOW, NOW + 60 * 86_400) == 60 * 86_400 + 1 - 3_600
    assert _plan("* * * * *").count(NOW, NOW + month, 100) == 100
    assert _plan("0 0 29 2 *").count(-(10**10), 10**10) == 153


def test_equal_plans_are_made_once() -> None:
    schedule = freeze(parse_schedule("0 9 * * *"), now=NOW)
    assert plan(schedule, anchor=NOW) is plan(freeze(parse_schedule("0 9 * * *"), now=NOW), anchor=NOW)


@pytest.mark.parametrize("form", ["once in 10m", "once 2026-12-01T00:00:00"])
def test_an_unfrozen_once_has_no_plan(form: str) -> None:
    with pytest.raises(ValueError, match="Freeze the schedule first"):
        plan(parse_schedule(form), anchor=NOW)
