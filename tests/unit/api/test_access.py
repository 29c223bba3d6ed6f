"""Who may call: never nobody, and never by what the caller wrote."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.api.family import Operation
from duetime.api.resolver import OPERATIONS
from tests.unit.api.plane import JOB, World

ARN = "arn:aws:sts::111122223333:assumed-role/Deployer/ada"
JWT = {"jwt": {"claims": {"sub": "ada", "iss": "https://id.example.com/"}, "scopes": None}}
IAM = {"iam": {"accountId": "111122223333", "userArn": ARN}}
CLOSED = [one for one in OPERATIONS if one.template not in ("/health", "/openapi.json")]


def path_of(operation: Operation) -> str:
    """Return a path that the operation's template matches."""
    return operation.template.format(
        project="default", job="nightly", trigger="default", name="nightly", run="0" * 30
    )


@pytest.fixture
def world(world: World) -> World:
    """Return a deployed world: nobody is trusted for being local."""
    world.local = False
    return world


@pytest.mark.parametrize("operation", CLOSED, ids=lambda one: f"{one.method} {one.template}")
def test_nobody_gets_past_the_open_routes(world: World, operation: Operation) -> None:
    for prefix in ("", "/iam"):
        reply = world.call(operation.method, prefix + path_of(operation), {"anything": 1})
        assert (reply.status, reply.code) == (401, "UNAUTHENTICATED")
        assert "www-authenticate" in reply.headers


def test_nobody_learns_which_routes_and_projects_exist(world: World) -> None:
    for method, path in (("GET", "/nothing"), ("PUT", "/health"), ("GET", "/projects/other/jobs")):
        assert world.call(method, path).status == 401


@pytest.mark.parametrize(
    "authorizer",
    [
        {"jwt": {"claims": {"sub": ""}}},
        {"jwt": {"claims": {}}},
        {"jwt": {"claims": {"sub": 7}}},
        {"jwt": None, "iam": None},
        {"iam": {"userArn": ""}},
        {"jwt": {"claims": {"sub": "ada\nGET /jobs 200 for root"}}},
        {"lambda": {"sub": "ada"}},
        "local",
    ],
)
def test_an_authorizer_that_names_nobody_is_nobody(world: World, authorizer: Any) -> None:
    assert world.call("GET", "/jobs", authorizer=authorizer).status == 401


def test_headers_name_nobody(world: World) -> None:
    spoofed = {
        "authorization": "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.",
        "x-amzn-principal": "ada",
        "x-forwarded-user": "ada",
        "x-duetime-local": "true",
        "requestcontext": "local",
    }
    assert world.call("GET", "/jobs", headers=spoofed, query={"local": "true"}).status == 401


@pytest.mark.parametrize("prefix, authorizer, who", [("", JWT, "jwt:ada"), ("/iam", IAM, ARN)])
def test_the_caller_is_who_the_gateway_verified(world: World, prefix: str, authorizer: Any, who: str) -> None:
    job = f"{prefix}/projects/default/jobs/reports.nightly"
    assert world.call("PUT", job, JOB, authorizer=authorizer).status == 201
    paused = world.call("POST", f"{job}/pause", authorizer=authorizer, headers={"x-amzn-principal": "eve"})
    assert paused.body["paused_by"] == who


def test_the_prefix_is_no_part_of_a_name(world: World) -> None:
    assert world.call("GET", "/iam/projects/default/jobs", authorizer=IAM).status == 200
    assert world.call("GET", "/iam/health").status == 200
    assert world.call("GET", "/iam/iam/health", authorizer=IAM).status == 404
    assert world.call("GET", "/iamhealth", authorizer=IAM).status == 404


def test_the_local_server_has_one_caller(world: World) -> None:
    world.local = True
    world.call("PUT", "/jobs/reports.nightly", JOB)
    reply = world.call("POST", "/jobs/reports.nightly/pause")
    assert reply.body["paused_by"] == "local"
    assert "strict-transport-security" not in reply.headers


def test_the_deployed_api_tells_browsers_to_keep_to_https(world: World) -> None:
    assert world.call("GET", "/health").headers["strict-transport-security"].startswith("max-age=")
