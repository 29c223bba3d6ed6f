"""The calendar, window, clock and misfire cases of tests/vectors/behaviour.md as far as they are pure, and its hostile input.

The name of a test holds the id of its case. What needs a store or a queue stands with the engine (tests/unit/engine).
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from duetime import Cron, ScheduleError, describe, parse_schedule, upcoming
from duetime.core.definition import parse_job
from duetime.core.exclusion import exclusion
from duetime.core.ids import run_id
from duetime.core.misfire import decide
from duetime.core.plan import plan
from duetime.core.preview import preview
from duetime.core.schedule import freeze, schedule_json, settle
from duetime.core.zones import check_zone
from tests.cpu import cpu_seconds
from tests.world import START, World

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
NOW = 1_790_000_000
"""2026-09-21T14:13:20Z, a Monday."""


def _at(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp())


def _invalid(*ids: str) -> list[Any]:
    rows = map(json.loads, (VECTORS / "invalid.jsonl").read_text(encoding="utf-8").splitlines())
    return [row["value"] for row in rows if row["id"] in ids or row["kind"] in ids]


def test_b_07_a_window_that_is_over_is_refused_and_one_that_ends_leaves_nothing() -> None:
    form, now = (
        "30 14 * * 1-5 start=1970-01-01T00:00:00Z end=2023-01-01T00:00:00Z",
        _at("2024-03-25T00:00:00Z"),
    )
    with pytest.raises(ScheduleError) as caught:
        freeze(parse_schedule(form), now=now)
    assert caught.value.field == "end_at"
    over = plan(settle(parse_schedule(form), now=now), anchor=now)
    assert over.next(now) is None
    assert not over.contains(_at("2024-03-25T14:30:00Z"))
    assert over.previous(now) == _at("2022-12-30T14:30:00Z")


def test_b_07_a_trigger_whose_window_ended_while_nothing_ran_is_complete_and_runs_nothing_after_it() -> None:
    world = World()
    world.put(schedule="every 1h end=2027-01-15T10:30:00Z", overlap="parallel")
    world.run_for(3_700)
    world.ticking = False
    world.run_for(5 * 3_600)
    world.ticking = True
    world.run_for(2 * 3_600)
    last = _at("2027-01-15T10:00:00Z")
    assert all(run.nominal is not None and run.nominal <= last for run in world.runs())
    assert [run.nominal - START for run in world.runs() if run.nominal is not None] == [3_600, 7_200]
    row = world.memory.get_triggers("default", "job")[0]
    assert (row.state, row.due_at) == ("complete", None)


def test_b_10_another_zone_moves_the_next_instant_and_catches_nothing_up() -> None:
    utc, shanghai = (f"30 14 * * * tz={zone}" for zone in ("UTC", "Asia/Shanghai"))
    now = _at("2026-07-01T10:00:00Z")
    assert plan(freeze(parse_schedule(utc), now=now), anchor=now).next(now) == _at("2026-07-01T14:30:00Z")
    assert plan(freeze(parse_schedule(shanghai), now=now), anchor=now).next(now) == _at(
        "2026-07-02T06:30:00Z"
    )
    world = World()
    world.put(schedule=utc)
    world.run_for(2 * 3_600)  # 10:00Z; 06:30Z, when it would have been due in Shanghai, is past
    world.put(schedule=shanghai)
    world.run_for(22 * 3_600)
    assert [run.nominal for run in world.runs()] == [_at("2027-01-16T06:30:00Z")]


def test_b_16_a_clock_set_back_finds_the_same_occurrence_and_the_same_run() -> None:
    occurrences = plan(freeze(parse_schedule("@midnight"), now=NOW), anchor=NOW)
    due = occurrences.next(NOW)
    assert due is not None
    ids = set()
    for now in (due + 1, due, due - 1):
        claim = decide(occurrences, due=due, now=now, horizon=now + 120)
        assert [run.nominal for run in claim.runs] == [due]
        assert claim.next_due == due + 86_400
        nominal = claim.runs[0].nominal
        ids.add(run_id("p", "j", "u", trigger="default", nominal=nominal, kind="schedule", ordinal="0"))
    assert len(ids) == 1


def test_b_17_a_start_inside_the_second_pass_goes_on_never_back() -> None:
    now = datetime(2026, 11, 1, 6, 30, 15, tzinfo=UTC)
    first = Cron("* * * * *", "America/New_York").next(now)
    both = Cron("* * * * *", "America/New_York", dst_fold="both").next(now)
    assert first == datetime(2026, 11, 1, 7, tzinfo=UTC)
    assert both == datetime(2026, 11, 1, 6, 31, tzinfo=UTC)


@pytest.mark.parametrize("host_zone", ["America/New_York", "Asia/Kathmandu"])
def test_b_18_every_host_reads_the_same_instants(host_zone: str) -> None:
    """A schedule is stored with its zone's name and its instants in UTC: the zone of the host that reads it is nothing."""
    forms = [
        "0 9 * * *",
        "once 2026-12-01T09:00:00",
        "every 1d calendar start=2026-10-24T02:30:00",
        "every 7h aligned",
    ]
    stored = [
        schedule_json(freeze(parse_schedule(form), now=NOW, timezone="Europe/Berlin")) for form in forms
    ]
    after = datetime.fromtimestamp(NOW, UTC)
    expected = [[moment.isoformat() for moment in upcoming(one, after=after)] for one in stored]
    code = (
        "import json, sys, time; from datetime import UTC, datetime; from duetime import upcoming; time.tzset();"
        f"after = datetime.fromtimestamp({NOW}, UTC);"
        "print(json.dumps([[m.isoformat() for m in upcoming(s, after=after)] for s in json.loads(sys.argv[1])]))"
    )
    command = [sys.executable, "-c", code, json.dumps(stored)]
    found = subprocess.run(command, env={"TZ": host_zone}, capture_output=True, text=True, check=True).stdout
    assert json.loads(found) == expected
    assert expected[0][0] == "2026-09-22T07:00:00+00:00"


def test_b_19_a_zone_that_is_not_on_file_fails_its_own_schedule_and_no_other() -> None:
    """The engine puts that one trigger into error: tests/unit/engine/test_calendars.py."""
    good = freeze(parse_schedule("0 9 * * * tz=Asia/Singapore"), now=NOW)
    gone = parse_schedule("0 9 * * * tz=Asia/Atlantis", check_zones=False)
    with pytest.raises(ScheduleError) as caught:
        plan(gone, anchor=NOW)
    assert caught.value.field == "timezone"
    assert plan(good, anchor=NOW).next(NOW) == _at("2026-09-22T01:00:00Z")


ALL_WEEK = {"kind": "weekly", "days": ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]}


@pytest.mark.parametrize(
    "form, calendar",
    [
        ("every 7d start=2026-01-05T09:00:00Z calendar=c", {"kind": "weekly", "days": ["MON"]}),
        ("0 9 * * MON calendar=c", {"kind": "weekly", "days": ["MON"]}),
        ("*/5 * * * * * calendar=c", ALL_WEEK),
        ("every 1s calendar=c", {"kind": "cron", "cron": "* * * * * *"}),
        ("every 1h aligned calendar=c", {"kind": "cron", "cron": "0 * * * *"}),
        ("every 1d calendar tz=Asia/Tokyo start=2026-01-05T09:00:00 calendar=c",
         {"kind": "daily", "from": "08:00", "to": "10:00", "timezone": "Asia/Tokyo"}),
        ("0 0 29 2 * calendar=c", {"kind": "cron", "cron": "* * * 29 2 *"}),
    ],
)  # fmt: skip
def test_b_58_a_calendar_that_excludes_every_occurrence_is_seen_within_its_bounds(
    form: str, calendar: dict[str, Any]
) -> None:
    occurrences = plan(freeze(parse_schedule(form), now=NOW), anchor=NOW, calendars={"c": calendar})
    assert occurrences.next(NOW) is None
    assert cpu_seconds(lambda: occurrences.next(NOW), enough=0.05) < 0.05
    found = preview(form, after=NOW, calendars={"c": calendar})
    assert found.upcoming == ()
    assert "Calendar c excludes every occurrence: it never comes due." in found.warnings


def test_b_60_a_calendar_that_contains_itself_is_refused_however_deep() -> None:
    names = [f"c{number}" for number in range(6)]
    ring: dict[str, Any] = {
        name: {"kind": "composite", "calendars": ["weekend", names[(place + 1) % 6]]}
        for place, name in enumerate(names)
    }
    ring["weekend"] = {"kind": "weekly"}
    for name in names:
        with pytest.raises(ScheduleError, match="contains itself"):
            exclusion(name, ring)
    itself = {"a": {"kind": "composite", "calendars": ["a"]}}
    with pytest.raises(ScheduleError, match="contains itself"):
        preview("@daily calendar=a", after=NOW, calendars=itself)


def test_b_62_the_calendar_is_asked_about_the_instant_a_gap_shifts_to() -> None:
    schedule = {"cron": "30 1 * * *", "timezone": "Europe/London", "dst_gap": "shift", "calendar": "c"}
    two = {"kind": "daily", "from": "02:00", "to": "03:00", "timezone": "Europe/London"}
    found = upcoming(schedule, after=datetime(2026, 3, 28, 12, tzinfo=UTC), count=1, calendars={"c": two})
    assert found == [datetime(2026, 3, 30, 0, 30, tzinfo=UTC)]


@pytest.mark.parametrize(
    "form, inside",
    [
        ("0 * * * *", [0, 1, 2, 3]), ("every 1h aligned", [0, 1, 2, 3]), ("every 1h", [1, 2, 3]),
        ("every 1h immediate", [0, 1, 2, 3]),
        ("every 3h", [3]), ("every 1h delay immediate", [0, 1, 2, 3]), ("once 2027-01-16T03:00:00Z", [3]),
        ("once 2027-01-16T00:00:00Z", [0]), ("every 1h x2 immediate", [0, 1]),
    ],
)  # fmt: skip
def test_b_63_both_ends_of_a_window_belong_to_it_for_every_kind(form: str, inside: list[int]) -> None:
    start = datetime(2027, 1, 16, tzinfo=UTC)
    windowed = f"{form} start=2027-01-16T00:00:00Z end=2027-01-16T03:00:00Z"
    found = upcoming(windowed, after=datetime(2027, 1, 15, tzinfo=UTC), count=20)
    assert [(moment - start).total_seconds() / 3_600 for moment in found] == inside


def test_b_63_whole_days_end_at_the_instant_of_their_last_day() -> None:
    form = "every 1d calendar tz=Europe/Berlin start=2027-03-27T09:00:00 end=2027-03-29T07:00:00Z immediate"
    found = upcoming(form, after=datetime(2027, 3, 1, tzinfo=UTC), count=20)
    assert [moment.strftime("%d %H:%M") for moment in found] == ["27 08:00", "28 07:00", "29 07:00"]


def test_b_92_expensive_expressions_are_refused_at_once() -> None:
    values = _invalid("inv-006", "inv-034", "inv-102", "inv-103", "inv-104")
    assert len(values) == 5
    values += [
        "*" * 10**6,
        "*/" + "9" * 10**6 + " * * * *",
        "0-" * 120 + "1 * * * *",
        ",".join("0" * 120) + "x * * * *",
    ]
    values += [
        "L-" + "1" * 240 + " 0 0 * *",
        "@" * 10**6,
        " " * 10**6,
        "\t".join("*" * 128),
        "9" * 255,
        "((((" * 60,
    ]
    for value in values:

        def refused(value: str = value) -> None:
            with pytest.raises(ScheduleError):
                Cron(value)

        assert cpu_seconds(refused, enough=0.05) < 0.05


@pytest.mark.parametrize("count", [10**9, 21, 0, -1])
def test_b_94_a_preview_is_at_most_twenty_instants(count: int) -> None:
    with pytest.raises(ScheduleError, match="Use 1 to 20"):
        preview("* * * * *", after=NOW, count=count)
    assert cpu_seconds(lambda: preview("0 0 0 29 2 ? 2096", after=NOW), enough=0.05) < 0.05
    assert preview("0 0 0 29 2 ? 2096", after=_at("2097-01-01T00:00:00Z"), count=20).upcoming == ()
    with pytest.raises(ScheduleError, match="Use 0 to 10000"):
        upcoming("* * * * *", after=datetime(2026, 1, 1, tzinfo=UTC), count=10**9)


def test_b_95_a_zone_name_is_never_a_path() -> None:
    values = _invalid("zone")
    assert len(values) == 9
    values += [
        "../../etc/passwd", "Europe", "Europe/", "/Europe/Berlin", "Europe/../Europe/Berlin", "./UTC", "A" * 5_000, "UTC\0",
        "UTC/..", "tzdata.zi", "zone.tab", "Europe\\Berlin", "file:///etc/localtime", "posix/UTC", "__init__.py",
        "\ud800", b"UTC", 5, None,
    ]  # fmt: skip
    job = {"target": {"kind": "python", "name": "n"}}
    for value in values:
        with pytest.raises(ScheduleError) as caught:
            check_zone(value)
        assert caught.value.field == "timezone"
        if value is not None:
            with pytest.raises(ScheduleError):
                parse_schedule({"cron": "0 9 * * *", "timezone": value})
            with pytest.raises(ValueError, match=r"timezone"):
                parse_job(
                    {**job, "triggers": [{"schedule": {"cron": "@daily", "timezone": value}}]}, name="j"
                )
    assert describe("0 9 * * * tz=Etc/GMT+5")
