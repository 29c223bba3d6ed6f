"""Durations in every notation, exactly, and what is refused with what to write instead."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duetime import ScheduleError, parse_duration
from duetime.core.durations import duration_text


@pytest.mark.parametrize(
    "value, seconds",
    [
        ("30s", 30), ("1h30m", 5_400), ("1.5h", 5_400), ("1h 30m", 5_400), ("1d", 86_400), ("1w", 604_800), ("2000ms", 2),
        ("0.5m", 30), ("1h1h", 7_200), ("00:10:00", 600), ("36:00:00", 129_600), ("1.12:00:00", 129_600), (" 10m ", 600),
        (5000, 5), (5000.0, 5), ("PT10M", 600), ("PT1H30M", 5_400), ("P1D", 86_400), ("P1W", 604_800), ("P1DT12H", 129_600),
        ("PT0.5M", 30), ("PT90S", 90), ("500ms 500ms", 1), ("366d", 31_622_400),
    ],
)  # fmt: skip
def test_every_notation(value: str | float, seconds: int) -> None:
    assert parse_duration(value) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "value, problem",
    [
        ("30", "has no unit. Write 30s, 30m or 30h"),
        ("", "is empty"),
        ("1.5s", "is no whole number of seconds. Write 1s or 2s"),
        ("500ms", "is no whole number of seconds. The least is 1s"),
        (1500, "A bare number means milliseconds"),
        (1.5, "is no whole number of milliseconds"),
        ("0s", "is no time at all"),
        (0, "is no time at all"),
        (-5000, "is negative"),
        ("-5m", "is negative"),
        ("5M", "Write units in lower case: m"),
        ("5 minutes", "has a unit spelled out. Write 5m."),
        ("5Minutes", "Write 5m."),
        ("1 hour and 30 mins", "has a unit spelled out. Write 1h30m."),
        ("1 day, 2.5 hours", "Write 1d2.5h."),
        ("minute", "has a unit spelled out. Write 1m."),
        ("10m seconds", "has 'seconds' in it"),
        ("5 parsecs", "has the unknown unit 'parsecs'. Units are ms, s"),
        ("1 month", "has years or months. They vary in length"),
        ("2 yrs", "has years or months"),
        ("00:10", "is ambiguous. Write hours:minutes:seconds: 00:10:00 or 00:00:10"),
        ("00:60:00", "is out of range"),
        ("P1M", "has years or months"),
        ("P1Y", "has years or months"),
        ("PT1H30", "is no ISO 8601 duration"),
        ("1h" * 40, "is longer than 64 characters"),
        (float("nan"), "no number"),
        (float("inf"), "is too long"),
        (True, "is no duration"),
        (None, "is no duration"),
        ("\u0665m", "is no duration"),
    ],
)  # fmt: skip
def test_refusals_say_what_to_write(value: object, problem: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_duration(value, field="timeout")  # type: ignore[arg-type]  # wrong types are refused as well
    assert caught.value.field == "timeout"
    assert problem in str(caught.value)


def test_zero_is_taken_where_it_has_a_meaning() -> None:
    assert parse_duration("0s", zero=True) == timedelta(0)
    assert parse_duration(0, zero=True) == timedelta(0)


@pytest.mark.parametrize(
    "seconds, text",
    [(0, "0s"), (1, "1s"), (60, "1m"), (90, "1m30s"), (5_400, "1h30m"), (86_400, "1d"), (604_800, "7d")],
)
def test_the_short_form(seconds: int, text: str) -> None:
    assert duration_text(seconds) == text
