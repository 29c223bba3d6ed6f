"""The run queues and where their messages end when they cannot be handled.

A message stays invisible for the whole time an executor may hold it and a minute more, so it is never handed out twice
while being worked on; after five deliveries it goes to the queue's dead-letter queue and is kept for 14 days.
"""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

MAX_RECEIVES = 5
MARGIN = Duration.seconds(60)


class Queues(Construct):
    """`standard` and `express` carry runs; `dead` lists every dead-letter queue; `relay_dead` is the relay's."""

    def __init__(self, scope: Construct, id: str, *, handled_within: Duration) -> None:
        super().__init__(scope, id)
        self.dead: dict[str, sqs.Queue] = {}
        visibility = handled_within.plus(MARGIN)
        self.standard = self._run_queue("Standard", visibility)
        self.express = self._run_queue("Express", visibility)
        self.relay_dead = self._dead("Relay")

    def _run_queue(self, id: str, visibility: Duration) -> sqs.Queue:
        return sqs.Queue(
            self,
            id,
            visibility_timeout=visibility,
            retention_period=Duration.days(4),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            dead_letter_queue=sqs.DeadLetterQueue(queue=self._dead(id), max_receive_count=MAX_RECEIVES),
        )

    def _dead(self, id: str) -> sqs.Queue:
        queue = sqs.Queue(
            self,
            f"{id}Dead",
            retention_period=Duration.days(14),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
        )
        self.dead[id] = queue
        return queue
