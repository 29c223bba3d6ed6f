"""Which occurrences of a schedule the next changes of a clock skip, shift, double or silence, said in words.

A change is only worth a word where it is noticed: an hourly schedule that goes on an hour of real time later has lost nothing
to a gap, and one that runs daily is not silenced by an hour that comes twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from duetime.core.durations import duration_text
from duetime.core.instants import wall_text
from duetime.core.wallclock import WallClock
from duetime.core.zones import Zone, offset_at, span_at

HORIZON: Final = 366 * 86_400
MAX_CHANGES: Final = 4


class Change(NamedTuple):
    """A change of the clock at `instant`: in wall times it closes at `closes` and opens at `opens`."""

    instant: int
    closes: int
    opens: int


def changes(clock: Zone, after: int, until: int) -> Iterator[Change]:
    """Yield the changes of a clock after one instant and up to another."""
    while True:
        spans, cycles = span_at(clock, after)
        index = bisect_right(spans.starts, after - cycles)
        if index == len(spans.starts):
            if after >= clock.near_end or clock.near_end > until:
                return
            after = clock.near_end
            continue
        instant = spans.starts[index] + cycles
        if instant > until:
            return
        yield Change(instant, spans.closes[index - 1] + cycles, spans.opens[index] + cycles)
        after = instant


def clock_warnings(clock: WallClock, where: Zone, after: int, until: int) -> list[str]:
    """Return one sentence for each of the next changes, in the year after an instant, that occurrences will notice."""
    found = []
    for change in changes(where, after, min(after + HORIZON, until)):
        word = _gap(clock, where, change) if change.opens > change.closes else _fold(clock, where, change)
        if word:
            found.append(word)
        if len(found) == MAX_CHANGES:
            break
    return found


def _gap(clock: WallClock, where: Zone, change: Change) -> str | None:
    """What becomes of the wall times a clock leaves out."""
    lost = clock.grid.tally(change.closes, change.opens)
    first, last = clock.grid.after(change.closes - 1), clock.grid.upto(change.opens - 1)
    if not lost or first is None or last is None:
        return None
    before, then = clock.previous(change.instant), clock.next(change.instant - 1)
    on_time = (
        before is not None and then is not None and then - before <= first - before - offset_at(where, before)
    )
    if on_time and (not clock.shift or clock.grid.tally(change.opens, change.opens + 1)):
        return None
    clause = (
        f"{_clock(change.closes)} to {_clock(change.opens)} do not exist in {where.name} on {_date(first)}"
    )
    if clock.shift:
        return f"{clause}: {_which(lost, first, last)} shifted to {_clock(change.opens)}, as one run."
    end = _clock(change.opens)
    return f"{clause}: {_which(lost, first, last)} skipped; dst_gap shift would run once at {end}."


def _fold(clock: WallClock, where: Zone, change: Change) -> str | None:
    """What becomes of the wall times a clock shows twice."""
    length = change.closes - change.opens
    before, then = clock.previous(change.instant), clock.next(change.instant - 1)
    clause = f"{_clock(change.opens)} to {_clock(change.closes)} come twice in {where.name} on {_date(change.opens)}"
    if not clock.both:
        if before is None or then is None:
            return None
        wall = before + offset_at(where, before)
        usual = then + offset_at(where, then) - wall
        if usual > length:
            return None
        silence = duration_text(then - before)
        return f"{clause}: no run for {silence} after {_clock(wall)}; dst_fold both would go on through it."
    first, last = clock.grid.after(change.opens - 1), clock.grid.upto(change.closes - 1)
    twice = clock.grid.tally(change.opens, change.closes)
    if not twice or first is None or last is None:
        return None
    onward = clock.grid.after(last)
    if onward is not None and onward - last <= length:
        return None
    return f"{clause}: {_which(twice, first, last)} doubled; dst_fold first would run the first pass only."


def _which(count: int, first: int, last: int) -> str:
    """The wall times concerned, as the subject of a sentence."""
    if count == 1:
        return f"the occurrence at {_clock(first)} is"
    return f"{count} occurrences from {_clock(first)} to {_clock(last)} are"


def _clock(wall: int) -> str:
    text = wall_text(wall)[11:]
    return text[:5] if text.endswith(":00") else text


def _date(wall: int) -> str:
    return wall_text(wall)[:10]
