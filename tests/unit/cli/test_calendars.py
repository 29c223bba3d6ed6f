"""`duetime calendar`, and schedules under a calendar, against a running local server."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from duetime.cli.calendarforms import year_range
from duetime.cli.calendarshow import excludes_text
from duetime.cli.screen import upcoming
from tests.unit.cli.conftest import CommandLine

BERLIN = ("--tz", "Europe/Berlin")


@pytest.mark.parametrize(
    "options, form",
    [
        (
            ("--holiday-dates", "2026-12-26, 2026-12-25", *BERLIN),
            {"kind": "holiday", "dates": ["2026-12-25", "2026-12-26"], "timezone": "Europe/Berlin"},
        ),
        (("--weekly", "sat,SUN"), {"kind": "weekly", "days": ["SUN", "SAT"], "timezone": "UTC"}),
        (
            ("--daily", "22:00-06:00", *BERLIN),
            {"kind": "daily", "from": "22:00:00", "to": "06:00:00", "timezone": "Europe/Berlin"},
        ),
        (("--cron", "* * 0-7 * * *"), {"kind": "cron", "cron": "* * 0-7 * * *", "timezone": "UTC"}),
    ],
)
def test_every_kind_is_put(cli: CommandLine, options: tuple[str, ...], form: dict[str, Any]) -> None:
    made = cli.ok("calendar", "put", "mine", *options, "--description", "why", "--json").json
    assert made.items() >= {**form, "name": "mine", "description": "why"}.items()


def test_a_composite_is_put_shown_listed_and_deleted(cli: CommandLine) -> None:
    cli.ok("calendar", "put", "xmas", "--holiday-dates", "2026-12-25,2026-12-26,2027-12-25", *BERLIN)
    cli.ok("calendar", "put", "weekends", "--weekly", "SAT,SUN")
    put = cli.ok(
        "calendar", "put", "free", "--composite", "xmas,weekends", "--description", "days off"
    ).stdout
    assert put.startswith("calendar free: put\n")
    lines = [" ".join(line.split()) for line in cli.ok("calendar", "show", "xmas").stdout.splitlines()]
    assert lines[:3] == [
        "name xmas",
        "kind holiday",
        "excludes 3 days from 2026-12-25 to 2027-12-25, Europe/Berlin time",
    ]
    assert lines[-4:] == ["used by calendar free", "year days", "2026 Dec 25, Dec 26", "2027 Dec 25"]
    rows = {line.split()[0]: line for line in cli.ok("calendar", "list").stdout.splitlines()}
    assert next(iter(rows)) == "name"
    assert "what xmas and weekends exclude" in rows["free"]
    assert rows["free"].endswith("days off")
    assert "every Saturday and Sunday, UTC time" in rows["weekends"]
    listed = cli.ok("calendar", "list", "--prefix", "week", "--json").json["items"]
    assert [one["name"] for one in listed] == ["weekends"]
    refused = cli("calendar", "delete", "xmas")
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "'xmas' is used by calendar free." in refused.stderr
    assert cli.ok("calendar", "delete", "free").stdout == "calendar free: deleted\n"
    assert cli.ok("calendar", "delete", "xmas", "--json").json == {"deleted": "xmas"}
    assert cli("calendar", "show", "xmas").exit_code == 3


def test_users_are_shown(cli: CommandLine) -> None:
    cli.ok("calendar", "put", "lonely", "--weekly", "SAT")
    assert "used by   nothing" in cli.ok("calendar", "show", "lonely").stdout
    cli.ok(
        "schedule", "create", "visitor", "--cron", "0 9 * * *", "--calendar", "lonely", "--handler", "echo"
    )
    assert "used by   job visitor" in cli.ok("calendar", "show", "lonely").stdout
    users = cli.ok("calendar", "show", "lonely", "--json").json["users"]
    assert users == [{"kind": "job", "name": "visitor"}]


def test_a_dry_run_writes_nothing(cli: CommandLine) -> None:
    said = cli.ok("calendar", "put", "unwritten", "--weekly", "SAT", "--dry-run").stdout
    assert said.startswith("calendar unwritten: would be put; nothing is stored\n")
    made = cli.ok(
        "calendar", "holidays", "DE", "--name", "unwritten", "--years", "2027", "--dry-run", *BERLIN
    )
    assert made.stdout.startswith("calendar unwritten: would be put; nothing is stored\n")
    assert cli("calendar", "show", "unwritten").exit_code == 3


@pytest.mark.parametrize(
    "options, exit_code, words",
    [
        ((), 2, "Give one of --holiday-dates"),
        (("--weekly", "SAT", "--daily", "22:00-06:00"), 2, "--daily: '22:00-06:00' is a second kind"),
        (("--daily", "22:00"), 2, "--daily: '22:00' is no part of a day"),
        (("--composite", "a,b", "--tz", "UTC"), 2, "--tz: 'UTC' goes with no composite"),
        (("--daily", "22:00-25:00"), 1, "--daily: '25:00' is no time of day"),
        (("--weekly", "Caturday"), 1, "--weekly: 'Caturday' is no "),
        (("--weekly", ","), 1, "--weekly: "),
        (("--weekly", "SUN,MON-FRI"), 2, "--weekly: 'MON-FRI' is a range of days"),
        (("--weekly", "FRI-MON"), 2, "Write FRI,SAT,SUN,MON."),
        (("--weekly", "saturday"), 2, "Write SAT."),
        (("--holiday-dates", "2026-02-30"), 1, "--holiday-dates: '2026-02-30' is no date"),
        (("--cron", "61 * * * *"), 1, "--cron (minute): "),
        (("--composite", "nobody"), 1, "--composite: 'nobody' is no calendar"),
        (("--weekly", "SAT", "--tz", "Mars/Base"), 1, "--tz: 'Mars/Base'"),
    ],
)
def test_what_is_no_calendar_is_one_problem(
    cli: CommandLine, options: tuple[str, ...], exit_code: int, words: str
) -> None:
    answer = cli("calendar", "put", "wrong", *options)
    assert (answer.exit_code, answer.stdout) == (exit_code, "")
    assert words in answer.stderr
    assert cli("calendar", "show", "wrong").exit_code == 3


def test_holidays_of_a_country_are_shown_without_any_server() -> None:
    nowhere = CommandLine("http://127.0.0.1:9")
    asked = ("calendar", "holidays", "DE", "--subdiv", "BY", "--years", "2026", *BERLIN)
    shown = nowhere.ok(*asked)
    lines = shown.stdout.splitlines()
    assert lines[0].split() == ["date", "day", "holiday"]
    assert lines[2].split() == ["2026-01-06", "Tue", "Epiphany"]
    assert lines[-1] == "The dates end with 2026: fill it anew before."
    assert shown.stderr == ""
    form = nowhere.ok(*asked, "--json").json
    assert (form["kind"], form["timezone"], len(form["dates"])) == ("holiday", "Europe/Berlin", 12)
    noted = nowhere.ok("calendar", "holidays", "DE", "--years", "2026-2027", "--json")
    assert noted.json["timezone"] == "UTC"
    assert {day[:4] for day in noted.json["dates"]} == {"2026", "2027"}
    assert "name the country's own time zone with --tz" in noted.stderr


def test_holidays_of_a_country_are_put(cli: CommandLine) -> None:
    put = cli.ok("calendar", "holidays", "FR", "--name", "fr", "--years", "2020-2021", "--tz", "Europe/Paris")
    assert put.stdout.startswith("calendar fr: put\n")
    assert "last date has passed" in put.stderr
    stored = cli.ok("calendar", "show", "fr", "--json").json
    assert stored["description"] == "Holidays of FR, 2020 to 2021"
    assert stored["dates"][0] == "2020-01-01"
    made = cli.ok(
        "calendar", "holidays", "SE", "--name", "se", "--category", "public", "--category", "de_facto",
        "--tz", "Europe/Stockholm", "--description", "lediga dagar", "--json",
    ).json  # fmt: skip
    assert made["description"] == "lediga dagar"
    assert made["warnings"] == []


@pytest.mark.parametrize(
    "options, exit_code, words",
    [
        (("Frnce",), 1, "Did you mean FR (France)?"),
        (("Bavaria",), 1, "Use an ISO 3166-1 code, such as DE."),
        (("DE", "--subdiv", "Bavaria"), 1, "BY (Bayern)"),
        (("DE", "--subdiv", "Bayrn"), 1, "Did you mean Bayern"),
        (("DE", "--category", "bank"), 1, "It has catholic, public, school."),
        (("LK", "--years", "2050"), 1, "--years: '2050' has no holidays of LK"),
        (("DE", "--years", "soon"), 2, "--years: 'soon' are no years"),
        (("DE", "--years", "2030-2026"), 2, "--years: '2030-2026' ends before it begins"),
        (("DE", "--years", "2101"), 1, "--years: '2101' is no year"),
        (("DE", "--tz", "Mars/Base"), 1, "--tz: 'Mars/Base'"),
    ],
)
def test_what_is_no_country_is_one_problem(
    cli: CommandLine, options: tuple[str, ...], exit_code: int, words: str
) -> None:
    answer = cli("calendar", "holidays", *options, "--name", "wrong")
    assert (answer.exit_code, answer.stdout) == (exit_code, "")
    assert words in answer.stderr
    assert cli("calendar", "show", "wrong").exit_code == 3


def test_years_are_this_one_and_the_next_four() -> None:
    first, *rest = year_range(None)
    assert rest == [first + 1, first + 2, first + 3, first + 4]
    assert first == datetime.now(UTC).year
    assert year_range("2026") == [2026]
    assert year_range("2026-2028") == [2026, 2027, 2028]
    assert year_range("2028, 2026,2027-2028") == [2026, 2027, 2028]


@pytest.mark.parametrize(
    "form, words",
    [
        ({"kind": "holiday", "dates": ["2026-12-25"]}, "2026-12-25, UTC time"),
        (
            {"kind": "weekly", "days": ["SUN"], "timezone": "Asia/Shanghai"},
            "every Sunday, Asia/Shanghai time",
        ),
        ({"kind": "weekly", "days": ["SUN", "MON", "FRI"]}, "every Monday, Friday and Sunday, UTC time"),
        ({"kind": "daily", "from": "08:00", "to": "12:30:15"}, "every day from 08:00 to 12:30:15, UTC time"),
        (
            {"kind": "daily", "from": "22:00", "to": "24:00"},
            "every day from 22:00 to 00:00 of the next, UTC time",
        ),
        ({"kind": "composite", "calendars": ["a"]}, "what a excludes"),
        ({"kind": "weekly", "days": ["SAT"], "timezone": "Gone/Zone"}, "every Saturday, Gone/Zone time"),
        ({"kind": "lunar", "phase": "full", "name": "x"}, '{"kind": "lunar", "phase": "full"}'),
    ],
)
def test_what_is_excluded_is_said_in_words(form: dict[str, Any], words: str) -> None:
    assert excludes_text(form) == words


def test_a_cron_calendar_is_said_in_words_of_its_own_zone() -> None:
    words = excludes_text({"kind": "cron", "cron": "0 12 * * *", "timezone": "Europe/Berlin"})
    assert re.fullmatch(r"0 12 \* \* \* \(at 12:00[^()]*\), Europe/Berlin time", words), words
    assert "UTC" not in words


def test_what_the_local_server_shows_as_next_is_not_excluded(cli: CommandLine) -> None:
    cli.ok("calendar", "put", "quiet", "--cron", "* * * * 1-11 *")
    cli.ok(
        "schedule", "create", "december", "--cron", "0 9 * * *", "--calendar", "quiet", "--handler", "echo"
    )
    assert cli.runtime is not None
    (at,) = [one.at for one in upcoming(cli.runtime.engine, "default") if one.job == "december"]
    assert (datetime.fromtimestamp(at, UTC).month, at % 86_400) == (12, 9 * 3600)


def test_a_schedule_is_put_under_a_calendar_and_taken_out(cli: CommandLine) -> None:
    cli.ok("calendar", "put", "rest-days", "--weekly", "SAT,SUN", *BERLIN)
    made = cli.ok(
        "schedule",
        "create",
        "works",
        "--cron",
        "0 9 * * *",
        *BERLIN,
        "--calendar",
        "rest-days",
        "--handler",
        "echo",
    )
    assert "calendar=rest-days" in made.stdout
    kept = cli.ok("schedule", "update", "works", "--cron", "0 10 * * *", "--json").json
    assert kept["trigger"]["calendar"] == "rest-days"
    kept = cli.ok("schedule", "update", "works", "--every", "1h", "--json").json
    assert kept["trigger"]["calendar"] == "rest-days"
    freed = cli.ok("schedule", "update", "works", "--calendar", "", "--json").json
    assert "calendar" not in freed["trigger"]
    refused = cli("schedule", "update", "works", "--calendar", "nobody")
    assert (refused.exit_code, "--calendar: 'nobody'" in refused.stderr) == (1, True)


def test_a_once_that_a_calendar_excludes_is_told(cli: CommandLine) -> None:
    cli.ok("calendar", "put", "closed", "--holiday-dates", "2030-01-01")
    answer = cli.ok(
        "schedule",
        "create",
        "new-year",
        "--at",
        "2030-01-01T09:00:00Z",
        "--calendar",
        "closed",
        "--handler",
        "echo",
    )
    assert "warning: Calendar closed excludes 2030-01-01T09:00:00Z: it never runs." in answer.stderr


def test_a_preview_takes_calendars_along(cli: CommandLine, tmp_path: Path) -> None:
    asked = (
        "preview",
        "0 9 * * * calendar=weekends",
        "--from",
        "2026-10-16T12:00:00Z",
        "--count",
        "1",
        "--json",
    )
    form = json.dumps({"weekends": {"kind": "weekly"}})
    (tmp_path / "calendars.json").write_text(form)
    for given in (form, f"@{tmp_path / 'calendars.json'}"):
        found = cli.ok(*asked, "--calendars", given).json
        assert found["upcoming"] == ["2026-10-19T09:00:00Z"]
    alone = cli(*asked)
    assert (alone.exit_code, "calendar: 'weekends'" in json.loads(alone.stderr)["detail"]) == (1, True)


def test_a_preview_asks_no_project_and_checks_what_it_is_given(cli: CommandLine) -> None:
    alone = cli("preview", "0 9 * * * calendar=off")
    assert alone.exit_code == 1
    assert "a preview asks no project" in alone.stderr
    assert '--calendars \'{"off": ' in alone.stderr
    unused = cli("preview", "0 9 * * *", "--calendars", '{"n": 1}')
    assert (unused.exit_code, unused.stdout) == (2, "")
    assert "--calendars (n." in unused.stderr
    wrong = cli("preview", "0 9 * * *", "--calendars", "x")
    assert (wrong.exit_code, "--calendars: 'x'" in wrong.stderr) == (2, True)


def test_filling_anew_keeps_the_zone_of_the_calendar(cli: CommandLine) -> None:
    asked = ("calendar", "holidays", "DE", "--years", "2027,2029", "--name", "filled")
    first = cli.ok(*asked, *BERLIN)
    assert (first.stderr, "Holidays of DE, 2027, 2029" in first.stdout) == ("", True)
    anew = cli.ok(*asked, "--subdiv", "BY", "--category", "catholic", "--json")
    assert anew.json["timezone"] == "Europe/Berlin"
    assert "days of Europe/Berlin, as before" in anew.stderr
    assert "add --category public" in anew.stderr
    assert "days of UTC" in cli.ok(*asked[:-1], "other").stderr
