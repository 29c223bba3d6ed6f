"""Bodies that must not get in: each has one clear error, and nothing is stored."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.unit.api.plane import JOB, PYTHON, SCHEDULE, World

DEEP = "[" * 5000 + "]" * 5000


def with_inputs(text: str) -> str:
    """Return the text of a schedule whose inputs are exactly this text."""
    return (
        json.dumps({key: value for key, value in SCHEDULE.items() if key != "inputs"})[:-1]
        + f', "inputs": {text}}}'
    )


def nothing_stored(world: World) -> bool:
    """Whether the deployment is as empty as it was."""
    return world.call("GET", "/jobs").body["items"] == [] and world.queue.waiting == []


@pytest.mark.parametrize(
    "inputs, code",
    [
        ('{"n": NaN}', "VALIDATION_DATA"),
        ('{"n": Infinity}', "VALIDATION_DATA"),
        ('{"n": -Infinity}', "VALIDATION_DATA"),
        ('{"n": 1e999}', "VALIDATION_DATA"),
        ('{"n": 0.1234567890123456789}', "VALIDATION_DATA"),
        ('{"n": ' + "9" * 5000 + "}", "VALIDATION_DATA"),
        ('{"a": 1, "a": 2}', "VALIDATION_DATA"),
        ('{"a": ' + DEEP + "}", "VALIDATION_DATA"),
        ('{"a": "\\ud800"}', "VALIDATION_DATA"),
        ("[]", "VALIDATION_DATA"),
        ("null", "VALIDATION_DATA"),
        ('"text"', "VALIDATION_DATA"),
        ('{"a": "' + "x" * 131_072 + '"}', "TOO_LARGE"),
    ],
)
def test_data_that_could_not_be_kept_exactly(world: World, inputs: str, code: str) -> None:
    reply = world.call("POST", "/schedules", raw=with_inputs(inputs))
    assert (reply.status, reply.code) == (413 if code == "TOO_LARGE" else 400, code)
    assert len(reply.body["detail"]) < 250
    assert reply.body["hint"]
    assert nothing_stored(world)


def test_numbers_survive_exactly(world: World) -> None:
    inputs = '{"big": ' + "9" * 400 + ', "small": 5e-324, "tenth": 0.1, "whole": 1.0, "id": 9007199254740993}'
    world.call("POST", "/schedules", raw=with_inputs(inputs))
    assert world.call("GET", "/schedules/nightly").body["inputs"] == json.loads(inputs)
    run = world.call("POST", "/jobs/nightly/trigger", raw='{"data": {"more": 12345678901234567890123}}').body
    expected = {**json.loads(inputs), "more": 12345678901234567890123}
    assert run["data"] == expected
    assert run["result"] == {"given": expected}
    assert isinstance(run["data"]["whole"], float)
    assert world.call("GET", f"/runs/{run['id']}").body == run


@pytest.mark.parametrize(
    "text", ["[]", "[{}]", f"[{json.dumps(SCHEDULE)}]", "null", "1", '"x"', "true", "{", "{}}", "\x00", " "]
)
def test_a_body_is_one_object(world: World, text: str) -> None:
    reply = world.call("POST", "/schedules", raw=text)
    assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_DATA", "body")
    assert nothing_stored(world)


def test_a_body_has_at_most_a_mebibyte(world: World) -> None:
    text = with_inputs('{"a": "' + "x" * (1024 * 1024) + '"}')
    assert world.call("POST", "/schedules", raw=text).code == "TOO_LARGE"
    wrapped = base64.b64encode(text.encode()).decode()
    assert world.call("POST", "/schedules", raw=wrapped, encoded=True).code == "TOO_LARGE"
    assert world.call("POST", "/schedules", raw=wrapped * 4, encoded=True).code == "TOO_LARGE"
    assert nothing_stored(world)


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json-patch+json",
        "application/json; charset=utf-16", "text/plain; application/json", "", "application/jsonx",
    ],
)  # fmt: skip
def test_only_json_is_taken(world: World, kind: str) -> None:
    reply = world.call("POST", "/schedules", raw=json.dumps(SCHEDULE), headers={"content-type": kind})
    assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_DATA", "content-type")
    assert nothing_stored(world)


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"']
)
def test_json_in_utf_8_is_taken(world: World, kind: str) -> None:
    assert (
        world.call("POST", "/schedules", raw=json.dumps(SCHEDULE), headers={"content-type": kind}).status
        == 201
    )


def test_a_body_in_base64_is_read(world: World) -> None:
    text = json.dumps({**SCHEDULE, "inputs": {"name": "日报"}}, ensure_ascii=False)
    reply = world.call("POST", "/schedules", raw=base64.b64encode(text.encode()).decode(), encoded=True)
    assert reply.body["inputs"] == {"name": "日报"}
    assert world.call("POST", "/schedules", raw="not base64!", encoded=True).code == "VALIDATION_DATA"
    broken = base64.b64encode(b'{"name": "\xff"}').decode()
    assert world.call("POST", "/schedules", raw=broken, encoded=True).code == "VALIDATION_DATA"


def test_calls_that_need_no_body_take_none_whatever_its_type(world: World) -> None:
    world.call("POST", "/schedules", SCHEDULE)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json"):
        assert world.call("POST", "/schedules/nightly/pause", headers={"content-type": kind}).status == 200
    assert world.call("POST", "/schedules/nightly/resume", {}).status == 200
    missing = world.call("POST", "/schedules")
    assert (missing.status, missing.body["detail"]) == (400, "body: is missing.")


SETTABLE_BY_NOBODY = [
    "id", "uid", "project", "version", "source", "fingerprint", "paused", "paused_by", "created_at", "updated_at",
    "next_due_at", "last_run_id", "last_fired_at", "retry_attempt", "warnings", "armed", "__class__", "_sa_instance_state",
]  # fmt: skip


@pytest.mark.parametrize("key", SETTABLE_BY_NOBODY)
@pytest.mark.parametrize("path, body", [("/jobs", JOB), ("/schedules", SCHEDULE)])
def test_what_the_scheduler_knows_cannot_be_assigned(
    world: World, path: str, body: dict[str, Any], key: str
) -> None:
    reply = world.call("POST", path, {**body, key: "x"})
    assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_DEFINITION", key)
    assert reply.body["hint"].startswith("Known: name, t")
    assert nothing_stored(world)


@pytest.mark.parametrize("key", SETTABLE_BY_NOBODY)
def test_what_is_known_of_a_calendar_cannot_be_assigned(world: World, key: str) -> None:
    reply = world.call("PUT", "/calendars/weekends", {"kind": "weekly", key: "x"})
    assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_SCHEDULE", key)
    assert reply.body["hint"] == "Its fields are kind, days, timezone."
    assert world.call("GET", "/calendars").body["items"] == []


@pytest.mark.parametrize(
    "change, field",
    [
        ({"triggers": [{"schedule": "every 10m", "state": "waiting"}]}, "triggers[0].state"),
        ({"retry": {"max_retries": 1, "attempts": 3}}, "retry.attempts"),
        ({"target": {**PYTHON, "role": "arn:aws:iam::111122223333:role/Admin"}}, "target.role"),
    ],
)
def test_unknown_keys_are_named_by_their_path(world: World, change: dict[str, Any], field: str) -> None:
    reply = world.call("POST", "/jobs", {**JOB, **change})
    assert (reply.status, reply.body["field"]) == (400, field)
    assert nothing_stored(world)
