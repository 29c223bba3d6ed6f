"""Every envelope in events/inbound/api, as API Gateway sends it, run through the deployed function's handler."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handlers import api
from tests.unit.api.plane import Reply, checked
from tests.unit.events.deployed import INBOUND, Context, Deployed, deployed, envelope

ARN = "arn:aws:sts::111122223333:assumed-role/Deployer/deployer"


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Deployed]:
    with deployed(monkeypatch, tmp_path) as found:
        assert found.engine.store.get_job("default", "nobody") is None
        yield found


def send(event: dict[str, Any]) -> Reply:
    """Return the handler's answer, held to the OpenAPI document."""
    return checked(event["requestContext"]["http"]["method"], event["rawPath"], api.handler(event, Context()))


def test_every_envelope_is_run() -> None:
    known = {"health", "anonymous-list", "iam-put-schedule", "jwt-list-runs"}
    assert {path.stem for path in (INBOUND / "api").glob("*.json")} == known


def test_anybody_may_ask_for_its_health(deployment: Deployed) -> None:
    assert send(envelope("api", "health")).body["status"] == "ok"


def test_nobody_may_list(deployment: Deployed) -> None:
    assert send(envelope("api", "anonymous-list")).status == 401


def test_a_signed_request_puts_a_schedule(deployment: Deployed) -> None:
    event = envelope("api", "iam-put-schedule")
    created = send(event)
    assert (created.status, created.body["name"], created.body["inputs"]) == (
        201,
        "nightly",
        {"format": "pdf"},
    )
    stored = deployment.engine.store.get_job("default", "nightly")
    assert stored is not None
    assert stored.uid == created.body["id"]

    event["body"] = json.dumps({**json.loads(event["body"]), "enabled": False})
    assert send(event).status == 200
    paused = deployment.engine.store.get_job("default", "nightly")
    assert paused is not None
    assert paused.paused_by == ARN


def test_a_token_lists_runs(deployment: Deployed) -> None:
    reply = send(envelope("api", "jwt-list-runs"))
    assert (reply.status, reply.body) == (200, {"items": [], "next": None})


def test_the_whole_way_on_the_deployed_store(deployment: Deployed) -> None:
    event = envelope("api", "iam-put-schedule")

    def call(method: str, path: str, body: Any = None) -> Reply:
        http = {**event["requestContext"]["http"], "method": method}
        changed = {
            **event,
            "rawPath": f"/iam/projects/default{path}",
            "body": None if body is None else json.dumps(body),
        }
        return send({**changed, "requestContext": {**event["requestContext"], "http": http}})

    exact = {"big": 12345678901234567890123, "tenth": 0.1, "text": "x" * 1000}
    job = {
        "target": {"kind": "python", "name": "work"},
        "triggers": [{"schedule": "0 2 * * *"}],
        "data": exact,
    }
    for name in ("first", "second", "third"):
        assert call("PUT", f"/jobs/{name}", job).status == 201
    assert [one["name"] for one in call("GET", "/schedules").body["items"]] == ["first", "second", "third"]
    assert call("GET", "/jobs/first").body["data"] == exact
    run = call("POST", "/jobs/first/enqueue", {"data": {"n": 1e22, "text": "y" * 1000}}).body
    assert call("GET", f"/runs/{run['id']}").body == run
    assert (
        call("GET", "/runs").body["items"]
        == call("GET", "/jobs/first/runs").body["items"]
        == [{**run, "data": None}]
    )
    assert [one.run for one in deployment.sent()] == [run["id"]]
    assert call("POST", "/schedules/second/pause").body["enabled"] is False
    assert call("POST", "/schedules/second/resume").body["enabled"] is True
    assert call("DELETE", "/jobs/third").status == 204
    assert call("GET", "/jobs/third").code == "NOT_FOUND_JOB"
