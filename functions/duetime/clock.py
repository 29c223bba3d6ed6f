"""Clocks: the only place that reads the wall clock or sleeps.

Instants of schedules are whole UTC epoch seconds; moments that were measured (queued, started, finished) are UTC epoch
milliseconds. Everything above takes a `Clock`, so that tests and users drive time by hand.
"""

from __future__ import annotations

import threading
import time


class SystemClock:
    """The real clock."""

    def now_ms(self) -> int:
        """Return the time now, in UTC epoch milliseconds."""
        return time.time_ns() // 1_000_000

    def sleep_ms(self, milliseconds: int) -> None:
        """Wait; nothing or a negative number returns at once."""
        if milliseconds > 0:
            time.sleep(milliseconds / 1000)


class ManualClock:
    """A clock that moves only when told to: `advance`, or somebody sleeping on it.

    >>> clock = ManualClock(1_000)
    >>> clock.sleep_ms(500); clock.now_ms()
    1500
    """

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()

    def now_ms(self) -> int:
        """Return the time this clock shows, in UTC epoch milliseconds."""
        with self._lock:
            return self._now_ms

    def sleep_ms(self, milliseconds: int) -> None:
        """Move the clock forward instead of waiting."""
        self.advance_ms(max(milliseconds, 0))

    def advance_ms(self, milliseconds: int) -> None:
        """Move the clock; a negative number sets it back, as a real one may be."""
        with self._lock:
            self._now_ms += milliseconds
