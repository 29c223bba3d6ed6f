"""A table in memory: rows by key, the table and each index kept in order, pages cut as DynamoDB cuts them.

Every read is of the newest rows; a real index lags by a moment. Not safe between threads: its owner takes a lock.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from benchmarks.aws.expressions import Item, Value, plain
from tests.contract.audit import item_size

Place = tuple[Any, str, str]
"""Where an entry stands in its partition: the sort key, then the row's own key."""
Key = tuple[str, str]

PAGE_BYTES: Final = 1024 * 1024
"""What one Query or Scan reads at most."""
HIGHEST: Final = "\U0010ffff"


class Row:
    """A row as it was written; a later write replaces it whole."""

    __slots__ = ("_size", "item")

    def __init__(self, item: Item) -> None:
        self.item = item
        self._size = 0

    @property
    def size(self) -> int:
        """The bytes DynamoDB counts for it."""
        self._size = self._size or item_size(dict(self.item))
        return self._size


class Page(NamedTuple):
    """What a Query or Scan read: the rows, whether more may follow, and the bytes read."""

    rows: list[Row]
    more: bool
    size: int


@dataclass
class Index:
    """One order of a table's rows: the table's own, or that of a secondary index."""

    partition: str
    sort: str
    sort_type: str
    everything: bool = True
    places: dict[str, list[Place]] = field(default_factory=dict)

    def place(self, item: Item | None) -> tuple[str, Place] | None:
        """Return where a row stands, or None if this index does not hold it."""
        if item is None or self.partition not in item or self.sort not in item:
            return None
        sort = plain(item[self.sort])[1]
        return item[self.partition]["S"], (sort, item["pk"]["S"], item["sk"]["S"])

    def move(self, before: Item | None, after: Item | None) -> None:
        """Follow a write."""
        was, now = self.place(before), self.place(after)
        if was == now:
            return
        if was is not None:
            held = self.places[was[0]]
            del held[bisect_left(held, was[1])]
        if now is not None:
            insort(self.places.setdefault(now[0], []), now[1])

    def units(self, before: Item | None, after: Item | None, row_units: int) -> int:
        """Return the write units a write costs this index: one entry put, deleted or changed is one, a move is two."""
        was, now = self.place(before), self.place(after)
        size = row_units if self.everything else 1
        if was == now:
            return size if now is not None and self.everything and before != after else 0
        return size * ((was is not None) + (now is not None))

    def between(self, partition: str, low: Place | None, high: Place | None) -> Sequence[Place]:
        """Return the places of one partition from low to high, both counting."""
        held = self.places.get(partition, [])
        first = 0 if low is None else bisect_left(held, low)
        return held[first : len(held) if high is None else bisect_right(held, high)]


class Table:
    """A table with `pk` and `sk`, and its indexes by name."""

    def __init__(self, indexes: dict[str, Index]) -> None:
        self.indexes = indexes
        self.own = Index("pk", "sk", "S")
        self._rows: dict[Key, Row] = {}
        self._order: list[Key] | None = None

    def row(self, key: Item) -> Row | None:
        """Return the row of a key."""
        return self._rows.get(key_of(key))

    def put(self, item: Item) -> None:
        """Write a row whole."""
        key = key_of(item)
        before = self._rows.get(key)
        if before is None:
            self._order = None
        self._rows[key] = Row(item)
        self._follow(before, item)

    def delete(self, key: Item) -> None:
        """Delete a row if it is there."""
        before = self._rows.pop(key_of(key), None)
        if before is not None:
            self._order = None
            self._follow(before, None)

    def _follow(self, before: Row | None, after: Item | None) -> None:
        was = None if before is None else before.item
        self.own.move(was, after)
        for index in self.indexes.values():
            index.move(was, after)

    def units(self, before: Item | None, after: Item | None) -> int:
        """Return the write units of a write: one for each started KB of the larger image, and those of the indexes."""
        row_units = max(
            1, *(-(-item_size(dict(item)) // 1024) for item in (before, after) if item is not None)
        )
        return row_units + sum(index.units(before, after, row_units) for index in self.indexes.values())

    def page(self, places: Iterator[Place], limit: int | None) -> Page:
        """Return the rows at these places, up to a limit of rows or a megabyte."""
        rows: list[Row] = []
        size = 0
        for _, pk, sk in places:
            if size >= PAGE_BYTES or len(rows) == limit:
                return Page(rows, True, size)
            rows.append(self._rows[pk, sk])
            size += rows[-1].size
        # With a limit that was just reached DynamoDB says that there may be more, even where there is not.
        return Page(rows, len(rows) == limit, size)

    def scan(self, after: Item | None, limit: int | None) -> Page:
        """Return a page of all rows, in an order of its own that stays the same."""
        if self._order is None:
            self._order = sorted(self._rows)
        first = 0 if after is None else bisect_right(self._order, key_of(after))
        return self.page((("", *self._order[place]) for place in range(first, len(self._order))), limit)


def key_of(item: Item) -> Key:
    """Return the key of a row."""
    return item["pk"]["S"], item["sk"]["S"]


def only(item: Item, names: Sequence[str]) -> dict[str, Value]:
    """Return these attributes of a row."""
    return {name: item[name] for name in names}
