"""Arithmetic progressions as grids: intervals, whole local days, and a single instant. Nothing here ever loops."""

from __future__ import annotations


class Steps:
    """`origin + n * step` for n from `low` to `high` inclusive (None: without end on that side)."""

    __slots__ = ("_high", "_low", "origin", "step")
    repeats = False

    def __init__(self, origin: int, step: int, low: int | None = None, high: int | None = None) -> None:
        self.origin, self.step, self._low, self._high = origin, step, low, high

    def times_of_hour(self) -> None:
        """Return None: hours differ."""

    def after(self, wall: int) -> int | None:
        """Return the first step strictly after `wall`."""
        number = (wall - self.origin) // self.step + 1
        if self._low is not None and number < self._low:
            number = self._low
        if self._high is not None and number > self._high:
            return None
        return self.origin + number * self.step

    def upto(self, wall: int) -> int | None:
        """Return the last step at or before `wall`."""
        number = (wall - self.origin) // self.step
        if self._high is not None and number > self._high:
            number = self._high
        if self._low is not None and number < self._low:
            return None
        return self.origin + number * self.step

    def tally(self, first: int, end: int) -> int:
        """Return how many steps lie from `first` to before `end`."""
        low = (first - 1 - self.origin) // self.step + 1
        high = (end - 1 - self.origin) // self.step
        if self._low is not None:
            low = max(low, self._low)
        if self._high is not None:
            high = min(high, self._high)
        return max(0, high - low + 1)
