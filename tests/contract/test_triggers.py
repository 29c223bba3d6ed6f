"""Triggers: the due index, and transitions that only the reader of the current row wins."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from duetime.core.machine import TRIGGER_TRANSITIONS
from duetime.core.triggerrow import TriggerRow
from duetime.ports import Store
from tests.contract.make import NOW, a_job, a_row, current_row, put_job, put_row

SHARDS = range(8)


def advance(store: Store, row: TriggerRow, **given: Any) -> bool:
    fields = {
        "due_at": NOW + 1200,
        "remaining": None,
        "last_due": NOW + 600,
        "last_run": "r1",
        "fired": 1,
        **given,
    }
    return store.advance_trigger(row, **fields)


def due(store: Store, project: str, horizon: int, limit: int = 100) -> list[TriggerRow]:
    """Return what is due of one project, shard by shard, page by page."""
    found: list[TriggerRow] = []
    for shard in SHARDS:
        cursor: str | None = None
        while True:
            page = store.due_triggers(shard, horizon=horizon, limit=limit, cursor=cursor)
            assert len(page.items) <= limit
            instants = [row.due_at or 0 for row in page.items]
            assert instants == sorted(instants)
            found += [row for row in page.items if row.project == project]
            if page.next is None:
                break
            cursor = page.next
    return found


def test_advancing_moves_the_trigger_to_its_next_instant(store: Store, project: str) -> None:
    row = put_row(store, a_row(project, remaining=5))
    assert advance(store, row, remaining=4, fired=1)
    after = replace(
        row, revision=2, due_at=NOW + 1200, remaining=4, last_due=NOW + 600, last_run="r1", fired=1
    )
    assert current_row(store, row) == after
    assert due(store, project, NOW + 1199) == []
    assert due(store, project, NOW + 1200) == [after]


def test_a_claim_is_won_once(store: Store, project: str) -> None:
    row = put_row(store, a_row(project))
    assert advance(store, row)
    assert not advance(store, row)
    assert not store.acquire_trigger(
        row, deadline=NOW, remaining=None, last_due=NOW, outstanding="r", fired=1
    )
    assert not store.complete_trigger(row, remaining=None, last_due=None, last_run=None, fired=1)
    assert not store.fault_trigger(row, error="late")
    assert current_row(store, row).revision == 2


def test_of_eight_claims_one_wins(store: Store, project: str) -> None:
    row = put_row(store, a_row(project))
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda n: advance(store, row, fired=n), range(8)))
    assert won.count(True) == 1
    assert current_row(store, row).fired == won.index(True)


@pytest.mark.parametrize("transition", ["advance", "acquire", "complete", "fault"])
def test_a_claim_counts_anew_what_was_given_back(store: Store, project: str, transition: str) -> None:
    row = put_row(store, a_row(project, returned=1))
    assert current_row(store, row).returned == 1
    if transition == "advance":
        assert advance(store, row)
    elif transition == "acquire":
        assert store.acquire_trigger(
            row, deadline=NOW, remaining=None, last_due=NOW, outstanding="r", fired=1
        )
    elif transition == "complete":
        assert store.complete_trigger(row, remaining=None, last_due=NOW, last_run="r", fired=1)
    else:
        assert store.fault_trigger(row, error="counts nothing")
    assert current_row(store, row).returned == (transition == "fault")


def test_a_trigger_that_is_gone_loses(store: Store, project: str) -> None:
    row = a_row(project)
    assert not advance(store, row)
    assert not store.rearm_trigger(row, run="r1", due_at=NOW)
    assert store.get_triggers(project, "tick") == ()


def test_a_fixed_delay_is_acquired_extended_and_armed_again(store: Store, project: str) -> None:
    row = put_row(store, a_row(project, remaining=2))
    deadline = NOW + 900
    assert store.acquire_trigger(
        row, deadline=deadline, remaining=1, last_due=NOW + 600, outstanding="r1", fired=1
    )
    held = current_row(store, row)
    assert (held.state, held.due_at, held.outstanding, held.last_run) == ("acquired", deadline, "r1", "r1")
    assert due(store, project, deadline) == [held]
    assert not store.extend_trigger(held, run="other", outstanding="r2", deadline=deadline + 60)
    assert not store.rearm_trigger(held, run="other", due_at=NOW)
    assert store.extend_trigger(held, run="r1", outstanding="r2", deadline=deadline + 60)
    assert not store.rearm_trigger(held, run="r2", due_at=NOW), "read before it was extended"
    held = current_row(store, row)
    assert not store.rearm_trigger(held, run="r1", due_at=NOW)
    assert store.rearm_trigger(held, run="r2", due_at=NOW + 1500)
    again = current_row(store, row)
    assert (again.state, again.due_at, again.outstanding, again.remaining) == ("waiting", NOW + 1500, None, 1)
    assert not store.rearm_trigger(held, run="r2", due_at=NOW + 1600)


@pytest.mark.parametrize("transition", ["complete", "fault"])
def test_what_is_over_leaves_the_due_index(store: Store, project: str, transition: str) -> None:
    row = put_row(store, a_row(project, remaining=1))
    if transition == "complete":
        assert store.complete_trigger(row, remaining=0, last_due=NOW, last_run="r1", fired=1)
    else:
        assert store.fault_trigger(row, error="no handler is registered under this name")
    after = current_row(store, row)
    assert after.due_at is None
    assert after.revision == 2
    assert (after.state, after.error) == (
        ("complete", None)
        if transition == "complete"
        else ("error", "no handler is registered under this name")
    )
    assert due(store, project, NOW + 10**6) == []


def test_none_takes_a_field_away(store: Store, project: str) -> None:
    row = put_row(store, a_row(project, remaining=3, last_run="r0", last_due=NOW))
    assert store.complete_trigger(row, remaining=None, last_due=None, last_run=None, fired=0)
    after = current_row(store, row)
    assert (after.remaining, after.last_due, after.last_run) == (None, None, None)


def test_due_triggers_come_earliest_first_and_only_up_to_the_horizon(store: Store, project: str) -> None:
    rows = [a_row(project, f"job{n}", due_at=NOW + n * 7 % 40) for n in range(40)]
    for row in rows:
        put_job(store, a_job(project, row.job), row)
    for limit in (1, 3, 100):
        found = due(store, project, NOW + 25, limit)
        assert sorted(found, key=lambda row: row.job) == sorted(
            (row for row in rows if row.due_at is not None and row.due_at <= NOW + 25),
            key=lambda row: row.job,
        )


def test_triggers_of_one_instant_are_paged_without_loss(store: Store, project: str) -> None:
    rows = [a_row(project, name=f"t{n}") for n in range(40)]
    put_job(store, a_job(project, triggers=tuple(row.name for row in rows)), *rows)
    assert sorted(row.name for row in due(store, project, NOW + 600, 2)) == sorted(row.name for row in rows)


def test_what_is_claimed_between_pages_does_not_disturb_them(store: Store, project: str) -> None:
    rows = [a_row(project, name=f"t{n}") for n in range(40)]
    put_job(store, a_job(project, triggers=tuple(row.name for row in rows)), *rows)
    seen: list[str] = []
    for shard in SHARDS:
        cursor: str | None = None
        while True:
            page = store.due_triggers(shard, horizon=NOW + 600, limit=2, cursor=cursor)
            for row in page.items:
                if row.project == project:
                    seen.append(row.name)
                    assert advance(store, row)
            if page.next is None:
                break
            cursor = page.next
    assert sorted(seen) == sorted(row.name for row in rows)
    assert due(store, project, NOW + 600) == []


def test_paused_triggers_are_never_due(store: Store, project: str) -> None:
    put_row(store, a_row(project, state="paused", due_at=None, held_due=NOW))
    assert due(store, project, NOW + 10**6) == []


TRANSITIONS: dict[str, Callable[[Store, TriggerRow], bool]] = {
    "advance_trigger": advance,
    "acquire_trigger": lambda store, row: store.acquire_trigger(
        row, deadline=NOW + 900, remaining=None, last_due=NOW, outstanding="r9", fired=1
    ),
    "complete_trigger": lambda store, row: store.complete_trigger(
        row, remaining=None, last_due=NOW, last_run="r1", fired=1
    ),
    "rearm_trigger": lambda store, row: store.rearm_trigger(row, run="r1", due_at=NOW + 1200),
    "extend_trigger": lambda store, row: store.extend_trigger(
        row, run="r1", outstanding="r2", deadline=NOW + 900
    ),
    "fault_trigger": lambda store, row: store.fault_trigger(row, error="why"),
}
WITH_ITS_JOB = {"arm_trigger", "pause_trigger", "resume_trigger"}


def test_every_transition_of_the_table_is_tried_here() -> None:
    assert {one.name for one in TRIGGER_TRANSITIONS} == set(TRANSITIONS) | WITH_ITS_JOB


@pytest.mark.parametrize("name", list(TRANSITIONS))
def test_a_transition_starts_only_from_the_states_of_the_table(store: Store, project: str, name: str) -> None:
    expected = next(one for one in TRIGGER_TRANSITIONS if one.name == name)
    for state in ("waiting", "acquired", "paused", "complete", "error"):
        row = put_row(store, a_row(project, f"job-{state}", state=state, outstanding="r1"))
        won = TRANSITIONS[name](store, row)
        assert won is (state in expected.sources), state
        assert current_row(store, row).state == (expected.target if won else state)
