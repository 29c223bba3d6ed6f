"""Calendars as one reads them: an expression, a moment, and the local times that follow."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from duetime import Cron, parse_schedule, upcoming
from duetime.core.instants import local_text
from duetime.core.plan import plan
from duetime.core.schedule import freeze
from duetime.core.zones import offset_at, zone


def _local(cron: str, tz: str, after: str, count: int, gap: str = "skip", fold: str = "first") -> list[str]:
    """The next occurrences as local times, without the year."""
    schedule = {"cron": cron, "timezone": tz, "dst_gap": gap, "dst_fold": fold}
    found = upcoming(schedule, after=datetime.fromisoformat(after).astimezone(UTC), count=count)
    instants = [round(moment.timestamp()) for moment in found]
    return [local_text(instant, offset_at(zone(tz), instant))[5:].replace("T", " ") for instant in instants]


def test_spring_forward_skips_or_shifts() -> None:
    at = ("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00Z", 3)
    assert _local(*at) == ["03-28 02:30:00+01:00", "03-30 02:30:00+02:00", "03-31 02:30:00+02:00"]
    assert _local(*at, gap="shift") == [
        "03-28 02:30:00+01:00",
        "03-29 03:00:00+02:00",
        "03-30 02:30:00+02:00",
    ]


def test_several_times_of_a_gap_shift_to_one_run() -> None:
    found = _local("*/20 2 * * *", "Europe/Berlin", "2026-03-29T00:00Z", 2, gap="shift")
    assert found == ["03-29 03:00:00+02:00", "03-30 02:00:00+02:00"]


def test_fall_back_runs_once_or_twice() -> None:
    at = ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 3)
    assert _local(*at) == ["10-25 02:30:00+02:00", "10-26 02:30:00+01:00", "10-27 02:30:00+01:00"]
    assert _local(*at, fold="both") == [
        "10-25 02:30:00+02:00",
        "10-25 02:30:00+01:00",
        "10-26 02:30:00+01:00",
    ]


def test_an_hourly_schedule_goes_on_in_spring_and_rests_an_hour_in_autumn() -> None:
    spring = _local("0 * * * *", "America/New_York", "2026-03-08T05:30Z", 3)
    assert spring == ["03-08 01:00:00-05:00", "03-08 03:00:00-04:00", "03-08 04:00:00-04:00"]
    autumn = ("0 * * * *", "America/New_York", "2026-11-01T04:30Z", 3)
    assert _local(*autumn) == ["11-01 01:00:00-04:00", "11-01 02:00:00-05:00", "11-01 03:00:00-05:00"]
    assert _local(*autumn, fold="both") == [
        "11-01 01:00:00-04:00",
        "11-01 01:00:00-05:00",
        "11-01 02:00:00-05:00",
    ]


def test_a_start_inside_the_second_pass_never_goes_back() -> None:
    found = _local("* * * * *", "America/New_York", "2026-11-01T06:30:15Z", 2)
    assert found == ["11-01 02:00:00-05:00", "11-01 02:01:00-05:00"]


def test_a_missing_day_and_a_missing_midnight() -> None:
    friday = _local("0 12 * * FRI", "Pacific/Apia", "2011-12-22T00:00Z", 2, gap="shift")
    assert friday == ["12-23 12:00:00-10:00", "12-31 00:00:00+14:00"]
    midnight = _local("0 0 * * *", "Asia/Beirut", "2025-03-29T12:00Z", 2, gap="shift")
    assert midnight == ["03-30 01:00:00+03:00", "03-31 00:00:00+03:00"]


def test_days_counted_from_the_end_and_nearest_weekdays() -> None:
    assert _days("0 0 L * *", 2027, 3) == ["01-31", "02-28", "03-31"]
    assert _days("0 0 L-2 * *", 2028, 3) == ["01-29", "02-27", "03-29"]
    assert _days("0 0 LW * *", 2027, 4) == ["01-29", "02-26", "03-31", "04-30"]
    assert _days("0 0 1W * *", 2027, 5) == ["01-01", "02-01", "03-01", "04-01", "05-03"]
    assert _days("0 0 31W * *", 2027, 4) == ["01-29", "03-31", "05-31", "07-30"]
    assert _days("0 0 29W 2 *", 2027, 1) == ["02-29"]
    assert _days("0 0 1,15W,L-1,LW 1 *", 2027, 4) == ["01-01", "01-15", "01-29", "01-30"]


def test_weeks_of_the_month() -> None:
    assert _days("0 0 * * MON#1", 2027, 3) == ["01-04", "02-01", "03-01"]
    assert _days("0 0 * * FRI#5", 2027, 3) == ["01-29", "04-30", "07-30"]
    assert _days("0 0 * * 7L,MON#1", 2027, 4) == ["01-04", "01-31", "02-01", "02-28"]


def test_either_day_field_is_enough_and_a_free_one_says_nothing() -> None:
    assert _days("0 0 13 * FRI", 2027, 4) == ["01-01", "01-08", "01-13", "01-15"]
    assert _days("0 0 13 * ?", 2027, 2) == ["01-13", "02-13"]
    assert _days("0 0 ? * FRI", 2027, 2) == ["01-01", "01-08"]


@pytest.mark.parametrize(
    "weekday, days",
    [
        ("0", ["01-03", "01-10"]), ("7", ["01-03", "01-10"]), ("SAT-SUN", ["01-02", "01-03"]), ("6-7", ["01-02", "01-03"]),
        ("SUN-TUE", ["01-03", "01-04"]), ("5-7/2", ["01-01", "01-03"]), ("5/2", ["01-01", "01-08"]), ("7/3", ["01-02", "01-03"]),
        ("*/3", ["01-02", "01-03"]), ("SUN-SUN", ["01-01", "01-02"]), ("fri,Sun", ["01-01", "01-03"]),
    ],
)  # fmt: skip
def test_sunday_has_two_numbers_and_closes_a_range(weekday: str, days: list[str]) -> None:
    assert _days(f"0 0 * * {weekday}", 2027, 2) == days


def test_leap_days_across_2100_and_to_the_end_of_time() -> None:
    schedule = Cron("0 0 29 2 *")
    assert schedule.next(datetime(2096, 3, 1, tzinfo=UTC)) == datetime(2104, 2, 29, tzinfo=UTC)
    assert schedule.next(datetime(9996, 3, 1, tzinfo=UTC)) is None
    assert Cron("* * * * *").next(datetime(9999, 12, 31, 23, 59, tzinfo=UTC)) is None
    assert Cron("0 0 1 1 *").next(datetime.min.replace(tzinfo=UTC)) == datetime(2, 1, 1, tzinfo=UTC)


def test_years_end() -> None:
    schedule = Cron("0 0 0 1 1 ? 2026-2030/2")
    found, moment = [], schedule.next(datetime(1900, 1, 1, tzinfo=UTC))
    while moment is not None:
        found.append(moment.year)
        moment = schedule.next(moment)
    assert found == [2026, 2028, 2030]


def test_a_yearly_time_of_a_repeated_hour_is_found_from_months_away() -> None:
    schedule = freeze(parse_schedule("30 2 25 10 * tz=Europe/Berlin fold=both gap=shift"), now=0)
    occurrences, first = (
        plan(schedule, anchor=0),
        round(datetime(2026, 10, 25, 0, 30, tzinfo=UTC).timestamp()),
    )
    june = first + 240 * 86_400
    assert occurrences.previous(june) == first + 3_600
    assert occurrences.previous(first + 3_600) == first
    assert occurrences.next(first - 300 * 86_400) == first
    assert occurrences.next(first) == first + 3_600
    assert occurrences.count(first - 300 * 86_400, june) == 2


def test_far_years_keep_the_clock_changes_of_their_zone() -> None:
    found = _local("0 9 * * *", "America/New_York", "2500-03-13T00:00Z", 2)
    assert found == ["03-13 09:00:00-05:00", "03-14 09:00:00-04:00"]
    assert _local("30 2 14 3 *", "America/New_York", "2500-01-01T00:00Z", 1) == ["03-14 02:30:00-04:00"]


def test_the_last_friday_of_each_month() -> None:
    expected = ["01-28", "02-25", "03-31", "04-28", "05-26", "06-30", "07-28", "08-25"]
    for weekday in ("FRIL", "5L", "friL"):
        assert _days(f"0 17 * * {weekday}", 2028, 8) == expected


def test_the_weekday_nearest_to_the_ends_of_a_month_stays_inside_it() -> None:
    """1 January 2028 is a Saturday, 1 October a Sunday; 30 April is a Sunday and 30 September a Saturday."""
    firsts = [
        "01-03",
        "02-01",
        "03-01",
        "04-03",
        "05-01",
        "06-01",
        "07-03",
        "08-01",
        "09-01",
        "10-02",
        "11-01",
        "12-01",
    ]
    assert _days("0 0 1W * *", 2028, 12) == firsts
    thirtieths = [
        "01-31",
        "03-30",
        "04-28",
        "05-30",
        "06-30",
        "07-31",
        "08-30",
        "09-29",
        "10-30",
        "11-30",
        "12-29",
    ]
    assert _days("0 0 30W * *", 2028, 11) == thirtieths
    assert _days("0 0 31W * *", 2028, 7) == ["01-31", "03-31", "05-31", "07-31", "08-31", "10-31", "12-29"]
    assert _days("0 0 LW * *", 2028, 6) == ["01-31", "02-29", "03-31", "04-28", "05-31", "06-30"]
    assert _days("0 0 15W * *", 2028, 4) == ["01-14", "02-15", "03-15", "04-14"]


def test_the_weekday_nearest_to_29_february_comes_in_leap_years_alone() -> None:
    """In 2032 it is a Sunday and the last day, so that Friday the 27th is nearest inside the month; in 2048 a Saturday."""
    expected = ["2028-02-29", "2032-02-27", "2036-02-29", "2040-02-29", "2044-02-29", "2048-02-28"]
    assert _dates("0 0 29W 2 *", 2028, 6) == expected
    assert _dates("0 0 29 2 *", 2028, 3) == ["2028-02-29", "2032-02-29", "2036-02-29"]
    assert _dates("0 0 28W 2 *", 2032, 3) == ["2032-02-27", "2033-02-28", "2034-02-28"]


def test_days_before_the_last_reach_back_to_the_first_of_february_and_no_further() -> None:
    assert _dates("0 9 L-27 2 *", 2028, 3) == ["2028-02-02", "2029-02-01", "2030-02-01"]
    assert _dates("0 9 L-28 2 *", 2028, 3) == ["2028-02-01", "2032-02-01", "2036-02-01"]
    assert _days("0 9 L-28 * *", 2027, 4) == ["01-03", "03-03", "04-02", "05-03"]
    assert _days("0 9 L-29 * *", 2028, 4) == ["01-02", "03-02", "04-01", "05-02"]
    assert _days("0 9 L-30 * *", 2028, 4) == ["01-01", "03-01", "05-01", "07-01"]


def test_a_fifth_weekday_comes_in_some_months_only() -> None:
    assert _days("0 0 * * FRI#5", 2028, 4) == ["03-31", "06-30", "09-29", "12-29"]
    assert _days("0 0 * * MON#5", 2028, 4) == ["01-31", "05-29", "07-31", "10-30"]
    assert _dates("0 0 ? 2 SUN#5", 2027, 2) == ["2032-02-29", "2060-02-29"]
    assert _days("0 0 * * 7#1,SUNL", 2028, 4) == ["01-02", "01-30", "02-06", "02-27"]


def test_every_kind_of_weekly_rhythm() -> None:
    assert _days("0 9 * * MON", 2027, 3) == ["01-04", "01-11", "01-18"]
    assert _days("0 9 * * MON-FRI", 2027, 4) == ["01-01", "01-04", "01-05", "01-06"]
    assert _days("0 9 * * SAT,SUN", 2027, 4) == ["01-02", "01-03", "01-09", "01-10"]
    assert _days("0 9 1-7 * ?", 2027, 8)[5:] == ["01-06", "01-07", "02-01"]
    assert _days("0 9 1-7 * MON", 2027, 8)[6:] == ["01-07", "01-11"]  # either day field: not the first Monday
    assert _days("0 9 * * MON#1", 2027, 3) == ["01-04", "02-01", "03-01"]


def test_quarters_halves_and_financial_years() -> None:
    assert _days("0 0 1 */3 *", 2027, 4) == ["01-01", "04-01", "07-01", "10-01"]
    assert _days("0 0 L 3/3 *", 2027, 4) == ["03-31", "06-30", "09-30", "12-31"]
    assert _days("0 0 LW JUN,DEC *", 2027, 2) == ["06-30", "12-31"]
    assert _days("0 0 6 4 *", 2027, 1) == ["04-06"]
    assert _days("0 0 31 * *", 2027, 7) == ["01-31", "03-31", "05-31", "07-31", "08-31", "10-31", "12-31"]


def test_every_fortnight_in_berlin_keeps_its_time_over_both_changes() -> None:
    schedule = "every 14d calendar tz=Europe/Berlin start=2026-03-05T09:30:00 immediate"
    found = upcoming(schedule, after=datetime(2026, 3, 1, tzinfo=UTC), count=20)
    assert [moment.strftime("%m-%d %H:%M") for moment in found][:4] == [
        "03-05 08:30",
        "03-19 08:30",
        "04-02 07:30",
        "04-16 07:30",
    ]
    assert [moment.strftime("%m-%d %H:%M") for moment in found][-4:] == [
        "10-15 07:30", "10-29 08:30", "11-12 08:30", "11-26 08:30",
    ]  # fmt: skip


def test_a_rhythm_of_whole_days_meets_the_hours_a_clock_changes() -> None:
    daily = "every 1d calendar tz=Europe/Berlin start={} gap={} fold={}"
    spring = ("2026-03-27T02:30:00", datetime(2026, 3, 27, 12, tzinfo=UTC))
    autumn = ("2026-10-23T02:30:00", datetime(2026, 10, 23, 12, tzinfo=UTC))

    def found(start: tuple[str, datetime], gap: str, fold: str) -> list[str]:
        moments = upcoming(daily.format(start[0], gap, fold), after=start[1], count=3)
        return [moment.strftime("%d %H:%M") for moment in moments]

    assert found(spring, "skip", "first") == ["28 01:30", "30 00:30", "31 00:30"]
    assert found(spring, "shift", "first") == ["28 01:30", "29 01:00", "30 00:30"]
    assert found(autumn, "skip", "first") == ["24 00:30", "25 00:30", "26 01:30"]
    assert found(autumn, "skip", "both") == ["24 00:30", "25 00:30", "25 01:30"]


def test_aligned_steps_count_from_1970_whatever_their_length() -> None:
    after = datetime(2026, 6, 1, 11, 50, tzinfo=UTC)

    def found(every: str) -> list[str]:
        return [
            moment.strftime("%d %H:%M:%S")
            for moment in upcoming(f"every {every} aligned", after=after, count=3)
        ]

    assert found("15m") == ["01 12:00:00", "01 12:15:00", "01 12:30:00"]
    assert found("1d") == ["02 00:00:00", "03 00:00:00", "04 00:00:00"]
    # Seven minutes divide no hour: the steps go on over it and do not begin anew at :00 as */7 does.
    assert found("7m") == ["01 11:55:00", "01 12:02:00", "01 12:09:00"]
    assert [moment.minute for moment in upcoming("*/7 * * * *", after=after, count=3)] == [56, 0, 7]
    # Weeks count from a Thursday, the first of January 1970.
    assert [moment.strftime("%a") for moment in upcoming("every 7d aligned", after=after, count=2)] == [
        "Thu",
        "Thu",
    ]


def test_fixed_steps_of_a_day_do_not_keep_a_local_time() -> None:
    found = upcoming("every 1d start=2026-03-28T08:00:00Z", after=datetime(2026, 3, 28, tzinfo=UTC), count=2)
    assert [moment.hour for moment in found] == [8, 8]  # 09:00 in Berlin, then 10:00


def _dates(cron: str, year: int, count: int) -> list[str]:
    """The next days from the last second of the year before, with their year."""
    found = upcoming(cron, after=datetime(year - 1, 12, 31, 23, 59, 59, tzinfo=UTC), count=count)
    return [moment.date().isoformat() for moment in found]


def _days(cron: str, year: int, count: int) -> list[str]:
    """The next days from the last second of the year before, as month and day; 2028 where 2027 has none."""
    found = upcoming(cron, after=datetime(year - 1, 12, 31, 23, 59, 59, tzinfo=UTC), count=count)
    return [moment.strftime("%m-%d") for moment in found]
