"""What every run queue owes its port, held against the one in memory and the one on SQS alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from moto import mock_aws

from duetime.bus.sqs import SqsRunQueue
from duetime.clock import ManualClock
from duetime.contracts.message import read_message
from duetime.core.exchange import Dispatch
from duetime.local.queue import LocalQueue
from duetime.ports import RunQueue
from tests.unit.bus.aws import client

NOW = 1_800_000_000
NOW_MS = NOW * 1000


class Case(NamedTuple):
    queue: RunQueue
    received: Callable[[], list[Dispatch]]


@pytest.fixture(params=["memory", "sqs"])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    if request.param == "memory":
        local = LocalQueue(ManualClock(NOW_MS))
        yield Case(local, lambda: list(iter(lambda: local.take(wait=False), None)))
        local.close()
        return
    with mock_aws():
        sqs = client("sqs")
        urls = [sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("standard", "express")]
        yield Case(SqsRunQueue(sqs, urls[0], urls[1], 1), lambda: received(sqs, urls))


def received(sqs: Any, urls: list[str]) -> list[Dispatch]:
    found: list[Dispatch] = []
    for url in urls:
        while batch := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            found += [read_message(one["Body"]) for one in batch]
    return found


def due(number: int, **changes: Any) -> Dispatch:
    return replace(Dispatch("default", f"{number:030d}", "nightly", NOW), **changes)


def test_what_is_due_arrives_once_as_it_was_sent(case: Case) -> None:
    sent = [
        due(number, priority=1 + number % 10, tenant="acme" if number % 2 else None) for number in range(25)
    ]

    assert case.queue.send(sent, now_ms=NOW_MS) == ()

    assert case.queue.backlog() == 25
    assert sorted(case.received(), key=lambda one: one.run) == sent


def test_what_starts_later_is_neither_handed_out_nor_backlog(case: Case) -> None:
    assert case.queue.send([due(1, start_at=NOW + 60), due(2)], now_ms=NOW_MS) == ()

    assert case.queue.backlog() == 1
    assert case.received() == [due(2)]


def test_what_is_overdue_arrives_at_once(case: Case) -> None:
    late = due(1, start_at=NOW - 86_400)

    assert case.queue.send([late], now_ms=NOW_MS) == ()

    assert case.received() == [late]


def test_a_message_sent_again_arrives_again(case: Case) -> None:
    case.queue.send([due(1)], now_ms=NOW_MS)
    first = case.received()
    case.queue.send([due(1)], now_ms=NOW_MS)

    assert first == case.received() == [due(1)]


def test_nothing_is_nothing(case: Case) -> None:
    assert case.queue.send([], now_ms=NOW_MS) == ()
    assert case.queue.backlog() == 0
