"""What the families of transitions share: the rows, their indexes, one lock, and the telling of changes.

A write happens whole under the lock. Its changes are queued there too and told to the listeners after the lock is
released, one at a time and in the order of the writes; a listener may itself read and write.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from duetime.core.exchange import Change, Lease
from duetime.core.ids import key_of_run, shard
from duetime.core.run import Run
from duetime.core.stored import StoredCalendar, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.ports import Clock
from duetime.store.memory.ordered import Ordered

_log = logging.getLogger(__name__)

DAY_MS = 86_400_000


class MemoryState:
    """The rows of all tables, in dictionaries, and the indexes over them."""

    def __init__(self, clock: Clock, *, shards: int = 8) -> None:
        """Start empty. `clock` says what has expired and when a change happened; `shards` is that of the indexes."""
        self.shards = shards
        self._clock = clock
        self._lock = threading.RLock()
        self._jobs: dict[tuple[str, str], StoredJob] = {}
        self._triggers: dict[tuple[str, str], dict[str, TriggerRow]] = {}
        self._runs: dict[tuple[str, str], Run] = {}
        self._nonces: dict[tuple[str, str], str] = {}
        self._slots: dict[tuple[str, str], tuple[str, int]] = {}
        self._tickets: dict[tuple[str, str], tuple[int, str]] = {}
        self._leases: dict[str, Lease] = {}
        self._lag: tuple[int, int] | None = None
        self._calendars: dict[tuple[str, str], StoredCalendar] = {}
        self._catalog: defaultdict[str, Ordered[str]] = defaultdict(Ordered)
        self._calendar_names: defaultdict[str, Ordered[str]] = defaultdict(Ordered)
        self._users: defaultdict[tuple[str, str], Ordered[tuple[str, str]]] = defaultdict(Ordered)
        self._changed_calendars: Ordered[tuple[int, str, str]] = Ordered()
        self._due: defaultdict[int, Ordered[tuple[int, str, str, str]]] = defaultdict(Ordered)
        self._watch: defaultdict[int, Ordered[tuple[int, str, str]]] = defaultdict(Ordered)
        self._history: defaultdict[tuple[str, str], Ordered[str]] = defaultdict(Ordered)
        self._feed: defaultdict[str, Ordered[str]] = defaultdict(Ordered)
        self._expiry: Ordered[tuple[int, str, str]] = Ordered()
        self._listeners: list[Callable[[Change], None]] = []
        self._untold: deque[Change] = deque()
        self._telling = threading.Lock()

    def subscribe(self, listener: Callable[[Change], None]) -> None:
        """Tell `listener` every change of a job, trigger or run from now on, after its write, in order per row."""
        with self._lock:
            self._listeners.append(listener)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock for one transition, then tell what it changed."""
        with self._lock:
            yield
        self._tell()

    def _tell(self) -> None:
        # Whoever gets the telling lock tells everything queued. A thread that does not get it may leave: its changes
        # were queued before, and the teller looks once more after it let go.
        while self._untold and self._telling.acquire(blocking=False):
            try:
                while self._untold:
                    change = self._untold.popleft()
                    for listener in tuple(self._listeners):
                        try:
                            listener(change)
                        except Exception:  # noqa: BLE001  # whatever a listener raises is not the writer's
                            _log.exception(
                                "a listener failed; the change is stored, this listener has missed it"
                            )
            finally:
                self._telling.release()

    def _changed(
        self, before: StoredJob | TriggerRow | Run | None, after: StoredJob | TriggerRow | Run | None
    ) -> None:
        if self._listeners:
            self._untold.append(Change(before, after, self._clock.now_ms()))

    def _set_trigger(self, before: TriggerRow | None, after: TriggerRow | None) -> None:
        """Replace a trigger row and its place in the due index."""
        row = after or before
        if row is None:
            return
        home = self._triggers.setdefault((row.project, row.job), {})
        index = self._due[shard(f"{row.project}#{row.job}#{row.name}", self.shards)]
        if before is not None and before.due_at is not None:
            index.discard((before.due_at, row.project, row.job, row.name))
        if after is None:
            home.pop(row.name, None)
        else:
            home[row.name] = after
            if after.due_at is not None:
                index.add((after.due_at, row.project, row.job, row.name))
        self._changed(before, after)

    def _set_run(self, before: Run | None, after: Run) -> Run:
        """Replace a run and its place in the watch index; a new one joins the history."""
        index = self._watch[shard(after.id, self.shards)]
        if before is not None and before.watch_at is not None:
            index.discard((before.watch_at, after.project, after.id))
        if after.watch_at is not None:
            index.add((after.watch_at, after.project, after.id))
        if before is None:
            self._history[after.project, key_of_run(after.id)].add(after.id)
            self._feed[after.project].add(after.id)
        expires = self._expires_ms(after)
        if expires is not None:
            self._expiry.add((expires, after.project, after.id))
        if after.ended:
            self._nonces.pop((after.project, after.id), None)
        self._runs[after.project, after.id] = after
        self._changed(before, after)
        self._forget_expired()
        return after

    @staticmethod
    def _expires_ms(run: Run) -> int | None:
        """Return when the history of a run ends (UTC epoch ms), or None: not ended yet, or kept for ever."""
        if run.finished_ms is None or not run.ended or run.keep_days == 0:
            return None
        return run.finished_ms // 1000 * 1000 + run.keep_days * DAY_MS

    def _visible(self, run: Run) -> bool:
        expires = self._expires_ms(run)
        return expires is None or expires > self._clock.now_ms()

    def _forget_expired(self) -> None:
        """Drop a few runs whose history has ended; called by writes, so dropping keeps pace with putting."""
        now = self._clock.now_ms()
        for _ in range(4):
            first = next(self._expiry.upward(None), None)
            if first is None or first[0] > now:
                return
            self._expiry.discard(first)
            _, project, run = first
            gone = self._runs.pop((project, run), None)
            if gone is not None and gone.watch_at is not None:
                self._watch[shard(run, self.shards)].discard((gone.watch_at, project, run))
            self._history[project, key_of_run(run)].discard(run)
            self._feed[project].discard(run)
