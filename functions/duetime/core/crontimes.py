"""The times of day a cron expression names, found by bit tricks on its fields. Times of day are seconds from 0 to 86,399.

Nothing is listed and nothing is kept: whatever is written, an answer is a few shifts of three small numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

ALL_SIXTY: Final = (1 << 60) - 1
_TUPLE_LIMIT: Final = 360
"""Up to so many times an hour are kept as a tuple, which is faster; more as an array, which is smaller."""


class Times:
    """Times of day in order; `total` of them, from `first` to `last`. Bit n of a field's mask is its value n.

    >>> times = Times(second=1, minute=1 << 30, hour=1 << 9 | 1 << 17)
    >>> times.first, times.last, times.total
    (34200, 63000, 2)
    """

    __slots__ = (
        "_begin", "_close", "_hour", "_last_second", "_minute", "_second", "_start", "first", "last", "per_hour", "total"
    )  # fmt: skip

    def __init__(self, second: int, minute: int, hour: int) -> None:
        self._second, self._minute, self._hour = second, minute, hour
        self._start, self._last_second = (second & -second).bit_length() - 1, second.bit_length() - 1
        # The first and the last time of an hour that has any.
        self._begin = (minute & -minute).bit_length() * 60 - 60 + self._start
        self._close = minute.bit_length() * 60 - 60 + self._last_second
        self.first = (hour & -hour).bit_length() * 3_600 - 3_600 + self._begin
        self.last = hour.bit_length() * 3_600 - 3_600 + self._close
        self.per_hour = minute.bit_count() * second.bit_count()
        self.total = hour.bit_count() * self.per_hour

    def after(self, time: int) -> int:
        """Return the first time after `time`, which has to be before `last`."""
        hour = time // 3_600
        later = self._hour >> hour
        if later & 1:
            minute, second = divmod(time - hour * 3_600, 60)
            ahead = self._minute >> minute
            if ahead & 1:
                rest = self._second >> second + 1
                if rest:
                    return time + (rest & -rest).bit_length()
            ahead >>= 1
            if ahead:
                return time - second + (ahead & -ahead).bit_length() * 60 + self._start
        later >>= 1
        return (hour + (later & -later).bit_length()) * 3_600 + self._begin

    def upto(self, time: int) -> int:
        """Return the last time at or before `time`, which has to be at or after `first`."""
        hour = time // 3_600
        if self._hour >> hour & 1:
            minute, second = divmod(time - hour * 3_600, 60)
            if self._minute >> minute & 1:
                rest = self._second & (2 << second) - 1
                if rest:
                    return time - second + rest.bit_length() - 1
            before = self._minute & (1 << minute) - 1
            if before:
                return hour * 3_600 + before.bit_length() * 60 - 60 + self._last_second
        earlier = self._hour & (1 << hour) - 1
        return earlier.bit_length() * 3_600 - 3_600 + self._close

    def rank(self, time: int) -> int:
        """Return how many times are before `time` (0 to 86,400)."""
        hour = time // 3_600
        found = (self._hour & (1 << hour) - 1).bit_count() * self.per_hour
        if self._hour >> hour & 1:
            minute, second = divmod(time - hour * 3_600, 60)
            found += (self._minute & (1 << minute) - 1).bit_count() * self._second.bit_count()
            if self._minute >> minute & 1:
                found += (self._second & (1 << second) - 1).bit_count()
        return found

    def of_hour(self) -> Sequence[int]:
        """Return the times of an hour that has any, in seconds from its beginning; kept once for equal fields."""
        return _of_hour(self._second, self._minute)

    @property
    def single(self) -> bool:
        """Whether no two times are next to each other inside a minute."""
        return not self._second & self._second >> 1

    def matches(self, time: int) -> bool:
        """Tell whether a time of day is one of them."""
        minute, second = divmod(time, 60)
        return bool(self._hour >> minute // 60 & self._minute >> minute % 60 & self._second >> second & 1)

    def run(self, time: int) -> tuple[int, int]:
        """Return first and end (excluded) of the unbroken times around one of them, within one hour or of whole hours."""
        hour = time // 3_600
        minute, second = divmod(time - hour * 3_600, 60)
        if self._second != ALL_SIXTY:
            start, end = _run(self._second, second)
            return time - second + start, time - second + end
        if self._minute != ALL_SIXTY:
            start, end = _run(self._minute, minute)
            return hour * 3_600 + start * 60, hour * 3_600 + end * 60
        start, end = _run(self._hour, hour)
        return start * 3_600, end * 3_600


def _run(mask: int, place: int) -> tuple[int, int]:
    """The bounds of the set bits around one of them, the end excluded."""
    ahead = mask >> place
    return (~mask & (1 << place) - 1).bit_length(), place + (~ahead & ahead + 1).bit_length() - 1


@lru_cache(maxsize=64)
def _of_hour(second: int, minute: int) -> Sequence[int]:
    seconds = [n for n in range(60) if second >> n & 1]
    found = [n * 60 + rest for n in range(60) if minute >> n & 1 for rest in seconds]
    return tuple(found) if len(found) <= _TUPLE_LIMIT else array("H", found)
