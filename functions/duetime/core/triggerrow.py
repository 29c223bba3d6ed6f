"""The scheduling state of one trigger: what the tick needs to decide alone, without reading its job.

All instants are whole UTC epoch seconds. `due_at` is the next instant the tick has to look at the trigger: its next
occurrence, or, while a fixed-delay occurrence is in progress (`acquired`), the deadline of its run; None means never.
`held_due` is what a pause took away, for a resume that treats it as a misfire; in an `acquired` row it is the instant of a
resume that drops its misses. Instants from `again_from` to `again_until` were armed `again` so many times: their runs have
ids of their own, because a run of the instant may have ended before.
"""

from __future__ import annotations

from dataclasses import dataclass

from duetime.core.definition import Misfire
from duetime.core.machine import TriggerState
from duetime.core.schedule import Schedule


@dataclass(frozen=True, slots=True)
class TriggerRow:
    """One trigger as the due index holds it. `uid` is its job's; `generation` changes when its schedule does."""

    project: str
    job: str
    name: str
    uid: str
    generation: str
    schedule: Schedule
    anchor: int
    state: TriggerState = "waiting"
    due_at: int | None = None
    revision: int = 1
    ordinal: int = 0
    again: int = 0
    again_from: int = 0
    again_until: int = 0
    priority: int = 5
    misfire: Misfire = "run_once"
    misfire_threshold: int = 60
    jitter: int = 0
    timeout: int = 300
    keep_days: int = 7
    tenant: str | None = None
    remaining: int | None = None
    fired: int = 0
    last_due: int | None = None
    last_run: str | None = None
    held_due: int | None = None
    outstanding: str | None = None
    error: str | None = None
    returned: int = 0
    """Since when (not 0) the runs put for later instants have been given back; the next claim counts them again."""
