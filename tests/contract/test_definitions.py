"""Jobs: changed whole or not at all, guarded by what was read, listed by name without loss or repetition."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from duetime.core.exchange import JobChange
from duetime.core.faults import DataError
from duetime.core.jsontext import loads_exact
from duetime.core.stored import StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.ports import Store
from tests.contract.make import NOW, a_job, a_row, current_row, put_job


def edited(stored: StoredJob, **fields: Any) -> StoredJob:
    return replace(stored, version=stored.version + 1, **fields)


def bumped(row: TriggerRow, **fields: Any) -> TriggerRow:
    return replace(row, revision=row.revision + 1, **fields)


def test_a_new_job_is_read_back_with_its_triggers(store: Store, project: str) -> None:
    stored = replace(
        a_job(project, triggers=("b", "a"), data={"n": 1}, tags=["x"], retry={"max_retries": 2}),
        paused=True, paused_by="ann", paused_note="holiday", source="code", fingerprint="f1",
    )  # fmt: skip
    row_a, row_b = a_row(project, name="a"), a_row(project, name="b", priority=9, tenant="acme", remaining=3)
    assert store.change_job(JobChange(None, stored, (), (row_b, row_a)))
    assert store.get_job(project, "tick") == stored
    assert store.get_triggers(project, "tick") == (row_a, row_b)


def test_what_is_not_there_is_none(store: Store, project: str) -> None:
    assert store.get_job(project, "tick") is None
    assert store.get_triggers(project, "tick") == ()


def test_a_job_belongs_to_its_project(store: Store, project: str) -> None:
    put_job(store, a_job(project), a_row(project))
    assert store.get_job(project + "x", "tick") is None
    assert store.get_triggers(project + "x", "tick") == ()
    assert store.list_jobs(project + "x", prefix="", limit=10, cursor=None).items == ()


def test_creating_loses_where_a_job_is_there(store: Store, project: str) -> None:
    stored = a_job(project)
    put_job(store, stored, a_row(project))
    other = replace(stored, uid="u2", source="other")
    assert not store.change_job(JobChange(None, other, (), (a_row(project, uid="u2", priority=1),)))
    assert store.get_job(project, "tick") == stored
    assert store.get_triggers(project, "tick") == (a_row(project),)


def test_an_edit_replaces_joins_and_removes_triggers(store: Store, project: str) -> None:
    kept, gone = a_row(project, name="kept"), a_row(project, name="gone")
    stored = a_job(project, triggers=("kept", "gone"))
    put_job(store, stored, kept, gone)
    after = edited(a_job(project, triggers=("kept", "new")))
    rows = (bumped(kept, due_at=NOW + 5), a_row(project, name="new"))
    assert store.change_job(JobChange(stored, after, (gone, kept), rows))
    assert store.get_job(project, "tick") == after
    assert store.get_triggers(project, "tick") == rows


@pytest.mark.parametrize(
    "stale", ["version", "uid", "revision", "trigger uid", "trigger gone", "trigger joined"]
)
def test_a_change_loses_whole_where_anything_is_not_as_read(store: Store, project: str, stale: str) -> None:
    stored, row = a_job(project), a_row(project)
    put_job(store, stored, row)
    read = stored
    rows_read: tuple[TriggerRow, ...] = (row,)
    rows_after = (bumped(row, priority=9),)
    match stale:
        case "version":
            read = replace(stored, version=7)
        case "uid":
            read = replace(stored, uid="u9")
        case "revision":
            rows_read = (replace(row, revision=7),)
            rows_after = (bumped(rows_read[0], priority=9),)
        case "trigger uid":
            rows_read = (replace(row, uid="u9"),)
        case "trigger gone":
            rows_read = (row, a_row(project, name="other"))
        case _:
            rows_read = ()
    assert not store.change_job(JobChange(read, edited(read, source="late"), rows_read, rows_after))
    assert store.get_job(project, "tick") == stored
    assert store.get_triggers(project, "tick") == (row,)


def test_what_is_handed_back_as_read_is_guarded_and_stays_as_it_is(store: Store, project: str) -> None:
    stored = a_job(project, triggers=("a", "b"))
    row_a, row_b = a_row(project, name="a"), a_row(project, name="b")
    put_job(store, stored, row_a, row_b)
    assert store.change_job(JobChange(stored, stored, (row_a, row_b), (row_a, bumped(row_b, priority=2))))
    assert store.get_triggers(project, "tick") == (row_a, bumped(row_b, priority=2))
    assert not store.change_job(JobChange(stored, edited(stored), (row_a, row_b), (row_a, row_b)))
    assert store.get_job(project, "tick") == stored


def test_deleting_takes_the_triggers_along_and_loses_where_something_changed(
    store: Store, project: str
) -> None:
    stored, row = a_job(project), a_row(project)
    put_job(store, stored, row)
    assert not store.change_job(JobChange(replace(stored, version=2), None, (row,), ()))
    assert store.change_job(JobChange(stored, None, (row,), ()))
    assert store.get_job(project, "tick") is None
    assert store.get_triggers(project, "tick") == ()
    assert not store.change_job(JobChange(stored, None, (row,), ()))


def test_a_job_made_again_under_an_old_name_is_another(store: Store, project: str) -> None:
    stored, row = a_job(project), a_row(project)
    put_job(store, stored, row)
    assert store.change_job(JobChange(stored, None, (row,), ()))
    again = replace(stored, uid="u2")
    put_job(store, again, replace(row, uid="u2"))
    assert not store.change_job(JobChange(stored, edited(stored), (row,), (row,)))
    assert not store.advance_trigger(
        row, due_at=NOW + 9, remaining=None, last_due=NOW, last_run=None, fired=1
    )
    assert store.get_job(project, "tick") == again


def test_of_eight_edits_of_what_was_read_one_wins(store: Store, project: str) -> None:
    stored, row = a_job(project), a_row(project)
    put_job(store, stored, row)

    def edit(number: int) -> bool:
        return store.change_job(
            JobChange(stored, edited(stored, source=f"s{number}"), (row,), (bumped(row),))
        )

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(edit, range(8)))
    assert won.count(True) == 1
    after = store.get_job(project, "tick")
    assert after is not None
    assert after.source == f"s{won.index(True)}"


def test_forty_triggers_change_in_one_piece(store: Store, project: str) -> None:
    old, new = [f"a{n}" for n in range(40)], [f"b{n}" for n in range(40)]
    stored = a_job(project, triggers=tuple(old))
    rows = tuple(a_row(project, name=name) for name in sorted(old))
    put_job(store, stored, *rows)
    after = edited(a_job(project, triggers=tuple(new)))
    fresh = tuple(a_row(project, name=name) for name in sorted(new))
    assert store.change_job(JobChange(stored, after, rows, fresh))
    assert store.get_triggers(project, "tick") == fresh


@pytest.mark.parametrize("size", [200, 240, 270, 1_000, 32_768, 128_000])
def test_data_of_any_size_is_read_back(store: Store, project: str, size: int) -> None:
    small = a_job(project)
    put_job(store, small)
    large = edited(a_job(project, data={"text": "ü" * (size // 2)}))
    assert store.change_job(JobChange(small, large))
    assert store.get_job(project, "tick") == large
    back = replace(small, version=3)
    assert store.change_job(JobChange(large, back))
    assert store.get_job(project, "tick") == back
    assert store.change_job(JobChange(back, replace(large, version=4)))
    assert store.change_job(JobChange(replace(large, version=4), None))
    assert store.get_job(project, "tick") is None


def test_data_of_triggers_is_read_back(store: Store, project: str) -> None:
    stored = a_job(project, triggers=("a", "b"))
    first, second = stored.job.triggers
    with_data = (replace(first, data={"text": "x" * 500}), second)
    stored = replace(stored, job=replace(stored.job, triggers=with_data))
    put_job(store, stored)
    assert store.get_job(project, "tick") == stored


def test_numbers_survive_exactly(store: Store, project: str) -> None:
    data = loads_exact(
        '{"big":123456789012345678901234567890,"x":0.1,"one":1.0,"neg":-7,"tiny":1e-300,"deep":[{"n":1}]}'
    )
    stored = a_job(project, data=data)
    put_job(store, stored)
    read = store.get_job(project, "tick")
    assert read is not None
    assert repr(dict(read.job.data)) == repr(data)


def test_more_data_than_a_row_holds_is_refused_and_nothing_is_written(store: Store, project: str) -> None:
    names = tuple(f"t{n}" for n in range(4))
    stored = a_job(project, triggers=names)
    heavy = tuple(replace(one, data={"text": "x" * 100_000}) for one in stored.job.triggers)
    stored = replace(stored, job=replace(stored.job, triggers=heavy))
    with pytest.raises(DataError, match=r"triggers: '4000.. bytes'") as refused:
        store.change_job(JobChange(None, stored))
    assert refused.value.code == "TOO_LARGE"
    assert store.get_job(project, "tick") is None


@pytest.mark.parametrize("what", ["nothing", "version", "revision", "rows of a deleted job"])
def test_a_change_no_guard_could_hold_is_refused(store: Store, project: str, what: str) -> None:
    stored, row = a_job(project), a_row(project)
    changes = {
        "nothing": JobChange(None, None),
        "version": JobChange(stored, replace(stored, source="same version")),
        "revision": JobChange(stored, edited(stored), (row,), (replace(row, priority=9),)),
        "rows of a deleted job": JobChange(stored, None, (row,), (row,)),
    }
    with pytest.raises(ValueError, match=r"changes nothing|does not follow|keeps no trigger"):
        store.change_job(changes[what])


def pages(store: Store, project: str, prefix: str, limit: int) -> list[list[str]]:
    found: list[list[str]] = []
    cursor: str | None = None
    while True:
        page = store.list_jobs(project, prefix=prefix, limit=limit, cursor=cursor)
        found.append([one.job.name for one in page.items])
        if page.next is None:
            return found
        cursor = page.next


def test_jobs_are_listed_by_name_page_by_page(store: Store, project: str) -> None:
    names = sorted(["a", "a.b", "a1", "b", "b-1", "b.1", "ba", "bb", "c", "z" * 128, "0"])
    for name in reversed(names):
        put_job(store, a_job(project, name))
    put_job(store, a_job(project + "x", "other"))
    for limit in (1, 3, 11, 50):
        found = pages(store, project, "", limit)
        assert [name for page in found for name in page] == names
        assert all(len(page) <= limit for page in found)
    assert [name for page in pages(store, project, "b", 2) for name in page] == [
        "b",
        "b-1",
        "b.1",
        "ba",
        "bb",
    ]
    assert pages(store, project, "bx", 2) == [[]]


def test_a_deleted_job_leaves_the_list_also_between_pages(store: Store, project: str) -> None:
    for name in ("a", "b", "c", "d"):
        put_job(store, a_job(project, name))
    first = store.list_jobs(project, prefix="", limit=2, cursor=None)
    assert store.change_job(JobChange(a_job(project, "b"), None))
    second = store.list_jobs(project, prefix="", limit=9, cursor=first.next)
    assert [one.job.name for one in second.items] == ["c", "d"]


def test_listed_jobs_are_whole_while_their_data_is_small(store: Store, project: str) -> None:
    stored = a_job(project, data={"n": 1})
    put_job(store, stored)
    assert store.list_jobs(project, prefix="", limit=9, cursor=None).items == (stored,)


def test_a_trigger_keeps_every_field(store: Store, project: str) -> None:
    row = a_row(
        project, state="acquired", revision=4, ordinal=2, priority=9, misfire="skip", misfire_threshold=5, jitter=7,
        timeout=60, keep_days=0, tenant="acme", remaining=0, fired=3, last_due=NOW, last_run="r1", held_due=NOW + 1,
        outstanding="r2", error="why",
    )  # fmt: skip
    put_job(store, a_job(project), row)
    assert current_row(store, row) == row
