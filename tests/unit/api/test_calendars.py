"""Calendars through the API: put, read, users, deletion, and what schedules under them say and do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.api.plane import JOB, SCHEDULE, World

HOLIDAYS = {"kind": "holiday", "dates": ["2027-01-18", "2027-01-16"], "timezone": "Europe/Berlin"}
FORMS: dict[str, dict[str, Any]] = {
    "holiday": {"kind": "holiday", "dates": ["2027-01-16", "2027-01-18"], "timezone": "Europe/Berlin"},
    "weekly": {"kind": "weekly", "days": ["SUN", "SAT"], "timezone": "Asia/Shanghai"},
    "daily": {"kind": "daily", "from": "22:00:00", "to": "06:00:00", "timezone": "UTC"},
    "cron": {"kind": "cron", "cron": "* * 0-7 * * *", "timezone": "UTC"},
    "composite": {"kind": "composite", "calendars": ["members"]},
}
ADDED = {"project", "name", "description", "version", "created_at", "updated_at", "warnings"}


def under(calendar: str, **more: Any) -> dict[str, Any]:
    """Return a schedule at nine each day under a calendar."""
    return {**SCHEDULE, "trigger": {"cron": "0 9 * * *", "calendar": calendar}, **more}


@pytest.mark.parametrize("kind", FORMS)
def test_every_kind_is_answered_as_it_was_put(world: World, kind: str) -> None:
    world.call("PUT", "/calendars/members", {"kind": "weekly"})
    created = world.call("PUT", "/calendars/mine", {**FORMS[kind], "name": "mine", "description": "why"})
    assert (created.status, set(created.body)) == (201, ADDED | set(FORMS[kind]))
    assert created.body.items() >= {**FORMS[kind], "name": "mine", "description": "why", "version": 1}.items()
    assert world.call("GET", "/calendars/mine").body == created.body
    again = world.call("PUT", "/calendars/mine", {key: created.body[key] for key in FORMS[kind]})
    assert (again.status, again.body["version"], again.body["description"]) == (200, 1, "")


def test_defaults_are_filled_in_and_null_is_left_out(world: World) -> None:
    body = {"kind": "weekly", "days": None, "timezone": None, "description": None, "name": None}
    made = world.call("PUT", "/calendars/weekends", body).body
    assert (made["days"], made["timezone"], made["description"]) == (["SUN", "SAT"], "UTC", "")


def test_post_creates_only(world: World) -> None:
    assert world.call("POST", "/calendars", {**HOLIDAYS, "name": "holidays"}).status == 201
    again = world.call("POST", "/calendars", {"kind": "weekly", "name": "holidays"})
    assert (again.status, again.code, again.body["field"]) == (409, "CONFLICT_EXISTS", "name")
    assert world.call("GET", "/calendars/holidays").body["kind"] == "holiday"


def test_a_dry_run_checks_and_writes_nothing(world: World) -> None:
    dry = {"dry_run": "true"}
    assert world.call("PUT", "/calendars/holidays", HOLIDAYS, query=dry).status == 200
    assert world.call("POST", "/calendars", {**HOLIDAYS, "name": "holidays"}, query=dry).status == 200
    assert world.call("PUT", "/calendars/holidays", {"kind": "weekly", "days": []}, query=dry).status == 400
    assert world.call("GET", "/calendars").body == {"items": [], "next": None}


def test_a_change_is_a_new_version(world: World) -> None:
    first = world.call("PUT", "/calendars/holidays", HOLIDAYS).body
    world.clock.advance_ms(1500)
    second = world.call("PUT", "/calendars/holidays", {"kind": "weekly"}).body
    assert (first["version"], second["version"]) == (1, 2)
    assert second["created_at"] == first["created_at"] < second["updated_at"]


@pytest.mark.parametrize(
    "body, code, field",
    [
        ({}, "VALIDATION_SCHEDULE", "kind"),
        ({"kind": "lunar"}, "VALIDATION_SCHEDULE", "kind"),
        ({"kind": ["holiday"]}, "VALIDATION_SCHEDULE", "kind"),
        ({"kind": "holiday"}, "VALIDATION_SCHEDULE", "dates"),
        ({"kind": "holiday", "dates": []}, "VALIDATION_SCHEDULE", "dates"),
        ({"kind": "holiday", "dates": ["2027-02-30"]}, "VALIDATION_SCHEDULE", "dates"),
        ({"kind": "holiday", "dates": [20270230]}, "VALIDATION_SCHEDULE", "dates"),
        ({"kind": "holiday", "dates": "2027-02-03"}, "VALIDATION_SCHEDULE", "dates"),
        ({**HOLIDAYS, "timezone": "Mars/Base"}, "VALIDATION_SCHEDULE", "timezone"),
        ({**HOLIDAYS, "days": ["SAT"]}, "VALIDATION_SCHEDULE", "days"),
        ({**HOLIDAYS, "version": 3}, "VALIDATION_SCHEDULE", "version"),
        ({"kind": "weekly", "days": ["Caturday"]}, "VALIDATION_SCHEDULE", "days"),
        ({"kind": "daily", "from": "22:00"}, "VALIDATION_SCHEDULE", "to"),
        ({"kind": "daily", "from": "22:00", "to": "22:00"}, "VALIDATION_SCHEDULE", "to"),
        ({"kind": "cron", "cron": "61 * * * *"}, "VALIDATION_SCHEDULE", "cron.minute"),
        ({"kind": "composite", "calendars": ["mine"]}, "VALIDATION_SCHEDULE", "calendar"),
        ({"kind": "composite", "calendars": [], "timezone": "UTC"}, "VALIDATION_SCHEDULE", "timezone"),
        ({**HOLIDAYS, "name": "other"}, "VALIDATION_DEFINITION", "name"),
        ({**HOLIDAYS, "name": "Mine"}, "VALIDATION_DEFINITION", "name"),
        ({**HOLIDAYS, "name": 7}, "VALIDATION_DEFINITION", "name"),
        ({**HOLIDAYS, "description": 7}, "VALIDATION_DEFINITION", "description"),
        ({**HOLIDAYS, "description": "x" * 1001}, "VALIDATION_DEFINITION", "description"),
    ],
)
def test_what_a_calendar_cannot_be(world: World, body: dict[str, Any], code: str, field: str) -> None:
    reply = world.call("PUT", "/calendars/mine", body)
    assert (reply.status, reply.code, reply.body["field"]) == (400, code, field)
    assert reply.body["hint"]
    assert world.call("GET", "/calendars").body["items"] == []


def test_a_post_says_which_name_is_missing(world: World) -> None:
    reply = world.call("POST", "/calendars", HOLIDAYS)
    assert (reply.status, reply.body["detail"]) == (400, "name: is missing.")
    assert world.call("PUT", "/calendars/mine").body["detail"] == "body: is missing."


def test_a_circle_is_refused_and_named(world: World) -> None:
    world.call("PUT", "/calendars/a", {"kind": "weekly"})
    world.call("PUT", "/calendars/b", {"kind": "composite", "calendars": ["a"]})
    reply = world.call("PUT", "/calendars/a", {"kind": "composite", "calendars": ["b"]})
    assert (reply.status, "contains itself" in reply.body["detail"]) == (400, True)
    assert world.call("GET", "/calendars/a").body["kind"] == "weekly"


def test_the_last_day_of_holidays_may_have_passed(world: World) -> None:
    assert world.call("PUT", "/calendars/new", HOLIDAYS).body["warnings"] == []
    (text,) = world.call("PUT", "/calendars/old", {**HOLIDAYS, "dates": ["2026-12-26"]}).body["warnings"]
    assert "last date has passed" in text


def test_a_list_is_paged_by_name(world: World) -> None:
    for name in ("c", "a", "b", "bb"):
        world.call("PUT", f"/calendars/{name}", {"kind": "weekly"})
    names: list[str] = []
    query = {"limit": "1"}
    while True:
        reply = world.call("GET", "/calendars", query=query)
        names += [one["name"] for one in reply.body["items"]]
        if reply.body["next"] is None:
            break
        query = {"limit": "1", "cursor": reply.body["next"]}
    assert names == ["a", "b", "bb", "c"]
    found = world.call("GET", "/calendars", query={"prefix": "b"}).body["items"]
    assert [one["name"] for one in found] == ["b", "bb"]
    alien = world.call("GET", "/calendars", query={"prefix": "b", "cursor": query["cursor"]})
    assert (alien.status, alien.code) == (400, "VALIDATION_PAGING")
    assert world.call("GET", "/calendars", query={"limit": "0"}).code == "VALIDATION_PAGING"


def test_many_dates_fit_into_pages_and_come_back_whole(world: World) -> None:
    dates = [f"{year}-{month:02d}-{day:02d}" for year in range(2027, 2055) for month in range(1, 13)
             for day in range(1, 29)]  # fmt: skip
    for number in range(25):
        body = {"kind": "holiday", "dates": dates}
        assert world.call("PUT", f"/calendars/c{number:02d}", body).status == 201
    page = world.call("GET", "/calendars").body
    assert 0 < len(page["items"]) < 25
    assert page["next"] is not None
    assert page["items"][0]["dates"] == dates
    too_many = {"kind": "holiday", "dates": [*dates, *dates]}
    assert world.call("PUT", "/calendars/more", too_many).body["field"] == "dates"


@pytest.mark.parametrize("method, path", [("GET", ""), ("DELETE", ""), ("GET", "/users")])
def test_what_the_path_names_and_is_not_there_is_404(world: World, method: str, path: str) -> None:
    reply = world.call(method, f"/calendars/nobody{path}")
    assert (reply.status, reply.code, reply.body["status"]) == (404, "NOT_FOUND_CALENDAR", 404)
    assert world.call(method, f"/calendars/No!{path}").code == "VALIDATION_DEFINITION"


def test_what_a_body_refers_to_and_is_not_there_is_422(world: World) -> None:
    reply = world.call("POST", "/schedules", under("nobody"))
    assert (reply.status, reply.code, reply.body["field"]) == (422, "NOT_FOUND_CALENDAR", "trigger.calendar")
    job = {**JOB, "triggers": [{"schedule": "0 9 * * * calendar=nobody"}]}
    reply = world.call("POST", "/jobs", job)
    assert (reply.status, reply.body["field"]) == (422, "triggers[0].schedule.calendar")
    for method, path, extra in (("PUT", "/calendars/all", {}), ("POST", "/calendars", {"name": "all"})):
        reply = world.call(method, path, {"kind": "composite", "calendars": ["nobody"], **extra})
        assert (reply.status, reply.code, reply.body["field"]) == (422, "NOT_FOUND_CALENDAR", "calendars")
    assert world.call("GET", "/calendars").body["items"] == []
    reply = world.call("POST", "/schedules/preview", {"schedule": "@daily calendar=nobody"})
    assert (reply.status, reply.code, reply.body["field"]) == (422, "NOT_FOUND_CALENDAR", "schedule.calendar")
    assert world.call("GET", "/jobs").body["items"] == []


def test_one_in_use_cannot_be_deleted_and_says_who_uses_it(world: World) -> None:
    world.call("PUT", "/calendars/holidays", HOLIDAYS)
    world.call("PUT", "/calendars/all", {"kind": "composite", "calendars": ["holidays"]})
    world.call("POST", "/schedules", under("holidays"))
    users = world.call("GET", "/calendars/holidays/users").body
    assert users == {
        "items": [{"kind": "calendar", "name": "all"}, {"kind": "job", "name": "nightly"}], "next": None,
    }  # fmt: skip
    first = world.call("GET", "/calendars/holidays/users", query={"limit": "1"}).body
    rest = world.call("GET", "/calendars/holidays/users", query={"cursor": first["next"]}).body
    assert [*first["items"], *rest["items"]] == users["items"]
    reply = world.call("DELETE", "/calendars/holidays")
    assert (reply.status, reply.code) == (409, "CONFLICT_IN_USE")
    assert "calendar all, job nightly" in reply.body["detail"]
    assert world.call("GET", "/calendars/holidays").status == 200
    world.call("DELETE", "/schedules/nightly")
    assert world.call("DELETE", "/calendars/holidays").code == "CONFLICT_IN_USE"
    assert world.call("DELETE", "/calendars/all").status == 204
    assert world.call("DELETE", "/calendars/holidays").status == 204
    assert world.call("GET", "/calendars/holidays").status == 404


def test_a_refused_deletion_names_ten_users_and_that_there_are_more(world: World) -> None:
    world.call("PUT", "/calendars/holidays", HOLIDAYS)
    for number in range(11):
        name = f"job-{number:02d}"
        assert world.call("PUT", f"/schedules/{name}", under("holidays", name=name)).status == 201
    detail = world.call("DELETE", "/calendars/holidays").body["detail"]
    assert [f"job-{number:02d}" in detail for number in range(11)] == [True] * 10 + [False]
    assert "and more" in detail


def test_occurrences_that_a_calendar_excludes_are_passed_over(world: World) -> None:
    world.call("PUT", "/calendars/holidays", HOLIDAYS)
    made = world.call("POST", "/schedules", under("holidays")).body
    assert made["trigger"]["calendar"] == "holidays"
    assert made["next_due_at"] == "2027-01-15T09:00:00Z"
    world.pass_time(3600)
    assert world.call("GET", "/schedules/nightly").body["next_due_at"] == "2027-01-17T09:00:00Z"


def test_a_changed_calendar_moves_what_is_under_it(world: World) -> None:
    world.call("PUT", "/calendars/holidays", HOLIDAYS)
    world.call("POST", "/schedules", under("holidays"))
    for dates, due in ((["2027-01-15"], "2027-01-16"), (["2027-01-15", "2027-01-16"], "2027-01-17")):
        assert world.call("PUT", "/calendars/holidays", {**HOLIDAYS, "dates": dates}).status == 200
        found = world.call("GET", "/schedules/nightly").body["next_due_at"]
        assert found == f"{due}T09:00:00Z"


def test_a_creation_says_what_its_calendar_does(world: World) -> None:
    world.call(
        "PUT",
        "/calendars/never",
        {"kind": "weekly", "days": ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]},
    )
    world.call("PUT", "/calendars/holidays", HOLIDAYS)
    once = world.call(
        "POST", "/schedules", under("holidays", trigger="once 2027-01-18T09:00:00Z calendar=holidays")
    )
    assert [text for text in once.body["warnings"] if "holidays excludes 2027-01-18T09:00:00Z" in text]
    reply = world.call("PUT", "/schedules/nightly", under("never"))
    assert reply.status == 400
    assert "never" in reply.body["detail"]
