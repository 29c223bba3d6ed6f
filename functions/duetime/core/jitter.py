"""Jitter spreads runs that fall on one instant: each occurrence of a trigger is moved by its own fixed number of seconds."""

from __future__ import annotations

from hashlib import blake2b


def jittered(nominal: int, *, seed: str, jitter: int, next_nominal: int | None, end_at: int | None) -> int:
    """Return the instant an occurrence runs at: `nominal` plus 0 to `jitter` seconds, always the same for equal arguments.

    It stays before the next occurrence and at or before the end of the window. `seed` names the trigger. The shift is
    spread evenly over what room there is, so that a short interval does not pile up at its end.

    >>> 0 <= jittered(1_800_000_000, seed="p/j/t", jitter=60, next_nominal=1_800_000_010, end_at=None) - 1_800_000_000 < 10
    True
    """
    room = jitter
    if next_nominal is not None:
        room = min(room, next_nominal - 1 - nominal)
    if end_at is not None:
        room = min(room, end_at - nominal)
    if room <= 0:
        return nominal
    digest = blake2b(f"{seed}\0{nominal}".encode(), digest_size=8).digest()
    return nominal + int.from_bytes(digest, "big") % (room + 1)
