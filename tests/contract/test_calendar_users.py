"""Jobs under calendars: they join and leave in the write that changes them, and never join one that is not there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from duetime.core.exchange import CalendarChange, JobChange
from duetime.core.faults import DataError
from duetime.core.stored import StoredCalendar, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.ports import Store
from tests.contract.make import (
    NOW,
    a_calendar,
    a_job,
    a_row,
    job_under,
    put_calendar,
    put_job,
    read_calendar,
    users_of,
)

ROUNDS = 12
"""How often a race is run: whoever wins, nothing may be left dangling."""


def put_all(store: Store, project: str, *names: str) -> list[StoredCalendar]:
    return [put_calendar(store, a_calendar(project, name)) for name in names]


def revisions(store: Store, project: str, *names: str) -> list[int]:
    return [read_calendar(store, project, name).revision for name in names]


def changed(stored: StoredJob, *calendars: str, **fields: Any) -> StoredJob:
    after = job_under(stored.project, stored.job.name, *calendars)
    return replace(stored, job=after.job, version=stored.version + 1, **fields)


def test_a_job_that_joins_is_noted_and_raises_the_revision(store: Store, project: str) -> None:
    put_all(store, project, "a", "b", "c")
    stored = job_under(project, "tick", "a", "b")
    put_job(store, stored)
    assert store.get_job(project, "tick") == stored
    assert revisions(store, project, "a", "b", "c") == [2, 2, 1]
    assert [users_of(store, project, name) for name in "abc"] == [["job#tick"], ["job#tick"], []]


def test_an_edit_moves_its_uses_and_leaves_those_it_keeps(store: Store, project: str) -> None:
    put_all(store, project, "a", "b", "c")
    stored = job_under(project, "tick", "a", "b")
    put_job(store, stored)
    after = changed(stored, "b", "c")
    assert store.change_job(JobChange(stored, after))
    assert [users_of(store, project, name) for name in "abc"] == [[], ["job#tick"], ["job#tick"]]
    assert revisions(store, project, "a", "b", "c") == [2, 2, 2]
    assert store.change_job(JobChange(after, changed(after)))
    assert [users_of(store, project, name) for name in "abc"] == [[], [], []]


def test_two_triggers_under_one_calendar_are_one_user(store: Store, project: str) -> None:
    put_all(store, project, "a")
    one = job_under(project, "tick", "a")
    twice = (*one.job.triggers, replace(one.job.triggers[0], name="other"))
    stored = replace(one, job=replace(one.job, triggers=twice))
    put_job(store, stored)
    assert (users_of(store, project, "a"), revisions(store, project, "a")) == (["job#tick"], [2])
    assert store.change_job(JobChange(stored, replace(one, version=2)))
    assert (users_of(store, project, "a"), revisions(store, project, "a")) == (["job#tick"], [2])


def test_a_deleted_job_leaves_its_calendars(store: Store, project: str) -> None:
    put_all(store, project, "a")
    stored = job_under(project, "tick", "a")
    put_job(store, stored)
    assert store.change_job(JobChange(stored, None))
    assert (users_of(store, project, "a"), revisions(store, project, "a")) == ([], [2])
    put_job(store, replace(stored, uid="u2"))
    assert users_of(store, project, "a") == ["job#tick"]


def test_what_is_handed_back_as_read_touches_no_calendar(store: Store, project: str) -> None:
    put_all(store, project, "a")
    stored, row = job_under(project, "tick", "a"), a_row(project, name="under-a")
    put_job(store, stored, row)
    later = replace(row, revision=2, due_at=NOW + 9)
    assert store.change_job(JobChange(stored, stored, (row,), (later,)))
    assert revisions(store, project, "a") == [2]
    paused = replace(stored, version=2, paused=True)
    assert store.change_job(JobChange(stored, paused, (later,), (later,)))
    assert (users_of(store, project, "a"), revisions(store, project, "a")) == (["job#tick"], [2])


@pytest.mark.parametrize("new", [True, False])
def test_a_calendar_that_is_not_there_cannot_be_joined_and_nothing_is_written(
    store: Store, project: str, new: bool
) -> None:
    put_all(store, project, "a", "b")
    before = job_under(project, "tick", "b")
    if not new:
        put_job(store, before)
    row = a_row(project, name="under-a")
    change = JobChange(None if new else before, changed(before, "a", "none"), (), (row,))
    assert not store.change_job(change)
    assert store.get_job(project, "tick") == (None if new else before)
    assert store.get_triggers(project, "tick") == ()
    assert [users_of(store, project, name) for name in ("a", "b", "none")] == [
        [], [] if new else ["job#tick"], [],
    ]  # fmt: skip
    assert revisions(store, project, "a", "b") == [1, 1 if new else 2]


def test_a_calendar_of_another_project_cannot_be_joined(store: Store, project: str) -> None:
    put_all(store, project + "x", "a")
    assert not store.change_job(JobChange(None, job_under(project, "tick", "a")))


def test_a_change_that_loses_touches_no_calendar(store: Store, project: str) -> None:
    put_all(store, project, "a", "b")
    stored = job_under(project, "tick", "a")
    put_job(store, stored)
    stale = replace(stored, version=7)
    assert not store.change_job(JobChange(stale, changed(stale, "b")))
    assert not store.change_job(JobChange(stale, None))
    assert [users_of(store, project, name) for name in "ab"] == [["job#tick"], []]
    assert revisions(store, project, "a", "b") == [2, 1]


def test_a_job_stays_changeable_though_a_calendar_it_keeps_is_gone(store: Store, project: str) -> None:
    (a,) = put_all(store, project, "a")
    stored = job_under(project, "tick", "a")
    put_job(store, stored)
    assert store.change_calendar(CalendarChange(replace(a, revision=2), None))
    paused = replace(stored, version=2, paused=True)
    assert store.change_job(JobChange(stored, paused))
    assert store.change_job(JobChange(paused, changed(paused)))
    assert users_of(store, project, "a") == []


@pytest.mark.parametrize("role", ["joined", "kept", "a member of it"])
@pytest.mark.parametrize("how", ["changed", "gone", "another life", "newly used"])
def test_a_change_decided_under_a_calendar_that_is_another_now_loses_whole(
    store: Store, project: str, role: str, how: str
) -> None:
    put_all(store, project, "joined", "kept", "member")
    below = read_calendar(store, project, "member")
    put_calendar(store, a_calendar(project, "a member of it", "member"), below)
    stored, row = job_under(project, "tick", "kept"), a_row(project, name="under-kept")
    put_job(store, stored, row)
    names = ("joined", "kept", "a member of it")
    read = {name: read_calendar(store, project, name) for name in names}
    victim = read[role]
    other = {"changed": replace(victim, version=2, revision=9), "newly used": replace(victim, revision=9)}
    assert store.change_calendar(CalendarChange(victim, other.get(how)))
    if how == "another life":
        members = (read_calendar(store, project, "member"),) if victim.name == "a member of it" else ()
        put_calendar(store, replace(victim, created_ms=victim.created_ms + 9), *members)
    after = changed(stored, "kept", "joined")
    rows = (replace(row, revision=2),)
    won = store.change_job(JobChange(stored, after, (row,), rows, tuple(read.values())))
    assert won is (how == "newly used")
    assert store.get_job(project, "tick") == (after if won else stored)
    assert store.get_triggers(project, "tick") == (rows if won else (row,))
    assert users_of(store, project, "joined") == (["job#tick"] if won else [])


def test_what_is_decided_anew_is_guarded_though_the_job_stays_as_it_is(store: Store, project: str) -> None:
    put_all(store, project, "a")
    stored, row = job_under(project, "tick", "a"), a_row(project, name="under-a")
    put_job(store, stored, row)
    read, later = read_calendar(store, project, "a"), replace(row, revision=2, due_at=NOW + 9)
    again = JobChange(stored, stored, (row,), (later,), (read,))
    assert store.change_job(again)
    assert read_calendar(store, project, "a") == read
    assert store.change_calendar(CalendarChange(read, replace(read, version=2, revision=3)))
    last = replace(later, revision=3)
    assert not store.change_job(JobChange(stored, stored, (later,), (last,), (read,)))
    assert store.get_triggers(project, "tick") == (later,)


def test_a_calendar_and_a_job_under_it_change_at_the_same_time(store: Store, project: str) -> None:
    """Whoever is second knows it: no job is ever armed under a calendar that had changed before."""
    for turn in range(ROUNDS):
        (read,) = put_all(store, project, f"c{turn}")
        change = CalendarChange(read, replace(read, version=2, revision=2))
        joining = JobChange(None, job_under(project, f"j{turn}", read.name), (), (), (read,))
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(store.change_calendar, change) if turn % 2 else None
            joins = pool.submit(store.change_job, joining)
            won = (first or pool.submit(store.change_calendar, change)).result()
            assert joins.result() is not won
        assert read_calendar(store, project, read.name).version == (2 if won else 1)
        assert users_of(store, project, read.name) == ([] if won else [f"job#j{turn}"])


def test_who_joins_or_deletes_loses_to_the_other_and_no_use_dangles(store: Store, project: str) -> None:
    outcomes: set[bool] = set()
    for turn in range(ROUNDS):
        (read,) = put_all(store, project, f"c{turn}")
        deletion = CalendarChange(read, None)
        joining = JobChange(None, job_under(project, f"j{turn}", read.name))
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(store.change_calendar, deletion) if turn % 2 else None
            joins = pool.submit(store.change_job, joining)
            gone = (first or pool.submit(store.change_calendar, deletion)).result()
            joined = joins.result()
        assert joined is not gone
        outcomes.add(joined)
        assert users_of(store, project, read.name) == ([f"job#j{turn}"] if joined else [])
        assert (store.get_job(project, f"j{turn}") is not None) is joined
        assert bool(store.get_calendars(project, [read.name])) is joined
    assert outcomes


@pytest.mark.parametrize("first", ["join", "delete"])
def test_either_order_of_joining_and_deleting(store: Store, project: str, first: str) -> None:
    (read,) = put_all(store, project, "a")
    joining, deletion = JobChange(None, job_under(project, "tick", "a")), CalendarChange(read, None)
    if first == "join":
        assert store.change_job(joining)
        assert not store.change_calendar(deletion)
        assert users_of(store, project, "a") == ["job#tick"]
    else:
        assert store.change_calendar(deletion)
        assert not store.change_job(joining)
        assert users_of(store, project, "a") == []


def test_jobs_that_join_at_the_same_time_all_get_in(store: Store, project: str) -> None:
    put_all(store, project, "a")

    def join(number: int) -> bool:
        return store.change_job(JobChange(None, job_under(project, f"j{number}", "a")))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(join, range(8)))
    assert users_of(store, project, "a") == [f"job#j{n}" for n in range(8)]
    assert revisions(store, project, "a") == [9]


def forty_triggers(project: str, *calendars: str) -> tuple[StoredJob, tuple[TriggerRow, ...]]:
    """A job with forty triggers, which use all of these calendars in turn, and its rows."""
    stored = a_job(project, triggers=tuple(f"t{n:02}" for n in range(40)))
    triggers = tuple(
        replace(one, schedule=replace(one.schedule, calendar=calendars[n % len(calendars)]))
        for n, one in enumerate(stored.job.triggers)
    )
    rows = tuple(a_row(project, name=one.name) for one in triggers)
    return replace(stored, job=replace(stored.job, triggers=triggers)), rows


def test_twenty_calendars_over_forty_triggers_change_in_one_piece(store: Store, project: str) -> None:
    names = [f"c{n:02}" for n in range(20)]
    put_all(store, project, *names)
    stored, rows = forty_triggers(project, *names)
    put_job(store, stored, *rows)
    assert revisions(store, project, *names) == [2] * 20
    assert all(users_of(store, project, name) == ["job#tick"] for name in names)
    assert store.change_job(JobChange(stored, None, rows, ()))
    assert not any(users_of(store, project, name) for name in names)


def test_nineteen_are_exchanged_at_once_and_twenty_in_two_steps(store: Store, project: str) -> None:
    old, new = [f"a{n:02}" for n in range(20)], [f"b{n:02}" for n in range(20)]
    put_all(store, project, *old, *new)
    stored, rows = forty_triggers(project, *old)
    put_job(store, stored, *rows)
    bumped = tuple(replace(row, revision=2) for row in rows)
    whole, _ = forty_triggers(project, *new)
    with pytest.raises(DataError, match="triggers: '102 rows' are too many for one change") as refused:
        store.change_job(JobChange(stored, replace(whole, version=2), rows, bumped))
    assert refused.value.code == "TOO_LARGE"
    assert users_of(store, project, "b00") == []
    most, _ = forty_triggers(project, *new[:19], old[19])
    read = tuple(
        store.get_calendars(project, new[:19]).values()
    )  # joined and guarded: one row each all the same
    assert store.change_job(JobChange(stored, replace(most, version=2), rows, bumped, read))
    assert [users_of(store, project, name) for name in ("a00", "a19", "b18", "b19")] == [
        [], ["job#tick"], ["job#tick"], [],
    ]  # fmt: skip
