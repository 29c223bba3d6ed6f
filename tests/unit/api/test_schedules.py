"""The schedules resource: its body, its ranges, and what a schedule is as a job."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.api.plane import JOB, PYTHON, SCHEDULE, World

FULL: dict[str, Any] = {
    "name": "nightly",
    "trigger": {"kind": "cron", "cron": "0 2 * * *", "timezone": "Asia/Shanghai"},
    "target": {"kind": "script", "name": "report"},
    "inputs": {"format": "pdf"},
    "enabled": False,
    "on_overlap": "parallel",
    "queue_cap": None,
    "max_attempts": 3,
    "retry_backoff_secs": 30,
    "catch_up": False,
}


def test_a_schedule_is_answered_with_the_form_it_was_given_in(world: World) -> None:
    created = world.call("POST", "/schedules", FULL)
    assert created.status == 201
    expected = {**FULL, "target": PYTHON}
    assert {key: value for key, value in created.body.items() if key in FULL} == expected | {
        "trigger": created.body["trigger"]
    }
    assert created.body["trigger"].items() >= FULL["trigger"].items()
    added = {
        "id",
        "project",
        "next_due_at",
        "last_fired_at",
        "last_run_id",
        "retry_attempt",
        "created_at",
        "updated_at",
    }
    assert set(created.body) == {*FULL, *added, "warnings"}
    assert created.body["project"] == "default"
    assert world.call("GET", "/schedules/nightly").body == created.body


def test_what_is_left_out_or_null_has_its_default(world: World) -> None:
    null = {
        "on_overlap": None,
        "queue_cap": None,
        "max_attempts": None,
        "retry_backoff_secs": None,
        "catch_up": None,
    }
    for body in (SCHEDULE, {**SCHEDULE, **null}):
        reply = world.call("PUT", "/schedules/nightly", body).body
        assert (reply["enabled"], reply["on_overlap"], reply["queue_cap"], reply["catch_up"]) == (
            True,
            "skip",
            None,
            True,
        )
        assert (reply["max_attempts"], reply["retry_backoff_secs"], reply["retry_attempt"]) == (1, 60, 0)
        assert reply["trigger"]["timezone"] == "UTC"


@pytest.mark.parametrize(
    "change, code, field",
    [
        ({"name": None}, "VALIDATION_DEFINITION", "name"),
        ({"trigger": None}, "VALIDATION_SCHEDULE", "trigger.schedule"),
        ({"trigger": {}}, "VALIDATION_SCHEDULE", "trigger.kind"),
        ({"trigger": {"kind": "moon"}}, "VALIDATION_SCHEDULE", "trigger.kind"),
        ({"trigger": {"cron": "61 * * * *"}}, "VALIDATION_SCHEDULE", "trigger.cron.minute"),
        ({"trigger": {"every": "90"}}, "VALIDATION_SCHEDULE", "trigger.every"),
        ({"trigger": {"every": "367d"}}, "VALIDATION_SCHEDULE", "trigger.every"),
        ({"trigger": {"at": "2040-01-01T00:00:00Z"}}, "VALIDATION_SCHEDULE", "trigger.at"),
        (
            {"trigger": {"every": "1m", "end_at": "2020-01-01T00:00:00Z"}},
            "VALIDATION_SCHEDULE",
            "trigger.end_at",
        ),
        ({"trigger": {"every": "1m", "calendar": "holidays"}}, "NOT_FOUND_CALENDAR", "trigger.calendar"),
        ({"target": {"kind": "workflow", "name": "x"}}, "VALIDATION_TARGET", "target.kind"),
        ({"target": {"kind": "python", "name": "nobody"}}, "NOT_FOUND_HANDLER", "target.name"),
        ({"inputs": None}, "VALIDATION_DATA", "inputs"),
        ({"inputs": [1]}, "VALIDATION_DATA", "inputs"),
        ({"enabled": None}, "VALIDATION_DEFINITION", "enabled"),
        ({"enabled": "true"}, "VALIDATION_DEFINITION", "enabled"),
        ({"enabled": 1}, "VALIDATION_DEFINITION", "enabled"),
        ({"on_overlap": "queue"}, "VALIDATION_DEFINITION", "on_overlap"),
        ({"on_overlap": "sometimes"}, "VALIDATION_DEFINITION", "on_overlap"),
        ({"queue_cap": 5}, "VALIDATION_DEFINITION", "queue_cap"),
        ({"queue_cap": 0}, "VALIDATION_DEFINITION", "queue_cap"),
        ({"max_attempts": 0}, "VALIDATION_DEFINITION", "max_attempts"),
        ({"max_attempts": 11}, "VALIDATION_DEFINITION", "max_attempts"),
        ({"max_attempts": 2.0}, "VALIDATION_DEFINITION", "max_attempts"),
        ({"max_attempts": True}, "VALIDATION_DEFINITION", "max_attempts"),
        ({"retry_backoff_secs": 0}, "VALIDATION_DEFINITION", "retry_backoff_secs"),
        ({"retry_backoff_secs": 86_401}, "VALIDATION_DEFINITION", "retry_backoff_secs"),
        ({"retry_backoff_secs": 10**100}, "VALIDATION_DEFINITION", "retry_backoff_secs"),
        ({"catch_up": "no"}, "VALIDATION_DEFINITION", "catch_up"),
    ],
)
def test_what_a_schedule_cannot_be(world: World, change: dict[str, Any], code: str, field: str) -> None:
    reply = world.call("POST", "/schedules", {**SCHEDULE, **change})
    assert (reply.code, reply.body["field"]) == (code, field)
    assert reply.status in (400, 422)
    assert reply.body["hint"]
    assert world.call("GET", "/jobs").body["items"] == []


@pytest.mark.parametrize("key", ["name", "trigger", "target", "inputs"])
def test_what_a_schedule_must_say(world: World, key: str) -> None:
    body = {name: value for name, value in SCHEDULE.items() if name != key}
    for method, path in (("POST", "/schedules"), ("PUT", "/schedules/nightly")):
        reply = world.call(method, path, body)
        assert (reply.status, reply.body["detail"]) == (400, f"{key}: is missing.")


@pytest.mark.parametrize(
    "change",
    [{"max_attempts": 10, "retry_backoff_secs": 86_400}, {"max_attempts": 1, "retry_backoff_secs": 1}],
)
def test_the_ends_of_the_ranges_are_taken(world: World, change: dict[str, Any]) -> None:
    reply = world.call("POST", "/schedules", {**SCHEDULE, **change})
    assert reply.status == 201
    assert {key: reply.body[key] for key in change} == change


def test_put_creates_replaces_and_keeps_to_its_path(world: World) -> None:
    assert world.call("PUT", "/schedules/nightly", FULL).status == 201
    replaced = world.call("PUT", "/schedules/nightly", SCHEDULE)
    assert (replaced.status, replaced.body["enabled"], replaced.body["inputs"]) == (200, True, {})
    assert any("paused" in text for text in replaced.body["warnings"])
    other = world.call("PUT", "/schedules/other", SCHEDULE)
    assert (other.status, other.body["field"]) == (400, "name")
    assert world.call("POST", "/schedules", SCHEDULE).code == "CONFLICT_EXISTS"


@pytest.mark.parametrize("method, path", [("POST", "/schedules"), ("PUT", "/schedules/nightly")])
def test_a_dry_run_writes_nothing(world: World, method: str, path: str) -> None:
    reply = world.call(method, path, FULL, query={"dry_run": "1"})
    assert (reply.status, reply.body["enabled"]) == (200, False)
    assert world.call("GET", "/jobs").body["items"] == []


def test_pause_stops_and_resume_goes_on_from_now(world: World) -> None:
    world.call("POST", "/schedules", {**SCHEDULE, "trigger": {"every": "10m"}})
    paused = world.call("POST", "/schedules/nightly/pause", {"note": "moving"}).body
    assert (paused["enabled"], paused["next_due_at"]) == (False, None)
    world.pass_time(3600)
    assert world.call("GET", "/runs").body["items"] == []
    resumed = world.call("POST", "/schedules/nightly/resume").body
    assert (resumed["enabled"], resumed["next_due_at"]) == (True, "2027-01-15T09:10:00Z")
    world.pass_time(660)
    assert len(world.call("GET", "/schedules/nightly/runs").body["items"]) == 1


def test_a_schedule_whose_trigger_was_paused_as_a_job_can_be_resumed_and_put(world: World) -> None:
    world.call("POST", "/schedules", SCHEDULE)
    pause = "/jobs/nightly/triggers/default/pause"
    for method, path, body in (
        ("POST", "/schedules/nightly/resume", None),
        ("PUT", "/schedules/nightly", SCHEDULE),
    ):
        world.call("POST", pause)
        assert world.call("GET", "/schedules/nightly").body["enabled"] is False
        assert world.call(method, path, body).body["enabled"] is True


def test_a_schedule_whose_job_disables_its_trigger_says_so(world: World) -> None:
    world.call(
        "PUT", "/jobs/nightly", {"target": PYTHON, "triggers": [{"schedule": "every 10m", "enabled": False}]}
    )
    assert world.call("GET", "/schedules/nightly").body["enabled"] is False
    refused = world.call("POST", "/schedules/nightly/resume")
    assert refused.status == 409
    assert "enabled true" in refused.body["hint"]
    assert world.call("PUT", "/schedules/nightly", SCHEDULE).body["enabled"] is True


def test_a_spent_once_is_armed_by_resume_and_not_by_the_same_put(world: World) -> None:
    body = {**SCHEDULE, "trigger": {"at": "2027-01-15T08:05:00Z"}}
    assert world.call("POST", "/schedules", body).body["next_due_at"] == "2027-01-15T08:05:00Z"
    world.pass_time(360)
    spent = world.call("GET", "/schedules/nightly").body
    assert (spent["enabled"], spent["next_due_at"], spent["last_fired_at"]) == (
        False,
        None,
        "2027-01-15T08:05:00Z",
    )
    run = world.call("GET", f"/runs/{spent['last_run_id']}").body
    assert (run["status"], run["kind"], run["trigger"]) == ("succeeded", "schedule", "default")

    assert world.call("PUT", "/schedules/nightly", body).body["enabled"] is False
    world.pass_time(120)
    assert len(world.call("GET", "/schedules/nightly/runs").body["items"]) == 1

    world.call("POST", "/schedules/nightly/resume")
    world.pass_time(120)
    assert len(world.call("GET", "/schedules/nightly/runs").body["items"]) == 2
    again = world.call("PUT", "/schedules/nightly", {**body, "trigger": {"at": "2027-01-15T09:00:00Z"}}).body
    assert (again["enabled"], again["next_due_at"]) == (True, "2027-01-15T09:00:00Z")


def test_a_retry_that_waits_is_shown(world: World) -> None:
    body = {**SCHEDULE, "trigger": {"every": "1h"}, "target": {"kind": "python", "name": "broken"}}
    world.call("POST", "/schedules", {**body, "max_attempts": 2, "retry_backoff_secs": 600})
    world.pass_time(3660)
    failed = world.call("GET", "/schedules/nightly").body
    assert failed["retry_attempt"] == 1
    assert "2027-01-15T09:10:00Z" <= failed["next_due_at"] < "2027-01-15T09:12:00Z"
    assert world.call("GET", "/schedules").body["items"] == [failed]
    world.pass_time(720)
    over = world.call("GET", "/schedules/nightly").body
    assert (over["retry_attempt"], over["next_due_at"]) == (0, "2027-01-15T10:00:00Z")
    runs = world.call("GET", "/schedules/nightly/runs").body["items"]
    assert [(one["kind"], one["attempt"], one["status"]) for one in runs if one["kind"] == "retry"] == [
        ("retry", 2, "failed")
    ]


def test_trigger_answers_the_id_of_its_run_at_once(world: World) -> None:
    world.call("POST", "/schedules", {**SCHEDULE, "inputs": {"a": 1}})
    before = world.clock.now_ms()
    reply = world.call("POST", "/schedules/nightly/trigger", {"data": {"b": 2}})
    assert (reply.status, list(reply.body), world.clock.now_ms()) == (202, ["request_id"], before)
    world.work()
    run = world.call("GET", f"/runs/{reply.body['request_id']}").body
    assert (run["status"], run["data"]) == ("succeeded", {"a": 1, "b": 2})


def test_a_taken_slot_refuses_a_trigger(world: World) -> None:
    world.call("POST", "/schedules", SCHEDULE)
    held = world.call("POST", "/jobs/nightly/enqueue", {"delay": "5m"}).body["id"]
    assert world.engine.store.acquire_slot(
        "default", "nightly", run=held, until_ms=world.clock.now_ms() + 600_000
    )
    reply = world.call("POST", "/schedules/nightly/trigger")
    assert (reply.status, reply.code) == (409, "CONFLICT_RUNNING")


def test_a_job_with_other_triggers_is_no_schedule(world: World) -> None:
    two = [{"name": "default", "schedule": "every 10m"}, {"name": "late", "schedule": "every 5m"}]
    for name, triggers in (("none", []), ("other", two[1:]), ("two", two), ("a.b", two[:1])):
        world.call("PUT", f"/jobs/{name}", {"target": PYTHON, "triggers": triggers})
    world.call("POST", "/schedules", SCHEDULE)
    assert [one["name"] for one in world.call("GET", "/schedules").body["items"]] == ["nightly"]
    for name in ("none", "other", "two"):
        for method, path in (
            ("GET", ""),
            ("DELETE", ""),
            ("POST", "/pause"),
            ("POST", "/resume"),
            ("POST", "/trigger"),
        ):
            reply = world.call(method, f"/schedules/{name}{path}")
            assert (reply.status, reply.code) == (404, "NOT_FOUND_JOB")
        refused = world.call("PUT", f"/schedules/{name}", {**SCHEDULE, "name": name})
        assert (refused.status, refused.code) == (409, "CONFLICT_EXISTS")
        assert world.call("GET", f"/jobs/{name}").body["version"] == 1


def test_a_put_as_schedule_says_which_options_of_the_job_it_drops(world: World) -> None:
    world.call("PUT", "/jobs/nightly", {**JOB, "name": "nightly", "timeout": "10m", "tags": ["reports"]})
    warnings = world.call("PUT", "/schedules/nightly", SCHEDULE).body["warnings"]
    assert [text.split(" ")[0] for text in warnings] == ["tags", "timeout"]


def test_delete_answers_204_and_keeps_the_history(world: World) -> None:
    world.call("POST", "/schedules", SCHEDULE)
    world.call("POST", "/schedules/nightly/trigger")
    world.work()
    assert world.call("DELETE", "/schedules/nightly").status == 204
    assert world.call("DELETE", "/schedules/nightly").code == "NOT_FOUND_JOB"
    assert len(world.call("GET", "/schedules/nightly/runs").body["items"]) == 1


@pytest.mark.parametrize("limit, count", [("1", 1), ("0", 1), ("-5", 1), ("3", 3), ("1000000", 4)])
def test_the_limit_of_its_runs_is_brought_into_range(world: World, limit: str, count: int) -> None:
    world.call("POST", "/schedules", {**SCHEDULE, "trigger": {"every": "10m"}})
    world.pass_time(2460)
    reply = world.call("GET", "/schedules/nightly/runs", query={"limit": limit})
    assert len(reply.body["items"]) == count
    assert world.call("GET", "/schedules/nightly/runs", query={"limit": "ten"}).code == "VALIDATION_PAGING"


def test_warnings_are_told_at_creation(world: World) -> None:
    reply = world.call(
        "POST", "/schedules", {**SCHEDULE, "trigger": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}}
    )
    assert reply.status == 201
    assert any("2027-03-28" in text for text in reply.body["warnings"])


def test_a_put_as_a_schedule_names_every_option_it_takes_back(world: World) -> None:
    job = {
        "target": SCHEDULE["target"],
        "retry": {"max_retries": 2, "delay": "5s", "backoff": "exponential", "on": ["failed", "lost"]},
        "triggers": [{"name": "default", "schedule": "every 1h", "priority": 8, "data": {"a": 1}}],
    }
    world.call("PUT", "/jobs/nightly", job)
    warnings = " ".join(world.call("PUT", "/schedules/nightly", SCHEDULE).body["warnings"])
    for lost in ("retry.backoff", "retry.on", "trigger priority", "trigger data"):
        assert f"{lost} is back at its default" in warnings
