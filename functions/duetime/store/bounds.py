"""The bounds of a read of run ids: ids sort by nominal instant, so a span of time is a range of ids."""

from __future__ import annotations

from typing import Final

from duetime.core.ids import id_prefix

LATEST: Final = 2**35 - 1
"""The last instant an id can hold (in the year 3058)."""
_LEAST, _GREATEST = "0", "~"


def id_range(since: int | None, until: int | None, cursor: str | None) -> tuple[str, str] | None:
    """Return the least and greatest key, both counting, of since <= nominal < until below `cursor`; None: nothing.

    The cursor is the last id of the page before, newest first. A bare time prefix sorts before every id that starts
    with it; an id less one in its last character sorts after, or is, the next smaller id there can be.

    >>> id_range(None, None, None)
    ('0', '~')
    >>> id_range(10, 5, None) is None
    True
    """
    low = _LEAST if since is None else id_prefix(min(since, LATEST))
    high = _GREATEST if until is None or until > LATEST else id_prefix(until)
    if cursor is not None:
        high = min(high, cursor[:-1] + chr(ord(cursor[-1]) - 1) if cursor else _LEAST)
    return (low, high) if low < high else None
