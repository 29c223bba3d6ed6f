"""Runs through the API: what a run answers, and what lists of them can be narrowed to."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.api import paging
from tests.unit.api.plane import JOB, PYTHON, World


@pytest.fixture
def world(world: World) -> World:
    """Return a world in which two jobs have run for half an hour, one of them failing."""
    every = {"schedule": "every 10m"}
    world.call(
        "PUT",
        "/jobs/good",
        {"target": PYTHON, "triggers": [every, {**every, "name": "second"}], "overlap": "parallel"},
    )
    world.call("PUT", "/jobs/bad", {"target": {"kind": "python", "name": "broken"}, "triggers": [every]})
    world.pass_time(1860)
    return world


def shown(world: World, path: str, **query: str) -> list[tuple[str, str, str]]:
    """Return (job, trigger, time of day) of each run of a list."""
    items = world.call("GET", path, query=query).body["items"]
    return [(one["job"], one["trigger"], one["scheduled_at"][11:16]) for one in items]


def test_a_run_answers_what_it_was(world: World) -> None:
    listed = next(
        one for one in world.call("GET", "/jobs/bad/runs").body["items"] if one["status"] == "failed"
    )
    run = world.call("GET", f"/runs/{listed['id']}").body
    assert listed == {**run, "data": None}
    assert set(run) == {
        "id", "project", "job", "trigger", "kind", "status", "scheduled_at", "queued_at", "started_at", "finished_at",
        "attempt", "retry_of", "covers", "data", "result", "error", "reason", "instance", "tenant",
    }  # fmt: skip
    assert run["error"] == {"code": "NO_PAPER", "message": "the printer is out of paper"}
    assert (run["kind"], run["attempt"], run["retry_of"], run["instance"]) == ("schedule", 1, None, "tests")
    assert (run["data"], run["result"]) == ({}, None)
    assert run["scheduled_at"].removesuffix("Z") < run["started_at"] <= run["finished_at"]


def test_lists_leave_out_what_is_long(world: World) -> None:
    for text in ("x" * 200, "x" * 300):
        run = world.call("POST", "/jobs/good/trigger", {"data": {"text": text}}).body
        assert run["result"] == {"given": {"text": text}}
        listed = next(one for one in world.call("GET", "/runs").body["items"] if one["id"] == run["id"])
        assert listed == {**run, "data": None, "result": run["result"] if len(text) == 200 else None}


def test_the_newest_instant_is_first_and_runs_of_all_jobs_are_together(world: World) -> None:
    found = shown(world, "/runs", to="2027-01-15T08:21:00Z")
    assert [at for _, _, at in found] == ["08:20"] * 3 + ["08:10"] * 3
    assert {job for job, _, _ in found} == {"good", "bad"}


@pytest.mark.parametrize(
    "query, expected",
    [
        ({"states": "failed"}, {("bad", "default")}),
        ({"states": "failed,lost"}, {("bad", "default")}),
        ({"states": "succeeded"}, {("good", "default"), ("good", "second")}),
        ({"trigger": "second"}, {("good", "second")}),
        ({"job": "good"}, {("good", "default"), ("good", "second")}),
        ({"job": "good", "trigger": "second", "states": "succeeded"}, {("good", "second")}),
        ({"job": "nobody"}, set()),
        ({"states": "lost"}, set()),
    ],
)
def test_a_list_is_narrowed(world: World, query: dict[str, str], expected: set[tuple[str, str]]) -> None:
    ended = {"to": "2027-01-15T08:31:00Z", **query}
    assert {(job, trigger) for job, trigger, _ in shown(world, "/runs", **ended)} == expected


def test_from_counts_and_to_does_not(world: World) -> None:
    span = {"from": "2027-01-15T08:10:00Z", "to": "2027-01-15T08:20:00Z"}
    assert {at for _, _, at in shown(world, "/jobs/good/runs", **span)} == {"08:10"}
    local = {"from": "2027-01-15T16:10:00+08:00", "before": "2027-01-15T16:20:01+08:00"}
    assert {at for _, _, at in shown(world, "/runs", **local)} == {"08:10", "08:20"}
    assert shown(world, "/runs", **{"from": span["to"], "to": span["from"]}) == []


@pytest.mark.parametrize(
    "query, field",
    [
        ({"states": "done"}, "states"),
        ({"states": ""}, "states"),
        ({"states": "failed,,"}, "states"),
        ({"from": "yesterday"}, "from"),
        ({"from": "2027-01-15"}, "from"),
        ({"to": "2027-01-15T08:00:00"}, "to"),
        ({"before": "1800000000"}, "before"),
        ({"to": "2027-01-15T08:00:00Z", "before": "2027-01-15T08:00:00Z"}, "before"),
        ({"cursor": "x"}, "cursor"),
        ({"instance": "x"}, "instance"),
    ],
)
@pytest.mark.parametrize("path", ["/runs", "/jobs/good/runs", "/schedules/bad/runs"])
def test_what_a_list_cannot_be_narrowed_to(
    world: World, path: str, query: dict[str, str], field: str
) -> None:
    reply = world.call("GET", path, query=query)
    assert (reply.status, reply.code, reply.body["field"]) == (400, "VALIDATION_PAGING", field)


def test_pages_of_runs_join_without_loss(world: World) -> None:
    whole = [one["id"] for one in world.call("GET", "/runs", query={"limit": "1000"}).body["items"]]
    for path, filters in (("/runs", {}), ("/runs", {"states": "succeeded"}), ("/jobs/good/runs", {})):
        expected = [
            one["id"] for one in world.call("GET", path, query={**filters, "limit": "1000"}).body["items"]
        ]
        found: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            query = {**filters, "limit": "2", **({"cursor": cursor} if cursor else {})}
            page = world.call("GET", path, query=query).body
            found += [one["id"] for one in page["items"]]
            cursor = page["next"]
        assert found == expected
    assert len(set(whole)) == len(whole)


@pytest.mark.parametrize("portion", [100, 3, 1])
@pytest.mark.parametrize("most", [2_000, 100, 10**9])
def test_a_page_stays_under_what_a_function_may_answer(
    world: World, monkeypatch: pytest.MonkeyPatch, portion: int, most: int
) -> None:
    monkeypatch.setattr(paging, "MAX_ANSWER_BYTES", most)
    monkeypatch.setattr(paging, "PORTION", portion)
    world.call("POST", "/jobs", {**JOB, "name": "large", "overlap": "parallel"})
    made = {
        world.call("POST", "/jobs/large/enqueue", {"delay": f"{number + 1}s", "tenant": "t" * 128}).body["id"]
        for number in range(7)
    }
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        query = {"limit": "100", **({"cursor": cursor} if cursor else {})}
        page = world.call("GET", "/jobs/large/runs", query=query).body
        assert page["items"]
        assert len(page["items"]) == 1 or sum(len(str(one)) for one in page["items"]) < most * 1.2
        found += [one["id"] for one in page["items"]]
        cursor = page["next"]
    assert found == sorted(made, reverse=True)


def test_an_unknown_run_and_another_deployments_run_do_not_exist(world: World) -> None:
    other = World()
    other.call("POST", "/jobs", JOB)
    run: Any = other.call("POST", "/jobs/reports.nightly/enqueue").body
    for id in ("0" * 30, run["id"]):
        reply = world.call("GET", f"/runs/{id}")
        assert (reply.status, reply.code) == (404, "NOT_FOUND_RUN")
