"""Every envelope in events/inbound, run through its function's handler (those of the API: tests/unit/api)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from duetime.clock import ManualClock
from duetime.contracts.message import read_message
from duetime.core.definition import parse_job
from duetime.engine.context import Engine
from duetime.engine.manage import put_job
from handlers import execute, relay, sweep, tick
from tests.unit.events.deployed import INBOUND, Context, Deployed, deployed, envelope

TEN_MINUTES_MS = 600_000

TOLD = {
    "job_insert": ["duetime.job.scheduled"],
    "job_modify": ["duetime.job.paused", "duetime.job.resumed"],
    "job_remove": ["duetime.job.unscheduled"],
    "trigger_modify": ["duetime.trigger.completed"],
    "run_insert": ["duetime.run.queued", "duetime.run.skipped"],
    "run_modify": ["duetime.run.started", "duetime.run.failed"],
    "run_expired": [],
    "unreadable": ["duetime.run.queued"],
}


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Deployed]:
    with deployed(monkeypatch, tmp_path) as found:
        yield found


def test_every_envelope_is_run() -> None:
    known = {f"relay/{case}" for case in TOLD}
    known |= {"tick/scheduled", "sweep/scheduled", "execute/batch", "execute/express", "execute/unreadable"}
    found = {f"{path.parent.name}/{path.stem}" for path in INBOUND.glob("*/*.json")}

    assert {name for name in found if not name.startswith("api/")} == known


@pytest.mark.parametrize("case", TOLD)
def test_relay_publishes_what_changed(
    deployment: Deployed, case: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert relay.handler(envelope("relay", case), Context()) == {"batchItemFailures": []}

    assert sorted(deployment.told()) == sorted(TOLD[case])
    assert ("subscribers miss its event" in caplog.text) == (case == "unreadable")


def test_relay_answers_the_first_record_that_was_not_published(
    deployment: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = envelope("relay", "run_modify")
    # moto takes events for any bus; one it cannot reach refuses everything.
    monkeypatch.setenv("AWS_ENDPOINT_URL_EVENTBRIDGE", "http://127.0.0.1:9")

    begun = next(
        record["dynamodb"]["SequenceNumber"]
        for record in event["Records"]
        if record["dynamodb"]["NewImage"]["state"]["S"] == "running"
    )
    assert relay.handler(event, Context()) == {"batchItemFailures": [{"itemIdentifier": begun}]}


def past(deployment: Deployed) -> Engine:
    """Return the same engine as it was ten minutes ago."""
    now_ms = deployment.engine.clock.now_ms()
    return replace(deployment.engine, clock=ManualClock(now_ms - TEN_MINUTES_MS))


def test_tick_sends_what_is_due(deployment: Deployed) -> None:
    job = parse_job(
        {
            "name": "reports",
            "target": {"kind": "python", "name": "work"},
            "triggers": [{"schedule": "every 4m aligned", "misfire_threshold": "10m"}],
        }
    )
    put_job(past(deployment), "default", job, who="test")
    before = {
        run.id
        for run in deployment.engine.store.list_job_runs("default", "reports", limit=9, cursor=None).items
    }
    deployment.sent()

    report = tick.handler(envelope("tick", "scheduled"), Context())

    assert report["held"] is False
    put = deployment.engine.store.list_job_runs("default", "reports", limit=9, cursor=None).items
    fresh = {run.id for run in put} - before
    assert fresh
    assert {dispatch.run for dispatch in deployment.sent()} <= fresh


def test_sweep_sends_a_run_again_that_never_started(deployment: Deployed) -> None:
    dispatch = read_message(envelope("execute", "express")["Records"][0]["body"])
    stored = deployment.put_job(dispatch.job, "work")
    start_at = (deployment.engine.clock.now_ms() - TEN_MINUTES_MS) // 1000
    run = deployment.put_run(dispatch, stored.uid, start_at=start_at, watch_at=start_at + 120)

    report = sweep.handler(envelope("sweep", "scheduled"), Context())

    assert (report["seen"], report["sent"]) == (1, 1)
    assert [one.run for one in deployment.sent()] == [run.id]


@pytest.mark.parametrize("case", ["batch", "express"])
def test_execute_runs_a_batch_all_at_once(deployment: Deployed, case: str) -> None:
    event = envelope("execute", case)
    dispatches = [read_message(record["body"]) for record in event["Records"]]
    handler = "meet" if len(dispatches) == 3 else "work"
    stored = deployment.put_job(dispatches[0].job, handler, overlap="parallel")
    now_s = deployment.engine.clock.now_ms() // 1000
    for record, dispatch in zip(event["Records"], dispatches, strict=True):
        record["body"] = record["body"].replace(str(dispatch.start_at), str(now_s))
        deployment.put_run(dispatch, stored.uid, start_at=now_s)

    assert execute.handler(event, Context()) == {"batchItemFailures": []}

    ended = [deployment.engine.store.get_run("default", dispatch.run) for dispatch in dispatches]
    assert [(run.state, run.error) for run in ended if run] == [("succeeded", None)] * len(dispatches)


def test_execute_answers_only_what_must_come_again(
    deployment: Deployed, caplog: pytest.LogCaptureFixture
) -> None:
    event = envelope("execute", "unreadable")
    garbage, newer, good = event["Records"]
    dispatch = read_message(good["body"])
    stored = deployment.put_job(dispatch.job, "work")
    now_s = deployment.engine.clock.now_ms() // 1000
    good["body"] = good["body"].replace(str(dispatch.start_at), str(now_s))
    deployment.put_run(dispatch, stored.uid, start_at=now_s)

    with caplog.at_level(logging.WARNING):
        answer = execute.handler(event, Context())

    again = [one["itemIdentifier"] for one in answer["batchItemFailures"]]
    assert again == [garbage["messageId"], newer["messageId"]]
    run = deployment.engine.store.get_run("default", dispatch.run)
    assert run is not None
    assert run.state == "succeeded"
    assert "is a newer message format than this release reads" in caplog.text
