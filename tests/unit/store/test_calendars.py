"""Calendars as the tables hold them: their rows, rows nobody can read, what the stream tells of them, what they cost."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from duetime.clock import ManualClock
from duetime.core.calendars import HolidayCalendar, parse_calendar
from duetime.core.errors import ScheduleError
from duetime.core.exchange import CalendarChange, Change, JobChange
from duetime.core.exclusion import exclusion
from duetime.core.faults import Unavailable
from duetime.store.dynamodb import DynamoDbStore, Tables, decode
from duetime.store.dynamodb.keys import Item, calendar_key
from duetime.store.memory import MemoryStore
from tests.contract.make import (
    NOW,
    NOW_MS,
    a_calendar,
    a_row,
    job_under,
    put_calendar,
    put_job,
    read_calendar,
)
from tests.contract.units import UnitMeter


@pytest.fixture
def rows(client: Any, tables: Tables) -> Any:
    """All rows of the definitions table by (pk, sk)."""

    def read() -> dict[tuple[str, str], Item]:
        items = client.scan(TableName=tables.definitions)["Items"]
        return {(item["pk"]["S"], item["sk"]["S"]): item for item in items}

    return read


@pytest.fixture
def spoil(client: Any, tables: Tables) -> Any:
    """Set one attribute of a calendar's row by force."""

    def write(name: str, attribute: str, value: dict[str, Any]) -> None:
        client.update_item(
            TableName=tables.definitions, Key=calendar_key("default", name), UpdateExpression="SET #n = :v",
            ExpressionAttributeNames={"#n": attribute}, ExpressionAttributeValues={":v": value},
        )  # fmt: skip

    return write


def days(count: int) -> list[str]:
    return [(date(2026, 1, 1) + timedelta(n)).isoformat() for n in range(count)]


# --- rows ------------------------------------------------------------------------------------------------------------


def test_a_calendar_and_its_users_are_rows_of_one_partition(store: DynamoDbStore, rows: Any) -> None:
    member = put_calendar(store, a_calendar("default"))
    put_calendar(store, a_calendar("default", "all", "holidays"), member)
    put_job(store, job_under("default", "tick", "holidays"))
    found = rows()
    assert {key: item["row"]["S"] for key, item in found.items() if item["row"]["S"] != "job"} == {
        ("CALENDAR#default#all", "CALENDAR"): "calendar",
        ("CALENDAR#default#holidays", "CALENDAR"): "calendar",
        ("CALENDAR#default#holidays", "USE#calendar#all"): "use",
        ("CALENDAR#default#holidays", "USE#job#tick"): "use",
    }
    assert {item["v"]["N"] for item in found.values()} == {"1"}
    row = found["CALENDAR#default#holidays", "CALENDAR"]
    assert (row["catalog"]["S"], row["name"]["S"]) == ("CALENDAR#default", "holidays")
    assert json.loads(row["definition"]["S"])["dates"] == ["2026-12-25"]


def test_a_calendar_is_in_the_due_index_while_its_users_wait(store: DynamoDbStore, rows: Any) -> None:
    stored = put_calendar(store, a_calendar("default", changed_at=NOW, progress="job#a"))
    row = rows()["CALENDAR#default#holidays", "CALENDAR"]
    assert (row["due_shard"], row["due_at"]) == ({"S": "CALENDAR"}, {"N": str(NOW)})
    done = replace(stored, revision=2, changed_at=None, progress=None)
    assert store.change_calendar(CalendarChange(stored, done))
    row = rows()["CALENDAR#default#holidays", "CALENDAR"]
    assert not row.keys() & {"due_shard", "due_at", "changed_at", "progress", "description"}


# --- what nobody can read --------------------------------------------------------------------------------------------

SPOILT = [
    ("definition", {"S": "{"}, "cannot be read"),
    ("definition", {"S": '{"kind": "lunar"}'}, "is no kind of calendar"),
    ("definition", {"S": '{"kind": "weekly", "timezone": 7}'}, "is no IANA time zone name"),
    ("revision", {"S": "1"}, "'N' is missing"),
    ("v", {"N": "2"}, "has format 2, written by a newer release"),
]


@pytest.mark.parametrize("attribute, value, message", SPOILT)
def test_an_unreadable_calendar_is_one_clear_error_and_stops_no_other(
    store: DynamoDbStore, spoil: Any, caplog: pytest.LogCaptureFixture,
    attribute: str, value: dict[str, Any], message: str,
) -> None:  # fmt: skip
    put_calendar(store, a_calendar("default", "bad", changed_at=NOW))
    good = put_calendar(store, a_calendar("default", "good", changed_at=NOW + 1))
    spoil("bad", attribute, value)
    for names in (["bad"], ["bad", "good"]):
        with pytest.raises(Unavailable, match=message):
            store.get_calendars("default", names)
    with caplog.at_level(logging.ERROR, logger="duetime"):
        assert store.list_calendars("default", prefix="", limit=9, cursor=None).items == (good,)
        assert store.changed_calendars(limit=1) == (good,)
    assert caplog.text.count("a calendar is left out of a list: row: 'CALENDAR#default#bad CALENDAR'") == 2


def test_a_user_that_cannot_be_read_is_never_passed_over(
    store: DynamoDbStore, client: Any, tables: Tables
) -> None:
    put_calendar(store, a_calendar("default"))
    later = calendar_key("default", "holidays", "USE#lease#a") | {"row": {"S": "use"}, "v": {"N": "1"}}
    client.put_item(TableName=tables.definitions, Item=later)
    with pytest.raises(Unavailable, match="USE#lease#a' cannot be read"):
        store.calendar_users("default", "holidays", limit=9, cursor=None)


def test_a_calendar_whose_zone_is_gone_is_read_and_only_asking_it_raises(
    store: DynamoDbStore, spoil: Any
) -> None:
    stored = put_calendar(store, a_calendar("default"))
    spoil(
        "holidays", "definition", {"S": '{"kind":"holiday","dates":["2026-12-25"],"timezone":"Mars/Olympus"}'}
    )
    found = read_calendar(store, "default")
    assert found == replace(stored, calendar=HolidayCalendar((20_812,), "Mars/Olympus"))
    with pytest.raises(ScheduleError, match="timezone: 'Mars/Olympus' is no IANA time zone name"):
        exclusion("holidays", {"holidays": found.calendar})
    mended = replace(found, calendar=stored.calendar, revision=2, version=2)
    assert store.change_calendar(CalendarChange(found, mended))


# --- what the stream tells -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sk", ["CALENDAR", "USE#job#tick"])
def test_the_stream_passes_over_calendars_and_their_users(
    store: DynamoDbStore, rows: Any, caplog: pytest.LogCaptureFixture, sk: str
) -> None:
    put_calendar(store, a_calendar("default", changed_at=NOW))
    put_job(store, job_under("default", "tick", "holidays"))
    image = rows()["CALENDAR#default#holidays", sk]
    told = [{"NewImage": image}, {"OldImage": image, "NewImage": image}, {"OldImage": image}]
    newer = {"NewImage": {**image, "v": {"N": "9"}}}
    with caplog.at_level(logging.DEBUG):
        caplog.clear()
        assert [decode({"dynamodb": each}) for each in (*told, newer)] == [None] * 4
    assert caplog.records == []


def test_the_memory_store_tells_nobody_of_calendars(clock: ManualClock) -> None:
    store, heard = MemoryStore(clock), list[Change]()
    store.subscribe(heard.append)
    stored = put_calendar(store, a_calendar("default"))
    assert store.change_calendar(CalendarChange(stored, replace(stored, revision=2)))
    under = job_under("default", "tick", "holidays")
    put_job(store, under)
    assert heard == [Change(None, under, NOW_MS)]


# --- what it costs ---------------------------------------------------------------------------------------------------


@pytest.fixture
def meter(client: Any) -> UnitMeter:
    return UnitMeter(client)


def test_a_job_under_a_calendar_costs(store: DynamoDbStore, meter: UnitMeter) -> None:
    put_calendar(store, a_calendar("default"))
    stored, row = job_under("default", "tick", "holidays"), a_row("default", name="under-holidays")
    with meter.counting() as joins:
        put_job(store, stored, row)
    # Job and trigger: two each, and their indexes; the use row: two; the calendar's revision: two, and its index.
    assert (joins.rows, joins.indexes, joins.calls) == (8, 3, {"TransactWriteItems": 1})
    later = replace(row, revision=2, priority=9)
    with meter.counting() as stays:
        assert store.change_job(JobChange(stored, replace(stored, version=2), (row,), (later,)))
    assert (stays.rows, stays.indexes) == (4, 2)
    read = (read_calendar(store, "default"),)
    with meter.counting() as guarded:
        assert store.change_job(
            JobChange(replace(stored, version=2), replace(stored, version=2), (later,), (later,), read)
        )
    assert (guarded.rows, guarded.indexes) == (6, 0)
    with meter.counting() as leaves:
        assert store.change_job(JobChange(replace(stored, version=2), None, (later,), ()))
    assert (leaves.rows, leaves.indexes) == (6, 2)


def test_a_calendar_and_its_members_cost(store: DynamoDbStore, meter: UnitMeter) -> None:
    with meter.counting() as alone:
        a = put_calendar(store, a_calendar("default", "a"))
    assert (alone.rows, alone.indexes) == (2, 1)
    b = put_calendar(store, a_calendar("default", "b"))
    with meter.counting() as whole:
        put_calendar(store, a_calendar("default", "all", "a"), a, b)
    # The row, a's use and revision, a look at b.
    assert (whole.rows, whole.indexes) == (2 + 4 + 2, 1 + 1)


def test_many_dates_are_charged_where_the_row_is_written(store: DynamoDbStore, meter: UnitMeter) -> None:
    large = parse_calendar({"kind": "holiday", "dates": days(10_000)})
    with meter.counting() as put:
        put_calendar(store, a_calendar("default", calendar=large))
    kilobytes = put.indexes
    assert 127 <= kilobytes <= 130
    with meter.counting() as joins:
        put_job(store, job_under("default", "tick", "holidays"))
    assert (joins.rows, joins.indexes) == (2 + 2 + 2 * kilobytes, 1 + kilobytes)


def test_reading_one_calendar_or_several_is_one_call(store: DynamoDbStore, meter: UnitMeter) -> None:
    for name in ("a", "b", "c"):
        put_calendar(store, a_calendar("default", name))
    calls = []  # a read that may be stale would cost half
    for names in ((), ("a",), ("a", "b", "c")):
        with meter.counting() as counted:
            store.get_calendars("default", names)
        calls.append((dict(counted.calls), counted.reads))
    assert calls == [({}, 0), ({"GetItem": 1}, 1), ({"BatchGetItem": 1}, 3)]
    with meter.counting() as users:
        assert store.calendar_users("default", "a", limit=9, cursor=None).items == ()
    assert (users.calls, users.reads) == ({"Query": 1}, 1)


def test_keys_that_a_batch_leaves_unread_are_asked_again(
    store: DynamoDbStore, client: Any, tables: Tables
) -> None:
    made = {name: put_calendar(store, a_calendar("default", name)) for name in ("a", "b", "c")}
    left: list[int] = []

    def cut(parsed: dict[str, Any], **_: Any) -> None:
        found = parsed["Responses"][tables.definitions]
        left.append(len(found) - 1)
        keys = [{"pk": item["pk"], "sk": item["sk"]} for item in found[1:]]
        del found[1:]
        if keys:
            parsed["UnprocessedKeys"] = {tables.definitions: {"Keys": keys, "ConsistentRead": True}}

    client.meta.events.register("after-call.dynamodb.BatchGetItem", cut)
    assert store.get_calendars("default", made) == made
    assert left == [2, 1, 0]
