"""Lambda functions as targets: invoked synchronously with the run's envelope; the answer is the result.

One call for each delivery, never repeated beneath the engine: whether a run is tried again is the retry policy's
business. A function that reports an error fails the run with its own type and message; a call that does not answer by
the run's deadline is a timeout, though the function itself cannot be stopped and may still end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from duetime.core.exchange import Invocation, Outcome
from duetime.core.faults import DataError
from duetime.core.jsontext import dumps, loads_exact
from duetime.core.run import RunError, cut
from duetime.ports import Clock
from duetime.targets.aws import Clients
from duetime.targets.classify import MESSAGE_BYTES, outcome_of
from duetime.targets.envelope import envelope

LONGEST_SECONDS: Final = 900
"""No function runs longer."""
MAX_ANSWER_BYTES: Final = 7 * 1024 * 1024
"""Above what Lambda returns (6 MB)."""
CODE_CHARACTERS: Final = 128


class LambdaFunctions:
    """Delivers to `{"kind": "lambda", "arn": …}`."""

    kind = "lambda"

    def __init__(self, clients: Clients, clock: Clock) -> None:
        self._clients, self._clock = clients, clock

    def check(self, target: Any) -> None:
        """Accept every well-formed ARN: whether it exists and may be called is known when it is."""

    def deliver(self, invocation: Invocation) -> Outcome:
        """Invoke the function and wait for its answer until the run's deadline."""
        left = invocation.deadline_ms - self._clock.now_ms()
        if left <= 0:
            return Outcome("timeout", error=RunError("TIMEOUT_RUN", "The timeout was over before the call."))
        arn: str = invocation.target.arn
        try:
            client = self._clients.get(
                "lambda", arn.split(":")[3], seconds=min(-(-left // 1000), LONGEST_SECONDS), attempts=1
            )
            answer = client.invoke(
                FunctionName=arn,
                InvocationType="RequestResponse",
                Payload=dumps(envelope(invocation)).encode(),
            )
            body: bytes = answer["Payload"].read()
        except (ClientError, BotoCoreError) as error:
            outcome = outcome_of(error)
            # What does not answer may go on, for as long as a function can: its slot is kept.
            return replace(outcome, still_running=outcome.status == "timeout")
        value = _value(body)
        if answer.get("FunctionError"):
            return Outcome("failed", error=_function_error(value))
        return Outcome("succeeded", result=value)


def _value(body: bytes) -> Any:
    """Return the JSON value of an answer; one that is no JSON, or not exactly, is kept as its text."""
    if not body:
        return None
    try:
        return loads_exact(body, "result", max_bytes=MAX_ANSWER_BYTES)
    except DataError:
        return body.decode("utf-8", "replace")


def _function_error(value: Any) -> RunError:
    """Return the error a function reported, in its own words; its stack is left out."""
    report = value if isinstance(value, dict) else {}
    code = str(report.get("errorType") or "UNEXPECTED_HANDLER")[:CODE_CHARACTERS]
    message = report.get("errorMessage")
    return RunError(code, cut(str(message) if message else "The function reported an error.", MESSAGE_BYTES))
