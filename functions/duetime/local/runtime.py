"""The scheduler inside one process, without any server: ticks, sweeps, executors and the relay around one engine.

`start` begins to work, `stop` ends it in three steps: no new run begins; what runs may finish; what still runs is told to
stop. Everything is gone when the process ends. The local server stands on it, and so can tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from duetime import bootstrap
from duetime.clock import SystemClock
from duetime.core.exchange import Change, Dispatch
from duetime.engine.context import Engine
from duetime.engine.relay import relay
from duetime.engine.stop import Stop
from duetime.engine.sweep import sweep
from duetime.engine.tick import tick
from duetime.local.executors import Executors
from duetime.local.loops import Beat, Relay
from duetime.local.queue import LocalQueue
from duetime.ports import EventBus
from duetime.sdk.registry import Registry
from duetime.settings import Settings

TOLD_MS: Final = 2_000
"""How long a run that was told to stop may take to return before it is left behind."""
SWEEP_OFFSET_MS: Final = 30_000


@dataclass(frozen=True, slots=True)
class StopReport:
    """What a stop met: the runs that were told to stop, and those of them that did not return."""

    told: tuple[Dispatch, ...] = ()
    left: tuple[Dispatch, ...] = ()


class Runtime:
    """Works on what is due until it is stopped; a stopped one stays so.

    `engine.queue` must be `queue`. What `take_change` is told is published on `bus`, as far as the settings say.
    """

    def __init__(self, engine: Engine, queue: LocalQueue, bus: EventBus) -> None:
        self.engine, self.queue, self.bus = engine, queue, bus
        self._stop = Stop()
        self._executors = Executors(engine, queue, self._stop)
        self._relay = Relay(lambda change: relay(bus, [change], engine.settings.published_types))
        self.take_change = self._relay.put
        self._beats = (
            Beat("tick", lambda: tick(engine), engine.clock, offset_ms=0, at_once=True),
            Beat("sweep", lambda: sweep(engine), engine.clock, offset_ms=SWEEP_OFFSET_MS, at_once=False),
        )

    def on_change(self, listener: Callable[[Change], None]) -> None:
        """Tell `listener` every change of a job, trigger or run from now on, in order, in the relay's thread."""
        self._relay.add(listener)

    def start(self) -> None:
        """Begin: the first tick comes at once."""
        self._relay.start()
        self._executors.start()
        for beat in self._beats:
            beat.start()

    def running(self) -> tuple[Dispatch, ...]:
        """Return what is being executed now, the oldest first."""
        return self._executors.busy()

    def refuse_work(self) -> None:
        """Begin no run from now on; what runs goes on."""
        self._stop.begin()
        for beat in self._beats:
            beat.stop()
        self.queue.close()

    def stop(self, grace_ms: int | None = None) -> StopReport:
        """Stop and wait for it: `grace_ms` (default: the setting `stop_grace`) for what runs, then 2 s for what was told."""
        self.refuse_work()
        grace_ms = self.engine.settings.stop_grace * 1000 if grace_ms is None else grace_ms
        told: tuple[Dispatch, ...] = ()
        if not self._executors.idle(grace_ms):
            told = self._executors.busy()
            self._stop.cancel_running()
            self._executors.idle(TOLD_MS)
        left = self._executors.busy()
        self._relay.stop(TOLD_MS)
        return StopReport(told, left)


def local_runtime(registry: Registry | None = None, settings: Settings | None = None) -> Runtime:
    """Return a runtime on the embedded store and the real clock; by default of the jobs package and the environment."""
    clock = SystemClock()
    queue = LocalQueue(clock)
    engine, store = bootstrap.local(queue=queue, clock=clock, registry=registry, chosen=settings)
    runtime = Runtime(engine, queue, bootstrap.local_bus())
    store.subscribe(runtime.take_change)
    return runtime
