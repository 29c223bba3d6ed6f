"""SQS queues: what is sent, to which address, and what becomes of errors. The queues are moto's."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from duetime.clock import ManualClock, SystemClock
from duetime.core.exchange import Invocation
from duetime.targets.aws import Clients
from duetime.targets.sqs import SqsQueues

NOW_MS = 1_800_000_000_000
ACCOUNT = "123456789012"


def target(name: str) -> dict[str, str]:
    return {"kind": "sqs", "arn": f"arn:aws:sqs:eu-west-1:{ACCOUNT}:{name}"}


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Queues of a region, and a client to look into them."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "invented")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "invented")
    with mock_aws():
        yield boto3.client("sqs", region_name="eu-west-1")


def received(aws: Any, url: str) -> list[dict[str, Any]]:
    answer = aws.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, MessageAttributeNames=["All"], AttributeNames=["All"]
    )
    return list(answer.get("Messages", []))


def test_the_run_succeeds_when_the_queue_has_the_message(
    aws: Any, make_clients: Callable[..., Clients], invoke: Callable[..., Invocation]
) -> None:
    url = aws.create_queue(QueueName="jobs")["QueueUrl"]
    invocation = invoke(target("jobs"), deadline_ms=NOW_MS + 60_000)
    outcome = SqsQueues(make_clients(), ManualClock(NOW_MS)).deliver(invocation)
    (message,) = received(aws, url)
    body = json.loads(message["Body"])
    assert (outcome.status, outcome.result) == ("succeeded", {"message_id": message["MessageId"]})
    assert (body["version"], body["run_id"], body["job"]) == (1, invocation.run.id, "reports.nightly")
    assert body["data"] == {"region": "eu", "big": 12345678901234567890}
    assert message["MessageAttributes"]["run_id"]["StringValue"] == invocation.run.id


def test_a_fifo_queue_drops_a_repeat_and_keeps_a_job_in_order(
    aws: Any, make_clients: Callable[..., Clients], invoke: Callable[..., Invocation]
) -> None:
    url = aws.create_queue(QueueName="jobs.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    queues = SqsQueues(make_clients(), ManualClock(NOW_MS))
    invocation = invoke(target("jobs.fifo"), deadline_ms=NOW_MS + 60_000)
    outcomes = [queues.deliver(invocation) for _ in range(2)]
    (message,) = received(aws, url)
    assert [one.status for one in outcomes] == ["succeeded"] * 2
    assert message["Attributes"]["MessageGroupId"] == "reports.nightly"
    assert message["Attributes"]["MessageDeduplicationId"] == invocation.run.id


def test_a_queue_that_is_not_there_fails_the_run_for_good(
    aws: Any, make_clients: Callable[..., Clients], invoke: Callable[..., Invocation]
) -> None:
    invocation = invoke(target("missing"), deadline_ms=NOW_MS + 60_000)
    outcome = SqsQueues(make_clients(), ManualClock(NOW_MS)).deliver(invocation)
    assert (outcome.status, outcome.permanent) == ("failed", True)
    assert outcome.error is not None
    assert outcome.error.code == "VALIDATION_TARGET"


@pytest.mark.parametrize(
    "code, status, kept, permanent",
    [
        ("AccessDenied", 403, "FORBIDDEN", True),
        ("KmsThrottled", 400, "RATE_LIMITED", False),
        ("ServiceUnavailable", 503, "UNAVAILABLE_TARGET", False),
    ],
)
def test_an_error_of_the_service_is_judged_by_the_table(
    make_clients: Callable[..., Clients],
    invoke: Callable[..., Invocation],
    code: str,
    status: int,
    kept: str,
    permanent: bool,
) -> None:
    clients = make_clients()
    with Stubber(clients.get("sqs", "eu-west-1", seconds=20, attempts=3)) as stub:
        stub.add_client_error("send_message", code, http_status_code=status)
        outcome = SqsQueues(clients, ManualClock(NOW_MS)).deliver(
            invoke(target("jobs"), deadline_ms=NOW_MS + 60_000)
        )
    assert (outcome.status, outcome.permanent) == ("failed", permanent)
    assert outcome.error is not None
    assert outcome.error.code == kept


def test_a_queue_that_does_not_answer_by_the_deadline_is_a_timeout(
    make_clients: Callable[..., Clients], invoke: Callable[..., Invocation]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        clients = make_clients(endpoint_url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        queues = SqsQueues(clients, SystemClock())
        outcome = queues.deliver(invoke(target("jobs"), deadline_ms=SystemClock().now_ms() + 500))
    assert outcome.status == "timeout"


def test_a_deadline_that_is_over_calls_nobody(
    make_clients: Callable[..., Clients], invoke: Callable[..., Invocation]
) -> None:
    queues = SqsQueues(make_clients(), ManualClock(NOW_MS))
    assert queues.deliver(invoke(target("jobs"), deadline_ms=NOW_MS)).status == "timeout"
