"""The loops inside one process: what schedules and streams do in a deployment.

A beat calls a verb every minute; the relay hands the store's changes on, in their order and beside the writers, so
that a slow listener never holds up a run.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from typing import Final

from duetime.core.exchange import Change
from duetime.ports import Clock

log = logging.getLogger(__name__)

MINUTE_MS: Final = 60_000
LOOK_MS: Final = 1_000
"""The longest wait between two looks at the clock: it may have been set, and machines sleep."""
MOST_UNTOLD: Final = 100_000
"""Changes kept for a relay that is behind; more are not told, so that memory has a bound."""


class Beat:
    """Calls `verb` every minute, `offset_ms` after its beginning, until stopped; a failure is logged and the next comes."""

    def __init__(
        self, name: str, verb: Callable[[], object], clock: Clock, *, offset_ms: int, at_once: bool
    ) -> None:
        self._name, self._verb, self._clock = name, verb, clock
        self._offset_ms, self._at_once = offset_ms, at_once
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=name, daemon=True)

    def start(self) -> None:
        """Begin; with `at_once` the first call comes now."""
        self._thread.start()

    def stop(self) -> None:
        """Call no more; a call in progress goes on."""
        self._stopped.set()

    def _beat(self) -> None:
        if self._at_once:
            self._call()
        next_ms = self._next_ms()
        while not self._stopped.wait(min(max(next_ms - self._clock.now_ms(), 1), LOOK_MS) / 1000):
            now_ms = self._clock.now_ms()
            if now_ms >= next_ms:
                self._call()
            if now_ms >= next_ms or next_ms - now_ms > MINUTE_MS:  # or the clock was set back
                next_ms = self._next_ms()

    def _next_ms(self) -> int:
        """Return when the next beat is, in UTC epoch milliseconds: after now, at most a minute."""
        now_ms = self._clock.now_ms()
        return now_ms + MINUTE_MS - (now_ms - self._offset_ms) % MINUTE_MS

    def _call(self) -> None:
        try:
            self._verb()
        except Exception:
            log.exception("the %s failed; what it left undone is taken up in a minute", self._name)


class Relay:
    """Hands each change to the listeners, in a thread of its own."""

    def __init__(self, *listeners: Callable[[Change], object]) -> None:
        self._listeners = list(listeners)
        self._changes: queue.Queue[Change | None] = queue.Queue(MOST_UNTOLD)
        self._thread = threading.Thread(target=self._tell_all, name="relay", daemon=True)

    def start(self) -> None:
        """Begin to hand on."""
        self._thread.start()

    def add(self, listener: Callable[[Change], object]) -> None:
        """Tell `listener` each change from now on."""
        self._listeners.append(listener)

    def put(self, change: Change) -> None:
        """Take a change from its writer; never waits."""
        try:
            self._changes.put_nowait(change)
        except queue.Full:
            log.warning("the relay is %s changes behind; this change is not told to anyone", MOST_UNTOLD)

    def stop(self, timeout_ms: int) -> None:
        """Hand on what was put until now, as long as that takes no more than `timeout_ms`."""
        if not self._thread.is_alive():
            return
        try:
            self._changes.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(timeout_ms / 1000)

    def _tell_all(self) -> None:
        while (change := self._changes.get()) is not None:
            for listener in tuple(self._listeners):
                try:
                    listener(change)
                except Exception:
                    log.exception("a listener failed and missed a change")
