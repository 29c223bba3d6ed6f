"""Anything at all may be thrown at the public functions: they answer or raise ScheduleError, quickly and on one line."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetime import Cron, ScheduleError, describe, parse_duration, parse_schedule, upcoming
from duetime.core.calendars import parse_calendar
from duetime.core.preview import preview
from duetime.core.schedule import freeze, schedule_text
from duetime.core.zones import check_zone
from tests.cpu import cpu_seconds
from tests.laws import strategies

NOW = datetime(2026, 3, 1, tzinfo=UTC)
BUDGET = 0.05
"""Seconds of CPU any input may cost."""

_PIECES = [
    "*", "?", "/", "-", ",", "L", "W", "#", "LW", "L-", " ", "\t", "0", "1", "5", "31", "59", "60", "99", "MON", "fri", "JAN",
    "@", "@daily", "every", "once", "cron", "in", "tz=", "start=", "end=", "calendar=", "x", "x5", "delay", "aligned",
    "calendar", "immediate", "Europe/Berlin", "10m", "1h", "PT", "P1D", "T", "Z", "2026-03-29", "02:30:00", ":", ".", "=",
    "\n", "\0", "\u0663", "\uff0a", "1.5", "-1", "1e5", "ms", "99999999999999999999", "+08:00", "gap=shift", "fold=both",
]  # fmt: skip
scraps = st.lists(st.sampled_from(_PIECES), max_size=24).map("".join)
spaced = st.lists(st.sampled_from(_PIECES), max_size=12).map(" ".join)
texts = st.one_of(scraps, spaced, st.text(max_size=300), strategies.expressions(seconds=True))
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts, st.binary(max_size=8))
keys = st.one_of(
    st.sampled_from(
        ["kind", "cron", "every", "every_secs", "at", "in", "mode", "timezone", "dst_gap", "dst_fold", "start_at", "end_at",
         "calendar", "immediate", "repeat_count", "dates", "days", "from", "to", "calendars"]
    ),
    st.text(max_size=12),
)  # fmt: skip
values = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=6))
)
documents = st.one_of(
    values,
    st.dictionaries(
        keys,
        st.one_of(values, st.sampled_from(["cron", "interval", "once", "UTC", "shift", "both", "daily"])),
    ),
)


def _whole_way(value: Any) -> None:
    """Read a schedule and do all that can be done with it."""
    schedule = parse_schedule(value)
    assert parse_schedule(schedule_text(schedule)) == schedule
    describe(schedule)
    describe(schedule, "zh")
    freeze(schedule, now=1_800_000_000)
    upcoming(schedule, after=NOW)
    preview(schedule, after=1_800_000_000)


CALLS: list[Callable[[Any], object]] = [
    _whole_way,
    parse_duration,
    parse_calendar,
    check_zone,
    lambda value: Cron(value).next(NOW),
    lambda value: Cron("0 0 * * *", value).next(NOW),
    lambda value: upcoming("@daily", after=value),
    lambda value: upcoming("@daily", after=NOW, count=value),
    lambda value: upcoming("0 0 * * * calendar=c", after=NOW, calendars={"c": value}),
    lambda value: preview("@daily", after=1_800_000_000, count=value),
    lambda value: describe("@daily", value),
]


def _cost(call: Callable[[Any], object], value: Any) -> float:
    """The CPU seconds of a call that answers or refuses properly."""

    def answered() -> None:
        try:
            call(value)
        except ScheduleError as error:
            _check(error)

    return cpu_seconds(answered, enough=BUDGET, tries=3)


def _check(error: ScheduleError) -> None:
    """A refusal names field, value and remedy on one printable line."""
    assert error.code == "VALIDATION_SCHEDULE"
    assert error.field
    assert error.hint
    assert len(error.value) <= 81
    assert str(error).isprintable()


MONSTERS = [10**5_000, -(10**5_000), [10**5_000], {10**5_000: 1}, object(), b"\xff" * 10**6, "9" * 10**6]


@pytest.mark.parametrize("value", MONSTERS, ids=range(len(MONSTERS)))
@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_monsters_are_refused(call: Callable[[Any], object], value: Any) -> None:
    assert _cost(call, value) < BUDGET


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
@settings(max_examples=settings().max_examples // 2)
@given(value=documents)
def test_anything_is_answered_or_refused(call: Callable[[Any], object], value: Any) -> None:
    assert _cost(call, value) < BUDGET


@given(value=texts)
def test_any_text_is_answered_or_refused(value: str) -> None:
    for call in CALLS[:6]:
        assert _cost(call, value) < BUDGET
