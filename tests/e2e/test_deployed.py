"""The stack as deployed: who gets in, and that the sample jobs run by themselves."""

from __future__ import annotations

import pytest

from tests.e2e.caller import Caller
from tests.e2e.scenario import HOME, epoch, must, wait_for_runs


@pytest.mark.parametrize("path", ["/health", "/openapi.json"])
def test_health_and_openapi_need_no_caller(anonymous: Caller, path: str) -> None:
    assert must(anonymous("GET", path), 200)


@pytest.mark.parametrize("path", [f"{HOME}/jobs", "/projects/default/jobs", "/"])
def test_nothing_else_answers_without_a_caller(anonymous: Caller, path: str) -> None:
    assert anonymous("GET", path).status in (401, 403, 404)
    assert anonymous("POST", path, {}).status in (401, 403, 404)


def test_a_caller_without_a_grant_is_denied(stranger: Caller, operator: Caller) -> None:
    assert stranger("GET", f"{HOME}/jobs").status == 403
    must(operator("GET", f"{HOME}/jobs"), 200)


def test_the_sample_jobs_were_synced_at_deploy_and_run_by_themselves(operator: Caller) -> None:
    jobs = {job["name"]: job for job in must(operator("GET", f"{HOME}/jobs"), 200)["items"]}
    assert {name: jobs[name]["source"] for name in ("heartbeat", "minute-report")} == {
        "heartbeat": "code",
        "minute-report": "code",
    }
    runs = wait_for_runs(operator, "heartbeat", 3, timeout=100)
    assert len(runs) >= 3
    for run in runs:
        assert run["started_at"] is not None
        assert epoch(run["started_at"]) >= epoch(run["scheduled_at"])
        assert run["result"]["beat"] == epoch(run["scheduled_at"]) % 86_400 // 10
