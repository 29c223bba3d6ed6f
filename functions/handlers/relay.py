"""Relay: tells the changes in a batch of stream records as events on the bus."""

from __future__ import annotations

import logging
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from duetime.bootstrap import bus, change_of, settings
from duetime.core.exchange import Change
from duetime.engine.relay import relay

log = logging.getLogger("duetime.handlers.relay")


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Publish what changed; the answer names the first record that must come again, and with it all behind it."""
    changes: list[Change] = []
    numbers: list[str] = []
    for record in event["Records"]:
        change = _change(record)
        if change is not None:
            changes.append(change)
            numbers.append(record["dynamodb"]["SequenceNumber"])
    refused = relay(bus(), changes, settings().published_types)
    return {"batchItemFailures": [{"itemIdentifier": numbers[index]} for index in refused[:1]]}


def _change(record: dict[str, Any]) -> Change | None:
    try:
        return change_of(record)
    except Exception:
        # It will not be readable next time either, and it must not hold up the records behind it.
        log.exception("a stream record cannot be read, subscribers miss its event: %s", record.get("eventID"))
        return None
