"""Holidays of a country as a calendar: the dates the library knows, and one clear error for what it does not."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from typing import Any

import pytest

from duetime import ScheduleError, holiday_calendar, upcoming
from duetime.core.calendars import calendar_json, parse_calendar
from duetime.sdk.holidays import country_days


def test_the_dates_of_a_year_are_known_ones() -> None:
    made = holiday_calendar("DE", years=2026, timezone="Europe/Berlin")
    assert made == {
        "kind": "holiday",
        "dates": [
            "2026-01-01", "2026-04-03", "2026-04-06", "2026-05-01", "2026-05-14", "2026-05-25", "2026-10-03",
            "2026-12-25", "2026-12-26",
        ],
        "timezone": "Europe/Berlin",
    }  # fmt: skip
    assert calendar_json(parse_calendar(made)) == made


def test_a_subdivision_has_days_of_its_own() -> None:
    everywhere = set(holiday_calendar("DE", years=2026)["dates"])
    bavaria = holiday_calendar("de", years=2026, subdivision="BY")["dates"]
    assert set(bavaria) - everywhere == {"2026-01-06", "2026-06-04", "2026-11-01"}
    assert holiday_calendar("DEU", years=2026, subdivision="bayern")["dates"] == bavaria


def test_years_are_one_or_many_in_any_order() -> None:
    many = holiday_calendar("GB", years=[2028, 2026, 2027, 2026], subdivision="ENG")["dates"]
    assert many == sorted(many)
    assert {day[:4] for day in many} == {"2026", "2027", "2028"}
    assert many == [
        day
        for year in (2026, 2027, 2028)
        for day in holiday_calendar("GB", years=year, subdivision="ENG")["dates"]
    ]


def test_a_day_given_in_place_of_a_weekend_counts_as_well() -> None:
    """4 July 2026 is a Saturday; the day off is the Friday before."""
    assert {"2026-07-03", "2026-07-04"} <= set(holiday_calendar("US", years=2026)["dates"])


def test_only_the_years_asked_for_count() -> None:
    """The day off for 1 January 2028, a Saturday, is in 2027."""
    assert "2027-12-31" in holiday_calendar("US", years=2027)["dates"]
    assert "2027-12-31" not in holiday_calendar("US", years=2028)["dates"]


def test_categories_are_those_of_the_library() -> None:
    both = set(holiday_calendar("SE", years=2026, categories=["public", "de_facto"])["dates"])
    assert set(holiday_calendar("SE", years=2026, categories="public")["dates"]) < both


def test_days_have_english_names_whatever_this_machine_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, "de")
    assert country_days("DE", years=2026)[date(2026, 12, 25)] == "Christmas Day"


def test_a_schedule_under_it_passes_over_the_holidays() -> None:
    calendars = {"holidays": holiday_calendar("DE", years=2026, timezone="Europe/Berlin")}
    start = datetime(2026, 12, 24, 12, tzinfo=UTC)
    found = upcoming(
        "0 9 * * * tz=Europe/Berlin calendar=holidays", after=start, count=1, calendars=calendars
    )
    assert found == [datetime(2026, 12, 27, 8, tzinfo=UTC)]


@pytest.mark.parametrize(
    "given, field, hint",
    [
        ({"country": "Germany"}, "country", "Did you mean DE (Germany)"),
        ({"country": "Frnace"}, "country", "Did you mean FR (France)?"),
        ({"country": "XQ"}, "country", "Use an ISO 3166-1 code, such as DE."),
        ({"country": None}, "country", "Use an ISO 3166-1 code, such as DE."),
        ({"subdivision": "Bayrn"}, "subdivision", "Did you mean Bayern"),
        ({"subdivision": "XX"}, "subdivision", "It has BB (Brandenburg), BE (Berlin),"),
        ({"country": "CN", "subdivision": "BJ"}, "subdivision", "It has none: leave it out."),
        ({"categories": ["public", "scool"]}, "categories", "Did you mean school? It has catholic, public, school."),
        ({"categories": "bank"}, "categories", "It has catholic, public, school."),
        ({"country": "LK", "years": [2026, 2050]}, "years", "Leave it out, or name another category."),
        ({"years": []}, "years", "Name at least one"),
        ({"years": "2026"}, "years", "Use years from 1900 to 2100."),
        ({"years": 2101}, "years", "Use years from 1900 to 2100."),
        ({"years": [True]}, "years", "Use years from 1900 to 2100."),
        ({"years": [2026, None]}, "years", "Use years from 1900 to 2100."),
        ({"timezone": "Mars/Base"}, "timezone", "Write one such as"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_one_clear_error(given: dict[str, Any], field: str, hint: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        holiday_calendar(**{"country": "DE", "years": 2026, **given})
    assert caught.value.field == field
    assert hint in caught.value.hint


def test_a_year_without_known_holidays_is_named() -> None:
    with pytest.raises(ScheduleError, match="years: '2050' has no holidays of LK that are known"):
        holiday_calendar("LK", years=[2025, 2050])


def test_where_the_library_is_not_installed_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "holidays", None)
    with pytest.raises(ScheduleError, match="not installed"):
        holiday_calendar("DE", years=2026)


def test_the_library_is_loaded_when_it_is_asked_for() -> None:
    code = (
        "import sys, duetime, duetime.sdk.holidays, duetime.cli.main\n"
        "assert duetime.holiday_calendar\n"
        "assert not [name for name in sys.modules if name.partition('.')[0] == 'holidays']"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
