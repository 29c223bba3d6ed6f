"""Known-right cases from public reports of other schedulers: every row of tests/vectors is a test."""

from __future__ import annotations

import importlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from duetime import Cron, ScheduleError, parse_duration, parse_schedule, upcoming
from duetime.core.definition import parse_job
from duetime.core.faults import TargetError
from duetime.core.plan import plan
from duetime.core.schedule import schedule_json, schedule_text, settle
from duetime.core.zones import check_zone

VECTORS = Path(__file__).resolve().parents[2] / "vectors"

CUBA_STAYS_ON_SUMMER_TIME = {
    "nt-031": [
        "2026-10-31T04:30:00Z",
        "2026-11-01T04:30:00Z",
        "2026-11-02T04:30:00Z",
        "2026-11-03T04:30:00Z",
    ],
    "nt-032": ["2027-03-08T04:00:00Z", "2028-03-08T05:00:00Z"],
}
"""Release 2026f of the zone data leaves out Cuba's changes of November 2026 and March 2027; the rows are older than it."""


def _rows(name: str) -> list[Any]:
    lines = (VECTORS / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(row, id=row["id"]) for row in map(json.loads, lines)]


def _expected(row: dict[str, Any]) -> list[datetime]:
    known = CUBA_STAYS_ON_SUMMER_TIME if importlib.import_module("tzdata").IANA_VERSION >= "2026f" else {}
    return [datetime.fromisoformat(text) for text in known.get(row["id"], row["expect"])]


def test_no_row_is_left_out() -> None:
    """Each row is read by a test: names in tests/unit/api and test_identity.py, all others here."""
    times, refused = (
        [row.values[0] for row in _rows(name)] for name in ("next_times.jsonl", "invalid.jsonl")
    )
    for rows in (times, refused):
        assert len({row["id"] for row in rows}) == len(rows)
    assert {row["schedule"]["kind"] for row in times} == {"cron", "interval", "once"}
    assert all(
        row.keys() <= {"id", "schedule", "calendar", "after", "n", "expect", "source", "why"} for row in times
    )
    assert {row["kind"] for row in refused} == {"cron", "duration", "zone", "name", "webhook-url"}
    assert (len(times), len(refused)) >= (181, 114)


@pytest.mark.parametrize("row", _rows("next_times.jsonl"))
def test_next_times(row: dict[str, Any]) -> None:
    schedule, after = dict(row["schedule"]), datetime.fromisoformat(row["after"])
    calendars = {"inline": row["calendar"]} if "calendar" in row else {}
    if calendars:
        schedule["calendar"] = "inline"
    expected = _expected(row)
    assert upcoming(schedule, after=after, count=row["n"], calendars=calendars) == expected

    now = (after - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    settled = settle(parse_schedule(schedule), now=now)
    assert parse_schedule(schedule_text(settled)) == settled
    assert parse_schedule(schedule_json(settled)) == settled
    instants = [round(moment.timestamp()) for moment in expected]
    occurrences = plan(settled, anchor=now, calendars=calendars)
    assert all(map(occurrences.contains, instants))
    assert [occurrences.previous(instant) for instant in instants[1:]] == instants[:-1]
    if instants:
        assert occurrences.count(instants[0], instants[-1]) == len(instants)


@pytest.mark.parametrize("row", [row for row in _rows("invalid.jsonl") if row.values[0]["kind"] == "cron"])
def test_refused_expressions(row: dict[str, Any]) -> None:
    for call in (lambda: Cron(row["value"]), lambda: parse_schedule({"kind": "cron", "cron": row["value"]})):
        with pytest.raises(ScheduleError) as caught:
            call()
        assert caught.value.field.startswith("cron")
        assert caught.value.hint
    if isinstance(row["value"], str):
        with pytest.raises(ScheduleError):
            parse_schedule(row["value"])


@pytest.mark.parametrize(
    "row", [row for row in _rows("invalid.jsonl") if row.values[0]["kind"] == "duration"]
)
def test_refused_durations(row: dict[str, Any]) -> None:
    with pytest.raises(ScheduleError):
        parse_duration(row["value"])
    with pytest.raises(ScheduleError) as caught:
        parse_schedule({"kind": "interval", "every": row["value"]})
    assert caught.value.field == "every"


@pytest.mark.parametrize("row", [row for row in _rows("invalid.jsonl") if row.values[0]["kind"] == "zone"])
def test_refused_zones(row: dict[str, Any]) -> None:
    for call in (
        lambda: check_zone(row["value"]),
        lambda: Cron("0 0 * * *", row["value"]),
        lambda: parse_schedule({"kind": "cron", "cron": "0 0 * * *", "timezone": row["value"]}),
    ):
        with pytest.raises(ScheduleError) as caught:
            call()
        assert caught.value.field == "timezone"


@pytest.mark.parametrize(
    "row", [row for row in _rows("invalid.jsonl") if row.values[0]["kind"] == "webhook-url"]
)
def test_refused_urls(row: dict[str, Any]) -> None:
    """No job calls a URL at all: `http` is no kind of target."""
    for target in ({"kind": "http", "url": row["value"]}, {"kind": "http", "arn": row["value"]}):
        with pytest.raises(TargetError, match="is no kind of target") as caught:
            parse_job({"target": target}, name="hook")
        assert (caught.value.field, caught.value.value) == ("target.kind", "http")
    for target in ({"kind": "lambda", "arn": row["value"]}, {"kind": "sqs", "arn": row["value"]}):
        with pytest.raises(TargetError) as caught:
            parse_job({"target": target}, name="hook")
        assert caught.value.field == "target.arn"
