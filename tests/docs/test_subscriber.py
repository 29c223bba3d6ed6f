"""The subscriber of the README, run as it stands: its queue gets failed runs, and no other event."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from moto import mock_aws

from duetime.bus.eventbridge import EventBridgeBus
from tests.docs.snippets import ROOT, only


def example(type: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (ROOT / "events" / "outbound" / f"{type}.example.json").read_text("utf-8")
    )
    return found


def test_its_queue_gets_what_its_rule_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "invented")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    snippet = only("subscriber")
    names: dict[str, Any] = {}
    with mock_aws():
        events, sqs = boto3.client("events"), boto3.client("sqs")
        events.create_event_bus(Name="duetime-prod-bus")
        exec(compile(snippet.text, snippet.where, "exec"), names)  # noqa: S102  # that is the point
        EventBridgeBus(events, "duetime-prod-bus").publish(
            [example("duetime.run.succeeded"), example("duetime.run.failed"), example("duetime.job.paused")]
        )
        got = sqs.receive_message(QueueUrl=names["queue"], MaxNumberOfMessages=10)["Messages"]
    assert [json.loads(message["Body"])["detail"] for message in got] == [example("duetime.run.failed")]
