"""Previews: instants on both clocks, and the warnings that name what a clock change, a step or a calendar will do."""

from __future__ import annotations

import pytest

from duetime import ScheduleError
from duetime.core.preview import preview
from duetime.core.schedule import freeze, parse_schedule

NOW = 1_790_000_000
"""2026-09-21T14:13:20Z."""


def _warnings(form: object, **options: object) -> list[str]:
    return list(preview(form, after=NOW, **options).warnings)  # type: ignore[arg-type]  # passed on as they are


def test_instants_in_utc_and_on_the_schedules_clock() -> None:
    found = preview("0 9 * * MON-FRI tz=Asia/Shanghai", after=NOW, count=2)
    assert found.json() == {
        "upcoming": ["2026-09-22T01:00:00Z", "2026-09-23T01:00:00Z"],
        "local": ["2026-09-22T09:00:00+08:00", "2026-09-23T09:00:00+08:00"],
        "timezone": "Asia/Shanghai",
        "description": "At 09:00, Monday to Friday, Asia/Shanghai time.",
        "warnings": [],
    }
    assert found.upcoming == (1_790_038_800, 1_790_125_200)


def test_defaults_of_the_project_fill_in() -> None:
    found = preview("30 2 * * *", after=NOW, timezone="Europe/Berlin", dst_gap="shift", language="zh")
    assert found.timezone == "Europe/Berlin"
    assert found.description == "每天 02:30 运行，时区 Europe/Berlin，被时钟跳过的时刻移到跳过段的末尾。"
    assert found.local[0] == "2026-09-22T02:30:00+02:00"


@pytest.mark.parametrize("count", [0, 21, 10**9, True, "5", None])
def test_count_is_from_1_to_20(count: object) -> None:
    with pytest.raises(ScheduleError) as caught:
        preview("@daily", after=NOW, count=count)  # type: ignore[arg-type]  # wrong types are refused as well
    assert caught.value.field == "count"


@pytest.mark.parametrize(
    "form, warnings",
    [
        ("30 2 * * * tz=Europe/Berlin", [
            ("02:00 to 03:00 do not exist in Europe/Berlin on 2027-03-28: the occurrence at 02:30 is skipped; "
            "dst_gap shift would run once at 03:00."),
        ]),
        ("*/10 2 * * * tz=Europe/Berlin gap=shift", [
            ("02:00 to 03:00 do not exist in Europe/Berlin on 2027-03-28: 6 occurrences from 02:00 to 02:50 are shifted "
            "to 03:00, as one run."),
        ]),
        ("30 2 * * * tz=Europe/Berlin fold=both gap=shift", [
            ("02:00 to 03:00 come twice in Europe/Berlin on 2026-10-25: the occurrence at 02:30 is doubled; "
            "dst_fold first would run the first pass only."),
            ("02:00 to 03:00 do not exist in Europe/Berlin on 2027-03-28: the occurrence at 02:30 is shifted to 03:00, "
            "as one run."),
        ]),
        ("*/5 * * * * tz=Europe/Berlin", [
            ("02:00 to 03:00 come twice in Europe/Berlin on 2026-10-25: no run for 1h5m after 02:55; "
            "dst_fold both would go on through it."),
        ]),
        ("*/5 * * * * tz=Europe/Berlin fold=both", []),
        ("*/5 * * * * tz=Europe/Berlin fold=both gap=shift", []),
        ("*/10 2 * * * tz=Europe/Berlin", [
            ("02:00 to 03:00 do not exist in Europe/Berlin on 2027-03-28: 6 occurrences from 02:00 to 02:50 are skipped; "
            "dst_gap shift would run once at 03:00."),
        ]),
        ("0 12 * * * tz=Europe/Berlin", []),
        ("0 * * * * tz=Europe/Berlin fold=both", []),
        ("0 * * * * tz=Asia/Shanghai", []),
        ("30 2 * * * tz=Europe/Berlin end=2026-12-01T00:00:00Z", []),
        ("every 1d calendar tz=America/New_York start=2026-09-01T02:30:00", [
            ("02:00 to 03:00 do not exist in America/New_York on 2027-03-14: the occurrence at 02:30 is skipped; "
            "dst_gap shift would run once at 03:00."),
        ]),
        ("0 0 9 * * 2-6", [
            ("Days of the week as digits (2-6) count from 1 for Monday here, 0 and 7 are Sunday; Quartz and EventBridge count "
            "from 1 for Sunday: if MON-FRI was meant, write that."),
        ]),
        ("0 0 9 * * 0,6", [
            ("Days of the week as digits (0,6) count from 1 for Monday here, 0 and 7 are Sunday; Quartz and EventBridge count "
            "from 1 for Sunday: names such as MON mean the same everywhere."),
        ]),
        ("0 0 9 * * MON#2", []),
        ("0 9 * * 1", []),
        ("*/60 * */40 * *", [
            "The step of */60 is beyond its field and leaves its first value only.",
            "The step of */40 is beyond its field and leaves its first value only.",
        ]),
        ("0 0 0 1 1 ? 2020", ["Nothing comes due after 2026-09-21T14:13:20Z."]),
        ("0 30 2 ? 3 SUN#2 tz=America/New_York", [
            ("02:00 to 03:00 do not exist in America/New_York on 2027-03-14: the occurrence at 02:30 is skipped; "
            "dst_gap shift would run once at 03:00."),
            "Nothing comes due after 2026-09-21T14:13:20Z.",
        ]),
        ("once 2020-01-01T00:00:00Z", ["2020-01-01T00:00:00Z has passed: it is due at once."]),
        ("once 2026-10-25T02:30:00 tz=Europe/Berlin", [
            "2026-10-25T02:30:00 comes twice in Europe/Berlin: it runs at the first, 2026-10-25T00:30:00Z.",
        ]),
        ("once 2026-10-25T01:30:00Z tz=Europe/Berlin", [
            "2026-10-25T02:30:00 comes twice in Europe/Berlin: it runs at the second, 2026-10-25T01:30:00Z.",
        ]),
        ("once 2026-10-25T02:00:00Z tz=Europe/Berlin", []),
        ("once 2026-10-24T23:59:59Z tz=Europe/Berlin", []),
        ("once 2026-10-25T00:30:00Z", []),
        ("once 2027-03-28T02:30:00 tz=Europe/Berlin gap=shift", [
            "2027-03-28T02:30:00 does not exist in Europe/Berlin: it runs at the end of the gap, 2027-03-28T01:00:00Z.",
        ]),
        ("every 10m", []),
        ("every 10m delay", ["Each run's end decides the next instant: they are shown as if a run took no time."]),
    ],
)  # fmt: skip
def test_warnings(form: str, warnings: list[str]) -> None:
    assert _warnings(form) == warnings


def test_a_frozen_once_still_says_that_its_time_comes_twice() -> None:
    written = parse_schedule("once 2026-10-25T02:30:00 tz=Europe/Berlin")
    frozen = freeze(written, now=NOW)
    told = ("2026-10-25T02:30:00 comes twice in Europe/Berlin: it runs at the first, 2026-10-25T00:30:00Z.",)
    assert preview(written, after=NOW).warnings == preview(frozen, after=NOW).warnings == told


def test_one_instant_of_a_fixed_delay_is_no_guess() -> None:
    assert preview("every 10m delay", after=NOW, count=1).warnings == ()


def test_calendars_that_leave_nothing_are_named() -> None:
    calendars = {"c": {"kind": "weekly", "days": ["MON"]}}
    assert _warnings("0 9 * * MON calendar=c", calendars=calendars) == [
        "Calendar c excludes every occurrence: it never comes due."
    ]
    assert _warnings("once 2026-09-28T09:00:00Z calendar=c", calendars=calendars) == [
        "Calendar c excludes 2026-09-28T09:00:00Z: it never runs."
    ]
    assert _warnings("0 9 * * MON,TUE calendar=c", calendars=calendars) == []


def test_nothing_to_come_is_an_empty_list() -> None:
    for form in ("0 0 0 1 1 ? 2020", "once 2020-01-01T00:00:00Z", "@daily end=2026-01-01T00:00:00Z"):
        assert preview(form, after=NOW).upcoming == ()
