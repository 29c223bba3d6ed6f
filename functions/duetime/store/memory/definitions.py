"""Jobs in memory: read, changed whole with their triggers or not at all, listed by name."""

from __future__ import annotations

from itertools import islice, takewhile

from duetime.core.exchange import CalendarUser, JobChange, Page
from duetime.core.stored import StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.store.checks import check_change, touched
from duetime.store.memory.calendars import MemoryCalendars
from duetime.store.memory.ordered import Ordered
from duetime.store.uses import decided_under, job_uses


class MemoryDefinitions(MemoryCalendars):
    """The part of duetime.ports.DefinitionStore about jobs."""

    def get_job(self, project: str, job: str) -> StoredJob | None:
        """Return the job, or None."""
        with self._lock:
            return self._jobs.get((project, job))

    def get_triggers(self, project: str, job: str) -> tuple[TriggerRow, ...]:
        """Return all trigger rows of a job, by name."""
        with self._lock:
            rows = self._triggers.get((project, job), {})
            return tuple(rows[name] for name in sorted(rows))

    def change_job(self, change: JobChange) -> bool:
        """Apply a change whole or not at all; False when something is not as read or a new calendar is not there."""
        check_change(change)
        uses = job_uses(change)
        either = change.after or change.before
        if either is None:
            return False
        key = (either.project, either.job.name)
        with self._writing():
            if not self._unchanged(key, change) or not self._decided_well(
                key[0], uses, decided_under(change)
            ):
                return False
            if change.after is None:
                self._jobs.pop(key, None)
                self._catalog[key[0]].discard(key[1])
            else:
                self._jobs[key] = change.after
                self._catalog[key[0]].add(key[1])
            self._move_uses(key[0], uses, CalendarUser("job", key[1]))
            self._changed(change.before, change.after)
            for before, after in touched(change):
                if before != after:
                    self._set_trigger(before, after)
            if change.after is None and not self._triggers.get(key):
                self._triggers.pop(key, None)
            return True

    def _unchanged(self, key: tuple[str, str], change: JobChange) -> bool:
        stored, read = self._jobs.get(key), change.before
        if (stored is None) != (read is None):
            return False
        if stored and read and (stored.uid, stored.version) != (read.uid, read.version):
            return False
        rows = self._triggers.get(key, {})
        known = {row.name: row for row in change.triggers_before}
        if any(name not in rows or not same(rows[name], row) for name, row in known.items()):
            return False
        return not any(row.name in rows for row in change.triggers_after if row.name not in known)

    def list_jobs(self, project: str, *, prefix: str, limit: int, cursor: str | None) -> Page[StoredJob]:
        """Return jobs by name; the cursor is the last name of the page before."""
        with self._lock:
            names = self._catalog.get(project, Ordered[str]()).upward(cursor, since=prefix)
            found = list(islice(takewhile(lambda name: name.startswith(prefix), names), limit + 1))
            jobs = tuple(self._jobs[project, name] for name in found[:limit])
            return Page(jobs, found[limit - 1] if len(found) > limit else None)


def same(stored: TriggerRow, read: TriggerRow) -> bool:
    """Whether a trigger row is still the one that was read: its revision, and its job's generation."""
    return stored.revision == read.revision and stored.uid == read.uid
