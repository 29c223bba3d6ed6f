"""What the core may cost: 50 ms of CPU for any input, a light import, and no reading of anything but the zone data."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from benchmarks.imports import MOST_MS, import_ms
from duetime.core.jitter import jittered
from duetime.core.plan import Plan, plan
from duetime.core.preview import preview
from duetime.core.schedule import parse_schedule, settle
from tests.cpu import cpu_seconds, slowness

NOW = 1_790_000_000
BUDGET = 0.05
"""Seconds of CPU."""
COMPOSITE: dict[str, Any] = {"c": {"kind": "composite", "calendars": [f"m{n}" for n in range(30)]}}
COMPOSITE |= {f"m{n}": {"kind": "cron", "cron": f"{n * 2} * * * *"} for n in range(30)}


def _cpu(work: Any) -> float:
    return cpu_seconds(work, enough=BUDGET)


@pytest.mark.parametrize(
    "form, calendars",
    [
        ("0 0 29 2 *", {}),
        ("0 30 2 ? 3 SUN#2 tz=America/New_York", {}),
        ("0 0 0 29 2 ? 2096 tz=Europe/Berlin", {}),
        ("* * * * * * tz=Antarctica/Troll fold=both gap=shift", {}),
        ("every 1s", {}),
        ("* * * * * calendar=c", {"c": {"kind": "cron", "cron": "* * * * *"}}),
        ("0/2 * * * * * calendar=c", {"c": {"kind": "cron", "cron": "*/2 * * * * *"}}),
        ("* * * * * * calendar=c", {"c": {"kind": "cron", "cron": "*/2 * * * * *"}}),
        (
            "every 1s delay calendar=c",
            {"c": {"kind": "weekly", "days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]}},
        ),
        (
            "every 7d start=2026-01-05T09:00:00Z calendar=c",
            {"c": {"kind": "weekly", "days": ["MON"], "timezone": "Asia/Tokyo"}},
        ),
        ("*/2 * * * * calendar=c", COMPOSITE),
    ],
)
def test_no_question_costs_more_than_its_budget(form: str, calendars: dict[str, Any]) -> None:
    occurrences = plan(settle(parse_schedule(form), now=NOW), anchor=NOW, calendars=calendars)
    for instant in (NOW, 10**10, -(10**10), 4_102_444_799):
        assert _cpu(lambda instant=instant: occurrences.next(instant)) < BUDGET
        assert _cpu(lambda instant=instant: occurrences.previous(instant)) < BUDGET
        assert _cpu(lambda instant=instant: occurrences.contains(instant)) < BUDGET
    assert _cpu(lambda: occurrences.count(NOW, NOW + 30 * 86_400)) < BUDGET
    assert _cpu(lambda: preview("0 0 29 2 * tz=Europe/Berlin", after=NOW, count=20)) < BUDGET


YEAR = 365 * 86_400
RESTLESS = (
    "America/New_York",
    "Europe/Berlin",
    "Africa/Casablanca",
    "Antarctica/Troll",
    "Australia/Lord_Howe",
    "Europe/Dublin",
    "America/Sao_Paulo",
    "Asia/Gaza",
    "America/Nuuk",
    "Africa/El_Aaiun",
    "Asia/Tehran",
    "America/Scoresbysund",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "Europe/London",
    "America/Santiago",
    "Pacific/Chatham",
    "Asia/Jerusalem",
    "Africa/Cairo",
    "Asia/Beirut",
    "America/Havana",
    "Europe/Chisinau",
    "America/Asuncion",
    "Pacific/Norfolk",
    "Atlantic/Azores",
    "America/Miquelon",
    "Australia/Adelaide",
    "Asia/Amman",
    "Europe/Moscow",
    "America/St_Johns",
    "Pacific/Easter",
    "Australia/Sydney",
)
"""32 zones, nearly all of which change their clocks."""
EVERY_DAY = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
MANY = "0,1,2,3,5,7,9,11,13,15-59/3 0-59/7,1,3 0-23/5,1 1-31/3,L,LW,15W,L-3 1-12/2,2 MON#1,FRI#5,SATL,2 2026-2099/3"


def _cron(expression: str) -> dict[str, Any]:
    return {"kind": "cron", "cron": expression}


def _composite(member: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """As many members as a calendar may have, each in a zone of its own."""
    members = {f"m{n}": {"timezone": zone, **member(n)} for n, zone in enumerate(RESTLESS)}
    return {"c": {"kind": "composite", "calendars": list(members)}, **members}


WORST: list[tuple[str, dict[str, Any]]] = [
    (f"{MANY} tz=Antarctica/Troll fold=both gap=shift", {}),
    ("0 0 0 29 2 ? 2096 tz=Africa/Casablanca", {}),
    ("0 0 0 29 2 ? 1972 tz=Africa/Casablanca", {}),
    ("0 0 0 ? 2 FRI#5 tz=America/New_York gap=shift fold=both", {}),
    ("30 2 * * * tz=Africa/Casablanca gap=shift fold=both", {}),
    ("every 366d calendar tz=Africa/Casablanca start=2026-01-05T02:30:00 gap=shift", {}),
    ("every 1d calendar tz=Antarctica/Troll start=2026-01-05T02:30:00 fold=both", {}),
    # Many members that have to be asked before the one that excludes.
    ("0 * * * * calendar=c", _composite(lambda n: _cron(f"{n + 1} * * * * *" if n < 31 else "0 0 * * * *"))),
    ("0 0 * * * * calendar=c", _composite(lambda n: _cron(f"0 0-59/{n + 1} * * * *"))),
    # Every second excluded, each by another member.
    ("* * * * * * calendar=c", _composite(lambda n: _cron(f"{n},{n + 28} * * * * *"))),
    ("every 1s delay calendar=c", _composite(lambda n: _cron(f"{n},{n + 28} * * * * *"))),
    ("every 1s delay calendar=c", _composite(lambda n: _cron(f"{n % 2}-58/2 {n}-59/2 * * * *"))),
    # Every second second excluded.
    ("* * * * * * calendar=c", _composite(lambda n: _cron(f"*/2 {n} * * * *"))),
    # Hours that cover the day together, days that are all excluded, for good or as far as a month goes.
    (
        "0 0 * * * * calendar=c",
        _composite(lambda n: {"kind": "daily", "from": f"{n % 24:02d}:00", "to": f"{(n + 5) % 24:02d}:30"}),
    ),
    ("* * * * * calendar=c", _composite(lambda n: {"kind": "weekly", "days": EVERY_DAY})),
    ("every 1s delay calendar=c", _composite(lambda n: {"kind": "weekly", "days": EVERY_DAY})),
    ("every 1s delay calendar=c", {"c": _cron("* * * * 1-12 *") | {"timezone": "Africa/Casablanca"}}),
    # Rare occurrences, all of them excluded, so that every look is into another month.
    ("0 0 29 2 * calendar=c", _composite(lambda n: _cron("* * * 29 2 *"))),
    (
        "0 0 1 * * calendar=c",
        _composite(lambda n: _cron(f"{n} * * 1 * FRI#5" if n < 31 else "* * * 1,2,31 * *")),
    ),
]


@pytest.mark.parametrize("form, calendars", WORST)
def test_the_worst_that_can_be_written_keeps_its_budget_and_flat_memory(
    form: str, calendars: dict[str, Any]
) -> None:
    schedule = settle(parse_schedule(form), now=NOW)

    def ask(question: Callable[[Plan, int], object], instant: int) -> object:
        return question(plan(schedule, anchor=NOW, calendars=calendars), instant)

    asked: list[Callable[[Plan, int], object]] = [
        lambda occurrences, instant: occurrences.next(instant),
        lambda occurrences, instant: occurrences.previous(instant),
        lambda occurrences, instant: occurrences.contains(instant),
    ]
    questions = [partial(ask, question, instant) for question in asked for instant in (NOW, 4_102_444_799)]
    questions.append(
        partial(ask, lambda occurrences, first: occurrences.count(first, first + 10 * YEAR), NOW)
    )
    for question in questions:
        assert _cpu(question) < BUDGET
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for question in questions:
            question()
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < 500_000
    assert kept - before < 200_000


def test_a_composite_of_many_members_passes_ten_thousand_spans_and_no_more() -> None:
    """Every minute of the end of September is excluded, each by another of 30 members than the one before."""
    members = {f"m{n}": _cron(f"{n},{n + 30} * * SEP *") for n in range(30)}
    calendars = {"c": {"kind": "composite", "calendars": list(members)}, **members}
    occurrences = plan(
        settle(parse_schedule("* * * * * calendar=c"), now=NOW), anchor=NOW, calendars=calendars
    )
    october, minute = 1_790_812_800, 60
    assert occurrences.next(october - 10_001 * minute) == october
    assert occurrences.next(october - 10_002 * minute) is None
    september = october - 30 * 86_400
    assert occurrences.previous(september + 10_000 * minute) == september - minute
    assert occurrences.previous(september + 10_001 * minute) is None
    assert occurrences.count(october - 5_000 * minute, october + 9 * minute) == 10


WEEKEND: dict[str, Any] = {"kind": "weekly", "timezone": "Asia/Tokyo"}
NIGHT: dict[str, Any] = {"kind": "daily", "from": "22:00", "to": "06:00", "timezone": "America/New_York"}
LUNCH: dict[str, Any] = {"kind": "daily", "from": "12:00", "to": "13:00", "timezone": "America/New_York"}
HOLIDAYS: dict[str, Any] = {
    "kind": "holiday", "timezone": "Europe/Berlin",
    "dates": [f"{year}-{day}" for year in range(2020, 2040) for day in ("01-01", "05-01", "10-03", "12-25", "12-26")],
}  # fmt: skip
CALENDARS = {"weekend": WEEKEND, "night": NIGHT, "lunch": LUNCH, "holidays": HOLIDAYS}

TOLD: dict[str, Callable[[datetime], bool]] = {
    "weekend": lambda now: now.weekday() > 4,
    "night": lambda now: now.hour >= 22 or now.hour < 6,
    "lunch": lambda now: now.hour == 12,
    "holidays": lambda now: now.date().isoformat() in HOLIDAYS["dates"],
}


def _excluded_hours(name: str, first: int, hours: int) -> int:
    """How many whole hours from an instant on a calendar excludes, asked hour by hour with other means."""
    names = list(CALENDARS) if name == "all" else [name]
    clocks = {one: ZoneInfo(CALENDARS[one]["timezone"]) for one in names}
    return sum(
        any(TOLD[one](datetime.fromtimestamp(instant, clocks[one])) for one in names)
        for instant in range(first, first + hours * 3_600, 3_600)
    )


@pytest.mark.parametrize("name", [*CALENDARS, "all"])
@pytest.mark.parametrize("form", ["every 1s", "* * * * * * tz=Europe/Berlin fold=both"])
def test_ten_years_of_seconds_under_a_calendar_are_counted_exactly(form: str, name: str) -> None:
    definitions = {**CALENDARS, "all": {"kind": "composite", "calendars": list(CALENDARS)}}
    hours = timedelta(days=3_652) // timedelta(hours=1)
    first = NOW - NOW % 3_600
    schedule = settle(
        parse_schedule(f"{form} calendar={name}"),
        now=0,
    )
    occurrences = plan(schedule, anchor=0, calendars=definitions)
    last = first + hours * 3_600 - 1
    assert occurrences.count(first, last) == (hours - _excluded_hours(name, first, hours)) * 3_600
    assert _cpu(lambda: occurrences.count(first, last)) < BUDGET


def test_importing_the_schedules_costs_little_beyond_the_standard_library() -> None:
    assert any(median(import_ms()) / slowness() < MOST_MS for _ in range(3))


def _python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_core_imports_the_standard_library_alone() -> None:
    found = _python(
        "import sys, duetime\n"
        "from duetime import Cron, ScheduleError, describe, parse_duration, parse_schedule, upcoming\n"
        "import duetime.core.preview, duetime.core.jitter, duetime.core.calendars\n"
        "duetime.Cron('0 9 * * *', 'Asia/Tokyo')\n"
        "outside = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(' '.join(sorted(outside)))"
    )
    loaded = {name for name in found.split() if not name.startswith(("__", "_"))}
    assert {
        name for name in loaded if name in ("boto3", "botocore", "pydantic", "httpx", "rich", "typer")
    } == set()
    assert {"duetime", "tzdata"} <= loaded


def test_jitter_is_spread_and_stable() -> None:
    moved = [
        jittered(NOW + n * 60, seed="p/j/t", jitter=30, next_nominal=None, end_at=None) - n * 60 - NOW
        for n in range(3_000)
    ]
    assert set(moved) == set(range(31))
    assert max(moved.count(second) for second in range(31)) < 200
    assert jittered(NOW, seed="p/j/t", jitter=30, next_nominal=None, end_at=None) == NOW + moved[0]
    assert jittered(NOW, seed="p/j/t", jitter=0, next_nominal=None, end_at=None) == NOW
    assert jittered(NOW, seed="p/j/t", jitter=30, next_nominal=NOW + 1, end_at=None) == NOW
    assert jittered(NOW, seed="p/j/t", jitter=30, next_nominal=None, end_at=NOW) == NOW
    seeds = {jittered(NOW, seed=f"p/j/{n}", jitter=1_000, next_nominal=None, end_at=None) for n in range(50)}
    assert len(seeds) > 40
