"""The neighbourhood of one clock change, minute by minute as the oracle sees it, and what every plan must answer there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from duetime.core.plan import Plan
from duetime.core.schedulekinds import Fold, Gap
from tests.laws import oracle

POLICIES: list[tuple[Gap, Fold]] = [
    ("skip", "first"),
    ("skip", "both"),
    ("shift", "first"),
    ("shift", "both"),
]
SHAPES = [
    "*/15 * * * *", "{minute} {hour} * * *", "0 * * * *", "*/7 {hour} * * *", "{minute}-59/3 * * * *", "0 0 * * *",
    "{minute} {hour} {day} {month} *", "* {hour} * * {weekday}", "59 23 * * *", "{minute} */2 ? * {weekday}#{week}",
    "1/5 {hour},3 * {month} *", "30 0-3 {day} * *", "* * L * *", "{minute} * 1,LW,L-1,15W * {weekday}", "45 1 * * MON-SUN",
    "{minute},30 {hour} 1-31/2 * ?", "0,1 0,1,2,3,23 * * *", "*/{step} * * * *", "{minute} {hour} {day} * {weekday}L",
]  # fmt: skip
"""Filled in with a wall time of the hidden or repeated stretch, so that some always fall into it."""


class Look(NamedTuple):
    """What the oracle sees at one instant: its wall time, with fold 1 where that is shown for the second time."""

    instant: int
    wall: datetime


class Around:
    """A change of a zone's clock: the offsets on both sides, every whole wall minute near it, and those it leaves out."""

    def __init__(self, change: int, zone: str) -> None:
        self.change, self.zone = change, zone
        self.before, self.after = oracle.offset(change - 1, zone), oracle.offset(change, zone)
        reach = 1_800 + abs(self.after - self.before)
        seconds = {*range(change - reach - (change - reach + self.before) % 60, change, 60)}
        seconds |= {*range(change + -(change + self.after) % 60, change + reach, 60)}
        self.looks = [Look(instant, oracle.local(instant, zone)) for instant in sorted(seconds)]
        wall = oracle.wall_of(change + self.before)
        self.hidden = [
            wall + timedelta(seconds=second)
            for second in range(-(change + self.before) % 60, self.after - self.before, 60)
        ]
        middle = change + (self.before + self.after) // 2
        self.middle = oracle.wall_of(middle - middle % 60)
        """A whole minute in the midst of what is hidden or repeated."""

    @property
    def first(self) -> int:
        """The first instant looked at."""
        return self.looks[0].instant

    @property
    def last(self) -> int:
        """The last instant looked at."""
        return self.looks[-1].instant

    def cron(self, turn: int) -> str:
        """The expression whose turn it is, aimed at the middle."""
        wall = self.middle
        return SHAPES[turn % len(SHAPES)].format(
            minute=wall.minute, hour=wall.hour, day=wall.day, month=wall.month, weekday=wall.strftime("%a").upper(),
            week=(wall.day - 1) // 7 + 1, step=turn % 57 + 2,
        )  # fmt: skip

    def expected(self, due: Callable[[datetime], bool]) -> dict[tuple[Gap, Fold], list[int]]:
        """The occurrences of the wall minutes that are due, by the policies for gaps and folds."""
        found = [look for look in self.looks if due(look.wall)]
        landed = {self.change} if any(map(due, self.hidden)) else set()
        return {
            (gap, fold): sorted(
                {look.instant for look in found if fold == "both" or not look.wall.fold}
                | (landed if gap == "shift" else set())
            )
            for gap, fold in POLICIES
        }


def agree(occurrences: Plan, expected: list[int], first: int, last: int) -> None:
    """Forwards, backwards, asked one by one and counted, a plan has the occurrences of a list in a range."""
    found, instant = [], occurrences.next(first - 1)
    while instant is not None and instant <= last:
        found.append(instant)
        instant = occurrences.next(instant)
    assert found == expected
    assert occurrences.count(first, last) == len(expected)
    for before, one in pairwise([*expected, last + 1]):
        assert occurrences.previous(one) == before
    earlier = occurrences.previous(expected[0] if expected else last + 1)
    assert earlier is None or earlier < first
    for part in range(1, 8):  # from anywhere between, also from inside a second pass
        probe = first + (last - first) * part // 8
        place = bisect_right(expected, probe)
        if place < len(expected):
            assert occurrences.next(probe) == expected[place]
        if place:
            assert occurrences.previous(probe + 1) == expected[place - 1]
    held = set(expected)
    for probe in (*expected[:20], first, last, *(one + 1 for one in expected[-2:])):
        assert occurrences.contains(probe) == (probe in held)
