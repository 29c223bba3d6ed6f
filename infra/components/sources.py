"""What hands messages and stream records to functions, and how failures are retried. Grants are in infra/stack.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_sqs as sqs

from infra.components.functions import Function
from infra.config import Execute

RELAY_BATCH = 100
RELAY_PATIENCE = Duration.hours(6)
_STREAM_ACTIONS = (
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
)


def run_messages(execute: Function, queue: sqs.IQueue, size: Execute) -> None:
    """Hand the queue's runs to `execute` in batches; only the messages it names as failed come back."""
    execute.function.add_event_source(
        event_sources.SqsEventSource(
            queue, batch_size=size.batch, max_concurrency=size.concurrency, report_batch_item_failures=True
        )
    )


def transitions(relay: Function, id: str, table: dynamodb.Table, dead: sqs.IQueue) -> None:
    """Hand every transition in the table's stream to `relay`, in order per row, at least once.

    From the oldest record: a mapping made anew must not miss a transition, and one told twice has the same id. Age
    decides when a record is given up, not the number of tries: a bus that is away for hours loses nothing, and a record
    that can never be told does not hold up those behind it for ever. What is given up lies in `dead`.
    """
    stream = table.table_stream_arn
    assert stream is not None  # noqa: S101 - both tables given here are made with a stream
    # Not the library's DynamoEventSource: that one grants ListStreams on every stream of the account.
    relay.grant(*_STREAM_ACTIONS, on=stream)
    relay.grant("sqs:SendMessage", on=dead.queue_arn)
    mapping = lambda_.EventSourceMapping(
        relay,
        id,
        target=relay.function,
        event_source_arn=stream,
        starting_position=lambda_.StartingPosition.TRIM_HORIZON,
        batch_size=RELAY_BATCH,
        bisect_batch_on_error=True,
        report_batch_item_failures=True,
        retry_attempts=10_000,
        max_record_age=RELAY_PATIENCE,
        on_failure=event_sources.SqsDlq(dead),
        filters=_told_rows(),
    )
    # Lambda checks at once that the role can read the stream.
    mapping.node.add_dependency(relay.role)


def _told_rows() -> list[Mapping[str, Any]]:
    """Records worth a call: a row that has transitions was written, or a definition deleted; no payload items."""
    either = lambda_.FilterRule.or_
    written = {
        "eventName": either("INSERT", "MODIFY"),
        "dynamodb": {"NewImage": {"row": {"S": either("job", "trigger", "run")}}},
    }
    deleted = {
        "eventName": either("REMOVE"),
        "dynamodb": {"OldImage": {"row": {"S": either("job", "trigger")}}},
    }
    return [lambda_.FilterCriteria.filter(each) for each in (written, deleted)]
