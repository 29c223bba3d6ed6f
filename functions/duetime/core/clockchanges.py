"""Which occurrences of a schedule the next changes of a clock skip, shift, double or silence, said in words.

A change is only worth a word where it is noticed: an hourly schedule that goes on an hour of real time later has lost nothing
to a gap, and one that runs daily is not silenced by an hour that comes twice. Nor is it where the schedule has no occurrence
to lose: outside its window, under its calendar, after its last counted run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from duetime.core.durations import duration_text
from duetime.core.instants import wall_text
from duetime.core.plan import Plan
from duetime.core.zones import Zone, landing, offset_at, span_at

HORIZON: Final = 366 * 86_400
MAX_CHANGES: Final = 4
MAX_ASKED: Final = 60
"""Lost times that a calendar is asked about one by one; of more, the first and the last speak for all."""
DAY: Final = 86_400
Excluded = Callable[[int], bool]
"""Whether the calendar of a schedule excludes an instant."""


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


def clock_warnings(
    occurrences: Plan, where: Zone, after: int, until: int, excluded: Excluded | None, over: Excluded
) -> list[str]:
    """Return one sentence for each of the next changes, in the year after an instant, that occurrences will notice.

    `excluded` asks the calendar of the schedule, if it has one; `over` tells whether all its runs come before an instant.
    """
    found = []
    for change in changes(where, after, min(after + HORIZON, until)):
        if over(change.instant):
            break
        is_gap = change.opens > change.closes
        word = _gap(occurrences, where, change, excluded) if is_gap else _fold(occurrences, where, change)
        if word:
            found.append(word)
        if len(found) == MAX_CHANGES:
            break
    return found


def _gap(occurrences: Plan, where: Zone, change: Change, excluded: Excluded | None) -> str | None:
    """What becomes of the wall times a clock leaves out."""
    clock = occurrences.base
    lost = clock.grid.tally(change.closes, change.opens)
    first, last = clock.grid.after(change.closes - 1), clock.grid.upto(change.opens - 1)
    if not lost or first is None or last is None:
        return None
    if clock.shift and not occurrences.contains(change.instant):
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
    if excluded is not None:
        kept = _kept(occurrences, where, change, excluded)
        if not kept:
            return None
        lost, first, last = (len(kept) if lost <= MAX_ASKED else lost), kept[0], kept[-1]
    clause = f"{clause}: {_which(lost, first, last)} skipped"
    if excluded is not None and excluded(change.instant):
        return f"{clause}."
    return f"{clause}; dst_gap shift would run once at {_clock(change.opens)}."


def _kept(occurrences: Plan, where: Zone, change: Change, excluded: Excluded) -> list[int]:
    """The wall times a clock leaves out that the calendar of the schedule would have left, of those that are asked."""
    grid, end = occurrences.base.grid, change.opens
    times, wall = list[int](), grid.after(change.closes - 1)
    while wall is not None and wall < end and len(times) <= MAX_ASKED:
        times.append(wall)
        wall = grid.after(wall)
    if len(times) > MAX_ASKED:
        last = grid.upto(end - 1)
        times = times[:1] if last is None else [times[0], last]
    return [time for time in times if not _excluded_time(where, change, time, excluded)]


def _excluded_time(where: Zone, change: Change, wall: int, excluded: Excluded) -> bool:
    """Whether a calendar, which knows real instants only, would exclude a wall time that has none.

    It does if it excludes what lies around the gap on that date, or the same time on the days and in the weeks around.
    """
    gap = change.opens - change.closes
    around = [time for time in (wall - gap, wall + gap) if time // DAY == wall // DAY]
    if around and all(excluded(landing(where, time)) for time in around):
        return True
    return all(excluded(landing(where, wall + days * DAY)) for days in (-1, 1, -7, 7))


def _fold(occurrences: Plan, where: Zone, change: Change) -> str | None:
    """What becomes of the wall times a clock shows twice."""
    clock = occurrences.base
    length = change.closes - change.opens
    before, then = clock.previous(change.instant), clock.next(change.instant - 1)
    clause = f"{_clock(change.opens)} to {_clock(change.closes)} come twice in {where.name} on {_date(change.opens)}"
    if not clock.both:
        if before is None or then is None:
            return None
        wall = before + offset_at(where, before)
        usual = then + offset_at(where, then) - wall
        if usual > length or not (occurrences.contains(before) and occurrences.contains(then)):
            return None
        silence = duration_text(then - before)
        return f"{clause}: no run for {silence} after {_clock(wall)}; dst_fold both would go on through it."
    highest = clock.grid.upto(change.closes - 1)
    if highest is None or highest < change.opens:
        return None
    onward = clock.grid.after(highest)
    if onward is not None and onward - highest <= length:
        return None
    end = change.instant + length
    twice = occurrences.count(change.instant, end - 1)
    begin, close = occurrences.next(change.instant - 1), occurrences.previous(end)
    if not twice or begin is None or close is None:
        return None
    offset = offset_at(where, change.instant)
    first, last = begin + offset, close + offset
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
