"""A sorted list of unique keys: the memory store's index.

Reads cost what they return; a write moves the keys behind it, which for the tens of thousands of keys an embedded store
holds is a microsecond.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Any)


class Ordered(Generic[K]):
    """Keys in order, each once.

    >>> index = Ordered[int]()
    >>> index.add(3); index.add(1); index.add(3)
    >>> list(index.upward(None)), list(index.upward(1)), list(index.downward(3))
    ([1, 3], [3], [1])
    """

    def __init__(self) -> None:
        self._keys: list[K] = []

    def add(self, key: K) -> None:
        """Add a key; one that is there stays."""
        at = bisect_left(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            self._keys.insert(at, key)

    def discard(self, key: K) -> None:
        """Remove a key, if it is there."""
        at = bisect_left(self._keys, key)
        if at < len(self._keys) and self._keys[at] == key:
            del self._keys[at]

    def upward(self, after: K | None, since: K | None = None) -> Iterator[K]:
        """Return the keys > `after` and >= `since` (None: all), least first. Do not change the index meanwhile."""
        first = 0 if since is None else bisect_left(self._keys, since)
        for at in range(
            first if after is None else max(first, bisect_right(self._keys, after)), len(self._keys)
        ):
            yield self._keys[at]

    def downward(self, before: K | None) -> Iterator[K]:
        """Return the keys less than `before` (None: all), greatest first. Do not change the index meanwhile."""
        for at in range((len(self._keys) if before is None else bisect_left(self._keys, before)) - 1, -1, -1):
            yield self._keys[at]
