"""The event bus inside one process: hands each event to its listeners at once and remembers the last ones.

For the local server and for tests. A listener that raises is logged and harms neither the others nor the publisher.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

log = logging.getLogger(__name__)

Listener = Callable[[Mapping[str, Any]], None]


class MemoryBus:
    """An EventBus that keeps the last `keep` events.

    >>> bus = MemoryBus()
    >>> bus.publish([{"type": "duetime.run.queued"}]), bus.events()[0]["type"]
    ((), 'duetime.run.queued')
    """

    def __init__(self, keep: int = 1000) -> None:
        self._lock = threading.Lock()
        self._events: deque[Mapping[str, Any]] = deque(maxlen=keep)
        self._listeners: tuple[Listener, ...] = ()

    def publish(self, events: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
        """Hand events to the listeners, in their order; nothing is ever refused.

        Raises ValueError, and publishes nothing, for an event that is no JSON, as every bus does.
        """
        copies = [json.loads(json.dumps(event, allow_nan=False)) for event in events]
        with self._lock:
            self._events.extend(copies)
            listeners = self._listeners
        for event in copies:
            for listener in listeners:
                _tell(listener, event)
        return ()

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with every event published from now on, in the publisher's thread."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

    def events(self) -> tuple[Mapping[str, Any], ...]:
        """Return the events remembered, oldest first."""
        with self._lock:
            return tuple(self._events)


def _tell(listener: Listener, event: Mapping[str, Any]) -> None:
    try:
        listener(event)
    except Exception:
        log.exception("a listener failed and missed an event: %s", event.get("type"))
