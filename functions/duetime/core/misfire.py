"""What becomes of the occurrences of one trigger that are due before the horizon: a pure decision.

`decide` answers which runs to put, which misses one skip record covers, and when the trigger is due next. It is
arithmetic on instants: a one-second trigger that was down for a month costs no loop over its misses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from duetime.core.definition import Misfire
from duetime.core.run import Covers

MAX_EXPANDED: Final = 150
"""Occurrences one decision expands at most: two minutes of every second, and some. The rest is due at the next look."""


class Occurrences(Protocol):
    """The instants of a schedule, as far as a decision needs them (see duetime.core.plan.Plan)."""

    def next(self, after: int) -> int | None:
        """Return the first occurrence strictly after an instant."""

    def previous(self, before: int) -> int | None:
        """Return the last occurrence strictly before an instant."""

    def count(self, first: int, last: int) -> int:
        """Return how many occurrences lie between two instants, both counting."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One run to put: its identity `nominal`, the instant it is `scheduled_at`, and the misses it covers."""

    nominal: int
    scheduled_at: int
    covers: Covers | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """The decision: runs in order, one skip record or none, the next due instant (None: nothing is left)."""

    runs: tuple[Occurrence, ...]
    skipped: Covers | None
    next_due: int | None


def decide(
    occurrences: Occurrences,
    *,
    due: int,
    now: int,
    horizon: int,
    misfire: Misfire = "run_once",
    threshold: int = 60,
    single: bool = False,
    forgiving: bool = False,
    remaining: int | None = None,
) -> Claim:
    """Decide about a trigger whose stored due instant is `due`; all instants and durations in seconds.

    `single` (fixed delay) takes one occurrence only and leaves `next_due` to its settling. `forgiving` (once, a resumed
    trigger) is never a misfire. `remaining` is how many runs `repeat_count` still allows.
    """
    if remaining is not None and remaining <= 0:
        return Claim((), None, None)
    first: tuple[Occurrence, ...] = ()
    skipped: Covers | None = None
    instant: int | None = due
    if not forgiving and now - due > threshold:
        covers = _missed(occurrences, due, now, single)
        if misfire == "run_once":
            first = (Occurrence(due, now, covers),)
        else:
            skipped = covers
        # Go on from now in the same decision: a threshold shorter than the tick must not miss again for ever.
        instant = now if single else occurrences.next(now)
        if single:
            return Claim(first, skipped, None if first else instant)
    if single:
        return Claim((Occurrence(due, due),), None, None)
    runs = list(first)
    limit = MAX_EXPANDED if remaining is None else min(MAX_EXPANDED, remaining)
    while instant is not None and instant <= horizon and len(runs) < limit:
        runs.append(Occurrence(instant, instant))
        instant = occurrences.next(instant)
    spent = remaining is not None and len(runs) >= remaining
    return Claim(tuple(runs), skipped, None if spent else instant)


def _missed(occurrences: Occurrences, due: int, now: int, single: bool) -> Covers:
    """Return everything from `due` to now as one cover, counted by arithmetic."""
    if single:
        return Covers(due, due, 1)
    last = occurrences.previous(now + 1)
    last = due if last is None or last < due else last
    # The stored due instant counts even where the schedule no longer names it (calendar or zone data changed).
    return Covers(due, last, 1 + (occurrences.count(due + 1, last) if last > due else 0))
