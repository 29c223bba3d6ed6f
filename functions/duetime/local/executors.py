"""The executors inside one process: take messages from the queue and execute each in a thread, so many at once.

The threads are daemons: a handler that never returns cannot keep the process from ending.
"""

from __future__ import annotations

import itertools
import logging
import threading
from typing import Final

from duetime.core.exchange import Dispatch
from duetime.engine.context import Engine
from duetime.engine.execute import execute
from duetime.engine.stop import Stop
from duetime.local.queue import LocalQueue

log = logging.getLogger(__name__)

AGAIN_MS: Final = 1_000
"""After how long a message comes again that nothing was decided about."""
NO_LIMIT_MS: Final = 32 * 86_400_000
"""A process on a host has no end of its own: longer than any timeout."""


class Executors:
    """Executes what the queue hands out, at most `settings.executor_concurrency` runs at once."""

    def __init__(self, engine: Engine, queue: LocalQueue, stop: Stop) -> None:
        self._engine, self._queue, self._stop = engine, queue, stop
        self._free = threading.BoundedSemaphore(engine.settings.executor_concurrency)
        self._changed = threading.Condition()
        self._busy: dict[int, Dispatch] = {}
        self._tickets = itertools.count()
        self._taker = threading.Thread(target=self._take, name="executors", daemon=True)

    def start(self) -> None:
        """Begin to take messages."""
        self._taker.start()

    def busy(self) -> tuple[Dispatch, ...]:
        """Return the messages being executed, the oldest first."""
        with self._changed:
            return tuple(self._busy.values())

    def idle(self, timeout_ms: int) -> bool:
        """Wait until nothing is executed any more, at most `timeout_ms`; answers whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy, timeout_ms / 1000)

    def _take(self) -> None:
        while True:
            self._free.acquire()
            dispatch = self._queue.take()
            if dispatch is None:
                self._free.release()
                return
            ticket = next(self._tickets)
            with self._changed:
                self._busy[ticket] = dispatch
            name = f"executor-{dispatch.run}"
            worker = threading.Thread(target=self._work, args=(ticket, dispatch), name=name, daemon=True)
            try:
                worker.start()
            except RuntimeError:
                log.warning("no thread can be started: run %s waits %s ms", dispatch.run, AGAIN_MS)
                self._queue.put_back(dispatch, delay_ms=AGAIN_MS)
                self._done(ticket)

    def _work(self, ticket: int, dispatch: Dispatch) -> None:
        try:
            deadline_ms = self._engine.clock.now_ms() + NO_LIMIT_MS
            if execute(self._engine, dispatch, deadline_ms=deadline_ms, stop=self._stop) == "again":
                self._queue.put_back(dispatch, delay_ms=AGAIN_MS)
        except Exception:
            log.exception("run %s broke outside its handler; the sweep looks at it again", dispatch.run)
        finally:
            self._done(ticket)

    def _done(self, ticket: int) -> None:
        with self._changed:
            del self._busy[ticket]
            self._changed.notify_all()
        self._free.release()
