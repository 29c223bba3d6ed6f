"""Cursors: opaque, and good for exactly the list they came from."""

from __future__ import annotations

import pytest

from duetime.api.cursors import Cursors
from duetime.core.faults import PagingError
from duetime.settings import Settings
from tests.unit.api.plane import JOB, World

SETTINGS = Settings.from_environment({})


@pytest.fixture
def world(world: World) -> World:
    """Return a world with five jobs."""
    for name in ("a1", "a2", "a3", "b1", "b2"):
        world.call("POST", "/jobs", {**JOB, "name": name})
    return world


def test_pages_join_to_the_whole_list(world: World) -> None:
    found, query = [], {"limit": "2"}
    while True:
        reply = world.call("GET", "/jobs", query=query)
        found += [job["name"] for job in reply.body["items"]]
        assert len(reply.body["items"]) <= 2
        if reply.body["next"] is None:
            break
        query = {"limit": "2", "cursor": reply.body["next"]}
    assert found == ["a1", "a2", "a3", "b1", "b2"]


def test_the_limit_may_change_between_pages(world: World) -> None:
    cursor = world.call("GET", "/jobs", query={"limit": "1"}).body["next"]
    reply = world.call("GET", "/jobs", query={"limit": "1000", "cursor": cursor})
    assert [job["name"] for job in reply.body["items"]] == ["a2", "a3", "b1", "b2"]


def test_another_query_or_list_refuses_the_cursor(world: World) -> None:
    cursor = world.call("GET", "/jobs", query={"limit": "1", "prefix": "a"}).body["next"]
    for path, query in (
        ("/jobs", {}), ("/jobs", {"prefix": "b"}), ("/schedules", {"prefix": "a"}), ("/runs", {}), ("/jobs/a1/runs", {}),
    ):  # fmt: skip
        reply = world.call("GET", path, query={**query, "cursor": cursor})
        assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_PAGING", "cursor")
    assert world.call("GET", "/jobs", query={"prefix": "a", "cursor": cursor}).status == 200


def test_one_changed_character_is_refused(world: World) -> None:
    cursor = world.call("GET", "/jobs", query={"limit": "1"}).body["next"]
    for place in range(len(cursor)):
        for other in "A-_9":
            forged = cursor[:place] + other + cursor[place + 1 :]
            if forged != cursor:
                assert world.call("GET", "/jobs", query={"cursor": forged}).code == "VALIDATION_PAGING"


@pytest.mark.parametrize("cursor", ["", "x", "a1", "====", "%", "é", "A" * 5000, "AAAA\n"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(PagingError, match="cursor"):
        Cursors(SETTINGS, "jobs", {}).read(cursor)


def test_every_instance_of_a_deployment_reads_the_others_cursors_and_no_other_deployment_does() -> None:
    tables = {"DUETIME_DEFINITIONS_TABLE": "one", "DUETIME_RUNS_TABLE": "two"}
    one, same = (Cursors(Settings.from_environment(tables), "jobs", {"prefix": "a"}) for _ in range(2))
    assert same.read(one.sign("reports")) == "reports"
    with pytest.raises(PagingError):
        Cursors(SETTINGS, "jobs", {"prefix": "a"}).read(one.sign("reports"))


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "ten", "", "1.5", "1e3", "1,2", "9" * 400])
@pytest.mark.parametrize("path", ["/jobs", "/schedules", "/runs", "/jobs/a1/runs"])
def test_a_limit_out_of_range_is_refused(world: World, path: str, limit: str) -> None:
    reply = world.call("GET", path, query={"limit": limit})
    assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_PAGING", "limit")


@pytest.mark.parametrize(
    "query, field", [({"lmit": "1"}, "lmit"), ({"Limit": "1"}, "Limit"), ({"dry_run": "1"}, "dry_run")]
)
def test_a_parameter_nobody_knows_is_refused(world: World, query: dict[str, str], field: str) -> None:
    reply = world.call("GET", "/jobs", query=query)
    assert (reply.status, reply.body["field"]) == (400, field)
