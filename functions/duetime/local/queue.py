"""The run queue inside one process: what is delayed waits in a heap, what is ready is handed out express first.

Handing out begins `LEAD_MS` before a run's start, so that the executor has read everything by then and waits out the
rest. A message is handed out once; who could not decide about it puts it back. Safe to share between threads.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Sequence
from typing import Final

from duetime.core.definition import EXPRESS_PRIORITY
from duetime.core.exchange import Dispatch
from duetime.ports import Clock

LEAD_MS: Final = 100
"""How long before its start a message is handed out; a thread is busy with waiting from then on, no longer."""
LOOK_SECONDS: Final = 0.5
"""The longest wait between two looks at the clock, which may have been set meanwhile."""

_Delayed = tuple[int, int, Dispatch]
"""When it is handed out (UTC epoch ms), the order of arrival, the message."""
_Ready = tuple[bool, int, int, int, Dispatch]
"""Standard queue?, when it was due, urgency, the order of arrival, the message."""


class LocalQueue:
    """A duetime.ports.RunQueue in memory.

    >>> from duetime.clock import ManualClock
    >>> queue = LocalQueue(ManualClock(1_800_000_000_000))
    >>> queue.send([Dispatch("default", "0" * 30, "tick", 1_800_000_010)], now_ms=1_800_000_000_000)
    ()
    >>> queue.backlog(), queue.take(wait=False)
    (0, None)
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._delayed: list[_Delayed] = []
        self._ready: list[_Ready] = []
        self._arrivals = itertools.count()
        self._closed = False

    def send(self, dispatches: Sequence[Dispatch], *, now_ms: int) -> tuple[Dispatch, ...]:
        """Keep each message until shortly before its start; none is ever refused."""
        with self._changed:
            for one in dispatches:
                self._delay(one, max(one.start_at * 1000 - LEAD_MS, now_ms))
            self._changed.notify()
        return ()

    def put_back(self, dispatch: Dispatch, *, delay_ms: int) -> None:
        """Hand a message out again after a while: nothing was decided about it."""
        with self._changed:
            self._delay(dispatch, self._clock.now_ms() + delay_ms)
            self._changed.notify()

    def take(self, *, wait: bool = True) -> Dispatch | None:
        """Return the next message whose time has come, and wait for one; None once closed, or without `wait` when none is."""
        with self._changed:
            while not self._closed:
                left_ms = self._ripen()
                if self._ready:
                    return heapq.heappop(self._ready)[-1]
                if not wait:
                    return None
                self._changed.wait(LOOK_SECONDS if left_ms is None else min(left_ms / 1000, LOOK_SECONDS))
            return None

    def backlog(self) -> int:
        """Return how many messages are ready and not yet taken."""
        with self._changed:
            self._ripen()
            return len(self._ready)

    def close(self) -> None:
        """Hand out nothing more; whoever waits for a message gets None."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _delay(self, dispatch: Dispatch, until_ms: int) -> None:
        heapq.heappush(self._delayed, (until_ms, next(self._arrivals), dispatch))

    def _ripen(self) -> int | None:
        """Make ready what is due; answers the milliseconds until the next one is, None when nothing waits."""
        now_ms = self._clock.now_ms()
        while self._delayed:
            until_ms, arrival, one = self._delayed[0]
            if until_ms > now_ms:
                return until_ms - now_ms
            heapq.heappop(self._delayed)
            urgent = one.priority >= EXPRESS_PRIORITY
            heapq.heappush(self._ready, (not urgent, until_ms, -one.priority, arrival, one))
        return None
