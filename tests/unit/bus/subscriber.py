"""A subscriber of a bus on EventBridge: a rule that routes every event of Duetime to a queue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.unit.bus.aws import client


class Subscriber:
    """Creates the bus, a queue and the rule between them, and reads what arrives."""

    def __init__(self, bus: str) -> None:
        self._sqs, events = client("sqs"), client("events")
        self._url = self._sqs.create_queue(QueueName=f"{bus}-subscriber")["QueueUrl"]
        arn = self._sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=["QueueArn"])["Attributes"][
            "QueueArn"
        ]
        events.create_event_bus(Name=bus)
        pattern = json.dumps({"source": [{"prefix": "/duetime/"}]})
        events.put_rule(Name="all", EventBusName=bus, EventPattern=pattern)
        events.put_targets(Rule="all", EventBusName=bus, Targets=[{"Id": "queue", "Arn": arn}])

    def envelopes(self) -> list[Mapping[str, Any]]:
        """Return what arrived since the last call, with EventBridge's own envelope."""
        found: list[Mapping[str, Any]] = []
        while True:
            batch = self._sqs.receive_message(QueueUrl=self._url, MaxNumberOfMessages=10).get("Messages", [])
            if not batch:
                return found
            found += [json.loads(one["Body"]) for one in batch]

    def details(self) -> list[Mapping[str, Any]]:
        """Return the CloudEvents that arrived since the last call."""
        return [one["detail"] for one in self.envelopes()]
