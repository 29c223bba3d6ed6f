"""Runs read back in memory: by id, by what the sweep watches, and newest first. Expired ones are never shown."""

from __future__ import annotations

from itertools import islice, takewhile

from duetime.core.exchange import Page
from duetime.core.faults import NotFound
from duetime.core.ids import job_key as key_of_job
from duetime.core.ids import key_of_run
from duetime.core.run import Run
from duetime.store.bounds import id_range
from duetime.store.memory.ordered import Ordered
from duetime.store.memory.state import MemoryState

_Watched = tuple[int, str, str]


class MemoryHistory(MemoryState):
    """The reads of duetime.ports.RunStore."""

    def get_run(self, project: str, run: str) -> Run | None:
        """Return a run; None if there is none in this project or its history has expired."""
        try:
            key_of_run(run)
        except NotFound:
            return None
        with self._lock:
            stored = self._runs.get((project, run))
            return stored if stored is not None and self._visible(stored) else None

    def watched_runs(self, shard: int, *, until: int, limit: int, cursor: str | None) -> Page[Run]:
        """Return the runs of one shard with watch_at <= until, earliest first."""
        with self._lock:
            found: list[Run] = []
            index = self._watch.get(shard, Ordered[_Watched]())
            for watch_at, project, run in index.upward(_position(cursor)):
                if watch_at > until:
                    break
                if len(found) == limit:
                    last = found[-1]
                    return Page(tuple(found), f"{last.watch_at}#{last.project}#{last.id}")
                found.append(self._runs[project, run])
            return Page(tuple(found))

    def list_job_runs(
        self,
        project: str,
        job: str,
        *,
        limit: int,
        cursor: str | None,
        since: int | None = None,
        until: int | None = None,
    ) -> Page[Run]:
        """Return a job's runs, newest nominal instant first; the cursor is the last id of the page before."""
        with self._lock:
            ids = self._history.get((project, key_of_job(project, job)), Ordered[str]())
            return self._page(project, ids, limit, cursor, since, until)

    def list_runs(
        self,
        project: str,
        *,
        limit: int,
        cursor: str | None,
        since: int | None = None,
        until: int | None = None,
    ) -> Page[Run]:
        """Return a project's runs, newest nominal instant first; the cursor is the last id of the page before."""
        with self._lock:
            ids = self._feed.get(project, Ordered[str]())
            return self._page(project, ids, limit, cursor, since, until)

    def _page(
        self,
        project: str,
        ids: Ordered[str],
        limit: int,
        cursor: str | None,
        since: int | None,
        until: int | None,
    ) -> Page[Run]:
        bounds = id_range(since, until, cursor)
        if bounds is None:
            return Page(())
        low, high = bounds
        inside = takewhile(lambda id: id >= low, ids.downward(high + "\0"))
        shown = (run for run in (self._runs[project, id] for id in inside) if self._visible(run))
        found = tuple(islice(shown, limit + 1))
        return Page(found[:limit], found[limit - 1].id if len(found) > limit else None)


def _position(cursor: str | None) -> _Watched | None:
    if cursor is None:
        return None
    watch_at, project, run = cursor.split("#")
    return int(watch_at), project, run
