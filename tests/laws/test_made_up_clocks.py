"""Clocks that no country has had yet: several changes in one day, by odd amounts, before and behind each other.

The zones of today never change twice within six days; tomorrow's may. Each made-up clock is written as a compiled zone file
and read by the product; what it should show is found minute by minute.
"""

from __future__ import annotations

import struct

from hypothesis import assume, given
from hypothesis import strategies as st

from duetime.core.cron import cron_grid
from duetime.core.crondays import ever_matches
from duetime.core.cronparse import parse_cron
from duetime.core.wallclock import WallClock
from duetime.core.zones import Zone, offset_at
from tests.laws import oracle, strategies

START = 1_700_000_040
DAY = 86_400


def _compiled(offsets: list[int], changes: list[int]) -> bytes:
    """A zone file (RFC 8536, version 2) that begins with the first offset and takes the next at each change."""

    def block(width: str, times: list[int], kinds: int) -> bytes:
        body = struct.pack(f">{len(times)}{width}", *times) + bytes(range(1, len(times) + 1))
        types = b"".join(struct.pack(">lBB", offset, 0, 0) for offset in offsets[:kinds])
        return (
            struct.pack(">4sc15x6L", b"TZif", b"2", 0, 0, 0, len(times), kinds, 4) + body + types + b"LMT\0"
        )

    return block("l", [], 1) + block("q", changes, len(offsets)) + b"\n\n"


@st.composite
def clocks(draw: st.DrawFn) -> tuple[Zone, list[int], list[int]]:
    """A zone of up to four changes in a few days, each by 15 minutes to 3 hours.

    What one hides or repeats is over before the next hides or repeats something, so that it is plain which pass is the first.
    """
    offsets, changes = [draw(st.integers(-48, 48)) * 900], list[int]()
    instant, before = START + draw(st.integers(0, 1_440)) * 60, 0
    for _ in range(draw(st.integers(1, 4))):
        jump = draw(st.sampled_from([-12, -4, -2, -1, 1, 2, 4, 12])) * 900
        instant += abs(before) + abs(jump) + draw(st.integers(1, 1_000)) * 60
        changes.append(instant)
        offsets.append(offsets[-1] + jump)
        before = jump
    return Zone("Made/Up", _compiled(offsets, changes)), offsets, changes


def _shown(offsets: list[int], changes: list[int], first: int, last: int) -> list[tuple[int, int, bool]]:
    """Each minute from six hours before `first` to `last`: the instant, its wall time, and whether it was shown before."""
    found, seen, index = [], set[int](), 0
    for instant in range(first - DAY // 4, last, 60):
        while index < len(changes) and instant >= changes[index]:
            index += 1
        wall = instant + offsets[index]
        found.append((instant, wall, wall in seen))
        seen.add(wall)
    return found


@given(clocks(), strategies.expressions(), st.booleans(), st.booleans())
def test_made_up_clocks_agree_minute_by_minute(
    made: tuple[Zone, list[int], list[int]], cron: str, shift: bool, both: bool
) -> None:
    assume(ever_matches(parse_cron(cron)))
    where, offsets, changes = made
    first, last = changes[0] - DAY // 4, changes[-1] + DAY // 4
    asked = oracle.Cron(cron).matches
    shown = _shown(offsets, changes, first, last)
    assert [offset_at(where, instant) for instant, _, _ in shown] == [
        wall - instant for instant, wall, _ in shown
    ]
    expected = {
        instant for instant, wall, again in shown if asked(oracle.wall_of(wall)) and (both or not again)
    }
    for index, change in enumerate(changes) if shift else ():
        walls = range(change + offsets[index], change + offsets[index + 1], 60)
        if any(asked(oracle.wall_of(wall)) for wall in walls):
            expected.add(change)
    due = sorted(one for one in expected if first <= one < last)
    clock = WallClock(cron_grid(cron), where, shift=shift, both=both)
    found, instant = [], clock.next(first - 1)
    while instant is not None and instant < last:
        found.append(instant)
        instant = clock.next(instant)
    assert found == due
    backwards, instant = [], clock.previous(last)
    while instant is not None and instant >= first:
        backwards.append(instant)
        instant = clock.previous(instant)
    assert backwards[::-1] == due
    assert clock.count(first, last - 1) == len(due)
    assert {one for one in range(first, last, 60) if clock.contains(one)} == set(due)
