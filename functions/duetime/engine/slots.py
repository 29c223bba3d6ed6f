"""Slots: who of a job that forbids overlap may run, and giving the slot back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from duetime.core.overlap import Held, OverlapDecision, decide_overlap, slot_of
from duetime.core.run import Run
from duetime.core.stored import StoredJob
from duetime.engine.context import Engine

SKEW_MS: Final = 30_000
"""Clocks may differ this much: a hold or a lease is over only this long after its end."""


@dataclass(frozen=True, slots=True)
class SlotTaken:
    """The decision about a slot: its name where one is needed, and the run that holds it where it is taken."""

    decision: OverlapDecision
    name: str | None = None
    holder: str | None = None


def take_slot(engine: Engine, run: Run, stored: StoredJob, *, until_ms: int) -> SlotTaken:
    """Take the slot a run needs, from a holder that has ended if need be."""
    name = slot_of(stored.job.overlap, stored.job.name)
    if name is None:
        return SlotTaken("start")
    held: Held | None = None
    for _ in range(3):  # the holder may change between the look and the take
        if engine.store.acquire_slot(run.project, name, run=run.id, until_ms=until_ms):
            return SlotTaken("start", name)
        held = held_by(engine, run.project, name)
        decision = decide_overlap(
            stored.job.overlap, run=run.id, waits=run.waits, holder=held, now_ms=engine.clock.now_ms()
        )
        if held is not None and decision in ("skip", "wait"):
            return SlotTaken(decision, name, held.run)
        if (
            held is not None
            and decision == "take_over"
            and engine.store.acquire_slot(
                run.project, name, run=run.id, until_ms=until_ms, instead_of=held.run
            )
        ):
            return SlotTaken("start", name)
    return SlotTaken("wait" if run.waits else "skip", name, held.run if held else None)


def held_by(engine: Engine, project: str, name: str) -> Held | None:
    """Return who holds a slot, or None when it is free.

    An ended holder's hold is over at once, but for a handler that ignored its timeout: it may still be at work, so
    its slot is kept until the end of its environment, which the slot names.
    """
    found = engine.store.slot_holder(project, name)
    if found is None:
        return None
    run_id, until_ms = found
    holder = engine.store.get_run(project, run_id)
    ended = holder is None or holder.ended
    timed_out = holder is not None and holder.error is not None and holder.error.code == "TIMEOUT_RUN"
    return Held(run_id, ended, until_ms + SKEW_MS if timed_out else 0)


def give_back(engine: Engine, run: Run) -> None:
    """Free the slot of a run that has ended and is no longer at work; repeating it is harmless."""
    if run.slot is not None:
        engine.store.release_slot(run.project, run.slot, run=run.id)


def give_back_if_over(engine: Engine, run: Run) -> None:
    """Free the slot of an ended run unless its handler ignored its timeout and may still be at work."""
    if run.slot is None:
        return
    held = held_by(engine, run.project, run.slot)
    if held is not None and held.run == run.id and held.ended and held.until_ms <= engine.clock.now_ms():
        give_back(engine, run)
