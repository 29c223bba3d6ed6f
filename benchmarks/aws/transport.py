"""The wire: botocore's requests are answered in this process, each after a pause, and are counted.

boto3 is the real one: it makes, signs and parses every request, and its retries, hooks and limits apply; what is missing
is a socket and TLS. The pause gives the processor to other threads, as waiting for a network does. How long the stand-in
itself computes is counted too, for it burdens the process that is measured.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from benchmarks.aws.dynamodb import DynamoDb, Refused
from benchmarks.aws.sqs import Sqs
from duetime.bootstrap import client_config
from duetime.clock import SystemClock
from duetime.store.dynamodb.wire import dynamodb_client

REGION = "eu-central-1"


class _Body:
    """A response's body, as botocore reads it."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self._content


class Aws:
    """DynamoDB and SQS behind clients of boto3; `pause` (seconds) is added to each call."""

    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause
        self.dynamodb, self.sqs = DynamoDb(), Sqs()
        self._made: list[tuple[str, float]] = []  # appending is atomic, so counting costs no lock

    @property
    def calls(self) -> Counter[str]:
        """The calls so far, by operation."""
        return Counter(operation for operation, _ in self._made)

    @property
    def busy(self) -> float:
        """How long the stand-in computed so far, in seconds of processor."""
        return sum(busy for _, busy in self._made)

    def forget(self) -> None:
        """Begin counting calls anew."""
        self._made.clear()

    def client(self, service: Any, *, plain: bool = False) -> Any:
        """Return a client of `dynamodb` or `sqs`, made as a deployed function makes it, or as boto3 alone does."""
        session = boto3.Session(
            region_name=REGION,
            aws_access_key_id="invented",
            aws_secret_access_key="invented",  # noqa: S106 - nobody checks it
            aws_session_token="invented",  # noqa: S106 - the same; a function signs with one as well
        )
        if service == "dynamodb" and not plain:
            made: Any = dynamodb_client(session, client_config(), SystemClock())
        else:
            made = session.client(service, config=None if plain else client_config())
        made.meta.events.register_first(f"before-send.{service}", self._send)
        return made

    def _send(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        if self.pause:
            time.sleep(self.pause)
        begun = time.thread_time()
        service, operation = _text(request.headers["X-Amz-Target"]).split(".")
        given = json.loads(_text(request.body))
        status = 200
        try:
            of = self.sqs if service == "AmazonSQS" else self.dynamodb
            answer = of.answer(operation, given)
        except Refused as refused:
            status = 400
            kind = f"com.amazonaws.dynamodb.v20120810#{refused.code}"
            said = "Message" if refused.code == "TransactionCanceledException" else "message"
            answer = {"__type": kind, said: refused.message, **refused.more}
        body = json.dumps(answer, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/x-amz-json-1.0", "Content-Length": str(len(body))}
        headers["x-amzn-RequestId"] = "0" * 52
        response = AWSResponse(request.url, status, headers, _Body(body))  # type: ignore[arg-type]  # what moto hands over as well
        self._made.append((operation, time.thread_time() - begun))
        return response


def _text(given: Any) -> str:
    return given if isinstance(given, str) else bytes(given).decode()
