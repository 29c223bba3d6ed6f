"""Identity: run ids that derive from what a run is, keys that spread load, and the only source of randomness.

Ids of occurrences derive from (project, job uid, trigger, nominal instant, kind, ordinal, attempt), never from a
definition's version: every step of a claim can be repeated and lands on the same row. They sort by nominal instant, and
they carry the key of their job, so that a run is found by its id alone inside its project.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import Final

from duetime.core.faults import NotFound

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 in lower case: sorts like the numbers it writes, and has no letters to confuse."""
TIME_LENGTH: Final = 7
JOB_KEY_LENGTH: Final = 10
_HASH_LENGTH: Final = 13
RUN_ID_LENGTH: Final = TIME_LENGTH + JOB_KEY_LENGTH + _HASH_LENGTH


def _encode(number: int, length: int) -> str:
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in range(length - 1, -1, -1))


def _digest(parts: tuple[str, ...], bits: int) -> int:
    # The separator cannot be part of a name, so no two tuples of parts hash the same text.
    return int.from_bytes(blake2b("\x1f".join(parts).encode(), digest_size=16).digest(), "big") >> (
        128 - bits
    )


def job_key(project: str, job: str) -> str:
    """Return the ten characters that stand for a job in the keys of its runs; the same for every job of that name.

    >>> len(job_key("default", "reports.nightly"))
    10
    """
    return _encode(_digest((project, job), 5 * JOB_KEY_LENGTH), JOB_KEY_LENGTH)


def run_id(
    project: str, job: str, uid: str, *, trigger: str, nominal: int, kind: str, ordinal: str, attempt: int = 1
) -> str:
    """Return the id of a run: its nominal instant (UTC epoch seconds), its job's key, a hash of what it is.

    >>> a = run_id("default", "tick", "u1", trigger="default", nominal=1_800_000_000, kind="schedule", ordinal="0")
    >>> b = run_id("default", "tick", "u1", trigger="default", nominal=1_800_000_010, kind="schedule", ordinal="0")
    >>> (len(a), a < b)
    (30, True)
    """
    identity = (project, job, uid, trigger, str(nominal), kind, ordinal, str(attempt))
    tail = _encode(_digest(identity, 5 * _HASH_LENGTH), _HASH_LENGTH)
    return id_prefix(nominal) + job_key(project, job) + tail


def id_prefix(nominal: int) -> str:
    """Return the first characters of every run id with this nominal instant: a bound for range reads."""
    return _encode(max(nominal, 0), TIME_LENGTH)


def key_of_run(run: str) -> str:
    """Return the job key inside a run id; raises NotFound for a text that is no run id at all."""
    if len(run) != RUN_ID_LENGTH or any(c not in _ALPHABET for c in run):
        raise NotFound("run", run, "is no run id", "Take the id from a list of runs.", code="NOT_FOUND_RUN")
    return run[TIME_LENGTH : TIME_LENGTH + JOB_KEY_LENGTH]


def ordinal_text(
    *, ordinal: int, again: int, again_from: int, again_until: int, nominal: int, generation: str | None
) -> str:
    """Return the ordinal in the id of an occurrence's run.

    Instants that were armed again after they had passed get another one; those before and those still to come keep their
    own. The runs of a fixed delay carry the `generation` of their schedule.

    >>> ordinal_text(ordinal=0, again=1, again_from=50, again_until=100, nominal=100, generation=None)
    '0.1'
    >>> ordinal_text(ordinal=0, again=1, again_from=50, again_until=100, nominal=101, generation="g")
    '0/g'
    """
    text = f"{ordinal}.{again}" if again and again_from <= nominal <= again_until else str(ordinal)
    return text if generation is None else f"{text}/{generation}"


def shard(key: str, shards: int) -> int:
    """Return the shard 0..shards-1 that `key` belongs to, evenly spread and the same everywhere."""
    return _digest((key,), 32) % shards


def new_uid() -> str:
    """Return a fresh random identity (job generation, lease holder, manual run): 80 bits, 16 characters."""
    return _encode(secrets.randbits(80), 16)
