"""The times of day a cron expression names, ready for bisection. Times of day are seconds from 0 to 86,399.

Up to `FLAT_LIMIT` times are kept as one list; more (an expression with many seconds) as minutes of the day and seconds of
the minute, so that memory stays small whatever is written. Equal sets of times are kept once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

FLAT_LIMIT: Final = 3_000


class Times:
    """Times of day in order; `total` of them, from `first` to `last`. `flat` lists them all, where there are few."""

    __slots__ = ("first", "flat", "last", "minutes", "seconds", "total")

    def __init__(self, minutes: list[int], seconds: list[int]) -> None:
        self.minutes, self.seconds = array("i", minutes), array("i", seconds)
        self.first, self.last = minutes[0] + seconds[0], minutes[-1] + seconds[-1]
        self.total = len(minutes) * len(seconds)
        self.flat = None
        if self.total <= FLAT_LIMIT:
            self.flat = array("i", [minute + second for minute in minutes for second in seconds])

    def after(self, time: int) -> int:
        """Return the first time after `time`, which has to be before `last`."""
        if self.flat is not None:
            return self.flat[bisect_right(self.flat, time)]
        second = time % 60
        index = bisect_left(self.minutes, time - second)
        minute = self.minutes[index]
        if minute > time:
            return minute + self.seconds[0]
        if second < self.seconds[-1]:
            return minute + self.seconds[bisect_right(self.seconds, second)]
        return self.minutes[index + 1] + self.seconds[0]

    def upto(self, time: int) -> int:
        """Return the last time at or before `time`, which has to be at or after `first`."""
        if self.flat is not None:
            return self.flat[bisect_right(self.flat, time) - 1]
        second = time % 60
        index = bisect_right(self.minutes, time) - 1
        minute = self.minutes[index]
        if minute < time - second:
            return minute + self.seconds[-1]
        if second >= self.seconds[0]:
            return minute + self.seconds[bisect_right(self.seconds, second) - 1]
        return self.minutes[index - 1] + self.seconds[-1]

    def rank(self, time: int) -> int:
        """Return how many times are before `time` (0 to 86,400)."""
        if self.flat is not None:
            return bisect_left(self.flat, time)
        second = time % 60
        index = bisect_left(self.minutes, time - second)
        whole = index * len(self.seconds)
        if second and index < len(self.minutes) and self.minutes[index] == time - second:
            whole += bisect_left(self.seconds, second)
        return whole


@lru_cache(maxsize=256)
def times_of_day(second: int, minute: int, hour: int) -> Times:
    """Return the times of three field masks.

    >>> times_of_day(1, 1 << 30, 1 << 9 | 1 << 17).flat.tolist()
    [34200, 63000]
    """
    minutes = [n * 60 for n in range(60) if minute >> n & 1]
    starts = [h * 3_600 + m for h in range(24) if hour >> h & 1 for m in minutes]
    return Times(starts, [n for n in range(60) if second >> n & 1])


class Runs:
    """The same times of day as runs of consecutive seconds: `starts` in order, each with its end (excluded) in `ends`.

    Where single seconds would be too many (see `Times`), the runs are those of one minute and repeat in each of `minutes`.
    """

    __slots__ = ("_ends", "_minutes", "_starts", "per_minute")

    def __init__(self, times: Times) -> None:
        self.per_minute = len(times.seconds) < 60 and times.flat is None
        self._minutes = times.minutes
        values: Iterable[tuple[int, int]]
        if len(times.seconds) == 60:
            values = ((minute, minute + 60) for minute in times.minutes)
        elif times.flat is not None:
            values = ((time, time + 1) for time in times.flat)
        else:
            values = ((second, second + 1) for second in times.seconds)
        self._starts, self._ends = array("i"), array("i")
        for start, end in values:
            if self._ends and self._ends[-1] == start:
                self._ends[-1] = end
            else:
                self._starts.append(start)
                self._ends.append(end)

    def find(self, time: int) -> tuple[int, int] | None:
        """Return the bounds of the run `time` lies in, or None if it is no time."""
        if self.per_minute:
            second = time % 60
            index = bisect_left(self._minutes, time - second)
            if index == len(self._minutes) or self._minutes[index] != time - second:
                return None
            index = bisect_right(self._starts, second) - 1
            if index < 0 or second >= self._ends[index]:
                return None
            return time - second + self._starts[index], time - second + self._ends[index]
        index = bisect_right(self._starts, time) - 1
        if index < 0 or time >= self._ends[index]:
            return None
        return self._starts[index], self._ends[index]
