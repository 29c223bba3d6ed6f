"""CPU seconds that mean the same on a busy machine: a yardstick measured beside the work takes the machine out."""

from __future__ import annotations

import time
from collections.abc import Callable

QUIET = 0.0115
"""Seconds of CPU the yardstick takes on a quiet machine of the kind the budgets were set on."""


def _yardstick() -> float:
    start = time.process_time()
    total = 0
    for number in range(300_000):
        total += number & 7
    return time.process_time() - start


def slowness() -> float:
    """Return how many times as long a computation takes now as on a quiet machine; at least 1."""
    return max(1.0, _yardstick() / QUIET)


def cpu_seconds(work: Callable[[], object], *, enough: float, tries: int = 5) -> float:
    """Return the CPU seconds of a call, the best of a few, as a quiet machine would take them; stops below `enough`.

    A busy machine computes the same work in up to twice the CPU time (shared caches, shared cores, a throttled clock), and
    the yardstick beside it alike. A faster machine is not scaled: the budget is a budget.
    """
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        work()
        taken = time.process_time() - start
        if taken >= enough:
            taken /= slowness()
        best = min(best, taken)
        if best < enough:
            break
    return best
