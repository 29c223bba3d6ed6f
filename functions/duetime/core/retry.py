"""Whether and when a run that did not succeed is tried again: a pure decision in whole seconds."""

from __future__ import annotations

from hashlib import blake2b

from duetime.core.definition import Retry, RetryOn
from duetime.core.fields import DAY

LONGEST_DELAY = 30 * DAY


def delay_before(retry: Retry, number: int, *, seed: str = "") -> int:
    """Return the seconds to wait before retry `number` (from 1); never negative, never an overflow.

    >>> policy = Retry(max_retries=9, delay=2, backoff="exponential", max_delay=300)
    >>> [delay_before(policy, n) for n in (1, 2, 8, 9, 2000)]
    [2, 4, 256, 300, 300]
    """
    limit = min(retry.max_delay, LONGEST_DELAY)
    delay = retry.delay
    if retry.backoff == "exponential" and retry.factor > 1:
        exact = float(retry.delay)
        for _ in range(number - 1):
            exact *= retry.factor
            if exact >= limit:
                break
        delay = int(exact)
    delay = min(delay, limit)
    if retry.jitter:
        digest = blake2b(f"{seed}:{number}".encode(), digest_size=4).digest()
        delay = min(delay + int.from_bytes(digest, "big") % (retry.jitter + 1), LONGEST_DELAY)
    return delay


def decide_retry(
    retry: Retry,
    *,
    outcome: RetryOn,
    attempt: int,
    permanent: bool,
    first_queued_ms: int,
    now_ms: int,
    seed: str = "",
) -> int | None:
    """Return the instant (UTC epoch seconds) of the next attempt, or None when the run is given up.

    `attempt` is the one that ended (from 1). `permanent` failures are never tried again. A retry that would start
    after `give_up_after` (counted from the first attempt's queueing) is not made.
    """
    if permanent or outcome not in retry.on or attempt > retry.max_retries:
        return None
    at = -(-now_ms // 1000) + delay_before(retry, attempt, seed=seed)
    if retry.give_up_after is not None and at * 1000 > first_queued_ms + retry.give_up_after * 1000:
        return None
    return at
