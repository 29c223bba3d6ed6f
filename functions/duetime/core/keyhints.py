"""What was probably meant by a key that an object does not have. Needed only to refuse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_CLOSE: Final = 0.7
_OTHER_NAMES: Final = {
    "tz": "timezone", "zone": "timezone", "time_zone": "timezone", "gap": "dst_gap", "fold": "dst_fold",
    "start": "start_at", "end": "end_at", "until": "end_at", "repeat": "repeat_count", "count": "repeat_count",
    "expression": "cron", "interval": "every", "seconds": "every_secs", "delay": "in", "weekdays": "days",
    "members": "calendars", "holidays": "dates", "start_time": "from", "end_time": "to",
}  # fmt: skip
"""Names used elsewhere: in the text form, and by other schedulers."""


def key_hint(key: str, known: Sequence[str]) -> str:
    """Return the hint for an unknown key: the one that was meant, or all there are.

    >>> key_hint("tz", ("kind", "timezone")), key_hint("colour", ("kind", "days"))
    ('Did you mean timezone?', 'Its fields are kind, days.')
    """
    from difflib import get_close_matches

    name = key[:40].lower().replace("-", "_")
    other = _OTHER_NAMES.get(name)
    if other in known:
        return f"Did you mean {other}?"
    close = get_close_matches(name, known, n=1, cutoff=_CLOSE)
    return f"Did you mean {close[0]}?" if close else f"Its fields are {', '.join(known)}."
