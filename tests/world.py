"""A whole scheduler in one thread on a clock that moves by hand: what tests of the engine drive.

`World` joins the real engine, the embedded store and a queue that delivers at the right instants; handlers are plain
functions that record what they did. `run_until` moves the clock from event to event (deliveries, ticks and sweeps each
minute), so a test of hours takes milliseconds and is the same every time. `crash_at` makes the n-th call of a port
fail, before or after it took effect, as a process that dies there would.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from duetime.clock import ManualClock
from duetime.core.definition import parse_job
from duetime.core.exchange import Change, Dispatch, Invocation, Outcome
from duetime.core.faults import Unavailable
from duetime.core.run import Run
from duetime.engine import manage, query
from duetime.engine.context import Engine
from duetime.engine.execute import execute
from duetime.engine.stop import Stop
from duetime.engine.sweep import sweep
from duetime.engine.tick import tick
from duetime.settings import Settings
from duetime.store.memory import MemoryStore

START = 1_800_000_000
"""2027-01-15T08:00:00Z, a whole minute."""
LIMIT_MS = 900_000
Handler = Callable[[Invocation], Outcome]


def _succeed(invocation: Invocation) -> Outcome:
    return Outcome("succeeded", result={"ok": True})


class Crash(BaseException):
    """The process died here; nothing above may catch it but the world."""


class ManualQueue:
    """A run queue that hands out messages when the clock has reached them; `copies` delivers each so many times."""

    def __init__(self, clock: ManualClock, copies: int = 1) -> None:
        self.clock, self.copies = clock, copies
        self._heap: list[tuple[int, int, Dispatch]] = []
        self._order = itertools.count()

    def send(self, dispatches: Sequence[Dispatch], *, now_ms: int) -> tuple[Dispatch, ...]:
        for one in dispatches:
            assert one.start_at * 1000 - now_ms <= 901_000, "further away than SQS delays"
            for _ in range(self.copies):
                heapq.heappush(self._heap, (max(now_ms, one.start_at * 1000 - 1000), next(self._order), one))
        return ()

    def backlog(self) -> int:
        return sum(at <= self.clock.now_ms() for at, _, _ in self._heap)

    def next_ms(self) -> int | None:
        return self._heap[0][0] if self._heap else None

    def take(self) -> Dispatch | None:
        if self._heap and self._heap[0][0] <= self.clock.now_ms():
            return heapq.heappop(self._heap)[2]
        return None

    def redeliver(self, dispatch: Dispatch, after_ms: int) -> None:
        heapq.heappush(self._heap, (self.clock.now_ms() + after_ms, next(self._order), dispatch))

    def take_all(self) -> list[Dispatch]:
        """Take every message out, to be delivered late or never."""
        held, self._heap = [one for _, _, one in self._heap], []
        return held

    def lose_all(self) -> int:
        lost, self._heap = len(self._heap), []
        return lost


@dataclass
class Call:
    """One execution of a handler, as the handler itself saw it; milliseconds."""

    job: str
    run: str
    nominal: int | None
    start_ms: int
    end_ms: int
    data: Mapping[str, Any]


@dataclass
class FakeTarget:
    """The `python` kind of this world: named handlers that take `takes_ms` of the world's time."""

    world: World
    kind: str = "python"
    handlers: dict[str, Handler] = field(default_factory=dict)
    takes_ms: dict[str, int] = field(default_factory=dict)

    def check(self, target: Any) -> None:
        """Every name is known here."""

    def deliver(self, invocation: Invocation) -> Outcome:
        name = invocation.target.name
        start_ms = self.world.clock.now_ms()
        self.world.pass_during_handler(self.takes_ms.get(name, 10))
        outcome: Outcome = self.handlers.get(name, _succeed)(invocation)
        self.world.calls.append(
            Call(
                invocation.run.job,
                invocation.run.id,
                invocation.run.nominal,
                start_ms,
                self.world.clock.now_ms(),
                invocation.data,
            )
        )
        return outcome


class Counting:
    """A port whose calls are counted; one of them may fail before or after it took effect."""

    def __init__(self, inner: Any, world: World, name: str) -> None:
        self._inner, self._world, self._name = inner, world, name

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._world.counted(f"{self._name}.{name}", found) if callable(found) else found


class World:
    """The scheduler, its clock and everything that happened in it."""

    def __init__(self, *, copies: int = 1, **settings: Any) -> None:
        self.clock = ManualClock(START * 1000)
        self.calls: list[Call] = []
        self.changes: list[Change] = []
        self.crashes = 0
        self.calls_made = 0
        self.trace: list[str] = []
        self.interleave: dict[str, Callable[[], object]] = {}
        """What somebody else does right before a port call of this name, once."""
        self._fault: tuple[int, str] | None = None
        self.memory = MemoryStore(self.clock, shards=1)
        self.memory.subscribe(self.changes.append)
        self.manual_queue = ManualQueue(self.clock, copies)
        self.target = FakeTarget(self)
        self.ticking = self.sweeping = True
        self.engine = Engine(
            store=Counting(self.memory, self, "store"),
            queue=Counting(self.manual_queue, self, "queue"),
            targets={"python": self.target},  # type: ignore[arg-type]  # a mapping is all the engine needs
            clock=self.clock,
            settings=Settings(claim_threads=1, shards=1, **settings),
            instance="world",
        )
        self.stop = Stop()
        self._next_tick_ms = self._next_sweep_ms = START * 1000

    def counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls_made += 1
            self.trace.append(name)
            meanwhile = self.interleave.pop(name, None)
            if meanwhile is not None:
                meanwhile()
            fault = self._fault if self._fault is not None and self._fault[0] == self.calls_made else None
            if fault is not None and fault[1] == "before":
                raise Crash(name)
            if fault is not None and fault[1] == "away":
                raise Unavailable(name, "fault", "is away", "Try again.")
            answer = function(*args, **kwargs)
            if fault is not None and fault[1] == "after":
                raise Crash(name)
            return answer

        return call

    def fault_at(self, number: int, kind: str) -> None:
        """Let the `number`-th port call (from 1) fail: `before` or `after` it took effect, or the service is `away`."""
        self._fault = (number, kind)

    def put(self, name: str = "job", schedule: Any = None, **fields: Any) -> manage.PutResult:
        """Put a job with one trigger `default` (or with `triggers`)."""
        document = {"target": {"kind": "python", "name": name}, **fields}
        if schedule is not None:
            document["triggers"] = [{"schedule": schedule, **document.pop("trigger", {})}]
        return manage.put_job(self.engine, "default", parse_job(document, name=name), who="test")

    def handler(self, name: str, function: Handler | None = None, *, takes_ms: int = 10) -> None:
        """Say what the handler of a job does and how long it takes."""
        if function is not None:
            self.target.handlers[name] = function
        self.target.takes_ms[name] = takes_ms

    def run_for(self, seconds: float) -> None:
        """Let this many seconds pass."""
        self.run_until(self.clock.now_ms() + int(seconds * 1000))

    def run_until(self, until_ms: int) -> None:
        """Let time pass to an instant: deliver, tick and sweep when their time comes, restart whatever crashes."""
        while True:
            pending = [self.manual_queue.next_ms(), self._next_tick_ms, self._next_sweep_ms]
            at = min(one for one in pending if one is not None)
            if at > until_ms or self.clock.now_ms() > until_ms:
                break
            self.clock.advance_ms(max(0, at - self.clock.now_ms()))
            if self.clock.now_ms() >= self._next_tick_ms:
                self._next_tick_ms += 60_000
                if self.ticking:
                    self.guarded(lambda: tick(self.engine))
            elif self.clock.now_ms() >= self._next_sweep_ms:
                self._next_sweep_ms += 60_000
                if self.sweeping:
                    self.guarded(lambda: sweep(self.engine))
            else:
                self._deliver()
        self.clock.advance_ms(max(0, until_ms - self.clock.now_ms()))

    def pass_during_handler(self, milliseconds: int) -> None:
        """Let a handler take its time: whatever falls due meanwhile happens inside it, as on another host."""
        if milliseconds < 1000:
            self.clock.advance_ms(milliseconds)
        else:
            self.run_until(self.clock.now_ms() + milliseconds)

    def _deliver(self) -> None:
        dispatch = self.manual_queue.take()
        if dispatch is None:
            return
        answer = self.guarded(
            lambda: execute(self.engine, dispatch, deadline_ms=self.clock.now_ms() + LIMIT_MS, stop=self.stop)
        )
        if answer != "done":
            self.manual_queue.redeliver(dispatch, 960_000 if answer is None else 5_000)

    def guarded(self, step: Callable[[], Any]) -> Any:
        """Run one process's step; if it crashes, only what it wrote remains."""
        try:
            return step()
        except Crash:
            self.crashes += 1
            return None

    def runs(self, job: str = "job") -> list[Run]:
        """Return a job's runs, oldest nominal instant first, whole."""
        page = query.job_runs(self.engine_plain, "default", job, limit=1000)
        found = [self.memory.get_run("default", run.id) for run in page.items]
        return [run for run in reversed(found) if run is not None]

    @property
    def engine_plain(self) -> Engine:
        """The engine without counting, for looking."""
        return replace(self.engine, store=self.memory, queue=self.manual_queue)

    def states(self, job: str = "job") -> list[str]:
        """Return the states of a job's runs, oldest first."""
        return [run.state for run in self.runs(job)]

    def starts(self, job: str = "job") -> list[int]:
        """Return the seconds after START at which a job's handler was called, in order."""
        return [(call.start_ms - START * 1000) // 1000 for call in self.calls if call.job == job]

    def nominals(self, job: str = "job", states: Iterable[str] = ("succeeded",)) -> list[int]:
        """Return the nominal instants, in seconds after START, of a job's runs in these states."""
        return [
            run.nominal - START for run in self.runs(job) if run.nominal is not None and run.state in states
        ]
