"""The embedded store: everything in this process, nothing on disk, the same guards as the tables.

It serves the local server, `duetime.testing` and the engine's tests. Every transition is atomic under one lock, values
are frozen, and each write is told to subscribers as a table's stream would tell it. Runs whose history has expired are
dropped as time goes on, so a long-lived process does not grow.
"""

from __future__ import annotations

from duetime.store.memory.coordination import MemoryCoordination
from duetime.store.memory.definitions import MemoryDefinitions
from duetime.store.memory.history import MemoryHistory
from duetime.store.memory.runs import MemoryRuns
from duetime.store.memory.triggers import MemoryTriggers


class MemoryStore(MemoryDefinitions, MemoryTriggers, MemoryRuns, MemoryHistory, MemoryCoordination):
    """A duetime.ports.Store in memory; safe to share between threads.

    >>> from duetime.clock import ManualClock
    >>> store = MemoryStore(ManualClock(1_800_000_000_000))
    >>> store.acquire_slot("default", "tick", run="a", until_ms=1_800_000_060_000)
    True
    >>> store.acquire_slot("default", "tick", run="b", until_ms=1_800_000_060_000)
    False
    """


__all__ = ["MemoryStore"]
