"""The tick: claim every trigger that is due before the horizon, shard by shard, under one lease.

After them it goes on with calendars that were changed and whose users are not all armed anew yet.

Its work is proportional to what is due, never to what exists. It may be invoked twice, late, or not at all for an hour:
the lease keeps two from working at once, the guards keep the result right even if they do.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from duetime.core.exchange import Lease, Page
from duetime.core.triggerrow import TriggerRow
from duetime.engine.calendarusers import arm_changed
from duetime.engine.claim import Claimed, claim
from duetime.engine.context import Engine

log = logging.getLogger(__name__)

MOST_ROUNDS = 1_000
"""A bound on the pages of one tick; what is left is due for the next."""
MOST_CALENDARS = 50
"""Changed calendars one tick looks at."""


@dataclass(frozen=True, slots=True)
class TickReport:
    """What a tick did. `held` says that another tick had the lease and nothing was done."""

    held: bool
    claimed: Claimed


def tick(engine: Engine, *, deadline_ms: int | None = None) -> TickReport:
    """Claim what is due up to now + horizon; stops before `deadline_ms` (UTC epoch ms) and leaves the rest due."""
    ttl_ms = engine.settings.tick_lease * 1000
    now_ms = engine.clock.now_ms()
    lease = engine.store.acquire_lease("tick", holder=engine.instance, now_ms=now_ms, ttl_ms=ttl_ms)
    if lease is None:
        log.info("another tick is at work; this one does nothing")
        return TickReport(True, Claimed())
    total = Claimed()
    try:
        for page in _due(engine, now_ms // 1000 + engine.settings.horizon):
            total.add(claim(engine, page, threads=engine.settings.claim_threads))
            now_ms = engine.clock.now_ms()
            if deadline_ms is not None and now_ms > deadline_ms - 5_000:
                log.warning("the tick ran out of time; what is left is due for the next one")
                break
            if now_ms > lease.until_ms - ttl_ms // 2:
                renewed = engine.store.renew_lease(lease, now_ms=now_ms, ttl_ms=ttl_ms)
                if renewed is None:
                    log.warning("the tick lost its lease and stops; the holder goes on")
                    break
                lease = renewed
        else:
            _arm(engine, lease, deadline_ms)
    finally:
        engine.store.release_lease(lease)
    return TickReport(False, total)


def _arm(engine: Engine, lease: Lease, deadline_ms: int | None) -> None:
    """Arm users of changed calendars with the time that is left; what cannot be reached waits for the next tick."""
    try:
        marked = engine.store.changed_calendars(limit=MOST_CALENDARS)
        now_ms, ttl_ms = engine.clock.now_ms(), engine.settings.tick_lease * 1000
        if marked and engine.store.renew_lease(lease, now_ms=now_ms, ttl_ms=ttl_ms) is not None:
            until_ms = now_ms + ttl_ms * 2 // 3
            arm_changed(
                engine,
                marked,
                deadline_ms=until_ms if deadline_ms is None else min(until_ms, deadline_ms - 5_000),
            )
    except Exception:  # whatever it is, the tick has done its claims and the next one goes on
        log.exception("users of changed calendars are armed by the next tick")


def _due(engine: Engine, horizon: int) -> Iterator[list[TriggerRow]]:
    """Yield pages of due triggers: each round reads the next page of every shard that has more, all at once."""
    limit = engine.settings.claim_batch
    cursors: dict[int, str | None] = dict.fromkeys(range(engine.settings.shards))

    def read(place: tuple[int, str | None]) -> Page[TriggerRow]:
        return engine.store.due_triggers(place[0], horizon=horizon, limit=limit, cursor=place[1])

    with ThreadPoolExecutor(len(cursors)) as pool:
        for _ in range(MOST_ROUNDS):
            shards = list(cursors)
            pages = list(pool.map(read, cursors.items()))
            rows = [row for page in pages for row in page.items]
            # Urgent triggers first, then the earliest: the order of one claim, and nothing more is promised.
            rows.sort(key=lambda row: (-row.priority, row.due_at or 0))
            for start in range(0, len(rows), limit):
                yield rows[start : start + limit]
            cursors = {
                shard: page.next for shard, page in zip(shards, pages, strict=True) if page.next is not None
            }
            if not cursors:
                return
