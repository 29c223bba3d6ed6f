"""Lambda functions: the envelope they get, and what becomes of every kind of answer, of errors and of silence."""

from __future__ import annotations

import io
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from duetime.clock import ManualClock, SystemClock
from duetime.core.exchange import Invocation, Outcome
from duetime.core.run import RunError
from duetime.targets.aws import Clients
from duetime.targets.lambda_ import LambdaFunctions

ARN = "arn:aws:lambda:eu-west-1:111122223333:function:report"
TARGET = {"kind": "lambda", "arn": ARN}
NOW_MS = 1_800_000_000_000
ENVELOPE = {
    "version": 1,
    "run_id": "0" * 30,
    "project": "default",
    "job": "reports.nightly",
    "trigger": "default",
    "nominal": "2027-01-15T08:00:00Z",
    "scheduled_at": "2027-01-15T08:00:00Z",
    "kind": "schedule",
    "attempt": 2,
    "idempotency_key": "0" * 30,
    "data": {"region": "eu", "big": 12345678901234567890},
}


class Function:
    """A target whose one client answers what the test says (botocore's own stub)."""

    def __init__(self, clients: Clients) -> None:
        self.client = clients.get("lambda", "eu-west-1", seconds=300, attempts=1)
        self.stub = Stubber(self.client)
        self.target = LambdaFunctions(clients, ManualClock(NOW_MS))

    def answers(self, body: bytes, **more: Any) -> None:
        self.stub.add_response(
            "invoke",
            {"StatusCode": 200, "Payload": StreamingBody(io.BytesIO(body), len(body)), **more},
            {
                "FunctionName": ARN,
                "InvocationType": "RequestResponse",
                "Payload": json.dumps(ENVELOPE, separators=(",", ":")).encode(),
            },
        )


@pytest.fixture
def function(make_clients: Callable[..., Clients]) -> Iterator[Function]:
    """A function in the cloud, as far as this process can tell."""
    found = Function(make_clients())
    with found.stub:
        yield found
    found.stub.assert_no_pending_responses()


@pytest.fixture
def invocation(invoke: Callable[..., Invocation]) -> Invocation:
    """One run with 300 seconds left."""
    return invoke(TARGET, deadline_ms=NOW_MS + 300_000)


@pytest.mark.parametrize(
    "body, result",
    [
        (b'{"rows": 3, "big": 12345678901234567890}', {"rows": 3, "big": 12345678901234567890}),
        (b"null", None),
        (b"", None),
        (b'"done"', "done"),
        (b"not json", "not json"),
        (b"\xff", "\N{REPLACEMENT CHARACTER}"),
        (b"NaN", "NaN"),
    ],
)
def test_the_answer_is_the_result(
    function: Function, invocation: Invocation, body: bytes, result: Any
) -> None:
    function.answers(body)
    assert function.target.deliver(invocation) == Outcome("succeeded", result=result)


@pytest.mark.parametrize(
    "body, error",
    [
        (
            b'{"errorType": "ValueError", "errorMessage": "bad row", "stackTrace": ["secret"]}',
            RunError("ValueError", "bad row"),
        ),
        (b'{"errorMessage": "Task timed out after 3.00 seconds"}',
         RunError("UNEXPECTED_HANDLER", "Task timed out after 3.00 seconds")),
        (b"{}", RunError("UNEXPECTED_HANDLER", "The function reported an error.")),
        (b'"text"', RunError("UNEXPECTED_HANDLER", "The function reported an error.")),
    ],
)  # fmt: skip
def test_an_error_of_the_function_fails_the_run_in_its_words(
    function: Function, invocation: Invocation, body: bytes, error: RunError
) -> None:
    function.answers(body, FunctionError="Unhandled")
    assert function.target.deliver(invocation) == Outcome("failed", error=error)


def test_a_long_message_of_a_function_is_cut(function: Function, invocation: Invocation) -> None:
    function.answers(
        json.dumps({"errorType": "E" * 999, "errorMessage": "x" * 99_999}).encode(), FunctionError="Handled"
    )
    error = function.target.deliver(invocation).error
    assert error is not None
    assert (len(error.code), len(error.message.encode())) == (128, 2_000)
    assert error.message.endswith("… (cut)")


@pytest.mark.parametrize(
    "code, status, kept, permanent",
    [
        ("TooManyRequestsException", 429, "RATE_LIMITED", False),
        ("ServiceException", 500, "UNAVAILABLE_TARGET", False),
        ("AccessDeniedException", 403, "FORBIDDEN", True),
        ("ResourceNotFoundException", 404, "VALIDATION_TARGET", True),
        ("InvalidRequestContentException", 400, "VALIDATION_TARGET", True),
        ("RequestTooLargeException", 413, "TOO_LARGE", True),
    ],
)
def test_an_error_of_the_service_is_judged_by_the_table(
    function: Function, invocation: Invocation, code: str, status: int, kept: str, permanent: bool
) -> None:
    function.stub.add_client_error("invoke", code, "The reason.", http_status_code=status)
    assert function.target.deliver(invocation) == Outcome(
        "failed", error=RunError(kept, f"{code}: The reason."), permanent=permanent
    )


def test_a_deadline_that_is_over_calls_nobody(function: Function, invoke: Callable[..., Invocation]) -> None:
    outcome = function.target.deliver(invoke(TARGET, deadline_ms=NOW_MS))
    assert outcome.status == "timeout"


# --- the wire --------------------------------------------------------------------------------------------------------


@pytest.fixture
def silence() -> Iterator[tuple[str, list[socket.socket]]]:
    """An address on this machine that takes every connection and never answers, and who came."""
    came: list[socket.socket] = []
    server = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                came.append(server.accept()[0])
            except OSError:
                return

    waiting = threading.Thread(target=accept)
    waiting.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}", came
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    waiting.join()
    for one in came:
        one.close()


def test_a_function_that_does_not_answer_by_the_deadline_is_a_timeout_after_one_call(
    silence: tuple[str, list[socket.socket]],
    make_clients: Callable[..., Clients],
    invoke: Callable[..., Invocation],
) -> None:
    address, came = silence
    target = LambdaFunctions(make_clients(endpoint_url=address), SystemClock())
    outcome = target.deliver(invoke(TARGET, deadline_ms=SystemClock().now_ms() + 900))
    assert outcome.status == "timeout"
    assert outcome.error is not None
    assert outcome.error.code == "TIMEOUT_RUN"
    assert len(came) == 1


def test_a_service_that_cannot_be_reached_may_be_tried_again(
    make_clients: Callable[..., Clients], invoke: Callable[..., Invocation]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    target = LambdaFunctions(make_clients(endpoint_url=f"http://127.0.0.1:{port}"), SystemClock())
    outcome = target.deliver(invoke(TARGET, deadline_ms=SystemClock().now_ms() + 60_000))
    assert (outcome.status, outcome.permanent) == ("failed", False)
    assert outcome.error is not None
    assert outcome.error.code == "UNAVAILABLE_TARGET"


def test_clients_are_kept_by_timeout_and_region(make_clients: Callable[..., Clients]) -> None:
    clients = make_clients()
    first = clients.get("lambda", "eu-west-1", seconds=300, attempts=1)
    assert clients.get("lambda", "eu-west-1", seconds=300, attempts=1) is first
    assert clients.get("lambda", "us-east-1", seconds=300, attempts=1) is not first
    assert clients.get("lambda", "eu-west-1", seconds=10, attempts=1).meta.config.read_timeout == 10
    assert (first.meta.config.read_timeout, first.meta.config.retries["total_max_attempts"]) == (300, 1)
    for seconds in range(1, 20):
        clients.get("lambda", "eu-west-1", seconds=seconds, attempts=1)
    assert clients.get("lambda", "eu-west-1", seconds=300, attempts=1) is not first
