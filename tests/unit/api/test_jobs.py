"""Jobs through the API: put, read, delete, pause, resume, call."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.api.plane import JOB, PYTHON, World

WHOLE: dict[str, Any] = {
    "name": "reports.nightly",
    "target": PYTHON,
    "description": "Makes the nightly report.",
    "tags": ["reports", "nightly"],
    "data": {"format": "pdf"},
    "triggers": [
        {"name": "morning", "schedule": "0 8 * * MON-FRI tz=Asia/Shanghai", "data": {"at": "dawn"}, "priority": "high"},
        {"name": "often", "schedule": {"kind": "interval", "every": "10m"}, "misfire": "skip", "misfire_threshold": "2m"},
        {"name": "last", "schedule": "once 2027-02-01T00:00:00Z", "enabled": False, "description": "The end."},
    ],
    "tenant": "acme",
    "overlap": "parallel",
    "retry": {"max_retries": 3, "delay": "30s", "backoff": "exponential", "factor": 3, "max_delay": "1h", "on": ["failed"]},
    "timeout": "90s",
    "priority": 7,
    "requests_recovery": True,
    "keep_history": 30,
}  # fmt: skip


def test_a_job_is_answered_whole(world: World) -> None:
    created = world.call("POST", "/jobs", WHOLE)
    assert created.status == 201
    job = created.body
    assert world.call("GET", "/jobs/reports.nightly").body == {**job, "warnings": []}
    plain = {
        "description",
        "tags",
        "data",
        "tenant",
        "overlap",
        "timeout",
        "priority",
        "requests_recovery",
        "keep_history",
    }
    assert {key: job[key] for key in plain} == {key: WHOLE[key] for key in plain} | {"timeout": "1m30s"}
    assert job["retry"] == {
        "max_retries": 3, "delay": "30s", "backoff": "exponential", "factor": 3.0, "max_delay": "1h",
        "give_up_after": None, "jitter": None, "on": ["failed"],
    }  # fmt: skip
    morning, often, last = job["triggers"]
    assert morning["schedule"]["timezone"] == "Asia/Shanghai"
    assert (morning["priority"], morning["data"], morning["state"]) == (9, {"at": "dawn"}, "waiting")
    assert (often["misfire"], often["misfire_threshold"], often["next_due_at"]) == (
        "skip",
        "2m",
        "2027-01-15T08:10:00Z",
    )
    assert (last["enabled"], last["state"], last["next_due_at"]) == (False, "paused", None)
    assert job["next_due_at"] == "2027-01-15T08:10:00Z"
    assert (job["version"], job["source"], job["created_at"]) == (1, "runtime", "2027-01-15T08:00:00.000Z")


def test_what_an_answer_shows_can_be_put_again(world: World) -> None:
    job = world.call("POST", "/jobs", WHOLE).body
    kept = ("description", "tags", "target", "data", "tenant", "overlap", "retry", "timeout", "priority")
    again = {key: job[key] for key in (*kept, "requests_recovery", "keep_history")}
    writable = (
        "name",
        "schedule",
        "data",
        "priority",
        "misfire",
        "misfire_threshold",
        "jitter",
        "description",
        "enabled",
    )
    again["triggers"] = [{key: one[key] for key in writable} for one in job["triggers"]]
    replaced = world.call("PUT", "/jobs/reports.nightly", again)
    assert replaced.status == 200
    changed = {"version": 2, "updated_at": replaced.body["updated_at"], "warnings": replaced.body["warnings"]}
    assert replaced.body == {**job, **changed}


def test_put_replaces_the_whole_job(world: World) -> None:
    world.call("POST", "/jobs", WHOLE)
    reply = world.call("PUT", "/jobs/reports.nightly", {"target": PYTHON, "tags": None})
    assert reply.status == 200
    assert (reply.body["description"], reply.body["tags"], reply.body["triggers"], reply.body["timeout"]) == (
        "",
        [],
        [],
        "5m",
    )
    assert reply.body["next_due_at"] is None


def test_post_only_creates_and_put_keeps_to_the_name_in_its_path(world: World) -> None:
    first = world.call("POST", "/jobs", JOB)
    again = world.call("POST", "/jobs", JOB)
    assert (again.status, again.code) == (409, "CONFLICT_EXISTS")
    other = world.call("PUT", "/jobs/other", JOB)
    assert (other.status, other.body["field"]) == (400, "name")
    assert world.call("GET", "/jobs/other").status == 404
    assert world.call("GET", "/jobs/reports.nightly").body["version"] == first.body["version"]


def test_a_job_without_a_name_needs_one_from_its_path(world: World) -> None:
    assert world.call("POST", "/jobs", {"target": PYTHON}).body["field"] == "name"
    assert world.call("PUT", "/jobs/manual", {"target": PYTHON}).status == 201


@pytest.mark.parametrize("method, path", [("POST", "/jobs"), ("PUT", "/jobs/reports.nightly")])
def test_a_dry_run_checks_and_writes_nothing(world: World, method: str, path: str) -> None:
    reply = world.call(method, path, WHOLE, query={"dry_run": "true"})
    assert reply.status == 200
    assert reply.body["triggers"][0]["state"] is None
    assert world.call(method, path, {**WHOLE, "timeout": "0s"}, query={"dry_run": "true"}).status == 400
    assert world.call("GET", "/jobs").body["items"] == []
    assert world.call(method, path, WHOLE, query={"dryrun": "true"}).body["field"] == "dryrun"
    assert world.call(method, path, WHOLE, query={"dry_run": ""}).status == 400
    assert world.call("GET", "/jobs").body["items"] == []


@pytest.mark.parametrize(
    "change, code, field",
    [
        ({"target": None}, "VALIDATION_DEFINITION", "target"),
        ({"target": {"kind": "carrier-pigeon"}}, "VALIDATION_TARGET", "target.kind"),
        ({"target": {"kind": "sqs", "arn": "jobs"}}, "VALIDATION_TARGET", "target.arn"),
        ({"target": {"kind": "python", "name": "nobody"}}, "NOT_FOUND_HANDLER", "target.name"),
        (
            {"triggers": [{"schedule": "61 * * * *"}]},
            "VALIDATION_SCHEDULE",
            "triggers[0].schedule.cron.minute",
        ),
        (
            {"triggers": [{"schedule": "every 10m"}, {"schedule": "every 5m"}]},
            "VALIDATION_DEFINITION",
            "triggers[1].name",
        ),
        ({"triggers": [{}]}, "VALIDATION_DEFINITION", "triggers[0].schedule"),
        ({"triggers": {}}, "VALIDATION_DEFINITION", "triggers"),
        ({"triggers": [{"schedule": "every 1m"}] * 41}, "VALIDATION_DEFINITION", "triggers"),
        ({"triggers": [{"schedule": "every 1m", "data": []}]}, "VALIDATION_DATA", "triggers[0].data"),
        (
            {"triggers": [{"schedule": "every 1m", "priority": 11}]},
            "VALIDATION_DEFINITION",
            "triggers[0].priority",
        ),
        ({"data": "pdf"}, "VALIDATION_DATA", "data"),
        ({"description": 7}, "VALIDATION_DEFINITION", "description"),
        ({"description": "x" * 1001}, "VALIDATION_DEFINITION", "description"),
        ({"tags": "reports"}, "VALIDATION_DEFINITION", "tags"),
        ({"tags": ["a", "a"]}, "VALIDATION_DEFINITION", "tags"),
        ({"tenant": "A#B"}, "VALIDATION_DEFINITION", "tenant"),
        ({"overlap": "sometimes"}, "VALIDATION_DEFINITION", "overlap"),
        ({"retry": {"max_retries": 101}}, "VALIDATION_DEFINITION", "retry.max_retries"),
        ({"retry": {"max_retries": True}}, "VALIDATION_DEFINITION", "retry.max_retries"),
        ({"retry": []}, "VALIDATION_DEFINITION", "retry"),
        ({"retry": {"on": ["sunday"]}}, "VALIDATION_DEFINITION", "retry.on[0]"),
        ({"timeout": "31d"}, "VALIDATION_DEFINITION", "timeout"),
        ({"timeout": "5"}, "VALIDATION_DEFINITION", "timeout"),
        ({"timeout": 1e300}, "VALIDATION_DEFINITION", "timeout"),
        ({"timeout": "20m"}, "VALIDATION_DEFINITION", "timeout"),
        ({"priority": 0}, "VALIDATION_DEFINITION", "priority"),
        ({"requests_recovery": "yes"}, "VALIDATION_DEFINITION", "requests_recovery"),
        ({"keep_history": -1}, "VALIDATION_DEFINITION", "keep_history"),
        ({"keep_history": 1.5}, "VALIDATION_DEFINITION", "keep_history"),
    ],
)
def test_what_a_job_cannot_be(world: World, change: dict[str, Any], code: str, field: str) -> None:
    reply = world.call("POST", "/jobs", {**JOB, **change})
    assert (reply.code, reply.body["field"]) == (code, field)
    assert reply.status in (400, 422)
    assert reply.body["hint"]
    assert world.call("GET", "/jobs").body["items"] == []


def test_a_list_is_by_name_and_narrowed_by_prefix(world: World) -> None:
    for name in ("b", "a.two", "a.one"):
        world.call("POST", "/jobs", {**JOB, "name": name})
    assert [job["name"] for job in world.call("GET", "/jobs").body["items"]] == ["a.one", "a.two", "b"]
    narrowed = world.call("GET", "/jobs", query={"prefix": "a."})
    assert [job["name"] for job in narrowed.body["items"]] == ["a.one", "a.two"]
    assert world.call("GET", "/jobs", query={"prefix": "z#"}).body == {"items": [], "next": None}


def test_pause_and_resume_keep_a_note_and_who(world: World) -> None:
    world.call("POST", "/jobs", JOB)
    paused = world.call("POST", "/jobs/reports.nightly/pause", {"note": "printer is away"}).body
    assert (paused["paused"], paused["paused_by"], paused["paused_note"]) == (
        True,
        "local",
        "printer is away",
    )
    assert paused["next_due_at"] is None
    resumed = world.call("POST", "/jobs/reports.nightly/resume").body
    assert (resumed["paused"], resumed["paused_by"], resumed["paused_note"]) == (False, None, None)
    assert resumed["next_due_at"] == "2027-01-16T02:00:00Z"


@pytest.mark.parametrize("missed, runs", [("drop", 0), ("misfire", 1)])
def test_resume_decides_about_what_was_missed(world: World, missed: str, runs: int) -> None:
    world.call("POST", "/jobs", {**JOB, "triggers": [{"schedule": "0 9 * * *"}]})
    world.call("POST", "/jobs/reports.nightly/pause")
    world.pass_time(2 * 3600)
    world.call("POST", "/jobs/reports.nightly/resume", {"missed": missed})
    world.pass_time(60)
    assert len(world.call("GET", "/jobs/reports.nightly/runs").body["items"]) == runs


def test_a_trigger_is_paused_alone(world: World) -> None:
    world.call("POST", "/jobs", WHOLE)
    paused = world.call("POST", "/jobs/reports.nightly/triggers/often/pause").body
    assert [one["paused"] for one in paused["triggers"]] == [False, True, False]
    assert paused["next_due_at"] == "2027-01-18T00:00:00Z"
    resumed = world.call("POST", "/jobs/reports.nightly/triggers/often/resume", {"missed": "drop"}).body
    assert [one["paused"] for one in resumed["triggers"]] == [False, False, False]


@pytest.mark.parametrize(
    "path, body, field",
    [
        ("pause", {"note": 1}, "note"),
        ("pause", {"note": "x" * 1001}, "note"),
        ("pause", {"reason": "x"}, "reason"),
        ("resume", {"missed": "all"}, "missed"),
        ("resume", {"missed": None}, "missed"),
        ("trigger", {"data": []}, "data"),
        ("trigger", {"tenant": "A"}, "tenant"),
        ("trigger", {"wait": 5}, "wait"),
        ("enqueue", {"delay": "5"}, "delay"),
        ("enqueue", {"delay": "-5s"}, "delay"),
        ("enqueue", {"delay": "400d"}, "delay"),
        ("enqueue", {"at": "2027-01-16T08:00:00"}, "at"),
        ("enqueue", {"at": "tomorrow"}, "at"),
        ("enqueue", {"at": 5}, "at"),
        ("enqueue", {"at": "2030-01-16T08:00:00Z"}, "at"),
        ("enqueue", {"at": "2027-01-16T08:00:00Z", "delay": "5s"}, "delay"),
    ],
)
def test_what_a_call_cannot_be(world: World, path: str, body: dict[str, Any], field: str) -> None:
    world.call("POST", "/jobs", JOB)
    reply = world.call("POST", f"/jobs/reports.nightly/{path}", body)
    assert (reply.status, reply.body["field"]) == (400, field)
    assert world.call("GET", "/runs").body["items"] == []
    assert world.call("GET", "/jobs/reports.nightly").body["version"] == 1


def test_trigger_waits_for_the_run(world: World) -> None:
    world.call("POST", "/jobs", {**JOB, "data": {"a": 1, "b": 1}})
    reply = world.call("POST", "/jobs/reports.nightly/trigger", {"data": {"b": 2}, "tenant": "acme"})
    run = reply.body
    assert (reply.status, run["status"], run["kind"], run["trigger"]) == (200, "succeeded", "manual", None)
    assert run["data"] == {"a": 1, "b": 2}
    assert run["result"] == {"given": {"a": 1, "b": 2}}
    assert run["tenant"] == "acme"


def test_trigger_answers_a_failed_run_as_it_is(world: World) -> None:
    world.call("POST", "/jobs", {**JOB, "target": {"kind": "python", "name": "broken"}})
    reply = world.call("POST", "/jobs/reports.nightly/trigger")
    assert (reply.status, reply.body["status"]) == (200, "failed")
    assert reply.body["error"] == {"code": "NO_PAPER", "message": "the printer is out of paper"}


def test_trigger_gives_up_waiting_25_seconds_after_the_call_arrived(world: World) -> None:
    world.call("POST", "/jobs", JOB)
    world.clock.meanwhile = lambda: None
    before = world.clock.now_ms()
    reply = world.call("POST", "/jobs/reports.nightly/trigger")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    assert world.clock.now_ms() - before == 25_000


def test_a_taken_slot_refuses_a_trigger_and_lets_an_enqueue_wait(world: World) -> None:
    world.call("POST", "/jobs", JOB)
    run = world.call("POST", "/jobs/reports.nightly/enqueue", {"delay": "1s"}).body
    until_ms = world.clock.now_ms() + 600_000
    assert world.engine.store.acquire_slot("default", "reports.nightly", run=run["id"], until_ms=until_ms)
    refused = world.call("POST", "/jobs/reports.nightly/trigger")
    assert (refused.status, refused.code) == (409, "CONFLICT_RUNNING")
    waiting = world.call("POST", "/jobs/reports.nightly/enqueue")
    assert (waiting.status, waiting.body["status"]) == (202, "queued")


@pytest.mark.parametrize(
    "body, at",
    [
        (None, "2027-01-15T08:00:00Z"),
        ({"delay": "90s"}, "2027-01-15T08:01:30Z"),
        ({"at": "2027-01-15T17:00:00+08:00"}, "2027-01-15T09:00:00Z"),
        ({"at": "2020-01-01T00:00:00Z"}, "2027-01-15T08:00:00Z"),
    ],
)
def test_enqueue_says_when(world: World, body: Any, at: str) -> None:
    world.call("POST", "/jobs", JOB)
    reply = world.call("POST", "/jobs/reports.nightly/enqueue", body)
    assert (reply.status, reply.body["status"], reply.body["scheduled_at"]) == (202, "queued", at)
    assert world.call("GET", f"/runs/{reply.body['id']}").body == reply.body


def test_a_deleted_job_is_gone_and_its_history_is_not(world: World) -> None:
    first = world.call("POST", "/jobs", JOB).body
    run = world.call("POST", "/jobs/reports.nightly/trigger").body
    gone = world.call("DELETE", "/jobs/reports.nightly")
    assert (gone.status, gone.body) == (204, None)
    assert world.call("GET", "/jobs/reports.nightly").code == "NOT_FOUND_JOB"
    assert world.call("DELETE", "/jobs/reports.nightly").code == "NOT_FOUND_JOB"
    for verb in ("pause", "resume", "trigger", "enqueue"):
        assert world.call("POST", f"/jobs/reports.nightly/{verb}").code == "NOT_FOUND_JOB"
    assert [one["id"] for one in world.call("GET", "/jobs/reports.nightly/runs").body["items"]] == [run["id"]]
    assert world.call("GET", f"/runs/{run['id']}").body == run
    assert world.call("POST", "/jobs", JOB).body["id"] != first["id"]
