"""The run queues on SQS: which queue, which delay, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.stub import ANY, Stubber
from moto import mock_aws

from duetime.bus.sqs import SqsRunQueue
from duetime.contracts.message import message_text, read_message
from duetime.core.exchange import Dispatch
from duetime.core.faults import Unavailable
from tests.unit.bus.aws import client

START = 1_800_000_000
NOW_MS = START * 1000
LEAD = 1


def dispatch(number: int = 0, **changes: Any) -> Dispatch:
    return replace(Dispatch("default", f"{number:030d}", "nightly", START), **changes)


@pytest.fixture
def sqs() -> Iterator[Any]:
    with mock_aws():
        yield client("sqs", max_pool_connections=8)


@pytest.fixture
def urls(sqs: Any) -> tuple[str, str]:
    standard, express = (sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("standard", "express"))
    return standard, express


@pytest.fixture
def queue(sqs: Any, urls: tuple[str, str]) -> SqsRunQueue:
    return SqsRunQueue(sqs, *urls, LEAD)


def received(sqs: Any, url: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        batch = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, AttributeNames=["All"]).get(
            "Messages", []
        )
        if not batch:
            return found
        found += batch


def test_runs_arrive_as_they_were_sent_urgent_ones_on_the_express_queue(
    sqs: Any, urls: tuple[str, str], queue: SqsRunQueue
) -> None:
    sent = [dispatch(number, priority=priority) for number, priority in enumerate((1, 5, 6, 7, 10))]

    assert queue.send(sent, now_ms=NOW_MS) == ()

    standard, express = ({read_message(one["Body"]) for one in received(sqs, url)} for url in urls)
    assert standard == set(sent[:3])
    assert express == set(sent[3:])


def test_many_batches_arrive_exactly_once_each(sqs: Any, urls: tuple[str, str], queue: SqsRunQueue) -> None:
    sent = [dispatch(number, priority=5 if number % 3 else 9) for number in range(203)]

    assert queue.send(sent, now_ms=NOW_MS) == ()
    assert queue.backlog() == len(sent)

    bodies = [one["Body"] for url in urls for one in received(sqs, url)]
    assert sorted(bodies) == sorted(message_text(one) for one in sent)


def test_nothing_to_send_is_no_call(queue: SqsRunQueue) -> None:
    assert queue.send([], now_ms=NOW_MS) == ()
    assert queue.backlog() == 0


def test_a_tenant_travels_as_the_message_group_and_only_where_there_is_one(
    sqs: Any, urls: tuple[str, str], queue: SqsRunQueue
) -> None:
    queue.send([dispatch(1, tenant="acme"), dispatch(2)], now_ms=NOW_MS)

    groups = {
        read_message(one["Body"]).tenant: one["Attributes"].get("MessageGroupId")
        for one in received(sqs, urls[0])
    }
    assert groups == {"acme": "acme", None: None}


@pytest.mark.parametrize(
    "ahead_ms,delay",
    [
        (-60_000, 0),
        (0, 0),
        (1_000, 0),
        (1_999, 0),
        (2_000, 1),
        (2_999, 1),
        (61_500, 60),
        (901_000, 900),
        (901_999, 900),
    ],
)
def test_a_message_is_delayed_to_arrive_up_to_a_second_before_the_lead(ahead_ms: int, delay: int) -> None:
    sqs = client("sqs")
    entry = {"Id": "0", "MessageBody": ANY, "DelaySeconds": delay}
    with Stubber(sqs) as stub:
        stub.add_response(
            "send_message_batch", {"Successful": [], "Failed": []}, {"QueueUrl": "s", "Entries": [entry]}
        )

        assert SqsRunQueue(sqs, "s", "e", LEAD).send([dispatch()], now_ms=START * 1000 - ahead_ms) == ()

        stub.assert_no_pending_responses()


def test_a_start_beyond_what_sqs_can_delay_is_refused_before_anything_is_sent(queue: SqsRunQueue) -> None:
    far = dispatch(1, start_at=START + 902)

    with pytest.raises(ValueError, match="starts 902 s from now: SQS delays 900 s at most"):
        queue.send([dispatch(2), far], now_ms=NOW_MS)
    assert queue.backlog() == 0


def test_what_sqs_refuses_is_answered_and_the_rest_is_sent() -> None:
    sqs = client("sqs")
    sent = [dispatch(number) for number in range(3)]
    failed = [{"Id": "1", "SenderFault": False, "Code": "InternalError", "Message": "try again"}]
    with Stubber(sqs) as stub:
        stub.add_response("send_message_batch", {"Successful": [], "Failed": failed})

        assert SqsRunQueue(sqs, "s", "e", LEAD).send(sent, now_ms=NOW_MS) == (sent[1],)


def test_a_call_that_fails_answers_its_batch_and_stops_no_other(sqs: Any, urls: tuple[str, str]) -> None:
    gone = urls[1].replace("express", "gone")
    sent = [dispatch(number, priority=9 if number < 12 else 5) for number in range(24)]

    refused = SqsRunQueue(sqs, urls[0], gone, LEAD).send(sent, now_ms=NOW_MS)

    assert refused == tuple(sent[:12])
    assert len(received(sqs, urls[0])) == 12


def test_a_backlog_that_cannot_be_read_is_unavailable(sqs: Any, urls: tuple[str, str]) -> None:
    queue = SqsRunQueue(sqs, urls[0], urls[1].replace("express", "gone"), LEAD)

    with pytest.raises(Unavailable, match="queue"):
        queue.backlog()
