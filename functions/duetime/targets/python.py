"""Handlers registered in code as targets: each run in a thread of its own, sync and async alike.

At the deadline the run's token flips and an async handler is cancelled. A handler that returns later, but before the
hard deadline, has timed out; one that has not returned by then is left behind, still running, and the engine keeps its
slot. A stop of the host flips the token and cancels an async handler in the same way; a handler that ends regularly all
the same has succeeded. Exceptions are kept with type and message; the log has their stack, without local values.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import threading
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any, Final

from duetime.core.exchange import Invocation, Outcome
from duetime.core.faults import DataError, NotFound
from duetime.core.jsontext import check_value, dumps
from duetime.core.run import RunError
from duetime.ports import Clock
from duetime.sdk.context import RunContext
from duetime.sdk.errors import Fail, NonRetryable
from duetime.sdk.handler import Handler
from duetime.sdk.registry import Registry

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.5
"""How often a waiting delivery looks at the clock and the token: how late an async handler learns of a stop."""
TIMED_OUT: Final = RunError("TIMEOUT_RUN", "The handler took longer than its timeout.")
STOPPED: Final = RunError("CONFLICT_CANCELED", "stopping")


class PythonHandlers:
    """Delivers to `{"kind": "python", "name": …}` through a registry."""

    kind = "python"

    def __init__(self, registry: Registry, clock: Clock) -> None:
        self._registry, self._clock = registry, clock

    def check(self, target: Any) -> None:
        """Raise NotFound (NOT_FOUND_HANDLER) unless the handler is registered."""
        self._registry.handler(target.name)

    def deliver(self, invocation: Invocation) -> Outcome:
        """Call the handler and wait for it until the hard deadline."""
        try:
            handler = self._registry.handler(invocation.target.name)
        except NotFound as error:
            return Outcome("failed", error=RunError(error.code, str(error)), permanent=True)
        if self._clock.now_ms() >= invocation.deadline_ms:
            return Outcome("timeout", error=TIMED_OUT)
        call = _Call(handler, invocation, self._clock)
        call.start()
        hard_ms = max(invocation.hard_deadline_ms or 0, invocation.deadline_ms)
        while not call.ended.wait(self._look(invocation.deadline_ms, hard_ms)):
            now_ms = self._clock.now_ms()
            if now_ms >= invocation.deadline_ms:
                invocation.token.cancel()
            if invocation.token.canceled:
                call.cancel()
            if now_ms >= hard_ms and not call.ended.is_set():
                call.leave_behind()
                return Outcome("timeout", error=TIMED_OUT, still_running=True, returned=call.ended.wait)
        return call.outcome()

    def _look(self, deadline_ms: int, hard_ms: int) -> float:
        """Return the seconds until the next look: in time for either deadline, and never none at all."""
        now_ms = self._clock.now_ms()
        until = deadline_ms if now_ms < deadline_ms else hard_ms
        return min(max((until - now_ms) / 1000, 0.001), LOOK_SECONDS)


class _Call:
    """One call of a handler, in its own thread."""

    def __init__(self, handler: Handler, invocation: Invocation, clock: Clock) -> None:
        self._handler, self._invocation, self._clock = handler, invocation, clock
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._cancel_asked = False
        self._left_behind = False
        self._outcome = Outcome(
            "failed", error=RunError("UNEXPECTED", "The handler's thread ended without a word.")
        )
        self._in_time = True
        self.ended = threading.Event()

    def start(self) -> None:
        """Start the thread; it is a daemon, so that a handler that never returns cannot keep a host from ending."""
        threading.Thread(target=self._work, name=f"run-{self._invocation.run.id}", daemon=True).start()

    def outcome(self) -> Outcome:
        """Return what the ended call came to; whatever came after the deadline is a timeout."""
        return self._outcome if self._in_time else Outcome("timeout", error=TIMED_OUT)

    def cancel(self) -> None:
        """Cancel an async handler, once; a sync one has its token only."""
        with self._lock:
            if self._cancel_asked:
                return
            self._cancel_asked = True
            if self._loop is not None and self._task is not None:
                with contextlib.suppress(RuntimeError):  # its loop has closed meanwhile: it has ended
                    self._loop.call_soon_threadsafe(self._task.cancel)

    def leave_behind(self) -> None:
        """Wait no longer; the log tells when the handler returns after all."""
        self._left_behind = True
        log.error(
            "handler %s ignored its timeout and still runs: its slot stays taken (run %s)",
            self._handler.key,
            self._invocation.run.id,
        )

    def _work(self) -> None:
        try:
            self._outcome = self._called()
        finally:
            self._in_time = self._clock.now_ms() < self._invocation.deadline_ms
            self.ended.set()
            if self._left_behind:
                log.warning(
                    "handler %s returned long after its timeout (run %s)",
                    self._handler.key,
                    self._invocation.run.id,
                )

    def _called(self) -> Outcome:
        run, key = self._invocation.run, self._handler.key
        try:
            result = self._handler.call(self._context())
            if inspect.iscoroutine(result):
                result = asyncio.run(self._awaited(result))
            return Outcome("succeeded", result=_checked(result))
        except Fail as error:
            return Outcome("failed", error=RunError(error.code, error.message))
        except NonRetryable as error:
            return Outcome("failed", error=RunError(error.code, error.message), permanent=True)
        except _Unfit as error:
            return Outcome("failed", error=RunError("VALIDATION_DATA", str(error)), permanent=True)
        except asyncio.CancelledError as error:
            if self._cancel_asked:
                return Outcome("canceled", error=STOPPED)
            return _unexpected(error)
        except BaseException as error:
            # Whatever a handler raises, SystemExit too, ends its run and nothing else.
            log.error("handler %s raised an exception; run %s fails", key, run.id, exc_info=error)
            return _unexpected(error)

    async def _awaited(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        with self._lock:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            if self._cancel_asked and self._task is not None:
                self._task.cancel()
        return await coroutine

    def _context(self) -> RunContext[Any]:
        run, invocation = self._invocation.run, self._invocation
        try:
            data = self._handler.parse(invocation.data)
        except DataError as error:
            raise _Unfit(str(error)) from None
        return RunContext(
            id=run.id,
            project=run.project,
            job=run.job,
            trigger=run.trigger,
            schedule=invocation.schedule,
            nominal=None if run.nominal is None else datetime.fromtimestamp(run.nominal, UTC),
            scheduled_at=datetime.fromtimestamp(run.scheduled_at, UTC),
            kind=run.kind,
            attempt=run.attempt,
            retry_of=run.retry_of,
            data=data,
            tenant=run.tenant,
            fence=run.fence,
            deadline_ms=invocation.deadline_ms,
            token=invocation.token,
            clock=self._clock,
        )


class _Unfit(Exception):
    """Data the handler cannot take, or a result that cannot be kept: another attempt would meet it again."""


def _checked(result: Any) -> Any:
    """Return the result if it is a JSON value that can be written, else raise _Unfit saying what is not."""
    try:
        check_value(result, "result")
        dumps(result)
    except DataError as error:
        raise _Unfit(f"The handler returned no JSON value. {error}") from None
    except ValueError as error:  # an integer of more digits than Python turns into text
        raise _Unfit(f"The handler returned a value that cannot be written as JSON: {error}") from None
    return result


def _unexpected(error: BaseException) -> Outcome:
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - an exception that cannot even be shown
        message = "(its message cannot be shown)"
    name = type(error).__name__
    return Outcome("failed", error=RunError("UNEXPECTED_HANDLER", f"{name}: {message}" if message else name))
