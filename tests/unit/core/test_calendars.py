"""The five kinds of calendar: what they exclude, how schedules pass over it, what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from duetime import ScheduleError, parse_schedule, upcoming
from duetime.core.calendarnotes import calendar_notes
from duetime.core.calendars import calendar_json, parse_calendar
from duetime.core.exclusion import exclusion
from duetime.core.plan import Plan, plan
from duetime.core.schedule import freeze

NOW = 1_790_000_000
"""2026-09-21T14:13:20Z, a Monday."""


def _plan(form: str, definition: dict[str, Any], **others: dict[str, Any]) -> Plan:
    return plan(
        freeze(parse_schedule(form + " calendar=c"), now=NOW),
        anchor=NOW,
        calendars={"c": definition, **others},
    )


def _days(schedule: str, definition: dict[str, Any], count: int = 3, **others: dict[str, Any]) -> list[str]:
    found = upcoming(
        schedule + " calendar=c", after=datetime(2026, 12, 23, 12, tzinfo=UTC), count=count, calendars={"c": definition, **others}
    )  # fmt: skip
    return [moment.strftime("%a %d %H:%M") for moment in found]


def test_holidays_are_whole_days_of_their_own_zone() -> None:
    christmas = {"kind": "holiday", "dates": ["2026-12-25", "2026-12-24"]}
    assert _days("0 9 * * *", christmas, 2) == ["Sat 26 09:00", "Sun 27 09:00"]
    # In Tokyo the 24th begins on the 23rd at 15:00 in UTC.
    assert _days("0 */8 * * *", {**christmas, "timezone": "Asia/Tokyo"}, 2) == [
        "Fri 25 16:00",
        "Sat 26 00:00",
    ]


def test_weekends_by_default_and_any_days_by_name() -> None:
    assert _days("0 9 * * *", {"kind": "weekly"}, 4) == [
        "Thu 24 09:00",
        "Fri 25 09:00",
        "Mon 28 09:00",
        "Tue 29 09:00",
    ]
    assert _days("0 9 * * *", {"kind": "weekly", "days": ["thu", "Fri"]}, 2) == [
        "Sat 26 09:00",
        "Sun 27 09:00",
    ]


def test_hours_run_from_inclusive_to_exclusive_and_across_midnight() -> None:
    night = {"kind": "daily", "from": "22:00", "to": "06:00"}
    assert _days("0 * * * *", night, 11)[8:] == ["Wed 23 21:00", "Thu 24 06:00", "Thu 24 07:00"]
    until_midnight = {"kind": "daily", "from": "18:00", "to": "24:00"}
    assert _days("0 */6 * * *", until_midnight, 3) == ["Thu 24 00:00", "Thu 24 06:00", "Thu 24 12:00"]


def test_a_cron_calendar_excludes_the_seconds_it_matches() -> None:
    lunch = {"kind": "cron", "cron": "* * 12-13 * * *"}
    assert _days("30 11-14 * * *", lunch, 2) == ["Wed 23 14:30", "Thu 24 11:30"]
    # Five fields match second 0 alone, so that a run at second 30 is left.
    minutes = {"kind": "cron", "cron": "* 12-13 * * *"}
    assert _days("0,30 30 13 * * *", minutes, 1) == ["Wed 23 13:30"]


def test_a_composite_excludes_what_any_member_does() -> None:
    members: dict[str, Any] = {"a": {"kind": "weekly"}, "b": {"kind": "holiday", "dates": ["2026-12-25"]}}
    assert _days("0 9 * * *", {"kind": "composite", "calendars": ["a", "b"]}, 2, **members) == [
        "Thu 24 09:00",
        "Mon 28 09:00",
    ]


def test_each_kind_of_schedule_passes_over_an_exclusion_in_its_own_way() -> None:
    off = {"kind": "daily", "from": "14:00", "to": "16:00"}
    assert _plan("every 10m", off).next(NOW) == NOW + 11 * 600  # 16:03:20, a step of its own
    assert _plan("every 10m aligned", off).next(NOW) == 1_790_006_400  # 16:00
    delayed = _plan("every 10m delay", off)
    assert delayed.next(NOW) == 1_790_006_400  # the first free instant
    assert delayed.after_finish(1_790_006_400) == 1_790_007_000
    assert not delayed.contains(NOW + 600)
    assert _plan("once 2026-09-21T15:00:00Z", off).next(NOW) is None
    assert not _plan("once 2026-09-21T15:00:00Z", off).contains(1_790_002_800)
    assert _plan("0 15 * * * immediate", off).next(NOW - 1) is None


def test_the_calendar_is_asked_about_the_instant_after_a_shift() -> None:
    """01:30 in London is shifted to 02:00, which a calendar may exclude or not."""
    schedule = {"cron": "30 1 * * *", "timezone": "Europe/London", "dst_gap": "shift", "calendar": "c"}
    after = datetime(2026, 3, 28, 12, tzinfo=UTC)
    two = {"kind": "daily", "from": "02:00", "to": "03:00", "timezone": "Europe/London"}
    assert upcoming(schedule, after=after, count=1, calendars={"c": two}) == [
        datetime(2026, 3, 30, 0, 30, tzinfo=UTC)
    ]
    one = {**two, "from": "01:00", "to": "02:00"}
    assert upcoming(schedule, after=after, count=1, calendars={"c": one}) == [
        datetime(2026, 3, 29, 1, tzinfo=UTC)
    ]


def test_a_calendar_that_excludes_everything_leaves_nothing() -> None:
    assert _plan("every 7d start=2026-09-07T09:00:00Z", {"kind": "weekly", "days": ["MON"]}).next(NOW) is None
    always = {"kind": "weekly", "days": ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]}
    for form in ("* * * * * *", "every 1s", "every 1m delay", "0 0 29 2 *"):
        assert _plan(form, always).next(NOW) is None
        assert _plan(form, {"kind": "cron", "cron": "* * * * * *"}).next(NOW) is None


def test_a_search_passes_over_ten_thousand_spans_and_no_more() -> None:
    def dates(count: int) -> dict[str, Any]:
        """Every second day, so that each is a span of its own."""
        days = range(20_718, 20_718 + 2 * count, 2)
        return {
            "kind": "holiday",
            "dates": [datetime.fromtimestamp(day * 86_400, UTC).date().isoformat() for day in days],
        }

    every_other = "every 2d start=2026-09-20T12:00:00Z"
    assert _plan(every_other, dates(9_999)).next(NOW) == (20_718 + 2 * 9_999) * 86_400 + 43_200
    assert (
        _plan("every 1d start=2026-09-20T12:00:00Z", {"kind": "cron", "cron": "0 0 12 * * *"}).next(NOW)
        is None
    )


def test_counting_leaves_out_what_is_excluded() -> None:
    weekend = _plan("* * * * *", {"kind": "weekly"})
    assert weekend.count(NOW, NOW + 7 * 86_400) == 5 * 1_440
    assert weekend.count(NOW, NOW + 7 * 86_400, 10) == 10
    night = _plan(
        "* * * * * *", {"kind": "daily", "from": "22:00", "to": "06:00", "timezone": "Asia/Kolkata"}
    )
    assert night.count(NOW, NOW + 30 * 86_400 - 1) == 30 * 16 * 3_600


def test_previous_passes_back_over_an_exclusion() -> None:
    weekend = _plan("0 9 * * *", {"kind": "weekly"})
    monday, friday = 1_789_981_200, 1_789_981_200 - 3 * 86_400
    assert weekend.previous(NOW) == monday
    assert weekend.previous(monday) == friday


@pytest.mark.parametrize(
    "definition, message",
    [
        (None, "is no calendar"),
        ({"kind": "lunar"}, "kind: 'lunar' is no kind of calendar. Use holiday, weekly, daily, cron, composite."),
        ({"kind": "holiday"}, "dates: is missing. Write"),
        ({"kind": "holiday", "dates": []}, "is no list of at least one"),
        ({"kind": "holiday", "dates": ["25.12.2026"]}, "dates: '25.12.2026' is no date. Write year-month-day"),
        ({"kind": "holiday", "dates": ["2026-02-30"]}, "is no date"),
        ({"kind": "holiday", "dates": ["2026-01-01"] * 10_001}, "dates: '10001 entries' are too many"),
        ({"kind": "weekly", "days": ["MONDAY"]}, "days: 'MONDAY' is no short name of a day. Write MON."),
        ({"kind": "weekly", "days": ["MON-FRI"]}, "'MON-FRI' is no short name of a day. List each day: MON, TUE, WED, THU, FRI."),
        ({"kind": "weekly", "days": ["fri-Monday"]}, "'fri-Monday' is no short name of a day. List each day: FRI, SAT, SUN"),
        ({"kind": "weekly", "days": ["moon"]}, "Use SUN, MON, TUE, WED, THU, FRI, SAT."),
        ({"kind": "weekly", "days": [1]}, "days: '1' is no short name of a day"),
        ({"kind": "daily", "from": "22:00"}, "to: is missing. Write a time of day, such as 22:00."),
        ({"kind": "daily", "from": "24:00", "to": "06:00"}, "from: '24:00' is no time of day"),
        ({"kind": "daily", "from": "06:00", "to": "06:00"}, "to: '06:00' ends where it began. Name another end"),
        ({"kind": "daily", "from": "00:00", "to": "24:00"},
         "to: '24:00' makes it the whole day. Name another end, or for whole days a weekly calendar with all days: SUN, MON"),
        ({}, "kind: is missing. Use holiday, weekly, daily, cron, composite."),
        ({"kind": "daily"}, "from: is missing."),
        ({"kind": "composite"}, "calendars: is missing."),
        ({"kind": "holiday", "dates": [date(2027, 1, 1)]}, "dates: '2027-01-01' is a date, no text. Write its text"),
        ({"kind": "weekly", "tz": "UTC"}, "tz: 'tz' is no field of a weekly calendar. Did you mean timezone?"),
        ({"kind": "holiday", "date": []}, "Did you mean dates?"),
        ({"kind": "weekly", "id": 5}, "Its fields are kind, days, timezone."),
        ({"kind": "weekly", 5: 5}, "calendar: '5' is no field of a weekly calendar. Its fields are kind, days, timezone."),
        ({"kind": "cron"}, "cron: is missing."),
        ({"kind": "cron", "cron": "* * * *"}, "has 4 fields"),
        ({"kind": "weekly", "timezone": "Berlin"}, "Did you mean Europe/Berlin?"),
        ({"kind": "weekly", "day": ["MON"]}, "day: 'day' is no field of a weekly calendar"),
        ({"kind": "composite", "calendars": ["No Name"]}, "calendars: 'No Name' is no calendar name"),
    ],
)  # fmt: skip
def test_refused_definitions(definition: object, message: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_calendar(definition)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "definition, notes",
    [
        ({"kind": "holiday", "dates": ["2026-09-19"]}, [
            "Its last date has passed: it excludes nothing any more until dates are added.",
        ]),
        ({"kind": "holiday", "dates": ["2026-09-21"]}, []),
        ({"kind": "holiday", "dates": ["2026-09-19", "2026-12-25"]}, []),
        ({"kind": "cron", "cron": "* 12 * * *"}, [
            ("Five fields exclude second 0 of each minute only, which is all that schedules without seconds need; for whole "
            "minutes write * * 12 * * *."),
        ]),
        ({"kind": "cron", "cron": "@daily"}, ["@daily excludes one second: the first of the minute it names."]),
        ({"kind": "cron", "cron": "* * 12 * * *"}, []),
        ({"kind": "weekly"}, []),
        ({"kind": "daily", "from": "22:00", "to": "06:00"}, []),
        ({"kind": "composite", "calendars": ["a"]}, []),
    ],
)  # fmt: skip
def test_what_the_author_of_a_calendar_should_know(definition: dict[str, Any], notes: list[str]) -> None:
    assert list(calendar_notes(parse_calendar(definition), now=NOW)) == notes


@pytest.mark.parametrize(
    "definition",
    [
        {"kind": "holiday", "dates": ["2026-12-25", "2027-01-01"], "timezone": "Europe/London"},
        {"kind": "weekly", "days": ["MON", "SAT"], "timezone": "UTC"},
        {"kind": "daily", "from": "22:00:00", "to": "06:30:00", "timezone": "Asia/Tokyo"},
        {"kind": "cron", "cron": "* * 0-7 * * *", "timezone": "UTC"},
        {"kind": "composite", "calendars": ["a", "b"]},
    ],
)
def test_definitions_read_back(definition: dict[str, Any]) -> None:
    assert calendar_json(parse_calendar(definition)) == definition
    assert parse_calendar(parse_calendar(definition)) == parse_calendar(definition)


def test_composites_are_resolved_once_and_within_limits() -> None:
    ring = {"a": {"kind": "composite", "calendars": ["b"]}, "b": {"kind": "composite", "calendars": ["a"]}}
    with pytest.raises(ScheduleError, match="a → b → a' contains itself"):
        exclusion("a", ring)
    chain: dict[str, Any] = {f"c{n}": {"kind": "composite", "calendars": [f"c{n + 1}"]} for n in range(20)}
    with pytest.raises(ScheduleError, match="nested more than 8 deep"):
        exclusion("c0", chain)
    leaf = {"kind": "weekly"}
    wide: dict[str, Any] = {
        "all": {"kind": "composite", "calendars": [f"m{n}" for n in range(32)]},
        "x": leaf,
        "y": leaf,
    }
    wide |= {f"m{n}": {"kind": "composite", "calendars": ["x", "y"]} for n in range(32)}
    with pytest.raises(ScheduleError, match="has more than 32 members"):
        exclusion("all", wide)
    with pytest.raises(ScheduleError, match=r"'holidays' is not among the calendars given\. Given are: x"):
        exclusion("holidays", {"x": leaf})
    with pytest.raises(ScheduleError) as caught:
        plan(parse_schedule("0 9 * * * calendar=holidays"), anchor=NOW)
    assert caught.value.field == "calendar"
