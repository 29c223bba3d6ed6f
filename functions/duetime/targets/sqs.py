"""SQS queues as targets: the run succeeds when the queue has the message.

The body is the run's envelope and the attribute `run_id` repeats the id for filters. On a FIFO queue the run id is also
the deduplication id and the job is the group: repeats within five minutes are dropped, the runs of a job stay in order.
"""

from __future__ import annotations

from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from duetime.core.exchange import Invocation, Outcome
from duetime.core.jsontext import dumps
from duetime.core.run import RunError
from duetime.core.target import SQS_ARN
from duetime.ports import Clock
from duetime.targets.aws import Clients
from duetime.targets.classify import outcome_of
from duetime.targets.envelope import envelope

LONGEST_SECONDS: Final = 20
ATTEMPTS: Final = 3
"""A repeat is harmless: receivers meet the same run id, and a FIFO queue drops it."""


class SqsQueues:
    """Delivers to `{"kind": "sqs", "arn": …}`."""

    kind = "sqs"

    def __init__(self, clients: Clients, clock: Clock) -> None:
        self._clients, self._clock = clients, clock

    def check(self, target: Any) -> None:
        """Accept every well-formed ARN: whether it exists and may be sent to is known when it is."""

    def deliver(self, invocation: Invocation) -> Outcome:
        """Send the message; the result is its id."""
        left = invocation.deadline_ms - self._clock.now_ms()
        if left <= 0:
            return Outcome("timeout", error=RunError("TIMEOUT_RUN", "The timeout was over before the call."))
        run, (region, account, name) = invocation.run, _parts(invocation.target.arn)
        order = (
            {"MessageGroupId": run.job, "MessageDeduplicationId": run.id} if name.endswith(".fifo") else {}
        )
        try:
            # All attempts together stay within what is left.
            attempts = min(ATTEMPTS, max(left // 2000, 1))
            seconds = min(max(left // attempts // 1000, 1), LONGEST_SECONDS)
            client = self._clients.get("sqs", region, seconds=seconds, attempts=attempts)
            answer = client.send_message(
                # A queue's address is its endpoint, account and name: looking it up would need one more permission.
                QueueUrl=f"{client.meta.endpoint_url.rstrip('/')}/{account}/{name}",
                MessageBody=dumps(envelope(invocation)),
                MessageAttributes={"run_id": {"DataType": "String", "StringValue": run.id}},
                **order,
            )
        except (ClientError, BotoCoreError) as error:
            return outcome_of(error)
        return Outcome("succeeded", result={"message_id": answer["MessageId"]})


def _parts(arn: str) -> tuple[str, str, str]:
    found = SQS_ARN.fullmatch(arn)
    if found is None:
        raise ValueError(f"{arn!r} is no queue; parse_target lets none of these through")
    return found[1], found[2], found[3]
