"""The message a target outside this deployment gets: which run this is, and its data.

Format version 1; fields are only ever added. Instants are RFC 3339 in UTC. `idempotency_key` is the run's id: the same
for every delivery of one attempt, so that a receiver can drop a repeat.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from duetime.core.exchange import Invocation

VERSION: Final = 1


def envelope(invocation: Invocation) -> dict[str, Any]:
    """Return the message of a run, as a JSON value."""
    run = invocation.run
    return {
        "version": VERSION,
        "run_id": run.id,
        "project": run.project,
        "job": run.job,
        "trigger": run.trigger,
        "nominal": None if run.nominal is None else instant(run.nominal),
        "scheduled_at": instant(run.scheduled_at),
        "kind": run.kind,
        "attempt": run.attempt,
        "idempotency_key": run.id,
        "data": dict(invocation.data),
    }


def instant(seconds: int) -> str:
    """Return an instant in RFC 3339.

    >>> instant(1_800_000_000)
    '2027-01-15T08:00:00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
