"""A run: one execution of a job, as a frozen value that only a store's transitions replace.

Instants of the schedule (`nominal`, `scheduled_at`, `start_at`) are whole UTC epoch seconds; measured moments end in
`_ms` and are UTC epoch milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from duetime.core.machine import ENDED, RunState

RunKind = Literal["schedule", "manual", "retry", "recovery"]

MAX_RESULT_BYTES: Final = 32 * 1024
CUT_MARK: Final = "… (cut)"


@dataclass(frozen=True, slots=True)
class Covers:
    """The occurrences one record stands for: the first and last nominal instant, both counting, and how many."""

    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run did not succeed: a stable code or the handler's own, and a message without secrets."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Run:
    """One execution and its history.

    `revision` grows with every change of state and is the `sequence` of its event; `fence` grows with every begin, and a
    finishing write must carry it. `base_json` is job ← trigger data frozen at begin, `call_json` what the caller gave.
    `waits` says that a taken slot postpones the run (enqueue, retry) instead of skipping it. `follow_up` marks an ended
    run whose settling (retry, slot, re-arm) is not confirmed yet: the sweep does it again.
    """

    id: str
    project: str
    job: str
    uid: str
    kind: RunKind
    scheduled_at: int
    start_at: int
    queued_ms: int
    trigger: str | None = None
    nominal: int | None = None
    ordinal: str = "0"
    attempt: int = 1
    retry_of: str | None = None
    first_queued_ms: int | None = None
    priority: int = 5
    covers: Covers | None = None
    tenant: str | None = None
    waits: bool = False
    call_json: str | None = None
    keep_days: int = 7
    state: RunState = "queued"
    reason: str | None = None
    revision: int = 1
    fence: int = 0
    resends: int = 0
    watch_at: int | None = None
    instance: str | None = None
    slot: str | None = None
    lease_ms: int | None = None
    started_ms: int | None = None
    finished_ms: int | None = None
    base_json: str | None = None
    result_json: str | None = None
    error: RunError | None = None
    follow_up: bool = False

    @property
    def ended(self) -> bool:
        """Whether nothing can change this run any more."""
        return self.state in ENDED


def cut(text: str, limit: int = MAX_RESULT_BYTES) -> str:
    """Return `text` if its UTF-8 form fits into `limit` bytes, else its beginning with a mark.

    >>> cut("abc", 3), cut("x" * 100, 20)
    ('abc', 'xxxxxxxxxxx… (cut)')
    """
    raw = text.encode("utf-8", "replace")  # half a surrogate pair cannot be stored
    if len(raw) <= limit:
        return raw.decode()
    return raw[: limit - len(CUT_MARK.encode())].decode("utf-8", "ignore") + CUT_MARK
