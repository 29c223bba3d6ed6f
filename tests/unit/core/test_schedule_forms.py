"""Schedules in text, bare text, numbers and JSON; canonical forms; what freezing fills in and refuses."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from duetime import ScheduleError, parse_schedule
from duetime.core.instants import parse_moment
from duetime.core.schedule import (
    CronSchedule,
    IntervalSchedule,
    OnceSchedule,
    Schedule,
    freeze,
    schedule_json,
    schedule_text,
)

NOW = 1_790_000_000
"""2026-09-21T14:13:20Z."""


def _at(text: str) -> int:
    found = parse_moment(text, "at").instant
    assert found is not None
    return found


@pytest.mark.parametrize(
    "form, schedule",
    [
        ("every 10m x5", IntervalSchedule(600, repeat_count=5)),
        ("every 10m delay", IntervalSchedule(600, "fixed_delay")),
        ("every 10m X5 DELAY", IntervalSchedule(600, "fixed_delay", repeat_count=5)),
        ("every 5m aligned", IntervalSchedule(300, "aligned")),
        ("every 1h 30m", IntervalSchedule(5_400)),
        ("30s", IntervalSchedule(30)),
        ("1h30m", IntervalSchedule(5_400)),
        ("1.5h", IntervalSchedule(5_400)),
        ("10m x3", IntervalSchedule(600, repeat_count=3)),
        ("PT10M", IntervalSchedule(600)),
        ("00:10:00", IntervalSchedule(600)),
        (5000, IntervalSchedule(5)),
        ({"every": 5000}, IntervalSchedule(5)),
        ({"every_secs": 60}, IntervalSchedule(60)),
        ({"kind": "interval", "every": "1m", "mode": None, "repeat_count": None}, IntervalSchedule(60)),
        ("@daily", CronSchedule("@daily")),
        ("0 9 * * *", CronSchedule("0 9 * * *")),
        ("  0  9 * * *\t", CronSchedule("0 9 * * *")),
        ("0 9 * * * tz=Asia/Tokyo", CronSchedule("0 9 * * *", "Asia/Tokyo")),
        ("CRON 0 9 * * * TZ=Asia/Tokyo", CronSchedule("0 9 * * *", "Asia/Tokyo")),
        ("cron 0 9 * * * gap=shift fold=both", CronSchedule("0 9 * * *", dst_gap="shift", dst_fold="both")),
        ({"cron": "0 9 * * *", "dst_gap": "shift"}, CronSchedule("0 9 * * *", dst_gap="shift")),
        ("once in 10m", OnceSchedule(delay=600)),
        ({"in": "10m"}, OnceSchedule(delay=600)),
        ("once 1970-01-01T01:00:00Z", OnceSchedule(3_600)),
        ("once 1970-01-01T09:00:00.000000+08:00", OnceSchedule(3_600)),
        ("once 1970-01-01t01:00z", OnceSchedule(3_600)),
        ("once 1970-01-01T01:00 tz=Asia/Tokyo", OnceSchedule(at_wall=3_600, timezone="Asia/Tokyo")),
        ("every 1d start=1970-01-02T00:00:00Z end=1970-01-03T00:00:00Z calendar=off immediate",
         IntervalSchedule(86_400, start_at=86_400, end_at=172_800, calendar="off", immediate=True)),
        ("every 14d calendar tz=Europe/Berlin start=1970-01-01T09:00:00",
         IntervalSchedule(14 * 86_400, "calendar", timezone="Europe/Berlin", start_at=28_800, start_wall=32_400)),
    ],
)  # fmt: skip
def test_accepted_forms(form: object, schedule: Schedule) -> None:
    assert parse_schedule(form) == schedule
    assert parse_schedule(schedule_text(schedule)) == schedule
    assert parse_schedule(schedule_json(schedule)) == schedule


@pytest.mark.parametrize(
    "form, text",
    [
        ("600s x5 delay", "every 10m delay x5"),
        ({"cron": "0 9 * * *", "immediate": True, "calendar": "c"}, "cron 0 9 * * * calendar=c immediate"),
        ("once 1970-01-01T09:00:00+08:00", "once 1970-01-01T01:00:00Z"),
        (90_000, "every 1m30s"),
        ("every 7d calendar start=2026-01-05T08:00", "every 7d calendar start=2026-01-05T08:00:00"),
    ],
)  # fmt: skip
def test_canonical_text(form: object, text: str) -> None:
    assert schedule_text(parse_schedule(form)) == text


@pytest.mark.parametrize(
    "form, message",
    [
        ("", "schedule: '' is empty"),
        ("soon", "is no schedule. Write \"every 10m\""),
        ("30", "every: '30' has no unit. Write 30s"),
        ("every", "has no duration"),
        ("every 10m dely", "mode: 'dely' is no mode"),
        ("every 10m aligned delay", "mode: 'aligned delay' names two modes. An interval has one mode"),
        ("every 10m delay x5 delay", "mode: 'delay delay' is given twice."),
        ("every 10m x5 x6", "repeat_count: 'x5' is a second number of runs."),
        ("every 10m fixed_delay", "mode: 'fixed_delay' is no word of the text form. Write delay instead."),
        ("every 10m fixed_rate", "Leave it out: bare is a fixed rate."),
        ("every 5 minutes", "every: '5 minutes' has a unit spelled out. Write 5m."),
        ("every hour x5", "every: 'hour' has a unit spelled out. Write 1h."),
        ("every 2 months x3", "every: '2 months' has years or months."),
        ("every 10m mint", "mode: 'mint' is no mode"),
        ("every 10m tz=UTC", "timezone: 'UTC' has no meaning in mode fixed_rate"),
        ("every 36h calendar", "every: '1d12h' is no number of whole days"),
        ("every 367d", "every: '367d' is out of range. Use 1s to 366d."),
        ("every 500ms", "is no whole number of seconds"),
        ("every 10m x0", "repeat_count: '0' is no number of runs"),
        ("once", "at: 'once' has no time"),
        ("once tomorrow", "is no RFC 3339 time"),
        ("once 2026-11-01", "has no time of day. Write 2026-11-01T00:00:00Z"),
        ("once 2026-11-01T24:00:00Z", "has hour 24. Write T00:00:00 of the next day."),
        ("once 2026-12-31T23:59:60Z", "has a leap second"),
        ("once 2026-11-01T09:00:00.5Z", "has a fraction of a second"),
        ("once 2026-02-30T09:00:00Z", "at: '2026-02-30T09:00:00Z' has no day 30. The days of 2026-02 are 01 to 28."),
        ("once 2028-02-30", "has no day 30. The days of 2028-02 are 01 to 29."),
        ("once 2026-01-00T09:00:00Z", "has no day 00. The days of 2026-01 are 01 to 31."),
        ("once 9999-12-32T00:00:00Z", "has no day 32. The days of 9999-12 are 01 to 31."),
        ("once 2027-13-01", "has no month 13. Months are 01 to 12, and stand before the day: 2027-01-13."),
        ("once 2027-31-12T09:00:00Z", "has no month 31. Months are 01 to 12, and stand before the day: 2027-12-31."),
        ("once 2027-31-02T09:00:00Z", "has no month 31. Months are 01 to 12, and stand before the day."),
        ("once 2027-13-31", "has no month 13. Months are 01 to 12, and stand before the day."),
        ("once 2027-00-01", "has no month 00. Months are 01 to 12, and stand before the day."),
        ("once 0000-01-01T00:00:00Z", "has the year 0"),
        ("once 2026-11-01T25:00:00Z", "has hour 25. Hours are 00 to 23."),
        ("once 2026-11-01T24:30:00Z", "has hour 24. Hours are 00 to 23."),
        ("once 2026-11-01T09:60:00Z", "has minute 60. Minutes are 00 to 59."),
        ("once 2026-11-01T09:00:61Z", "has second 61. Seconds are 00 to 59."),
        ({"at": datetime(2027, 1, 1, tzinfo=UTC)}, "at: '2027-01-01T00:00:00+00:00' is a datetime, no text. Write its text"),
        ("once 2026-11-01T09:00:00+24:00", "has an offset out of range"),
        ("once in 4000d", "is more than ten years ahead"),
        ("@every 5m", "Write every 5m instead."),
        ("* * * *", "has 4 fields"),
        ("0 9 * * * tz=UTC tz=UTC", "timezone: 'UTC' is given twice"),
        ("0 9 * * * tz=", "timezone: '' is empty"),
        ("0 9 * * * zone=UTC", "zone: 'UTC' is no option of a schedule text. Options are tz="),
        ("0 9 * * * start=2026-01-01T00:00:00", "start_at: '2026-01-01T00:00:00' has no offset. Add one, such as"),
        ("0 9 * * * calendar=Off!", "calendar: 'Off!' is no calendar name"),
        ("0 9 * * * start=2026-02-01T00:00:00Z end=2026-01-01T00:00:00Z", "end_at: '2026-01-01T00:00:00Z' is before start_at"),
        ("0 9 * * * gap=jump", "dst_gap: 'jump' is no dst_gap. Use skip or shift."),
        ("x" * 2_000, "is longer than 1024 characters"),
        ("every 10m\nx5", "has a line break"),
        (True, "is no schedule"),
        (None, "is no schedule"),
        ([], "is no schedule"),
        ({}, "kind: is missing. Give one of {"),
        ({"timezone": "UTC"}, "kind: is missing. Give one of {"),
        ({"kind": "hourly"}, "kind: 'hourly' is no kind of schedule. Use cron, interval or once."),
        ({"cron": "0 9 * * *", "every": "5m"}, "kind: 'cron, every' are of several kinds. Give one of {"),
        ({"kind": "cron"}, "cron: is missing"),
        ({"kind": "interval"}, "every: is missing"),
        ({"every": "5m", "every_secs": 300}, "is given twice"),
        ({"every_secs": 60.5}, "every_secs: '60.5' is no whole number of seconds"),
        ({"every_secs": 0}, "every_secs: '0' is out of range"),
        ({"every": "5m", "repeat": 3}, "repeat: '3' is no field of an interval schedule. Did you mean repeat_count?"),
        ({"cron": "0 9 * * *", "tz": "UTC"}, "tz: 'UTC' is no field of a cron schedule"),
        ({"every": "5m", "immediate": "yes"}, "immediate: 'yes' is neither true nor false"),
        ({"every": "5m", "repeat_count": True}, "repeat_count: 'True' is no number of runs"),
        ({"at": "2026-11-01T09:00:00Z", "in": "5m"}, "is given together with in"),
        ({"at": "2026-11-01T09:00:00Z", "dst_fold": "both"}, "dst_fold: 'both' is no field of a once schedule"),
        ({"every": "5m", 7: 1}, "is no field name"),
        ("0 9 * * * tz=China Standard Time",
         ("timezone: 'China Standard Time' is no IANA time zone name. Windows names are not "
          "taken: write Asia/Shanghai.")),
        ("0 9 * * * start=2026-12-01 09:00:00Z",
         ("start_at: '2026-12-01 09:00:00Z' is no value of this option. Options stand "
          "last, each as name=value without a space.")),
        ("0 9 * * * tz=Asia/Tokyo now", "timezone: 'Asia/Tokyo now' is no IANA time zone name."),
        ("rate(5 minutes)",
         ("schedule: 'rate(5 minutes)' is no schedule. Write every 5m for EventBridge's rate; its first run is "
          "at creation: every 5m immediate.")),
        ("rate( 1 day )", "Write every 1d for"),
        ("at(2026-12-01T09:00:00)", "Write once 2026-12-01T09:00:00Z, or once 2026-12-01T09:00:00 tz=Europe/Berlin"),
        ("cron(0 9 ? * MON *) tz=UTC", "Write 0 0 9 ? * MON."),
    ],
)  # fmt: skip
def test_refusals_name_field_value_and_remedy(form: Any, message: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_schedule(form)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


_RATE = "Write every 5m for EventBridge's rate; its first run is at creation: every 5m immediate."


@pytest.mark.parametrize(
    "value, cron, every, at",
    [
        ("rate(5 minutes)", _RATE, _RATE, _RATE),
        ("at(2027-01-01T09:00:00)", *["Write once 2027-01-01T09:00:00Z, or once 2027-01-01T09:00:00 tz=Europe/Berlin"] * 3),
        ("cron(0 9 ? * MON *)", *["Write 0 0 9 ? * MON."] * 3),
        ("every 10m", "Give 10m as every instead of cron, or the text as the schedule.", "Write 10m alone.",
         "Give 10m as every instead of at, or the text as the schedule."),
        ("every 10m delay x5", "Give 10m as every instead of cron", "Write 10m alone, the rest beside it.", "Give 10m as every"),
        ("10m", "Give it as every instead of cron: every 10m.", None, "Give it as in instead of at: once in 10m."),
        ("once 2027-01-01T09:00:00Z", "Give 2027-01-01T09:00:00Z as at instead of cron",
         "Give 2027-01-01T09:00:00Z as at instead of every", "Write 2027-01-01T09:00:00Z alone."),
        ("2027-01-01T09:00:00Z", "Give it as at instead of cron", "Give it as at instead of every", None),
        ("once in 10m", "Give 10m as in instead of cron", "Give 10m as in instead of every", "Give 10m as in instead of at"),
        ("in 10m", "Give 10m as in instead of cron", "Give 10m as in instead of every", "Give 10m as in instead of at"),
        ("cron 0 9 * * *", "Write 0 9 * * * alone.", "Give 0 9 * * * as cron instead of every",
         "Give 0 9 * * * as cron instead of at"),
        ("0 9 * * *", None, "Give it as cron instead of every: cron 0 9 * * *.", "Give it as cron instead of at"),
        ("@Daily", None, "Give it as cron instead of every: cron @Daily.", "Give it as cron instead of at"),
        ("every day", "has 2 fields", "is no duration", "is no RFC 3339 time"),
        ("every " * 40, "has 40 fields", "is longer than 64 characters", "is no time"),
        ("once in 0 9 * * *", "has the unknown value", "is no duration", "is no RFC 3339 time"),
    ],
)  # fmt: skip
def test_a_schedule_in_the_place_of_another_is_told_where_it_belongs(
    value: str, cron: str | None, every: str | None, at: str | None
) -> None:
    for field, message in (("cron", cron), ("every", every), ("at", at)):
        if message is None:
            parse_schedule({field: value})
            continue
        with pytest.raises(ScheduleError) as caught:
            parse_schedule({field: value})
        assert message in str(caught.value)
        assert caught.value.field.startswith(field)


@pytest.mark.parametrize(
    "key, kind, hint",
    [
        ("tz", "cron", "Did you mean timezone?"), ("start", "cron", "Did you mean start_at?"),
        ("END", "once", "Did you mean end_at?"),
        ("interval", "interval", "Did you mean every?"), ("delay", "once", "Did you mean in?"),
        ("timezon", "cron", "Did you mean timezone?"),
        ("id", "cron", "Its fields are kind, cron"), ("delay", "cron", "Its fields are kind, cron"),
    ],
)  # fmt: skip
def test_an_unknown_key_is_told_which_was_meant(key: str, kind: str, hint: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_schedule({"kind": kind, key: "x"})
    assert caught.value.hint.startswith(hint)


def test_a_refusal_can_be_placed_in_a_larger_document() -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_schedule({"every": "soon"})
    assert caught.value.within("triggers[0].schedule").field == "triggers[0].schedule.every"
    assert caught.value.within("x").hint == caught.value.hint


def test_freezing_fills_in_the_project_defaults_and_nothing_else() -> None:
    found = freeze(
        parse_schedule("0 9 * * *"), now=NOW, timezone="Asia/Tokyo", dst_gap="shift", dst_fold="both"
    )
    assert found == CronSchedule("0 9 * * *", "Asia/Tokyo", "shift", "both")
    assert freeze(found, now=NOW + 5, timezone="UTC") == found
    assert freeze(parse_schedule("every 10m"), now=NOW, timezone="Asia/Tokyo") == IntervalSchedule(600)
    own = freeze(
        parse_schedule("0 9 * * * tz=UTC fold=first"), now=NOW, timezone="Asia/Tokyo", dst_fold="both"
    )
    assert own == CronSchedule("0 9 * * *", "UTC", "skip", "first")
    days = freeze(parse_schedule("every 1d calendar start=2026-12-01T09:00"), now=NOW, timezone="Asia/Tokyo")
    assert (days.start_at, days.timezone) == (_at("2026-12-01T00:00:00Z"), "Asia/Tokyo")
    assert schedule_json(days)["start_at"] == "2026-12-01T09:00:00"
    with pytest.raises(ScheduleError):
        freeze(parse_schedule("0 9 * * *"), now=NOW, timezone="Nowhere")


def test_a_once_becomes_an_instant() -> None:
    assert freeze(parse_schedule("once in 10m"), now=NOW) == OnceSchedule(NOW + 600)
    local = freeze(parse_schedule("once 2026-12-01T09:00:00 tz=Asia/Tokyo"), now=NOW)
    assert local == OnceSchedule(_at("2026-12-01T00:00:00Z"), timezone="Asia/Tokyo")
    default = freeze(parse_schedule("once 2026-12-01T09:00:00"), now=NOW, timezone="Asia/Tokyo")
    assert default == local
    assert freeze(parse_schedule("once 2020-01-01T00:00:00Z"), now=NOW) == OnceSchedule(
        _at("2020-01-01T00:00:00Z")
    )


def test_a_once_is_at_most_ten_years_ahead() -> None:
    decade = 3_653 * 86_400
    assert freeze(OnceSchedule(NOW + decade), now=NOW) == OnceSchedule(NOW + decade)
    assert freeze(parse_schedule("once in 3653d"), now=NOW) == OnceSchedule(NOW + decade)
    with pytest.raises(ScheduleError, match="more than ten years ahead"):
        freeze(OnceSchedule(NOW + decade + 1), now=NOW)


def test_a_once_in_a_gap_is_refused_or_shifted_and_in_a_fold_is_the_first() -> None:
    gap = "once 2027-03-28T02:30:00 tz=Europe/Berlin"
    with pytest.raises(ScheduleError) as caught:
        freeze(parse_schedule(gap), now=NOW)
    assert "at: '2027-03-28T02:30:00' does not exist in Europe/Berlin" in str(caught.value)
    assert freeze(parse_schedule(gap + " gap=shift"), now=NOW).at == _at("2027-03-28T01:00:00Z")  # type: ignore[union-attr]  # a once
    assert freeze(parse_schedule(gap), now=NOW, dst_gap="shift").at == _at("2027-03-28T01:00:00Z")  # type: ignore[union-attr]  # a once
    fold = freeze(parse_schedule("once 2026-10-25T02:30:00 tz=Europe/Berlin"), now=NOW)
    assert fold.at == _at("2026-10-25T00:30:00Z")  # type: ignore[union-attr]  # a once


@pytest.mark.parametrize(
    "form, message",
    [
        ("0 9 * * * end=2026-09-21T14:13:20Z", "end_at: '2026-09-21T14:13:20Z' is not in the future"),
        ("30 14 * * 1-5 start=1970-01-01T00:00:00Z end=2023-01-01T00:00:00Z", "is not in the future"),
        ("once 2036-12-01T00:00:00Z", "is more than ten years ahead"),
        (
            "once 2026-12-01T00:00:00Z start=2026-12-02T00:00:00Z",
            "lies outside its own window. start_at is 2026-12-02T00:00:00Z",
        ),
        ("once 2026-12-03T00:00:00Z end=2026-12-02T00:00:00Z", "lies outside its own window. end_at is"),
        ("every 1d calendar start=2026-12-03T00:00:00 end=2026-12-02T00:00:00Z", "is before start_at"),
    ],
)
def test_what_must_not_be_created(form: str, message: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        freeze(parse_schedule(form), now=NOW)
    assert message in str(caught.value)
