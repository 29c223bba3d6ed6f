"""A subscriber of the event bus: a queue behind a rule, emptied all the time by a thread."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.emulator import Emulator

NAME = "e2e-subscriber"


@dataclass(slots=True)
class Subscriber:
    """Every CloudEvent that reached it, oldest first, in `events`."""

    emulator: Emulator
    bus: str
    events: list[dict[str, Any]] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Make the queue and the rule, and begin to listen."""
        sqs, bus = self.emulator.client("sqs"), self.emulator.client("events")
        url = sqs.create_queue(QueueName=NAME)["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        pattern = {"source": [{"prefix": "/duetime/"}]}
        rule = bus.put_rule(Name=NAME, EventBusName=self.bus, EventPattern=json.dumps(pattern))["RuleArn"]
        allow = {
            "Effect": "Allow",
            "Principal": {"Service": "events.amazonaws.com"},
            "Action": "sqs:SendMessage",
            "Resource": arn,
            "Condition": {"ArnEquals": {"aws:SourceArn": rule}},
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
        bus.put_targets(Rule=NAME, EventBusName=self.bus, Targets=[{"Id": "queue", "Arn": arn}])
        self._thread = threading.Thread(target=self._listen, args=(sqs, url), name="subscriber", daemon=True)
        self._thread.start()

    def _listen(self, sqs: Any, url: str) -> None:
        while not self._stop.is_set():
            found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1)
            for message in found.get("Messages", []):
                self.events.append(json.loads(message["Body"])["detail"])
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])

    def stop(self) -> None:
        """Take the rule away again (a bus with rules cannot be deleted) and stop listening."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(10)
            bus = self.emulator.client("events")
            bus.remove_targets(Rule=NAME, EventBusName=self.bus, Ids=["queue"])
            bus.delete_rule(Name=NAME, EventBusName=self.bus)

    def types_of(self, subject: str) -> list[str]:
        """Types of the events about one run or job, in the order of their sequence, repeats left out."""
        own = {event["id"]: event for event in list(self.events) if event["subject"] == subject}
        return [event["type"] for event in sorted(own.values(), key=lambda event: event["sequence"])]

    def wait(self, enough: Callable[[Subscriber], bool], *, timeout: float) -> bool:
        """Wait until enough has arrived; False when the time is over first."""
        until = time.monotonic() + timeout
        while not enough(self):
            if time.monotonic() > until:
                return False
            time.sleep(0.2)
        return True
