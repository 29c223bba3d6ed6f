"""The two open routes, and what the OpenAPI document promises of all others."""

from __future__ import annotations

import logging
import tomllib
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from duetime.api.openapi import document
from duetime.api.resolver import OPERATIONS
from tests.unit.api.plane import World

ROOT = Path(__file__).resolve().parents[3]


def operations() -> list[tuple[str, str, Any]]:
    """Return (method, path, operation) of the whole document."""
    return [
        (m.upper(), path, one) for path, methods in document()["paths"].items() for m, one in methods.items()
    ]


def test_health_answers_anybody(world: World) -> None:
    world.local = False
    reply = world.call("GET", "/health")
    assert (reply.status, reply.body) == (200, {"status": "ok", "time": "2027-01-15T08:00:00.000Z"})


def test_the_document_is_valid_and_served_to_anybody(world: World) -> None:
    world.local = False
    reply = world.call("GET", "/openapi.json")
    assert reply.status == 200
    assert reply.body == document()
    assert list(OpenAPIV31SpecValidator(reply.body).iter_errors()) == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert reply.body["info"]["version"] == project["version"]


def test_the_document_holds_exactly_the_routes_there_are() -> None:
    assert {(method, path) for method, path, _ in operations()} == {
        (one.method, one.template) for one in OPERATIONS
    }
    assert len({one["operationId"] for _, _, one in operations()}) == len(OPERATIONS)


@pytest.mark.parametrize(
    "method, path, operation", operations(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_operation_says_what_it_does_and_how_it_fails(method: str, path: str, operation: Any) -> None:
    assert operation["summary"]
    assert len(operation["tags"]) == 1
    assert operation["tags"][0] in [tag["name"] for tag in document()["tags"]]
    problems = {status for status in operation["responses"] if int(status) >= 400}
    expected = {"500"} if path in ("/health", "/openapi.json") else {"400", "401", "404", "429", "500", "503"}
    assert problems >= expected
    for status in problems:
        content = operation["responses"][status]["content"]
        assert content == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def test_bodies_and_answers_refuse_unknown_keys_in_the_document_too() -> None:
    open_ended = {
        name
        for name, schema in document()["components"]["schemas"].items()
        if schema.get("additionalProperties") is not False and "oneOf" not in schema
    }
    assert open_ended == set()


def test_an_unknown_route_and_an_unknown_method_are_problems(world: World) -> None:
    assert world.call("GET", "/nothing").code == "NOT_FOUND_ROUTE"
    assert world.call("GET", "/projects/default").code == "NOT_FOUND_ROUTE"
    refused = world.call("PATCH", "/jobs/nightly")
    assert (refused.status, refused.code) == (405, "METHOD_NOT_ALLOWED")
    assert refused.headers["allow"] == "DELETE, GET, PUT"


@pytest.mark.parametrize("project", ["other", "Default", "default%20", "..", "a#b"])
def test_another_project_does_not_exist(world: World, project: str) -> None:
    reply = world.call("GET", f"/projects/{project}/jobs")
    assert (reply.status, reply.code) == (404, "NOT_FOUND_PROJECT")


@pytest.mark.parametrize(
    "event", [{}, {"requestContext": {}}, {"rawPath": None}, {"rawPath": "/health", "requestContext": {}}]
)
def test_no_event_makes_it_raise(world: World, event: dict[str, Any]) -> None:
    from duetime.api.app import handle

    assert handle(world.engine, event)["statusCode"] in (401, 405)


def test_an_unforeseen_error_is_told_without_its_stack(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret-of-the-house")

    monkeypatch.setattr(type(world.engine.store), "get_job", broken)
    with caplog.at_level(logging.INFO, "duetime.api"):
        reply = world.call("GET", "/jobs/nightly")
    assert (reply.status, reply.code, reply.body["instance"]) == (500, "UNEXPECTED", "request-1")
    assert "secret" not in str(reply.body)
    assert "Traceback" not in str(reply.body)
    failed = next(record for record in caplog.records if record.levelname == "ERROR")
    assert "request-1" in failed.getMessage()
    assert failed.exc_info is not None


def test_every_request_leaves_one_line_without_its_body(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "duetime.api"):
        world.call("POST", "/jobs/nightly/pause", {"note": "a-private-note"})
        world.call("GET", "/jobs")
    lines = [record.getMessage() for record in caplog.records if record.name == "duetime.api"]
    assert lines == [
        "POST /projects/{project}/jobs/{job}/pause 404 in 0 ms for local (request request-1)",
        "GET /projects/{project}/jobs 200 in 0 ms for local (request request-1)",
    ]
