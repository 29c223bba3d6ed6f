"""The run queues on SQS: a standard one, and an express one for urgent runs so that they wait behind nothing else.

A message is delayed so that it arrives up to `lead` seconds, and at most one more, before its run starts: SQS delays in
whole seconds. At least once, in no order. A tenant travels as the message group, which on a standard queue orders
nothing and keeps one tenant's flood from delaying the others.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from duetime.contracts.message import message_text
from duetime.core.definition import EXPRESS_PRIORITY
from duetime.core.exchange import Dispatch
from duetime.core.faults import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

log = logging.getLogger(__name__)

BATCH: Final = 10
MAX_DELAY: Final = 900
"""The longest delay SQS takes, in seconds."""
_THREADS: Final = 8


class SqsRunQueue:
    """A RunQueue on two SQS queues; `lead` is the setting `send_lead`, in seconds.

    A tick sends thousands of messages: batches go out concurrently, so the client's connection pool should hold 8.
    """

    def __init__(self, client: SQSClient, standard_url: str, express_url: str, lead: int) -> None:
        self._client, self._standard, self._express, self._lead = client, standard_url, express_url, lead
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="run-queue")

    def send(self, dispatches: Sequence[Dispatch], *, now_ms: int) -> tuple[Dispatch, ...]:
        """Send each, delayed to shortly before its start; answers those that were refused, in their order.

        Raises ValueError, and sends nothing, when a start is further away than SQS can delay: such a run is put
        without a message and sent later.
        """
        entries = [(one, self._entry(one, now_ms)) for one in dispatches]
        urgent = [pair for pair in entries if pair[0].priority >= EXPRESS_PRIORITY]
        normal = [pair for pair in entries if pair[0].priority < EXPRESS_PRIORITY]
        batches = [
            (url, pairs[start : start + BATCH])
            for url, pairs in ((self._express, urgent), (self._standard, normal))
            for start in range(0, len(pairs), BATCH)
        ]
        if len(batches) <= 1:
            return tuple(one for url, pairs in batches for one in self._send(url, pairs))
        refused = self._pool.map(lambda batch: self._send(*batch), batches)
        return tuple(one for batch in refused for one in batch)

    def backlog(self) -> int:
        """Return about how many messages are ready or in flight; raises Unavailable when SQS does not answer."""
        try:
            return sum(self._ready(url) for url in (self._standard, self._express))
        except (ClientError, BotoCoreError) as error:
            raise Unavailable("queue", error, "cannot be read", "Try again.") from error

    def _entry(self, dispatch: Dispatch, now_ms: int) -> SendMessageBatchRequestEntryTypeDef:
        delay = ((dispatch.start_at - self._lead) * 1000 - now_ms) // 1000
        if delay > MAX_DELAY:
            raise ValueError(
                f"run {dispatch.run} starts {delay + self._lead} s from now: SQS delays {MAX_DELAY} s at most; "
                "put it without a message and let the sweep send it"
            )
        entry: SendMessageBatchRequestEntryTypeDef = {
            "Id": "0",
            "MessageBody": message_text(dispatch),
            "DelaySeconds": max(0, delay),
        }
        if dispatch.tenant is not None:
            entry["MessageGroupId"] = dispatch.tenant
        return entry

    def _send(
        self, url: str, pairs: Sequence[tuple[Dispatch, SendMessageBatchRequestEntryTypeDef]]
    ) -> list[Dispatch]:
        for index, (_, entry) in enumerate(pairs):
            entry["Id"] = str(index)
        try:
            answer = self._client.send_message_batch(QueueUrl=url, Entries=[entry for _, entry in pairs])
        except (ClientError, BotoCoreError) as error:
            log.error("%d runs were not sent, whoever sends them tries again: %s", len(pairs), error)
            return [one for one, _ in pairs]
        failed = answer.get("Failed", [])
        for one in failed:
            log.warning("a run was not sent: %s %s", one["Code"], one.get("Message", ""))
        refused = {int(one["Id"]) for one in failed}
        return [one for index, (one, _) in enumerate(pairs) if index in refused]

    def _ready(self, url: str) -> int:
        names: Final = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        attributes = self._client.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return sum(int(attributes[name]) for name in names)
