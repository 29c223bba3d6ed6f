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
        ("0 * * * * tz=Europe/Berlin", [
            ("02:00 to 03:00 come twice in Europe/Berlin on 2026-10-25: no run for 2h after 02:00; "
            "dst_fold both would go on through it."),
        ]),
        ("0 */2 * * * tz=Europe/Berlin", [
            ("02:00 to 03:00 do not exist in Europe/Berlin on 2027-03-28: the occurrence at 02:00 is skipped; "
            "dst_gap shift would run once at 03:00."),
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
        ("30 9 1-7 * MON", [
            ("Both day fields are given (1-7 and MON) and either is enough: if the first Monday of the month was meant, write "
            "* as day of month and MON#1 as day of week."),
        ]),
        ("0 0 9 22-28 * 4", [
            ("Days of the week as digits (4) count from 1 for Monday here, 0 and 7 are Sunday; Quartz and EventBridge count "
            "from 1 for Sunday: if WED was meant, write that."),
            ("Both day fields are given (22-28 and 4) and either is enough: if the fourth Thursday of the month was meant, "
            "write * as day of month and THU#4 as day of week."),
        ]),
        ("0 9 L * fri", [
            ("Both day fields are given (L and fri) and either is enough: if the last Friday of the month was meant, write * "
            "as day of month and FRIL as day of week."),
        ]),
        ("0 9 */2 * MON", [
            ("Both day fields are given (*/2 and MON) and either is enough; in a crontab both must match where one begins "
            "with *. Where both must match, write one of them only and exclude the other days by a calendar."),
        ]),
        ("0 9 1-7 * MON,TUE", [
            ("Both day fields are given (1-7 and MON,TUE) and either is enough. Where both must match, write one of them only "
            "and exclude the other days by a calendar."),
        ]),
        ("0 9 */1 * MON", [
            ("Both day fields are given (*/1 and MON) and either is enough, so that every day matches: write * as day of "
            "month if the other field was to choose."),
        ]),
        ("0 9 1 * 0-6", [
            ("Both day fields are given (1 and 0-6) and either is enough, so that every day matches: write * as day of week "
            "if the other field was to choose."),
        ]),
        ("0 9 1-7 * ?", []),
        ("0 9 ? * MON#1", []),
        ("0 2 * * * *", [
            ("Six fields begin with the second: this is minute 2 of every hour. If 02:00 was meant and the last field as the "
            "year, as in viat, write 0 0 2 * * *."),
        ]),
        ("30 5 * * * ?", [
            ("Six fields begin with the second: this is minute 5 of every hour. If 05:30 was meant and the last field as the "
            "year, as in viat, write 0 30 5 * * *."),
        ]),
        *[(plain, []) for plain in (
            "0 0 * * * *", "0 5 * * * *", "0 15 * * * *", "0 30 * * * *", "0 44 * * * *", "0 0 9 * * *", "0 0 9 * * MON-FRI",
            "*/10 * * * * *", "0 */5 * * * *", "15 30 9 * * *", "0 2 3 * * *", "0 2 * * *", "0 2 * * * * *", "0 2,17 * * * *",
        )],
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


def test_the_run_at_creation_is_counted_but_not_told() -> None:
    for form, expected in (
        ("every 10m x1 immediate", []),
        ("every 10m x3 immediate", [600, 1200]),
        ("every 10m x3", [600, 1200, 1800]),
        ("every 10m delay x2 immediate", [600]),
        ("every 10m aligned x2 immediate", [NOW // 600 * 600 + 600 - NOW]),
    ):
        assert [one - NOW for one in preview(form, after=NOW).upcoming] == expected
    later = "every 10m x2 immediate start=2026-09-21T15:00:00Z"
    assert [one - NOW for one in preview(later, after=NOW).upcoming] == [2800, 3400]


def test_an_excluded_run_at_creation_is_not_counted() -> None:
    calendars = {"c": {"kind": "daily", "from": "14:00", "to": "14:15"}}  # it is 14:13:20
    found = preview("every 10m x2 immediate calendar=c", after=NOW, calendars=calendars)
    assert [one - NOW for one in found.upcoming] == [600, 1200]
    found = preview("every 10m delay x2 immediate calendar=c", after=NOW, calendars=calendars)
    assert [one - NOW for one in found.upcoming] == [100, 700]


def test_an_immediate_run_exactly_at_the_end_of_the_window_counts() -> None:
    form = "every 1h immediate start=2026-10-01T06:00:00Z end=2026-10-01T{}Z"
    assert preview(form.format("06:00:00"), after=NOW).json()["upcoming"] == ["2026-10-01T06:00:00Z"]
    assert len(preview(form.format("07:00:00"), after=NOW).upcoming) == 2


@pytest.mark.parametrize(
    "form, refusal",
    [
        ("once 2036-09-22T14:13:20Z",
         "Creation refuses it: at: '2036-09-22T14:13:20Z' is more than ten years ahead."),
        ("once 2026-12-02T00:00:00Z end=2026-12-01T00:00:00Z",
         "Creation refuses it: at: '2026-12-02T00:00:00Z' lies outside its own window."),
        ("once 2026-12-02T00:00:00Z start=2026-12-03T00:00:00Z",
         "Creation refuses it: at: '2026-12-02T00:00:00Z' lies outside its own window."),
        ("@daily end=2026-01-01T00:00:00Z",
         "Creation refuses it: end_at: '2026-01-01T00:00:00Z' is not in the future."),
    ],
)  # fmt: skip
def test_what_creation_refuses_is_told(form: str, refusal: str) -> None:
    assert _warnings(form)[-1] == refusal
    with pytest.raises(ScheduleError) as caught:
        freeze(parse_schedule(form), now=NOW)
    assert refusal.endswith(caught.value.detail)


def test_a_once_exactly_ten_years_ahead_is_taken() -> None:
    written = parse_schedule("once 2036-09-21T14:13:20Z")
    assert freeze(written, now=NOW) == written
    assert preview(written, after=NOW).warnings == ()
    with pytest.raises(ScheduleError, match="more than ten years ahead"):
        freeze(parse_schedule("once 2036-09-21T14:13:21Z"), now=NOW)


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
