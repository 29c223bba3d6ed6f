"""Calendars: guarded by what was read, with their users noted in the same write, and never a user at one that is gone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from duetime.core.calendars import CompositeCalendar, parse_calendar
from duetime.core.errors import ScheduleError
from duetime.core.exchange import CalendarChange, CalendarUser, JobChange
from duetime.core.stored import StoredCalendar
from duetime.ports import Store
from tests.contract.make import (
    NOW,
    NOW_MS,
    a_calendar,
    job_under,
    put_calendar,
    put_job,
    read_calendar,
    users_of,
)

WEEKENDS = parse_calendar({"kind": "weekly"})
EVERY_KIND: list[dict[str, Any]] = [
    {"kind": "holiday", "dates": ["2026-12-25", "2027-01-01"], "timezone": "Europe/Berlin"},
    {"kind": "weekly", "days": ["SUN"]},
    {"kind": "daily", "from": "22:00:00", "to": "06:00:00", "timezone": "Asia/Tokyo"},
    {"kind": "cron", "cron": "* * 12-13 * * *", "timezone": "America/New_York"},
]


def edited(stored: StoredCalendar, **fields: Any) -> StoredCalendar:
    given = {"version": stored.version + 1, "updated_ms": NOW_MS + 1, **fields}
    return replace(stored, revision=stored.revision + 1, **given)


def raised(stored: StoredCalendar, by: int = 1) -> StoredCalendar:
    return replace(stored, revision=stored.revision + by)


def composed(stored: StoredCalendar, *members: str) -> StoredCalendar:
    return edited(stored, calendar=CompositeCalendar(members))


def both(first: Callable[[], bool], second: Callable[[], bool]) -> tuple[bool, bool]:
    """Do two things at the same time."""
    with ThreadPoolExecutor(2) as pool:
        told = pool.submit(first), pool.submit(second)
        return told[0].result(), told[1].result()


# --- one calendar ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", EVERY_KIND, ids=lambda form: str(form["kind"]))
def test_a_new_calendar_is_read_back_whole(store: Store, project: str, form: dict[str, Any]) -> None:
    stored = a_calendar(
        project, calendar=parse_calendar(form), version=3, revision=7, updated_ms=NOW_MS + 5,
        description="When the office is closed – 休日", changed_at=NOW, progress="job#tick",
    )  # fmt: skip
    put_calendar(store, stored)
    assert store.get_calendars(project, ["holidays"]) == {"holidays": stored}
    plain = put_calendar(store, a_calendar(project, "plain", calendar=parse_calendar(form)))
    assert read_calendar(store, project, "plain") == plain


def test_calendars_are_read_by_name_and_what_is_not_there_is_left_out(store: Store, project: str) -> None:
    a, b = put_calendar(store, a_calendar(project, "a")), put_calendar(store, a_calendar(project, "b"))
    assert store.get_calendars(project, []) == {}
    assert store.get_calendars(project, ["none"]) == {}
    assert store.get_calendars(project, {"b", "a", "none"}) == {"a": a, "b": b}
    assert store.get_calendars(project, ["a", "b", "a"]) == {"a": a, "b": b}
    assert store.get_calendars(project + "x", ["a", "b"]) == {}


def test_more_calendars_than_one_batch_are_read(store: Store, project: str) -> None:
    made = {f"c{n}": put_calendar(store, a_calendar(project, f"c{n}")) for n in range(120)}
    assert store.get_calendars(project, [*made, "none"]) == made


def test_members_are_not_followed(store: Store, project: str) -> None:
    member = put_calendar(store, a_calendar(project))
    whole = put_calendar(store, a_calendar(project, "all", "holidays"), member)
    assert store.get_calendars(project, ["all"]) == {"all": whole}


def test_ten_thousand_dates_are_read_back(store: Store, project: str) -> None:
    days = [(date(2000, 1, 1) + timedelta(n)).isoformat() for n in range(10_000)]
    stored = a_calendar(project, calendar=parse_calendar({"kind": "holiday", "dates": days}))
    put_calendar(store, stored)
    assert read_calendar(store, project) == stored
    assert store.list_calendars(project, prefix="", limit=9, cursor=None).items == (stored,)
    put_job(store, job_under(project, "tick", "holidays"))
    after = edited(raised(stored), calendar=WEEKENDS, changed_at=NOW)
    assert store.change_calendar(CalendarChange(raised(stored), after))
    assert store.changed_calendars(limit=9)[0] == after


def test_a_change_replaces_whole(store: Store, project: str) -> None:
    stored = put_calendar(store, a_calendar(project, description="old", changed_at=NOW, progress="job#a"))
    after = edited(stored, calendar=WEEKENDS, description="", changed_at=None, progress=None)
    assert store.change_calendar(CalendarChange(stored, after))
    assert read_calendar(store, project) == after


def test_a_write_that_leaves_the_definition_needs_no_new_version(store: Store, project: str) -> None:
    stored = put_calendar(store, a_calendar(project, changed_at=NOW))
    after = replace(stored, revision=2, progress="job#a")
    assert store.change_calendar(CalendarChange(stored, after))
    assert read_calendar(store, project) == after


def test_creating_loses_where_a_calendar_is_there(store: Store, project: str) -> None:
    stored = put_calendar(store, a_calendar(project))
    assert not store.change_calendar(CalendarChange(None, a_calendar(project, calendar=WEEKENDS)))
    assert read_calendar(store, project) == stored


@pytest.mark.parametrize("stale", ["revision", "another life", "gone", "never there"])
@pytest.mark.parametrize("deleting", [False, True])
def test_a_change_of_what_is_no_longer_as_read_loses(
    store: Store, project: str, stale: str, deleting: bool
) -> None:
    stored = a_calendar(project, revision=4)
    stands: StoredCalendar | None = stored
    if stale != "never there":
        put_calendar(store, stored)
    if stale == "revision":
        stands = raised(stored)
        assert store.change_calendar(CalendarChange(stored, stands))
    if stale in ("another life", "gone"):
        assert store.change_calendar(CalendarChange(stored, None))
    if stale == "another life":
        stands = put_calendar(store, replace(stored, calendar=WEEKENDS, created_ms=NOW_MS + 9))
    after = None if deleting else edited(stored, calendar=WEEKENDS)
    assert not store.change_calendar(CalendarChange(stored, after))
    expected = {"holidays": stands} if stale in ("revision", "another life") else {}
    assert store.get_calendars(project, ["holidays"]) == expected


def test_of_eight_changes_of_one_revision_one_wins(store: Store, project: str) -> None:
    stored = put_calendar(store, a_calendar(project))

    def change(number: int) -> bool:
        return store.change_calendar(CalendarChange(stored, edited(stored, description=f"d{number}")))

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(change, range(8)))
    assert won.count(True) == 1
    assert read_calendar(store, project).description == f"d{won.index(True)}"


REFUSED: dict[str, tuple[Callable[[str], CalendarChange], str]] = {
    "nothing": (lambda p: CalendarChange(None, None), "changes nothing"),
    "revision": (
        lambda p: CalendarChange(a_calendar(p), replace(a_calendar(p), description="new")),
        "revision 1 does not follow 1",
    ),
    "version": (
        lambda p: CalendarChange(a_calendar(p), raised(a_calendar(p, calendar=WEEKENDS))),
        "version 1 does not follow 1",
    ),
    "name": (lambda p: CalendarChange(a_calendar(p), edited(a_calendar(p, "b"))), "cannot become b"),
    "project": (lambda p: CalendarChange(a_calendar(p), edited(a_calendar(p + "x"))), "cannot become"),
    "member not read": (lambda p: CalendarChange(None, a_calendar(p, "all", "a", "b")), "a, b were not read"),
    "own member": (
        lambda p: CalendarChange(None, a_calendar(p, "all", "all"), (a_calendar(p, "all"),)),
        "member of itself",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_change_no_guard_could_hold_is_refused(store: Store, project: str, what: str) -> None:
    change, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        store.change_calendar(change(project))
    assert store.list_calendars(project, prefix="", limit=9, cursor=None).items == ()


# --- members ---------------------------------------------------------------------------------------------------------


def test_members_that_join_grow_and_know_it_and_those_that_leave_forget_it(
    store: Store, project: str
) -> None:
    a, b, c = (put_calendar(store, a_calendar(project, name)) for name in "abc")
    whole = put_calendar(store, a_calendar(project, "all", "a", "b"), a, b)
    assert store.get_calendars(project, "abc") == {"a": raised(a), "b": raised(b), "c": c}
    assert [users_of(store, project, name) for name in "abc"] == [["calendar#all"], ["calendar#all"], []]
    after = composed(whole, "b", "c")
    assert store.change_calendar(CalendarChange(whole, after, (raised(b), c)))
    assert store.get_calendars(project, "abc") == {"a": raised(a), "b": raised(b), "c": raised(c)}
    assert [users_of(store, project, name) for name in "abc"] == [[], ["calendar#all"], ["calendar#all"]]
    plain = edited(after, calendar=WEEKENDS)
    assert store.change_calendar(CalendarChange(after, plain))
    assert [users_of(store, project, name) for name in "abc"] == [[], [], []]


def test_a_deleted_composite_is_no_user_any_more(store: Store, project: str) -> None:
    member = put_calendar(store, a_calendar(project))
    whole = put_calendar(store, a_calendar(project, "all", "holidays"), member)
    assert store.change_calendar(CalendarChange(whole, None))
    assert users_of(store, project) == []
    assert read_calendar(store, project) == raised(member)


@pytest.mark.parametrize("at_fault", ["joining", "kept", "deeper"])
@pytest.mark.parametrize("how", ["changed", "gone", "another life"])
def test_a_change_loses_whole_where_a_resolved_calendar_is_not_as_read(
    store: Store, project: str, at_fault: str, how: str
) -> None:
    deeper = put_calendar(store, a_calendar(project, "deeper"))
    joining = put_calendar(store, a_calendar(project, "joining", "deeper"), deeper)
    deeper = raised(deeper)
    kept = put_calendar(store, a_calendar(project, "kept"))
    whole = put_calendar(store, a_calendar(project, "all", "kept"), kept)
    kept = raised(kept)
    read = {one.name: one for one in (deeper, joining, kept)}
    victim = read[at_fault]
    if how == "changed":
        assert store.change_calendar(CalendarChange(victim, raised(victim)))
    else:
        assert store.change_calendar(CalendarChange(victim, None))
    if how == "another life":
        resolved = (deeper,) if at_fault == "joining" else ()
        put_calendar(store, replace(victim, created_ms=NOW_MS + 9), *resolved)
    before = {name: users_of(store, project, name) for name in (*read, "all")}
    stands = store.get_calendars(project, [*read, "all"])
    change = CalendarChange(whole, composed(whole, "kept", "joining"), tuple(read.values()))
    assert not store.change_calendar(change)
    assert store.get_calendars(project, [*read, "all"]) == stands
    assert {name: users_of(store, project, name) for name in (*read, "all")} == before


def test_two_calendars_never_become_members_of_each_other(store: Store, project: str) -> None:
    a, b = put_calendar(store, a_calendar(project, "a")), put_calendar(store, a_calendar(project, "b"))
    won = both(
        lambda: store.change_calendar(CalendarChange(a, composed(a, "b"), (b,))),
        lambda: store.change_calendar(CalendarChange(b, composed(b, "a"), (a,))),
    )
    assert sorted(won) == [False, True]
    assert [users_of(store, project, name) for name in "ab"] == (
        [[], ["calendar#a"]] if won[0] else [["calendar#b"], []]
    )


def test_a_longer_ring_is_not_closed_either(store: Store, project: str) -> None:
    """c joins a while a, which resolves c through b, joins b: whoever comes second read something that has changed."""
    c = put_calendar(store, a_calendar(project, "c"))
    b = put_calendar(store, a_calendar(project, "b", "c"), c)
    c, a = raised(c), put_calendar(store, a_calendar(project, "a"))
    a_joins_b = CalendarChange(a, composed(a, "b"), (b, c))
    c_joins_a = CalendarChange(c, composed(c, "a"), (a,))
    won = both(lambda: store.change_calendar(a_joins_b), lambda: store.change_calendar(c_joins_a))
    assert sorted(won) == [False, True]


def test_thirty_two_members_are_exchanged_for_as_many(store: Store, project: str) -> None:
    old = [put_calendar(store, a_calendar(project, f"old{n:02}")) for n in range(32)]
    new = [put_calendar(store, a_calendar(project, f"new{n:02}")) for n in range(32)]
    whole = put_calendar(store, a_calendar(project, "all", *(one.name for one in old)), *old)
    after = composed(whole, *(one.name for one in new))
    assert store.change_calendar(CalendarChange(whole, after, tuple(new)))
    assert users_of(store, project, "old31") == []
    assert users_of(store, project, "new31") == ["calendar#all"]


def test_more_rows_than_one_change_takes_are_refused_and_nothing_is_written(
    store: Store, project: str
) -> None:
    read = [a_calendar(project, f"c{n:02}") for n in range(69)]
    for one in read:
        put_calendar(store, one)
    whole = a_calendar(project, "all", *(one.name for one in read[:32]))
    with pytest.raises(ScheduleError, match="calendars: '102 rows' are too many for one change"):
        store.change_calendar(CalendarChange(None, whole, tuple(read)))
    assert users_of(store, project, "c00") == []
    put_calendar(store, whole, *read[:67])  # a hundred: itself, 32 members twice, 35 checked


# --- users -----------------------------------------------------------------------------------------------------------


def test_users_are_told_calendars_first_and_by_name_page_by_page(store: Store, project: str) -> None:
    stored = put_calendar(store, a_calendar(project))
    for name in ("z", "a.b", "a", "a-b"):
        put_calendar(store, a_calendar(project, name, "holidays"), stored)
        stored = raised(stored)
    for name in ("b", "0", "a1", "a"):
        put_job(store, job_under(project, name, "holidays"))
    expected = [
        "calendar#a",
        "calendar#a-b",
        "calendar#a.b",
        "calendar#z",
        "job#0",
        "job#a",
        "job#a1",
        "job#b",
    ]
    for limit in (1, 3, 8, 50):
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = store.calendar_users(project, "holidays", limit=limit, cursor=cursor)
            assert len(page.items) <= limit
            found += [f"{one.kind}#{one.name}" for one in page.items]
            cursor = page.next
            if cursor is None:
                break
            assert cursor == found[-1]
        assert found == expected
    assert users_of(store, project + "x") == []


@pytest.mark.parametrize("cursor", ["job#a", "job#a0", "calendar#zz"])
def test_users_go_on_after_one_that_need_not_be_there(store: Store, project: str, cursor: str) -> None:
    stored = put_calendar(store, a_calendar(project))
    put_calendar(store, a_calendar(project, "all", "holidays"), stored)
    for name in ("a", "b"):
        put_job(store, job_under(project, name, "holidays"))
    page = store.calendar_users(project, "holidays", limit=9, cursor=cursor)
    names = ("a", "b") if cursor.startswith("calendar") else ("b",)
    assert page.items == tuple(CalendarUser("job", name) for name in names)


# --- lists -----------------------------------------------------------------------------------------------------------


def test_calendars_are_listed_by_name_page_by_page(store: Store, project: str) -> None:
    names = sorted(["a", "a.b", "a1", "b", "b-1", "b.1", "ba", "z" * 128, "0"])
    for name in reversed(names):
        put_calendar(store, a_calendar(project, name))
    put_calendar(store, a_calendar(project + "x", "other"))
    put_job(store, job_under(project, "a-job"))

    def listed(prefix: str, limit: int) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = store.list_calendars(project, prefix=prefix, limit=limit, cursor=cursor)
            assert len(page.items) <= limit
            found += [one.name for one in page.items]
            cursor = page.next
            if cursor is None:
                return found

    for limit in (1, 4, 9, 50):
        assert listed("", limit) == names
    assert listed("b", 2) == ["b", "b-1", "b.1", "ba"]
    assert listed("bx", 2) == []
    assert [one.job.name for one in store.list_jobs(project, prefix="", limit=99, cursor=None).items] == [
        "a-job"
    ]


def test_a_deleted_calendar_leaves_the_list_also_between_pages(store: Store, project: str) -> None:
    made = {name: put_calendar(store, a_calendar(project, name)) for name in "abcd"}
    first = store.list_calendars(project, prefix="", limit=2, cursor=None)
    assert store.change_calendar(CalendarChange(made["b"], None))
    second = store.list_calendars(project, prefix="", limit=9, cursor=first.next)
    assert second.items == (made["c"], made["d"])


def test_changed_calendars_of_all_projects_are_told_longest_first(store: Store, project: str) -> None:
    other = put_calendar(store, a_calendar(project + "x", "late", changed_at=NOW + 5))
    early = put_calendar(store, a_calendar(project, "early", changed_at=NOW + 1, progress="job#a"))
    middle = put_calendar(store, a_calendar(project, "middle", changed_at=NOW + 3))
    put_calendar(store, a_calendar(project, "done"))

    def ours(limit: int = 100) -> list[StoredCalendar]:
        return [one for one in store.changed_calendars(limit=limit) if one.project.startswith(project)]

    assert ours() == [early, middle, other]
    assert len(store.changed_calendars(limit=2)) == 2
    later = replace(early, revision=2, changed_at=NOW + 9, progress=None)
    assert store.change_calendar(CalendarChange(early, later))
    assert store.change_calendar(CalendarChange(middle, replace(middle, revision=2, changed_at=None)))
    assert ours() == [other, later]
    assert store.change_calendar(CalendarChange(other, None))
    put_job(store, job_under(project, "tick", "early"))
    assert ours() == [raised(later)]


def test_a_changed_calendar_is_no_due_trigger(store: Store, project: str) -> None:
    put_calendar(store, a_calendar(project, changed_at=NOW))
    for shard in range(8):
        due = store.due_triggers(shard, horizon=NOW + 60, limit=100, cursor=None)
        assert [row for row in due.items if row.project == project] == []


def test_a_job_may_bear_the_name_of_a_calendar(store: Store, project: str) -> None:
    stored = put_calendar(store, a_calendar(project))
    put_job(store, job_under(project, "holidays", "holidays"))
    found = store.get_job(project, "holidays")
    assert found is not None
    assert store.change_job(JobChange(found, None))
    assert read_calendar(store, project) == raised(stored)
