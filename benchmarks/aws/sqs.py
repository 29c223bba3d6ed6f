"""SQS as far as a tick calls it: messages are taken and kept in the order they came."""

from __future__ import annotations

import threading
from hashlib import md5
from itertools import count
from typing import Any

from benchmarks.aws.expressions import Unknown

_ENTRY = {"Id", "MessageBody", "DelaySeconds", "MessageGroupId"}
MOST_ENTRIES = 10
MOST_DELAY = 900


class Sqs:
    """The service; `sent` holds (queue URL, body, delay in seconds)."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, int]] = []
        self._numbers = count(1)
        self._lock = threading.Lock()

    def answer(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request; raises Unknown for what is not known here or what SQS would refuse."""
        url = request.pop("QueueUrl")
        if operation == "SendMessage":
            taken = self._take(url, request)
            return {name: taken[name] for name in ("MessageId", "MD5OfMessageBody")}
        if operation != "SendMessageBatch":
            raise Unknown(f"operation {operation}")
        entries = request.pop("Entries")
        if (
            request
            or not 1 <= len(entries) <= MOST_ENTRIES
            or len({one["Id"] for one in entries}) < len(entries)
        ):
            raise Unknown(f"SendMessageBatch of {len(entries)} with {sorted(request)}")
        return {"Successful": [{"Id": one["Id"], **self._take(url, one)} for one in entries]}

    def _take(self, url: str, entry: dict[str, Any]) -> dict[str, Any]:
        body, delay = entry["MessageBody"], entry.get("DelaySeconds", 0)
        if set(entry) - _ENTRY or not 0 <= delay <= MOST_DELAY:
            raise Unknown(f"a message with {sorted(entry)} and delay {delay}")
        digest = md5(body.encode(), usedforsecurity=False).hexdigest()
        with self._lock:
            self.sent.append((url, body, delay))
            number = next(self._numbers)
        return {"MessageId": f"00000000-0000-4000-8000-{number:012}", "MD5OfMessageBody": digest}
