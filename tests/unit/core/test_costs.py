"""What the core may cost: 50 ms of CPU for any input, a light import, and no reading of anything but the zone data."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from duetime.core.jitter import jittered
from duetime.core.plan import plan
from duetime.core.preview import preview
from duetime.core.schedule import parse_schedule, settle
from tests.cpu import cpu_seconds

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
