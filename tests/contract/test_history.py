"""Reading runs: newest first, page by page without loss or repetition, nothing expired; and what the sweep watches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from duetime.clock import ManualClock
from duetime.core.exchange import Page
from duetime.core.run import Run, RunError
from duetime.ports import Store
from tests.contract.make import NOW, NOW_MS, a_run, begin

DAY_MS = 86_400_000
Reader = Callable[[int, str | None], Page[Run]]


def everything(read: Reader, limit: int) -> list[str]:
    """Return the ids of all pages, and see that no page is longer than asked for."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = read(limit, cursor)
        assert len(page.items) <= limit
        found += [run.id for run in page.items]
        if page.next is None:
            return found
        assert page.next != cursor
        cursor = page.next


def job_runs(store: Store, project: str, job: str = "tick", **span: int) -> Reader:
    return lambda limit, cursor: store.list_job_runs(project, job, limit=limit, cursor=cursor, **span)


def runs(store: Store, project: str, **span: int) -> Reader:
    return lambda limit, cursor: store.list_runs(project, limit=limit, cursor=cursor, **span)


def put(store: Store, *given: Run) -> list[str]:
    """Put runs and return their ids, newest first."""
    for run in given:
        assert store.enqueue_run(run) is None
    return sorted((run.id for run in given), reverse=True)


@pytest.mark.parametrize("limit", [1, 4, 7, 28, 100])
def test_a_jobs_runs_come_newest_first(store: Store, project: str, limit: int) -> None:
    ids = put(store, *(a_run(project, nominal=NOW + n * 5 % 9, n=n) for n in range(28)))
    put(store, a_run(project, "other"))
    assert everything(job_runs(store, project), limit) == ids
    assert everything(job_runs(store, project + "x"), limit) == []
    assert everything(job_runs(store, project, "never"), limit) == []


@pytest.mark.parametrize("limit", [1, 7, 60, 500])
def test_a_projects_runs_come_newest_first(store: Store, project: str, limit: int) -> None:
    ids = put(store, *(a_run(project, f"job{n % 4}", nominal=NOW + n // 3, n=n) for n in range(60)))
    put(store, a_run(project + "x"))
    assert everything(runs(store, project), limit) == ids


def test_more_rows_than_one_batch_keep_their_order(store: Store, project: str) -> None:
    ids = put(store, *(a_run(project, nominal=NOW + n) for n in range(230)))
    page = store.list_runs(project, limit=1_000, cursor=None)
    assert [run.id for run in page.items] == ids
    assert page.next is None


@pytest.mark.parametrize("reader", [job_runs, runs])
def test_a_span_of_time_counts_its_start_and_not_its_end(
    store: Store, project: str, reader: Callable[..., Reader]
) -> None:
    by_instant = {nominal: a_run(project, nominal=NOW + nominal).id for nominal in range(10)}
    put(store, *(a_run(project, nominal=NOW + nominal) for nominal in range(10)))

    def found(**span: int) -> list[int]:
        ids = everything(reader(store, project, **span), 3)
        return [nominal for id in ids for nominal, known in by_instant.items() if known == id]

    assert found(since=NOW + 3, until=NOW + 6) == [5, 4, 3]
    assert found(since=NOW + 8) == [9, 8]
    assert found(until=NOW + 2) == [1, 0]
    assert found(since=NOW + 4, until=NOW + 4) == []
    assert found(since=NOW + 5, until=NOW + 1) == []
    assert found(until=10**12) == list(range(9, -1, -1))
    assert found(since=10**12) == []


def test_runs_put_between_pages_disturb_nothing_behind_them(store: Store, project: str) -> None:
    ids = put(store, *(a_run(project, nominal=NOW + n * 2) for n in range(12)))
    for reader in (job_runs(store, project), runs(store, project)):
        first = reader(4, None)
        put(store, *(a_run(project, nominal=NOW + 100 + n, n=id(reader)) for n in range(3)))
        rest = everything(lambda limit, cursor, read=reader, at=first.next: read(limit, cursor or at), 4)  # type: ignore[misc]
        assert [run.id for run in first.items][-1] > rest[0]
        assert [id for id in [*(run.id for run in first.items), *rest] if id in ids][-8:] == ids[-8:]
        assert len(set(rest)) == len(rest)


def test_the_history_ends_when_its_days_are_over(store: Store, project: str, clock: ManualClock) -> None:
    kept = begin(store, a_run(project, n=1, keep_days=0))
    brief = begin(store, a_run(project, n=2, keep_days=1))
    skipped = a_run(project, n=3, keep_days=2, state="skipped", finished_ms=NOW_MS, watch_at=None)
    queued = a_run(project, n=4, keep_days=1)
    assert store.succeed_run(kept, now_ms=NOW_MS, result_json=None) is not None
    assert store.succeed_run(brief, now_ms=NOW_MS, result_json="r" * 300) is not None
    assert store.record_skip(skipped) is None
    assert store.enqueue_run(queued) is None

    def seen() -> set[str]:
        found = set(everything(job_runs(store, project), 2))
        assert found == set(everything(runs(store, project), 2))
        every = (kept, brief, skipped, queued)
        assert found == {run.id for run in every if store.get_run(project, run.id) is not None}
        return found

    clock.advance_ms(DAY_MS - 1)
    assert seen() == {kept.id, brief.id, skipped.id, queued.id}
    clock.advance_ms(1)
    assert seen() == {kept.id, skipped.id, queued.id}
    clock.advance_ms(5_000 * DAY_MS)
    assert seen() == {kept.id, queued.id}


@pytest.mark.parametrize(
    "ending", ["superseded", "skipped", "withdrawn", "failed", "canceled", "lost", "abandoned"]
)
def test_every_end_starts_the_days_of_the_history(
    store: Store, project: str, clock: ManualClock, ending: str
) -> None:
    run = a_run(project, keep_days=1)
    if ending in ("superseded", "skipped", "abandoned"):
        assert store.enqueue_run(run) is None
    else:
        run = begin(store, run)
    end = {
        "superseded": lambda: store.supersede_run(project, run.id, now_ms=NOW_MS, reason="paused"),
        "skipped": lambda: store.skip_run(project, run.id, now_ms=NOW_MS, reason="overlap"),
        "abandoned": lambda: store.abandon_start(run, now_ms=NOW_MS, follow_up=False),
        "withdrawn": lambda: store.withdraw_run(run, now_ms=NOW_MS, reason="paused"),
        "failed": lambda: store.fail_run(run, now_ms=NOW_MS, error=RunError("A", "b"), follow_up=False),
        "canceled": lambda: store.cancel_run(run, now_ms=NOW_MS, reason="stopping"),
        "lost": lambda: store.lose_run(run, now_ms=NOW_MS, follow_up=False),
    }
    ended = end[ending]()
    assert ended is not None
    assert (ended.finished_ms, ended.watch_at) == (NOW_MS, None)
    assert store.get_run(project, run.id) == ended
    clock.advance_ms(DAY_MS)
    assert store.get_run(project, run.id) is None
    assert everything(job_runs(store, project), 9) == []


def watched(store: Store, project: str, until: int, limit: int = 100) -> list[Run]:
    """Return what is watched of one project, shard by shard, page by page."""
    found: list[Run] = []
    for shard in range(8):
        cursor: str | None = None
        while True:
            page = store.watched_runs(shard, until=until, limit=limit, cursor=cursor)
            instants = [run.watch_at or 0 for run in page.items]
            assert instants == sorted(instants)
            found += [run for run in page.items if run.project == project]
            if page.next is None:
                break
            cursor = page.next
    return found


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_watched_runs_come_when_their_look_is_due(store: Store, project: str, limit: int) -> None:
    given = [a_run(project, n=n, watch_at=NOW + n) for n in range(40)]
    put(store, *given, a_run(project, n=99, watch_at=None))
    found = watched(store, project, NOW + 29, limit)
    assert {run.id for run in found} == {run.id for run in given[:30]}
    assert len(found) == 30
    assert watched(store, project, NOW - 1, limit) == []


def test_who_ends_is_watched_no_more(store: Store, project: str) -> None:
    done = begin(store, a_run(project, n=1))
    failed = begin(store, a_run(project, n=2))
    queued = a_run(project, n=3)
    running = begin(store, a_run(project, n=4))
    put(store, queued)
    store.succeed_run(done, now_ms=NOW_MS, result_json=None)
    marked = store.fail_run(failed, now_ms=NOW_MS, error=RunError("A", "b"), follow_up=True)
    assert marked is not None
    found = watched(store, project, NOW + 10_000)
    assert sorted(found, key=lambda run: run.id) == sorted((queued, running, marked), key=lambda run: run.id)
    store.settle_run(marked)
    moved = store.guard_run(running, watch_at=NOW + 20_000)
    assert moved is not None
    assert watched(store, project, NOW + 10_000) == [queued]
    assert {run.id for run in watched(store, project, NOW + 20_000)} == {queued.id, running.id}


def test_watched_runs_are_whole(store: Store, project: str) -> None:
    small = begin(store, a_run(project, n=1, call_json='{"n":1}'))
    large = begin(store, a_run(project, n=2, call_json="c" * 300), base_json="b" * 3_000)
    found = watched(store, project, NOW + 10_000)
    assert sorted(found, key=lambda run: run.id) == sorted((small, large), key=lambda run: run.id)


def test_lists_hold_short_texts(store: Store, project: str) -> None:
    done = store.succeed_run(
        begin(store, a_run(project), base_json='{"n":1}'), now_ms=NOW_MS, result_json='"ok"'
    )
    assert store.list_job_runs(project, "tick", limit=9, cursor=None).items == (done,)
    assert store.list_runs(project, limit=9, cursor=None).items == (done,)


def test_lists_show_runs_whose_texts_are_long(store: Store, project: str) -> None:
    begun = begin(store, a_run(project, call_json="c" * 300), base_json="b" * 300)
    done = store.fail_run(begun, now_ms=NOW_MS, error=RunError("A", "m" * 300), follow_up=False)
    assert done is not None
    for page in (
        store.list_job_runs(project, "tick", limit=9, cursor=None),
        store.list_runs(project, limit=9, cursor=None),
    ):
        (found,) = page.items
        assert found.error is not None
        assert found.error.code == "A"
        assert replace(found, call_json=None, base_json=None, error=None) == replace(
            done, call_json=None, base_json=None, error=None
        )
