"""Putting new runs and sending their messages: the one way a run comes into being.

Put, then send: a crash in between leaves a queued run that the sweep finds at its `watch_at`. Both steps can be repeated.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from duetime.core.exchange import Dispatch
from duetime.core.faults import Unavailable
from duetime.core.run import Run
from duetime.engine.context import FIRST_LOOK, SEND_AHEAD, Engine

log = logging.getLogger(__name__)


def message(run: Run, *, start_at: int | None = None) -> Dispatch:
    """Return the queue message of a run; `start_at` replaces its start where it was postponed."""
    start = run.start_at if start_at is None else start_at
    return Dispatch(run.project, run.id, run.job, start, run.priority, run.tenant)


def is_near(run: Run, now_s: int) -> bool:
    """Whether a message sent now can carry the run to its start."""
    return run.start_at - now_s <= SEND_AHEAD


def watched(run: Run, now_s: int) -> Run:
    """Return the run with the instant at which the sweep looks at it: after its start, or before it if that is far."""
    at = max(run.start_at, now_s) + FIRST_LOOK if is_near(run, now_s) else run.start_at - FIRST_LOOK
    return replace(run, watch_at=at)


def launch(engine: Engine, run: Run) -> bool:
    """Put one new run and send its message if its start is near; False when a run of this id was there already.

    The message is sent in both cases: whoever put the run first may have crashed before sending. A queue that is away
    is no failure here: the run is put, and the sweep sends it.
    """
    now_s = engine.clock.now_ms() // 1000
    standing = engine.store.enqueue_run(watched(run, now_s))
    if is_near(run, now_s) and (standing is None or not standing.ended):
        try:
            send(engine, [message(run)])
        except Unavailable as error:
            log.warning("run %s is put, its message was not sent; the sweep sends it: %s", run.id, error)
    return standing is None


def send(engine: Engine, dispatches: Sequence[Dispatch], attempts: int = 3) -> tuple[Dispatch, ...]:
    """Send messages, repeating those the queue refused; answers what is still refused (the sweep will send it)."""
    left = tuple(dispatches)
    for _ in range(attempts):
        if not left:
            break
        left = engine.queue.send(left, now_ms=engine.clock.now_ms())
    return left
