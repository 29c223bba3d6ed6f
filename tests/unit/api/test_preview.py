"""Previews through the API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from duetime.settings import Settings
from tests.unit.api.plane import PYTHON, World


def test_a_cron_expression(world: World) -> None:
    body = {"cron": "30 1 * * *", "timezone": "Europe/London", "count": 2}
    reply = world.call("POST", "/cron/preview", body)
    assert reply.status == 200
    assert reply.body["upcoming"] == ["2027-01-16T01:30:00Z", "2027-01-17T01:30:00Z"]
    assert reply.body["local"][0].startswith("2027-01-16T01:30:00")
    assert reply.body["timezone"] == "Europe/London"
    assert reply.body["description"]


def test_the_other_policy_for_gaps(world: World) -> None:
    body = {"cron": "30 1 28 3 *", "timezone": "Europe/London", "count": 1}
    assert world.call("POST", "/cron/preview", body).body["upcoming"] != ["2027-03-28T01:00:00Z"]
    shifted = world.call("POST", "/cron/preview", {**body, "dst_gap": "shift"})
    assert shifted.body["upcoming"] == ["2027-03-28T01:00:00Z"]


@pytest.mark.parametrize(
    "schedule",
    ["every 10m", "10m", 600_000, {"every": "10m"}, {"kind": "interval", "every_secs": 600}, "PT10M"],
)
def test_a_schedule_in_any_form(world: World, schedule: Any) -> None:
    reply = world.call("POST", "/schedules/preview", {"schedule": schedule, "count": 2})
    assert reply.body["upcoming"] == ["2027-01-15T08:10:00Z", "2027-01-15T08:20:00Z"]


@pytest.mark.parametrize(
    "count, length", [(None, 5), (0, 1), (-3, 1), (1, 1), (20, 20), (21, 20), (10**30, 20)]
)
def test_the_count_is_brought_into_range(world: World, count: int | None, length: int) -> None:
    given = {} if count is None else {"count": count}
    assert len(world.call("POST", "/cron/preview", {"cron": "* * * * *", **given}).body["upcoming"]) == length
    assert (
        len(world.call("POST", "/schedules/preview", {"schedule": "@hourly", **given}).body["upcoming"])
        == length
    )


def test_from_another_moment_on(world: World) -> None:
    start = {"from": "2028-02-28T12:00:00+00:00", "count": 1}
    assert world.call("POST", "/cron/preview", {"cron": "0 0 29 2 *", **start}).body["upcoming"] == [
        "2028-02-29T00:00:00Z"
    ]
    reply = world.call("POST", "/schedules/preview", {"schedule": "@daily", **start})
    assert reply.body["upcoming"] == ["2028-02-29T00:00:00Z"]


def test_the_defaults_of_the_deployment_fill_in(world: World) -> None:
    settings = {"default_zone": "Europe/Berlin", "default_dst_gap": "shift", "default_dst_fold": "both"}
    environment = {f"DUETIME_{name.upper()}": value for name, value in settings.items()}
    world.engine = replace(world.engine, settings=Settings.from_environment(environment))
    spring, autumn = {"from": "2027-03-27T12:00:00Z"}, {"from": "2027-10-31T00:00:00Z"}
    for path, form in (
        ("/cron/preview", {"cron": "30 2 * * *"}),
        ("/schedules/preview", {"schedule": "30 2 * * *"}),
    ):
        reply = world.call("POST", path, {**form, **spring, "count": 1}).body
        assert (reply["timezone"], reply["upcoming"]) == ("Europe/Berlin", ["2027-03-28T01:00:00Z"])
        assert reply["local"] == ["2027-03-28T03:00:00+02:00"]
        reply = world.call("POST", path, {**form, **autumn, "count": 2}).body
        assert reply["upcoming"] == ["2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z"]
    reply = world.call("POST", "/schedules/preview", {"schedule": {"at": "2027-03-28T02:30:00"}}).body
    assert reply["upcoming"] == ["2027-03-28T01:00:00Z"]
    assert "runs at the end of the gap" in reply["warnings"][0]


def test_a_creation_warns_as_its_preview_does(world: World) -> None:
    gap = {"at": "2027-03-28T02:30:00", "timezone": "Europe/Berlin", "dst_gap": "shift"}
    for form in (gap, "every 10m delay", "30 2 * * * tz=Europe/Berlin", "every 10m"):
        told = world.call("POST", "/schedules/preview", {"schedule": form}).body["warnings"]
        job = {"target": PYTHON, "triggers": [{"schedule": form}]}
        assert world.call("PUT", "/jobs/report", job).body["warnings"] == told
        assert bool(told) is (form != "every 10m")


def test_what_a_creation_refuses_is_a_warning(world: World) -> None:
    form = "once 2040-01-01T00:00:00Z"
    reply = world.call("POST", "/schedules/preview", {"schedule": form})
    assert (reply.status, reply.body["upcoming"]) == (200, ["2040-01-01T00:00:00Z"])
    refused = world.call("PUT", "/jobs/report", {"target": PYTHON, "triggers": [{"schedule": form}]})
    assert refused.status == 400
    detail = refused.body["detail"].removeprefix("triggers[0].schedule.")
    assert reply.body["warnings"] == [f"Creation refuses it: {detail}"]


def test_nothing_left_is_an_empty_list(world: World) -> None:
    reply = world.call("POST", "/cron/preview", {"cron": "0 0 0 1 1 * 2020"})
    assert (reply.status, reply.body["upcoming"]) == (200, [])


def upcoming(world: World, calendar: str, calendars: dict[str, Any] | None = None) -> Any:
    """Return the next instants of a schedule at nine each day under a calendar."""
    body: dict[str, Any] = {"schedule": f"0 9 * * * calendar={calendar}", "count": 2}
    if calendars is not None:
        body["calendars"] = calendars
    reply = world.call("POST", "/schedules/preview", body)
    assert reply.status == 200, reply.body
    return [text[:10] for text in reply.body["upcoming"]]


def days(*dates: str) -> dict[str, Any]:
    """Return a calendar of these days."""
    return {"kind": "holiday", "dates": list(dates)}


def test_under_a_stored_calendar(world: World) -> None:
    world.call("PUT", "/calendars/holidays", days("2027-01-15", "2027-01-17"))
    world.call("PUT", "/calendars/all", {"kind": "composite", "calendars": ["holidays"]})
    for calendar in ("holidays", "all"):
        assert upcoming(world, calendar) == ["2027-01-16", "2027-01-18"]


def test_calendars_of_the_body_stand_in_for_stored_ones(world: World) -> None:
    world.call("PUT", "/calendars/holidays", days("2027-01-15"))
    world.call("PUT", "/calendars/all", {"kind": "composite", "calendars": ["holidays"]})
    given = {"holidays": {**days("2027-01-16"), "name": "holidays", "description": "as it would be put"}}
    for calendar in ("holidays", "all"):
        assert upcoming(world, calendar, given) == ["2027-01-15", "2027-01-17"]
    assert upcoming(world, "holidays", {"other": {"kind": "weekly"}}) == ["2027-01-16", "2027-01-17"]
    assert world.call("GET", "/calendars/holidays").body["dates"] == ["2027-01-15"]


def test_calendars_of_the_body_and_stored_ones_may_be_members_of_each_other(world: World) -> None:
    world.call("PUT", "/calendars/friday", days("2027-01-15"))
    world.call("PUT", "/calendars/saturday", days("2027-01-16"))
    world.call("PUT", "/calendars/outer", {"kind": "composite", "calendars": ["friday"]})
    inner = {
        "friday": {"kind": "composite", "calendars": ["saturday", "sunday"]},
        "sunday": days("2027-01-17"),
    }
    assert upcoming(world, "outer", inner) == ["2027-01-15", "2027-01-18"]
    circle = {"friday": {"kind": "composite", "calendars": ["outer"]}}
    reply = world.call(
        "POST", "/schedules/preview", {"schedule": "@daily calendar=outer", "calendars": circle}
    )
    assert (reply.status, reply.body["field"]) == (400, "schedule.calendar")
    assert "contains itself" in reply.body["detail"]
    gap = {"friday": {"kind": "composite", "calendars": ["nobody"]}}
    reply = world.call("POST", "/schedules/preview", {"schedule": "@daily calendar=outer", "calendars": gap})
    assert (reply.status, reply.code, reply.body["field"]) == (422, "NOT_FOUND_CALENDAR", "schedule.calendar")
    assert "'nobody' is no calendar" in reply.body["detail"]


def test_a_calendar_that_leaves_nothing_is_told(world: World) -> None:
    week = {"kind": "weekly", "days": ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]}
    body = {"schedule": "@daily calendar=never", "calendars": {"never": week}}
    reply = world.call("POST", "/schedules/preview", body)
    assert (reply.status, reply.body["upcoming"]) == (200, [])
    assert "Calendar never excludes every occurrence: it never comes due." in reply.body["warnings"]


@pytest.mark.parametrize(
    "path, body, field",
    [
        ("/cron/preview", {}, "cron"),
        ("/cron/preview", {"cron": 5}, "cron"),
        ("/cron/preview", {"cron": "61 * * * *"}, "cron.minute"),
        ("/cron/preview", {"cron": "* * * * *", "timezone": "Mars/Olympus"}, "timezone"),
        ("/cron/preview", {"cron": "* * * * *", "dst_gap": "jump"}, "dst_gap"),
        ("/cron/preview", {"cron": "* * * * *", "count": "5"}, "count"),
        ("/cron/preview", {"cron": "* * * * *", "count": 1.5}, "count"),
        ("/cron/preview", {"cron": "* * * * *", "from": "now"}, "from"),
        ("/cron/preview", {"cron": "* * * * *", "from": "2027-01-15T08:00:00"}, "from"),
        ("/cron/preview", {"cron": "* * * * *", "from_": "2027-01-15T08:00:00Z"}, "from_"),
        ("/schedules/preview", {"schedule": "every 90"}, "schedule.every"),
        ("/schedules/preview", {"schedule": {"cron": "61 * * * *"}}, "schedule.cron.minute"),
        ("/schedules/preview", {"schedule": "@daily", "from": "now"}, "from"),
        ("/schedules/preview", {"schedule": "@daily", "calendars": []}, "calendars"),
        ("/schedules/preview", {"schedule": "@daily", "calendars": {"a": {}}}, "calendars.a.kind"),
        ("/schedules/preview", {"schedule": "@daily", "calendars": {"a": 7}}, "calendars.a.calendar"),
        (
            "/schedules/preview",
            {"schedule": "@daily", "calendars": {"A": {"kind": "weekly"}}},
            "calendars.A.name",
        ),
        (
            "/schedules/preview",
            {"schedule": "@daily", "calendars": {str(one): {"kind": "weekly"} for one in range(33)}},
            "calendars",
        ),
        ("/cron/preview", {"cron": "* * * * *", "calendars": {}}, "calendars"),
        ("/schedules/preview", {}, "schedule"),
    ],
)
def test_what_cannot_be_previewed(world: World, path: str, body: dict[str, Any], field: str) -> None:
    reply = world.call("POST", path, body)
    assert (reply.status, reply.body["field"]) == (400, field)
    assert reply.body["hint"]
