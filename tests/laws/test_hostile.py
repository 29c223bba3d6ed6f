"""Hostile values and near misses at every public function and field: refused as ScheduleError, cheaply, in flat memory."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import fields as dataclass_fields
from functools import _lru_cache_wrapper
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duetime.core
from duetime import Cron, ScheduleError, describe, parse_duration, parse_schedule, upcoming
from duetime.core.calendars import parse_calendar
from duetime.core.exclusion import exclusion
from duetime.core.preview import Preview, preview
from duetime.core.schedule import freeze, schedule_json, schedule_text
from duetime.core.schedulejson import KEYS
from duetime.core.zones import check_zone
from tests.cpu import cpu_seconds
from tests.laws.odd import NOW, ODD

BUDGET = 0.05
"""Seconds of CPU that any input may cost."""
PEAK = 4_000_000
"""Bytes that any input may need beyond itself while it is looked at: a few of the tables that stay are made on the way."""


def _whole_way(value: Any) -> None:
    """Read a schedule and do all that can be done with it."""
    schedule = parse_schedule(value)
    assert parse_schedule(schedule_text(schedule)) == schedule
    assert parse_schedule(schedule_json(schedule)) == schedule
    describe(schedule)
    describe(schedule, "zh")
    freeze(schedule, now=1_800_000_000)
    found: Preview = preview(schedule, after=1_800_000_000)
    assert isinstance(found, Preview)
    upcoming(schedule, after=NOW)


CALLS: dict[str, Callable[[Any], object]] = {
    "schedule": _whole_way,
    "duration": parse_duration,
    "cron": lambda value: Cron(value).next(NOW),
    "zone of a cron": lambda value: Cron("0 0 * * *", value).next(NOW),
    "gap": lambda value: Cron("0 0 * * *", dst_gap=value).next(NOW),
    "fold": lambda value: Cron("0 0 * * *", dst_fold=value).next(NOW),
    "moment": lambda value: Cron("0 0 * * *").next(value),
    "zone": check_zone,
    "upcoming": lambda value: upcoming(value, after=NOW),
    "after": lambda value: upcoming("@daily", after=value),
    "count": lambda value: upcoming("@daily", after=NOW, count=value),
    "calendars": lambda value: upcoming("@daily calendar=c", after=NOW, calendars=value),
    "calendar": lambda value: upcoming("@daily calendar=c", after=NOW, calendars={"c": value}),
    "calendar definition": parse_calendar,
    "calendar by name": lambda value: exclusion("c", value),
    "preview": lambda value: preview(value, after=1_800_000_000),
    "preview count": lambda value: preview("@daily", after=1_800_000_000, count=value),
    "preview calendars": lambda value: preview("@daily calendar=c", after=1_800_000_000, calendars=value),
    "preview zone": lambda value: preview("@daily", after=1_800_000_000, timezone=value),
    "describe": describe,
    "language": lambda value: describe("@daily", value),
}


def _attempt(call: Callable[[Any], object], value: Any) -> None:
    """Call; a refusal names field, value and remedy on one printable line, and nothing else is raised."""
    try:
        call(value)
    except ScheduleError as error:
        _check(error)


def _check(error: ScheduleError) -> None:
    assert error.field
    assert error.hint
    assert len(error.value) <= 81
    assert str(error).isprintable()


def _cost(call: Callable[[Any], object], value: Any) -> float:
    """The CPU seconds of a call."""
    return cpu_seconds(lambda: _attempt(call, value), enough=BUDGET, tries=3)


@pytest.mark.parametrize("name", CALLS)
def test_odd_values_at_every_function(name: str) -> None:
    for value in ODD:
        assert _cost(CALLS[name], value) < BUDGET, type(value)


_LEGAL: dict[str, dict[str, Any]] = {
    "cron": {"kind": "cron", "cron": "0 9 * * *"},
    "interval": {"kind": "interval", "every": "1d", "mode": "calendar"},
    "once": {"kind": "once", "at": "2027-01-01T00:00:00Z"},
}
_CALENDARS: dict[str, dict[str, Any]] = {
    "holiday": {"kind": "holiday", "dates": ["2026-12-25"], "timezone": "UTC"},
    "weekly": {"kind": "weekly", "days": ["SUN"], "timezone": "UTC"},
    "daily": {"kind": "daily", "from": "01:00", "to": "02:00", "timezone": "UTC"},
    "cron": {"kind": "cron", "cron": "@daily", "timezone": "UTC"},
    "composite": {"kind": "composite", "calendars": ["d"]},
}


@pytest.mark.parametrize("kind", _LEGAL)
def test_odd_values_in_every_field_of_a_schedule(kind: str) -> None:
    for key in KEYS[kind]:
        for value in ODD:
            assert _cost(_whole_way, {**_LEGAL[kind], key: value}) < BUDGET, (key, type(value))


@pytest.mark.parametrize("kind", _CALENDARS)
def test_odd_values_in_every_field_of_a_calendar(kind: str) -> None:
    for key in _CALENDARS[kind]:
        for value in [*ODD, *([one] for one in ODD)]:
            _attempt(parse_calendar, {**_CALENDARS[kind], key: value})
            _attempt(CALLS["calendars"], {"c": {**_CALENDARS[kind], key: value}, "d": {"kind": "weekly"}})


@pytest.mark.parametrize("name", CALLS)
def test_no_value_needs_much_memory(name: str) -> None:
    for value in (
        "*" * 10**6,
        "every " + "9" * 10**6,
        10**5_000,
        ["x"] * 10**5,
        {str(n): n for n in range(10**4)},
        "1-59/1," * 40,
    ):
        _attempt(CALLS[name], value)
        tracemalloc.start()
        try:
            _attempt(CALLS[name], value)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < PEAK, type(value)


_SEEDS = [
    "0 9 * * MON-FRI", "*/5 * * * * tz=Europe/Berlin gap=shift fold=both", "0 0 12 L-3,15W,LW * ? 2026-2030/2", "PT1H30M", "1.5h",
    "every 14d calendar tz=Europe/Berlin start=2026-03-01T09:00:00 end=2027-01-01T00:00:00Z immediate", "every 10m x5 delay",
    "every 1h30m aligned calendar=off", "once 2026-11-01T09:00:00+08:00", "once in 10m", "@weekly tz=Asia/Tokyo", "00:10:00",
    "0 0 * * FRI#2,SUNL",
]  # fmt: skip
_BITS = [
    *"*?/-,LW#@:.=+ \t",
    "0",
    "7",
    "59",
    "60",
    "99",
    "MON",
    "sun",
    "tz=",
    "start=",
    "x",
    "every",
    "once",
    "in",
    "T",
    "Z",
    "٣",
    "\ud800",
    "9" * 40,
]


@st.composite
def near_misses(draw: st.DrawFn) -> str:
    """A legal text in which a few pieces were taken out, doubled, swapped, replaced or put in."""
    text = draw(st.sampled_from(_SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        place, other = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        bit = draw(st.one_of(st.sampled_from(_BITS), st.characters()))
        change = draw(st.sampled_from(["put in", "replace", "take out", "double", "reverse"]))
        middle = {
            "put in": bit + text[place:other], "replace": bit, "take out": "", "double": text[place:other] * 2,
            "reverse": text[place:other][::-1],
        }[change]  # fmt: skip
        text = text[:place] + middle + text[other:]
    return text


@settings(max_examples=8 * settings().max_examples)
@given(near_misses())
def test_near_misses_are_read_or_refused(text: str) -> None:
    assert _cost(_whole_way, text) < BUDGET
    for name in ("duration", "cron", "zone"):
        _attempt(CALLS[name], text)


def _caches() -> dict[str, int | None]:
    """Every cache of the core and how much it may hold, by name."""
    found: dict[str, int | None] = {}
    for module in iter_modules(duetime.core.__path__):
        for name, value in vars(import_module(f"duetime.core.{module.name}")).items():
            if isinstance(value, _lru_cache_wrapper) and value.__module__ == f"duetime.core.{module.name}":
                found[f"{module.name}.{name}"] = value.cache_parameters()["maxsize"]
    return found


def test_every_cache_has_a_bound() -> None:
    found = _caches()
    assert len(found) >= 5
    for name, size in found.items():
        module, function = name.split(".")
        takes = getattr(import_module(f"duetime.core.{module}"), function).__wrapped__.__code__.co_argcount
        assert not takes or (size is not None and size <= 4_096), name


def test_twenty_thousand_inputs_leave_nothing_behind() -> None:
    """Legal and refused ones, each another: what stays is bounded by the caches, so the second half adds next to nothing."""

    def feed(numbers: range) -> None:
        for n in numbers:
            second, minute, hour, day = n % 60, n // 60 % 60, n // 3_600 % 24, n % 28 + 1
            text = f"{second} {minute}-59/7 {hour} {day} * ? {2_030 + n % 60}"
            _attempt(lambda value: Cron(value).next(NOW), text)
            _attempt(_read, f"every {n + 1}s x{n + 2} calendar=c{n}")
            _attempt(parse_duration, f"{n}.{n}h")
            if n % 40 == 0:  # its hint looks through all names
                _attempt(check_zone, f"Europe/Town{n}")
            _attempt(
                parse_calendar,
                {"kind": "daily", "from": f"{hour:02d}:{minute:02d}:{second:02d}", "to": "24:00"},
            )

    feed(range(8_000))
    gc.collect()
    held = sys.getallocatedblocks()
    feed(range(8_000, 20_000))
    gc.collect()
    assert sys.getallocatedblocks() - held < 6_000  # half a block for each more of them would be a leak


def _read(text: str) -> None:
    schedule = parse_schedule(text)
    assert [field.name for field in dataclass_fields(schedule)]
    describe(schedule)
