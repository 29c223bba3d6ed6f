"""Names from bodies and paths: none can forge a key, leave its folder or break a log line."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from duetime.api.resolver import operations_at
from tests.unit.api.plane import JOB, SCHEDULE, World

INVALID = [
    json.loads(line)
    for line in (Path(__file__).resolve().parents[2] / "vectors" / "invalid.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
CALENDAR = {"kind": "weekly"}
NAMES = [case["value"] for case in INVALID if case["kind"] == "name"]
ZONES = [case["value"] for case in INVALID if case["kind"] == "zone"]
TRICKS = [
    "default#job",
    "a/b",
    "..",
    "%2e%2e",
    "a%00b",
    "a\n",
    "a b",
    "A",
    "-a",
    ".a",
    "a" * 129,
    "jöb",
    "\uff03",
    "🦆",
    "a\\b",
    '"',
]


def test_there_are_vectors() -> None:
    assert len(NAMES) > 10
    assert len(ZONES) > 5


@pytest.mark.parametrize("name", [*NAMES, *TRICKS, "", 7, None, [], {"a": 1}, True])
def test_no_illegal_name_is_stored(world: World, name: object) -> None:
    for path, body in (("/jobs", JOB), ("/schedules", SCHEDULE), ("/calendars", CALENDAR)):
        reply = world.call("POST", path, {**body, "name": name})
        assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_DEFINITION", "name")
        assert reply.body["detail"].isprintable()
        assert "<" not in reply.headers["content-type"]
    assert world.call("GET", "/jobs").body["items"] == []
    assert world.call("GET", "/calendars").body["items"] == []


@pytest.mark.parametrize("name", [one for one in [*NAMES, *TRICKS] if one])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_no_illegal_name_in_a_path_reaches_the_store(world: World, method: str, name: str) -> None:
    for kind, body in (("jobs", JOB), ("schedules", SCHEDULE), ("calendars", CALENDAR)):
        for written in {name, quote(name, safe="")}:
            given = {key: value for key, value in body.items() if key != "name" or kind == "schedules"}
            reply = world.call(method, f"/{kind}/{written}", given if method == "PUT" else None)
            assert reply.status in (400, 404)
            assert reply.code in ("VALIDATION_DEFINITION", "NOT_FOUND_ROUTE")
    assert world.call("GET", "/jobs").body["items"] == []


@pytest.mark.parametrize("name", ["Nightly", "1st", "a.b", "a" * 64])
def test_a_schedule_has_the_narrower_name(world: World, name: str) -> None:
    reply = world.call("POST", "/schedules", {**SCHEDULE, "name": name})
    assert (reply.code, reply.body["field"]) == ("VALIDATION_DEFINITION", "name")


@pytest.mark.parametrize("trigger", ["../default", "default#", "Ä", "a" * 129])
def test_no_illegal_trigger_name(world: World, trigger: str) -> None:
    world.call("POST", "/jobs", JOB)
    path = f"/jobs/reports.nightly/triggers/{quote(trigger, safe='')}/pause"
    assert world.call("POST", path).code == "VALIDATION_DEFINITION"
    assert world.call("POST", "/jobs/reports.nightly/triggers/other/pause").code == "NOT_FOUND_TRIGGER"


@pytest.mark.parametrize("zone", ZONES)
def test_no_illegal_zone(world: World, zone: object) -> None:
    for body in ({"cron": "0 2 * * *", "timezone": zone},):
        reply = world.call("POST", "/schedules", {**SCHEDULE, "trigger": body})
        assert (reply.status, reply.code, reply.body["field"]) == (
            400,
            "VALIDATION_SCHEDULE",
            "trigger.timezone",
        )
        reply = world.call("POST", "/cron/preview", body)
        assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_SCHEDULE", "timezone")
    assert world.call("GET", "/jobs").body["items"] == []


@pytest.mark.parametrize(
    "run", ["0" * 29, "0" * 31, "i" * 30, "../" + "0" * 27, "%00" * 10, "default#" + "0" * 22]
)
def test_what_is_no_run_id_is_not_found(world: World, run: str) -> None:
    assert world.call("GET", f"/runs/{run}").status == 404


def test_control_characters_lead_nowhere() -> None:
    assert operations_at("/projects/default/jobs/a\n") == {}
    assert operations_at("/projects/default/jobs/a\x00") == {}
