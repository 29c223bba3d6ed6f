"""Slots and leases: one holder at a time, and a token that only grows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from duetime.core.exchange import Lease
from duetime.ports import Store
from tests.contract.make import NOW_MS

UNTIL = NOW_MS + 60_000


def test_a_slot_has_one_holder(store: Store, project: str) -> None:
    assert store.slot_holder(project, "tick") is None
    assert store.acquire_slot(project, "tick", run="a", until_ms=UNTIL)
    assert not store.acquire_slot(project, "tick", run="b", until_ms=UNTIL)
    assert store.slot_holder(project, "tick") == ("a", UNTIL)
    assert store.acquire_slot(project, "tick", run="a", until_ms=UNTIL + 1)
    assert store.slot_holder(project, "tick") == ("a", UNTIL + 1)


def test_a_slot_belongs_to_its_project_and_name(store: Store, project: str) -> None:
    assert store.acquire_slot(project, "tick", run="a", until_ms=UNTIL)
    assert store.acquire_slot(project, "tock", run="b", until_ms=UNTIL)
    assert store.acquire_slot(project + "x", "tick", run="c", until_ms=UNTIL)
    assert store.slot_holder(project, "tick") == ("a", UNTIL)


def test_only_the_holder_frees_a_slot_and_repeating_it_is_harmless(store: Store, project: str) -> None:
    assert store.acquire_slot(project, "tick", run="a", until_ms=UNTIL)
    assert not store.release_slot(project, "tick", run="b")
    assert store.release_slot(project, "tick", run="a")
    assert not store.release_slot(project, "tick", run="a")
    assert store.acquire_slot(project, "tick", run="b", until_ms=UNTIL)
    assert not store.release_slot(project, "tick", run="a")
    assert store.slot_holder(project, "tick") == ("b", UNTIL)


def test_a_slot_is_taken_over_from_exactly_the_holder_that_was_read(store: Store, project: str) -> None:
    assert store.acquire_slot(project, "tick", run="a", until_ms=UNTIL)
    assert not store.acquire_slot(project, "tick", run="b", until_ms=UNTIL, instead_of="c")
    assert store.acquire_slot(project, "tick", run="b", until_ms=UNTIL, instead_of="a")
    assert not store.acquire_slot(project, "tick", run="c", until_ms=UNTIL, instead_of="a")
    assert store.slot_holder(project, "tick") == ("b", UNTIL)
    assert store.release_slot(project, "tick", run="b")
    assert store.acquire_slot(project, "tick", run="d", until_ms=UNTIL, instead_of="b")


def test_of_eight_takers_one_gets_the_slot(store: Store, project: str) -> None:
    def take(run: str) -> bool:
        return store.acquire_slot(project, "tick", run=run, until_ms=UNTIL)

    def take_over(run: str) -> bool:
        return store.acquire_slot(project, "tick", run=run, until_ms=UNTIL, instead_of=winner)

    runs = [f"r{n}" for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        won = [run for run, got in zip(runs, pool.map(take, runs), strict=True) if got]
        assert len(won) == 1
        winner = won[0]
        others = [run for run in runs if run != winner]
        over = [run for run, got in zip(others, pool.map(take_over, others), strict=True) if got]
    assert len(over) == 1
    assert store.slot_holder(project, "tick") == (over[0], UNTIL)


def lease(store: Store, name: str, holder: str, now_ms: int = NOW_MS) -> Lease | None:
    return store.acquire_lease(name, holder=holder, now_ms=now_ms, ttl_ms=30_000)


def test_a_lease_has_one_holder_until_it_ends(store: Store, project: str) -> None:
    first = lease(store, project, "a")
    assert first == Lease(project, "a", 1, NOW_MS + 30_000)
    assert lease(store, project, "b") is None
    assert lease(store, project, "a") is None
    assert lease(store, project, "b", NOW_MS + 29_999) is None
    second = lease(store, project, "b", NOW_MS + 30_000)
    assert second == Lease(project, "b", 2, NOW_MS + 60_000)
    assert store.renew_lease(first, now_ms=NOW_MS, ttl_ms=1) is None
    assert not store.release_lease(first)
    assert lease(store, project, "c", NOW_MS + 59_999) is None


def test_the_token_grows_over_every_way_to_a_lease(store: Store, project: str) -> None:
    tokens = []
    for n in range(4):
        held = lease(store, project, f"h{n}")
        assert held is not None
        tokens.append(held.token)
        if n % 2:
            assert store.renew_lease(held, now_ms=NOW_MS, ttl_ms=30_000) is not None
        assert store.release_lease(held)
        assert not store.release_lease(held)
        assert store.renew_lease(held, now_ms=NOW_MS, ttl_ms=30_000) is None
    assert tokens == [1, 2, 3, 4]


def test_a_renewed_lease_ends_later(store: Store, project: str) -> None:
    held = lease(store, project, "a")
    assert held is not None
    renewed = store.renew_lease(held, now_ms=NOW_MS + 20_000, ttl_ms=30_000)
    assert renewed == replace(held, until_ms=NOW_MS + 50_000)
    assert lease(store, project, "b", NOW_MS + 40_000) is None
    assert store.renew_lease(held, now_ms=NOW_MS + 60_000, ttl_ms=30_000) is not None
    assert lease(store, project, "b", NOW_MS + 60_000) is None


def test_of_eight_takers_one_gets_the_lease(store: Store, project: str) -> None:
    for turn in range(3):
        now_ms = NOW_MS + turn * 30_000
        with ThreadPoolExecutor(8) as pool:
            tries = [pool.submit(lease, store, project, f"h{n}", now_ms) for n in range(8)]
            got = [one.result() for one in tries]
        (winner,) = [one for one in got if one is not None]
        assert winner.token == turn + 1


def test_the_lag_of_begins_is_what_was_noted_last(store: Store) -> None:
    store.report_lag(lag_ms=120, now_ms=NOW_MS)
    store.report_lag(lag_ms=80, now_ms=NOW_MS + 1)
    assert store.begin_lag() == (80, NOW_MS + 1)


def take(store: Store, project: str, run: str, limit: int = 3, name: str = "job#t") -> bool:
    return store.take_ticket(project, name, run=run, limit=limit, now_ms=NOW_MS)


def test_as_many_starts_are_counted_as_there_may_be(store: Store, project: str) -> None:
    assert [take(store, project, f"r{n}") for n in range(5)] == [True, True, True, False, False]
    assert take(store, project, "r0", name="job#other")
    assert take(store, f"{project}x", "r0")
    assert take(store, project, "r9", limit=4)


def test_a_start_that_is_repeated_is_counted_once(store: Store, project: str) -> None:
    assert [take(store, project, run, limit=2) for run in ("a", "a", "b", "b", "c")] == [True] * 4 + [False]


def test_a_start_that_came_to_nothing_is_given_back(store: Store, project: str) -> None:
    assert take(store, project, "a", limit=1)
    store.return_ticket(project, "job#t")
    assert take(store, project, "a", limit=1)
    assert not take(store, project, "b", limit=1)
    for _ in range(3):
        store.return_ticket(project, "job#t")
    store.return_ticket(project, "never#taken")
    assert [take(store, project, run, limit=1) for run in ("c", "d")] == [True, False]


def test_of_eight_starts_as_many_are_counted_as_there_may_be(store: Store, project: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda n: take(store, project, f"r{n}"), range(8)))
    assert taken.count(True) == 3
