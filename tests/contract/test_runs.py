"""Runs: each transition fires once, from its own states, under its own guard; a zombie changes nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from duetime.core.faults import NotFound
from duetime.core.run import Covers, RunError
from duetime.ports import Store
from tests.contract.make import LEASE_MS, NOW, NOW_MS, WHY, a_run, begin, read_run, started


def test_a_put_run_is_read_back_with_every_field(store: Store, project: str) -> None:
    run = a_run(
        project, attempt=2, retry_of="0" * 30, first_queued_ms=NOW_MS - 5, priority=9, covers=Covers(NOW - 60, NOW, 7),
        tenant="acme", waits=True, call_json='{"a":1}', base_json='{"b":2}', keep_days=3,
    )  # fmt: skip
    assert store.enqueue_run(run) is None
    assert store.get_run(project, run.id) == run
    manual = a_run(project, n=1, kind="manual", trigger=None, nominal=NOW)
    assert store.enqueue_run(replace(manual, nominal=None)) is None
    assert store.get_run(project, manual.id) == replace(manual, nominal=None)


def test_a_run_is_put_once_and_the_second_put_learns_what_stands(store: Store, project: str) -> None:
    run = a_run(project, call_json='{"first":true}')
    assert store.enqueue_run(run) is None
    second = replace(run, call_json='{"text":"' + "x" * 500 + '"}', tenant="other")
    assert store.enqueue_run(second) == run
    assert store.record_skip(replace(second, state="skipped", reason="misfire")) == run
    assert read_run(store, run) == run
    begun = started(store, run)
    assert store.enqueue_run(run) == begun


def test_a_skip_is_recorded_once_and_ended_at_once(store: Store, project: str) -> None:
    covers = Covers(NOW - 600, NOW, 11)
    run = a_run(project, state="skipped", reason="misfire", covers=covers, finished_ms=NOW_MS, watch_at=None)
    assert store.record_skip(run) is None
    assert store.record_skip(run) == run
    assert read_run(store, run) == run
    assert started(store, run) is None
    later = a_run(project, n=1, state="skipped", reason="misfire")
    assert store.record_skip(later) is None
    assert read_run(store, later) == replace(later, finished_ms=later.queued_ms, watch_at=None)


def test_a_new_run_in_the_wrong_state_is_refused(store: Store, project: str) -> None:
    with pytest.raises(ValueError, match="state running"):
        store.enqueue_run(a_run(project, state="running"))
    with pytest.raises(ValueError, match="state queued"):
        store.record_skip(a_run(project))


def test_a_run_belongs_to_its_project(store: Store, project: str) -> None:
    run = a_run(project)
    assert store.enqueue_run(run) is None
    other = replace(run, project=project + "x")
    assert store.get_run(other.project, run.id) is None
    assert started(store, other) is None
    assert store.skip_run(other.project, run.id, now_ms=NOW_MS, reason="no") is None
    assert read_run(store, run) == run


def test_what_is_no_run_id_is_not_found(store: Store, project: str) -> None:
    assert store.get_run(project, "nonsense") is None
    assert store.get_run(project, "u" * 30) is None
    with pytest.raises(NotFound, match="'nonsense' is no run id"):
        store.skip_run(project, "nonsense", now_ms=NOW_MS, reason="no")


def test_a_begin_freezes_data_and_raises_the_fence(store: Store, project: str) -> None:
    run = a_run(project, call_json='{"c":3}')
    assert store.enqueue_run(run) is None
    begun = started(store, run, slot="tick", base_json='{"b":2}')
    assert begun == replace(
        run, state="running", revision=2, fence=1, started_ms=NOW_MS, lease_ms=LEASE_MS, instance="i1", slot="tick",
        base_json='{"b":2}',
    )  # fmt: skip
    assert read_run(store, run) == begun


@pytest.mark.parametrize("base", ["{}", "b" * 300])
def test_a_begin_is_won_once_but_knows_its_own_repetition(store: Store, project: str, base: str) -> None:
    run = a_run(project)
    assert store.enqueue_run(run) is None
    begun = started(store, run, "n1", base_json=base)
    assert begun is not None
    assert started(store, run, "n2", base_json=base) is None
    assert started(store, run, "n1", base_json=base) == begun
    assert read_run(store, run).fence == 1
    assert store.succeed_run(begun, now_ms=NOW_MS + 1, result_json=None) is not None
    assert started(store, run, "n1", base_json=base) is None


def test_of_eight_begins_one_wins(store: Store, project: str) -> None:
    run = a_run(project)
    assert store.enqueue_run(run) is None
    with ThreadPoolExecutor(8) as pool:
        begun = list(pool.map(lambda n: started(store, run, f"n{n}", instance=f"i{n}"), range(8)))
    winners = [one for one in begun if one is not None]
    assert len(winners) == 1
    assert read_run(store, run) == winners[0]


def test_an_end_is_recorded_under_the_fence(store: Store, project: str) -> None:
    begun = begin(store, a_run(project))
    zombie = replace(begun, fence=0)
    assert store.succeed_run(zombie, now_ms=NOW_MS, result_json='"old"') is None
    assert store.fail_run(zombie, now_ms=NOW_MS, error=WHY, follow_up=True) is None
    assert store.withdraw_run(zombie, now_ms=NOW_MS, reason="no") is None
    assert store.cancel_run(zombie, now_ms=NOW_MS, reason="no") is None
    assert store.guard_run(zombie, watch_at=NOW) is None
    assert read_run(store, begun) == begun
    done = store.succeed_run(begun, now_ms=NOW_MS + 5, result_json='{"n":1}')
    assert done == replace(
        begun, state="succeeded", revision=3, finished_ms=NOW_MS + 5, result_json='{"n":1}', watch_at=None
    )
    assert read_run(store, begun) == done


def test_an_end_knows_its_own_repetition_and_no_other(store: Store, project: str) -> None:
    begun = begin(store, a_run(project))
    failed = store.fail_run(begun, now_ms=NOW_MS + 5, error=WHY, follow_up=False)
    assert failed is not None
    assert (
        store.fail_run(begun, now_ms=NOW_MS + 9, error=RunError("OTHER", "later"), follow_up=True) == failed
    )
    assert store.succeed_run(begun, now_ms=NOW_MS + 9, result_json=None) is None
    assert store.cancel_run(begun, now_ms=NOW_MS + 9, reason="stopping") is None
    assert store.fail_run(replace(begun, fence=2), now_ms=NOW_MS, error=WHY, follow_up=False) is None
    assert read_run(store, begun) == failed


def test_a_lost_run_is_closed_to_its_zombie(store: Store, project: str) -> None:
    begun = begin(store, a_run(project))
    lost = store.lose_run(begun, now_ms=LEASE_MS + 30_000, follow_up=False)
    assert lost == replace(
        begun, state="lost", revision=3, finished_ms=LEASE_MS + 30_000, reason="lease_ended", watch_at=None
    )
    assert store.succeed_run(begun, now_ms=LEASE_MS, result_json='"late"') is None
    assert store.fail_run(begun, now_ms=LEASE_MS, error=WHY, follow_up=False) is None
    assert read_run(store, begun) == lost


def test_a_run_is_lost_only_under_the_lease_that_was_read(store: Store, project: str) -> None:
    begun = begin(store, a_run(project))
    assert store.lose_run(replace(begun, lease_ms=LEASE_MS + 1), now_ms=NOW_MS, follow_up=False) is None
    assert store.lose_run(replace(begun, fence=2), now_ms=NOW_MS, follow_up=False) is None
    assert read_run(store, begun) == begun


@pytest.mark.parametrize("follow_up", [True, False])
@pytest.mark.parametrize("end", ["fail_run", "lose_run", "abandon_start"])
def test_a_follow_up_keeps_the_run_watched_until_it_is_settled(
    store: Store, project: str, end: str, follow_up: bool
) -> None:
    run = a_run(project)
    if end == "abandon_start":
        assert store.enqueue_run(run) is None
        ended = store.abandon_start(run, now_ms=NOW_MS, follow_up=follow_up)
    elif end == "lose_run":
        ended = store.lose_run(begin(store, run), now_ms=NOW_MS, follow_up=follow_up)
    else:
        ended = store.fail_run(begin(store, run), now_ms=NOW_MS, error=WHY, follow_up=follow_up)
    assert ended is not None
    assert (ended.follow_up, ended.watch_at) == ((True, run.watch_at) if follow_up else (False, None))
    settled = store.settle_run(ended)
    assert settled == (
        replace(ended, follow_up=False, watch_at=None, revision=ended.revision + 1) if follow_up else None
    )
    assert store.settle_run(ended) is None
    assert read_run(store, run) == (settled or ended)


def test_watching_moves_the_look_and_needs_the_revision(store: Store, project: str) -> None:
    run = a_run(project)
    assert store.enqueue_run(run) is None
    moved = store.watch_run(run, watch_at=NOW + 900, resends=1)
    assert moved == replace(run, watch_at=NOW + 900, resends=1, revision=2)
    assert store.abandon_start(run, now_ms=NOW_MS, follow_up=False) is None
    assert store.watch_run(run, watch_at=NOW + 999, resends=2) is None
    assert read_run(store, run) == moved
    gone = store.abandon_start(moved, now_ms=NOW_MS, follow_up=False)
    assert gone is not None
    assert (gone.state, gone.reason) == ("lost", "never_started")


def test_guarding_moves_the_look_or_freezes_data_anew(store: Store, project: str) -> None:
    begun = begin(store, a_run(project), base_json='{"n":1}')
    moved = store.guard_run(begun, watch_at=NOW + 400)
    assert moved == replace(begun, watch_at=NOW + 400, revision=3)
    again = store.guard_run(begun, base_json='{"n":2}')
    assert again == replace(begun, watch_at=NOW + 400, revision=4, base_json='{"n":2}')
    assert read_run(store, begun) == again
    done = store.succeed_run(begun, now_ms=NOW_MS + 1, result_json=None)
    assert done is not None
    assert done.revision == 5


@pytest.mark.parametrize("size", [0, 255, 256, 257, 1_000, 1_024, 32_768])
def test_texts_of_any_size_are_read_back(store: Store, project: str, size: int) -> None:
    call, base, result = ("c" * size, "ü" * (size // 2), "r" * size)
    run = a_run(project, call_json=call)
    begun = begin(store, run, base_json=base)
    assert (begun.call_json, begun.base_json) == (call, base)
    assert read_run(store, run) == begun
    done = store.succeed_run(begun, now_ms=NOW_MS + 1, result_json=result)
    assert done == replace(
        begun, state="succeeded", revision=3, finished_ms=NOW_MS + 1, watch_at=None, result_json=result
    )
    assert read_run(store, run) == done
    failed = store.fail_run(
        begin(store, a_run(project, n=1, call_json=call), base_json=base),
        now_ms=NOW_MS, error=RunError("BROKEN", "m" * size), follow_up=True,
    )  # fmt: skip
    assert failed is not None
    assert failed.error == RunError("BROKEN", "m" * size)
    assert read_run(store, failed) == failed
    assert store.settle_run(failed) == replace(failed, follow_up=False, watch_at=None, revision=4)


def test_who_loses_leaves_no_text_behind(store: Store, project: str) -> None:
    run = a_run(project, call_json="c" * 300)
    assert store.enqueue_run(run) is None
    assert store.enqueue_run(replace(run, call_json="d" * 300)) == run
    begun = started(store, run, "n1", base_json="b" * 300)
    assert begun is not None
    assert started(store, run, "n2", base_json="x" * 300) is None
    assert store.succeed_run(replace(begun, fence=0), now_ms=NOW_MS, result_json="z" * 300) is None
    done = store.succeed_run(begun, now_ms=NOW_MS, result_json="r" * 300)
    assert done is not None
    assert store.succeed_run(begun, now_ms=NOW_MS, result_json="q" * 300) == done
    found = read_run(store, run)
    assert (found.call_json, found.base_json, found.result_json) == ("c" * 300, "b" * 300, "r" * 300)
