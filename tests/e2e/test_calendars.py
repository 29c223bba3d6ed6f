"""A schedule under a calendar, as deployed: what is excluded is passed over, also after the calendar has changed."""

from __future__ import annotations

import time
from typing import Any

from tests.e2e.caller import Caller
from tests.e2e.scenario import HOME, SAMPLE, epoch, must, read_runs, wait_for_runs

CALENDAR = f"{HOME}/calendars/half-minutes"
NAME = "halves"


def second(run: dict[str, Any]) -> int:
    """The second of the minute at which a run was due."""
    return int(epoch(run["scheduled_at"])) % 60


def test_what_a_calendar_excludes_does_not_run_and_one_in_use_stays(operator: Caller) -> None:
    calendar = {"kind": "cron", "cron": "30-59 * * * * *", "description": "The second half of each minute."}
    assert must(operator("PUT", CALENDAR, calendar), 201)["version"] == 1
    body = {
        "name": NAME, "trigger": "cron */10 * * * * * calendar=half-minutes", "target": SAMPLE, "inputs": {},
        "on_overlap": "parallel",
    }  # fmt: skip
    created = must(operator("POST", f"{HOME}/schedules", body), 201)
    assert created["trigger"]["calendar"] == "half-minutes"
    assert int(epoch(created["next_due_at"])) % 60 in (0, 10, 20)
    preview = {"schedule": "cron */10 * * * * * calendar=half-minutes", "count": 6}
    ahead = must(operator("POST", f"{HOME}/schedules/preview", preview), 200)["upcoming"]
    assert {int(epoch(text)) % 60 for text in ahead} == {0, 10, 20}

    refused = must(operator("DELETE", CALENDAR), 409)
    assert (refused["code"], f"job {NAME}" in refused["detail"]) == ("CONFLICT_IN_USE", True)
    users = must(operator("GET", f"{CALENDAR}/users"), 200)["items"]
    assert users == [{"kind": "job", "name": NAME}]

    ran = sorted(int(epoch(run["scheduled_at"])) for run in wait_for_runs(operator, NAME, 4, timeout=150))
    assert len(ran) >= 4
    assert ran == [at for at in range(ran[0], ran[-1] + 1, 10) if at % 60 < 30]

    assert must(operator("PUT", CALENDAR, {**calendar, "cron": "0-29 * * * * *"}), 200)["version"] == 2
    changed = time.time()
    until = time.monotonic() + 150
    while True:
        started = [run for run in read_runs(operator, NAME) if run["started_at"] is not None]
        after = [run for run in started if epoch(run["started_at"]) > changed]
        if len(after) >= 4 or time.monotonic() > until:
            break
        time.sleep(1)
    assert len(after) >= 4
    assert {second(run) for run in after} <= {30, 40, 50}

    must(operator("DELETE", f"{HOME}/schedules/{NAME}"), 204)
    must(operator("DELETE", CALENDAR), 204)
    assert must(operator("GET", CALENDAR), 404)["code"] == "NOT_FOUND_CALENDAR"
