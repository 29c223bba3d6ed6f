"""Whether a run may start beside another of its job: a pure decision, and the name of the slot they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from duetime.core.definition import Overlap


@dataclass(frozen=True, slots=True)
class Held:
    """Who holds the slot: the run, whether it has ended, and when its hold ends by itself (UTC epoch ms)."""

    run: str
    ended: bool
    until_ms: int


OverlapDecision = Literal["start", "take_over", "skip", "wait"]


def slot_of(overlap: Overlap, job: str) -> str | None:
    """Return the name of the slot a run needs, or None when runs may overlap.

    >>> slot_of("skip", "tick"), slot_of("parallel", "tick")
    ('tick', None)
    """
    return None if overlap == "parallel" else job


def decide_overlap(
    overlap: Overlap, *, run: str, waits: bool, holder: Held | None, now_ms: int
) -> OverlapDecision:
    """Decide what a run does that needs a slot.

    A holder that has ended and whose hold is over is taken over: its release was lost in a crash. A retry or an enqueued
    call waits for its turn; an occurrence is skipped.
    """
    if overlap == "parallel" or holder is None or holder.run == run:
        return "start"
    if holder.ended and holder.until_ms <= now_ms:
        return "take_over"
    return "wait" if waits else "skip"
