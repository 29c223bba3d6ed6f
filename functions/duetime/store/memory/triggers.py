"""Trigger transitions in memory, and the due index."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from duetime.core.exchange import Page
from duetime.core.machine import sources_of
from duetime.core.triggerrow import TriggerRow
from duetime.store.memory.definitions import same
from duetime.store.memory.ordered import Ordered
from duetime.store.memory.state import MemoryState

_Due = tuple[int, str, str, str]


class MemoryTriggers(MemoryState):
    """The part of duetime.ports.DefinitionStore about the scheduling state of triggers."""

    def due_triggers(self, shard: int, *, horizon: int, limit: int, cursor: str | None) -> Page[TriggerRow]:
        """Return triggers of one shard with due_at <= horizon, earliest first."""
        with self._lock:
            found: list[TriggerRow] = []
            for due_at, project, job, name in self._due.get(shard, Ordered[_Due]()).upward(_position(cursor)):
                if due_at > horizon:
                    break
                if len(found) == limit:
                    last = found[-1]
                    return Page(tuple(found), f"{last.due_at}#{last.project}#{last.job}#{last.name}")
                found.append(self._triggers[project, job][name])
            return Page(tuple(found))

    def advance_trigger(
        self,
        row: TriggerRow,
        *,
        due_at: int,
        remaining: int | None,
        last_due: int,
        last_run: str | None,
        fired: int,
    ) -> bool:
        """waiting → waiting at the next due instant. Guard: the revision is the one of `row`."""
        return self._move_trigger(
            "advance_trigger", row,
            state="waiting", due_at=due_at, remaining=remaining, last_due=last_due, last_run=last_run, fired=fired,
        )  # fmt: skip

    def acquire_trigger(
        self,
        row: TriggerRow,
        *,
        deadline: int,
        remaining: int | None,
        last_due: int,
        outstanding: str,
        fired: int,
    ) -> bool:
        """waiting → acquired: one occurrence is in progress until `deadline`. Guard: the revision."""
        return self._move_trigger(
            "acquire_trigger", row,
            state="acquired", due_at=deadline, remaining=remaining, last_due=last_due, last_run=outstanding,
            outstanding=outstanding, fired=fired,
        )  # fmt: skip

    def complete_trigger(
        self,
        row: TriggerRow,
        *,
        remaining: int | None,
        last_due: int | None,
        last_run: str | None,
        fired: int,
    ) -> bool:
        """waiting | acquired → complete: nothing is left. Guard: the revision."""
        return self._move_trigger(
            "complete_trigger", row,
            state="complete", due_at=None, remaining=remaining, last_due=last_due, last_run=last_run,
            outstanding=None, fired=fired,
        )  # fmt: skip

    def rearm_trigger(self, row: TriggerRow, *, run: str, due_at: int) -> bool:
        """acquired → waiting. Guard: acquired, `run` is the outstanding one, and the revision is that of `row`."""
        return self._move_trigger(
            "rearm_trigger", row, run=run, state="waiting", due_at=due_at, last_run=run, outstanding=None
        )

    def extend_trigger(self, row: TriggerRow, *, run: str, outstanding: str, deadline: int) -> bool:
        """acquired → acquired with another outstanding run or a later deadline. Guard: `run` is the outstanding one."""
        return self._move_trigger("extend_trigger", row, run=run, due_at=deadline, outstanding=outstanding)

    def fault_trigger(self, row: TriggerRow, *, error: str) -> bool:
        """waiting | acquired → error with the reason kept. Guard: the revision."""
        return self._move_trigger(
            "fault_trigger", row, state="error", due_at=None, outstanding=None, error=error
        )

    def _move_trigger(
        self, transition: str, row: TriggerRow, *, run: str | None = None, **fields: Any
    ) -> bool:
        """Make one transition: guarded by the outstanding `run` if given, and but for an extension by the revision."""
        with self._writing():
            stored = self._triggers.get((row.project, row.job), {}).get(row.name)
            if stored is None or stored.uid != row.uid or stored.state not in sources_of(transition):
                return False
            if transition != "extend_trigger" and not same(stored, row):
                return False
            if run is not None and stored.outstanding != run:
                return False
            if "fired" in fields:  # a claim counts what it puts
                fields["returned"] = 0
            self._set_trigger(stored, replace(stored, revision=stored.revision + 1, **fields))
            return True


def _position(cursor: str | None) -> _Due | None:
    if cursor is None:
        return None
    due_at, project, job, name = cursor.split("#")
    return int(due_at), project, job, name
