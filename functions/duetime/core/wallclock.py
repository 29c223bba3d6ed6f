"""Instants of a grid of wall times on the clocks of one time zone, with a policy for gaps and for repeated times.

A `Grid` knows wall times only (seconds since 1970-01-01T00:00 on that clock); `WallClock` says at which instants they
come. Where clocks are set forward, the wall times of the gap are skipped, or with `shift` all fall on the gap's end.
Where clocks are set back, a repeated wall time counts at its first pass only, or with `both` at both passes.
Searches go from span to span by bisection and end after 400 years.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol

from duetime.core.zonefile import DAY
from duetime.core.zones import CYCLE, EVER, NEAR_END, Spans, Zone, span_at

_UNASKED, _ASKED, _FEW = range(3)
"""Not asked yet; asked before; asked before, and its times are too few an hour to be kept at hand."""


class Grid(Protocol):
    """Wall times in order; every method is pure and bounded."""

    @property
    def repeats(self) -> bool:
        """Whether the same times come again after 400 years."""

    def times_of_hour(self) -> Sequence[int] | None:
        """Return the times of each hour that has any, in seconds of the hour; None where hours differ or times are few."""

    def after(self, wall: int) -> int | None:
        """Return the first wall time of the grid strictly after `wall`, or None."""

    def upto(self, wall: int) -> int | None:
        """Return the last wall time of the grid at or before `wall`, or None."""

    def tally(self, first: int, end: int) -> int:
        """Return how many wall times of the grid lie in `first` to `end`, the end excluded."""


class WallClock:
    """The occurrences of a grid in a zone; all arguments and answers are UTC epoch seconds."""

    __slots__ = (
        "_after",
        "_hour",
        "_near",
        "_near_end",
        "_state",
        "_times",
        "_zone",
        "both",
        "grid",
        "shift",
    )

    def __init__(self, grid: Grid, zone: Zone, *, shift: bool = False, both: bool = False) -> None:
        self.grid, self._zone, self.shift, self.both = grid, zone, shift, both
        self._after, self._near, self._near_end = grid.after, zone.near, zone.near_end
        self._times: Sequence[int] | None = None
        # The hour of the last answer, if it is an ordinary one: from which instant to which its times can answer alone.
        self._hour = (0, 0)
        self._state = _UNASKED

    def next(self, after: int) -> int | None:
        """Return the first occurrence strictly after an instant, or None within 400 years."""
        start, end = self._hour
        if start <= after < end:
            times = self._times
            if times is not None:
                return start + times[bisect_right(times, after - start)]
        if after >= self._near_end:
            return self._next_far(after)
        spans = self._near
        index = bisect_right(spans.starts, after) - 1
        offset = spans.offsets[index]
        wall = after + offset
        if wall < spans.fresh[index] and not self.both:
            wall = spans.fresh[index] - 1
        found = self._after(wall)
        if found is not None and found < spans.closes[index]:
            if self._state != _FEW:
                self._remember(found, spans, index)
            return found - offset
        return self._onward(spans, 0, index, wall, found)

    def _remember(self, found: int, spans: Spans, index: int) -> None:
        """Keep the hour of an answer at hand, from the second question on and where its times are many."""
        if self._state == _UNASKED:
            self._state = _ASKED
            return
        times = self._times = self._times or self.grid.times_of_hour()
        if times is None:
            self._state = _FEW
            return
        start = found - found % 3_600
        if spans.fresh[index] <= start and start + 3_600 <= spans.closes[index]:
            start -= spans.offsets[index]
            self._hour = (start, start + times[-1])

    def _next_far(self, after: int) -> int | None:
        """`next` from the last year of the near table on."""
        cycles = (after - NEAR_END) // CYCLE * CYCLE
        spans = self._zone.far()
        index = bisect_right(spans.starts, after - cycles) - 1
        wall = after + spans.offsets[index]
        if not self.both:
            wall = max(wall, spans.fresh[index] + cycles - 1)
        return self._onward(spans, cycles, index, wall, self._after(wall))

    def _onward(self, spans: Spans, cycles: int, index: int, wall: int, found: int | None) -> int | None:
        """Go on where `found`, the first wall time after `wall` of span `index`, may lie beyond that span."""
        last, start = len(spans.starts) - 1, wall
        while True:
            if found is not None and found - cycles < spans.closes[index]:
                return found - spans.offsets[index]
            if self.both and index < last and spans.opens[index + 1] + cycles <= wall:
                index += 1  # clocks are set back behind `wall`: the second pass comes first
                wall = spans.opens[index] + cycles - 1
                found = self._after(wall)
                continue
            if found is None or found - start > CYCLE:
                return None
            index = bisect_right(spans.fresh, found - cycles) - 1
            if found - cycles < spans.closes[index]:
                continue
            if index == last:
                return self._next_far(self._near_end - 1)
            index += 1  # `found` lies in the gap before this span
            if self.shift:
                return spans.starts[index] + cycles
            wall = spans.opens[index] + cycles - 1
            found = self._after(wall)

    def previous(self, before: int) -> int | None:
        """Return the last occurrence strictly before an instant, or None within 400 years."""
        last = before - 1
        if last < self._near_end:
            spans = self._near
            index = bisect_right(spans.starts, last) - 1
            found = self.grid.upto(last + spans.offsets[index])
            if found is not None and found >= (spans.opens if self.both else spans.fresh)[index]:
                found -= spans.offsets[index]
                return found if before - found <= CYCLE else None
        while True:
            spans, cycles = span_at(self._zone, last)
            bottom = NEAR_END + cycles if last >= self._near_end else -EVER
            found = self._back(spans, cycles, last)
            if found is None or found >= bottom:
                return found if found is not None and before - found <= CYCLE else None
            last = bottom - 1

    def _back(self, spans: Spans, cycles: int, last: int) -> int | None:
        """`previous` inside one table of spans; what is before the table's first change is not to be trusted."""
        upto, lowest = self.grid.upto, spans.opens if self.both else spans.fresh
        index = bisect_right(spans.starts, last - cycles) - 1
        wall = last + spans.offsets[index]
        bound = wall - CYCLE
        while True:
            found = upto(wall)
            if found is not None and found - cycles >= lowest[index]:
                return found - spans.offsets[index]
            if index == 0 or wall < bound:
                return None
            index -= 1
            top = spans.closes[index] + cycles - 1
            if spans.opens[index + 1] + cycles > top:
                if found is None:
                    return None
                if found <= top:  # not in this gap: go straight to where it is
                    index = bisect_right(spans.fresh, found - cycles) - 1
                    if self.both and spans.opens[index + 1] <= found - cycles:
                        index += 1  # its second pass
                    top = spans.closes[index] + cycles - 1
                    if found <= top:
                        return found - spans.offsets[index]
                if self.shift:
                    return spans.starts[index + 1] + cycles
            wall = top

    def contains(self, instant: int) -> bool:
        """Tell whether an instant is an occurrence."""
        spans, cycles = span_at(self._zone, instant)
        index = bisect_right(spans.starts, instant - cycles) - 1
        wall = instant + spans.offsets[index]
        if (self.both or wall - cycles >= spans.fresh[index]) and self.grid.tally(wall, wall + 1):
            return True
        return instant - cycles == spans.starts[index] and self._lands(spans, cycles, index)

    def _lands(self, spans: Spans, cycles: int, index: int) -> bool:
        """Tell whether wall times of the gap before a span were shifted to its start."""
        if not self.shift or index == 0:
            return False
        return self.grid.tally(spans.closes[index - 1] + cycles, spans.opens[index] + cycles) > 0

    def count(self, first: int, last: int) -> int:
        """Return how many occurrences lie between two instants, both counting, without going through them."""
        if first <= last < self._near_end:
            spans = self._near
            index = bisect_right(spans.starts, first) - 1
            offset = spans.offsets[index]
            if first + offset > spans.fresh[index] and last + offset < spans.closes[index]:
                return self.grid.tally(
                    first + offset, last + 1 + offset
                )  # no change of the clocks in between
        total, cycles = 0, (last - max(first, self._near_end)) // CYCLE
        if cycles > 0 and self.grid.repeats:
            total = cycles * self.count(last - CYCLE + 1, last)
            last -= cycles * CYCLE
        while first <= last:
            if first >= self._near_end and not self.grid.repeats and self._after(first - 2 * DAY) is None:
                break
            spans, cycles = span_at(self._zone, first)
            index = bisect_right(spans.starts, first - cycles) - 1
            end = spans.starts[index + 1] + cycles if index + 1 < len(spans.starts) else self._near_end
            if first >= self._near_end:
                end = min(end, NEAR_END + cycles + CYCLE)
            stop = min(end, last + 1)
            offset, lowest = spans.offsets[index], spans.opens if self.both else spans.fresh
            wall = max(first + offset, lowest[index] + cycles)
            total += self.grid.tally(wall, stop + offset)
            if first - cycles == spans.starts[index] and self._lands(spans, cycles, index):
                total += not self.grid.tally(first + offset, first + offset + 1)
            first = stop
        return total
