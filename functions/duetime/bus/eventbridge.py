"""The event bus on EventBridge: the CloudEvent is the detail, its type the detail type, its source the source.

At least once. A call takes ten entries and 256 KiB; what EventBridge refuses, and what was in a call that failed, is
answered by its index.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_events.type_defs import PutEventsRequestEntryTypeDef

log = logging.getLogger(__name__)

BATCH: Final = 10
MAX_CALL_BYTES: Final = 256 * 1024
_OVERHEAD: Final = 64
"""Bytes an entry weighs beyond its texts (its time counts 14), with room to spare."""


class EventBridgeBus:
    """An EventBus on the EventBridge bus of this name."""

    def __init__(self, client: EventBridgeClient, name: str) -> None:
        self._client, self._name = client, name

    def publish(self, events: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
        """Publish CloudEvents in their order; answers the indexes of those that were refused (publish them again).

        Raises ValueError, and publishes nothing, for an event that is no JSON: EventBridge would take it and lose it.
        """
        entries = [self._entry(event) for event in events]
        refused: list[int] = []
        for indexes in _batches(entries):
            refused += self._put(indexes, [entries[index] for index in indexes])
        return tuple(refused)

    def _entry(self, event: Mapping[str, Any]) -> PutEventsRequestEntryTypeDef:
        return {
            "EventBusName": self._name,
            "Source": event["source"],
            "DetailType": event["type"],
            "Time": datetime.fromisoformat(event["time"]),
            "Detail": json.dumps(event, ensure_ascii=False, separators=(",", ":"), allow_nan=False),
        }

    def _put(self, indexes: Sequence[int], entries: Sequence[PutEventsRequestEntryTypeDef]) -> list[int]:
        try:
            answer = self._client.put_events(Entries=entries)
        except (ClientError, BotoCoreError) as error:
            log.error("%d events were not published, they are told again: %s", len(entries), error)
            return list(indexes)
        if not answer["FailedEntryCount"]:
            return []
        refused = [
            index for index, one in zip(indexes, answer["Entries"], strict=True) if one.get("ErrorCode")
        ]
        codes = sorted({one["ErrorCode"] for one in answer["Entries"] if one.get("ErrorCode")})
        log.warning("%d events were not published, they are told again: %s", len(refused), ", ".join(codes))
        return refused


def _batches(entries: Sequence[PutEventsRequestEntryTypeDef]) -> Iterator[list[int]]:
    """Yield the indexes of each call: at most ten entries, and not more bytes than a call may have."""
    batch: list[int] = []
    weight = 0
    for index, entry in enumerate(entries):
        own = _OVERHEAD + sum(len(entry[part].encode()) for part in ("Source", "DetailType", "Detail"))
        if batch and (len(batch) == BATCH or weight + own > MAX_CALL_BYTES):
            yield batch
            batch, weight = [], 0
        batch.append(index)
        weight += own
    if batch:
        yield batch
