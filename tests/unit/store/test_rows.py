"""Rows as the tables hold them: sparse index keys, expiry, spilled texts, format versions, and rows nobody can read."""

from __future__ import annotations

import logging
from dataclasses import fields, replace
from typing import Any

import pytest

from duetime.core.definition import parse_job
from duetime.core.errors import ScheduleError
from duetime.core.exchange import JobChange
from duetime.core.faults import Unavailable
from duetime.core.plan import plan
from duetime.core.run import Covers, Run, RunError
from duetime.core.schedule import freeze
from duetime.store.dynamodb import DynamoDbStore, Tables
from duetime.store.dynamodb.keys import Item, definition_key, run_key, trigger_key
from tests.contract.make import (
    NOW,
    NOW_MS,
    a_job,
    a_row,
    a_run,
    begin,
    current_row,
    put_job,
    put_row,
    read_run,
)

DAY = 86_400
TARGET = {"kind": "python", "name": "tick"}


@pytest.fixture
def rows(client: Any, tables: Tables) -> Any:
    """Read a row of a table as it stands."""

    def read(table: str, key: Item) -> Item:
        found: Item = client.get_item(TableName=getattr(tables, table), Key=key)["Item"]
        return found

    return read


@pytest.fixture
def spoil(client: Any, tables: Tables) -> Any:
    """Set one attribute of a row by force."""

    def write(table: str, key: Item, name: str, value: dict[str, Any]) -> None:
        client.update_item(
            TableName=getattr(tables, table), Key=key, UpdateExpression="SET #n = :v",
            ExpressionAttributeNames={"#n": name}, ExpressionAttributeValues={":v": value},
        )  # fmt: skip

    return write


def payloads(client: Any, tables: Tables) -> list[Item]:
    items: list[Item] = client.scan(TableName=tables.runs)["Items"]
    return [item for item in items if item["row"]["S"] == "payload"]


def test_every_row_says_what_it_is_and_in_which_format(
    store: DynamoDbStore, client: Any, tables: Tables
) -> None:
    put_job(store, a_job("default", data={"text": "x" * 300}), a_row("default"))
    begin(store, a_run("default", call_json="c" * 300))
    store.acquire_slot("default", "tick", run="r", until_ms=NOW_MS)
    store.acquire_lease("tick", holder="h", now_ms=NOW_MS, ttl_ms=1)
    store.report_lag(lag_ms=1, now_ms=NOW_MS)
    items = [
        item
        for table in fields(tables)
        for item in client.scan(TableName=getattr(tables, table.name))["Items"]
    ]
    assert {item["v"]["N"] for item in items} == {"1"}
    assert sorted(item["row"]["S"] for item in items) == [
        "data", "job", "lag", "lease", "payload", "run", "slot", "trigger",
    ]  # fmt: skip


def test_only_what_will_fire_is_in_the_due_index(store: DynamoDbStore, rows: Any) -> None:
    row = put_row(store, a_row("default"))
    key = trigger_key("default", "tick", "default")
    assert rows("definitions", key).keys() >= {"due_shard", "due_at"}
    assert store.complete_trigger(row, remaining=None, last_due=NOW, last_run=None, fired=1)
    assert not rows("definitions", key).keys() & {"due_shard", "due_at"}


def test_only_what_the_sweep_must_look_at_is_in_the_watch_index(store: DynamoDbStore, rows: Any) -> None:
    run = begin(store, a_run("default"))
    key = run_key("default", run.id)
    assert rows("runs", key).keys() >= {"watch_shard", "watch_at", "feed"}
    assert store.succeed_run(run, now_ms=NOW_MS, result_json=None) is not None
    assert not rows("runs", key).keys() & {"watch_shard", "watch_at", "follow_up"}
    assert "feed" in rows("runs", key)


@pytest.mark.parametrize("keep_days, kept", [(7, 7 * DAY), (0, 10**11)])
def test_a_row_expires_after_its_end_and_never_before(
    store: DynamoDbStore, rows: Any, keep_days: int, kept: int
) -> None:
    run = a_run("default", keep_days=keep_days)
    begun = begin(store, run)
    assert "expires_at" not in rows("runs", run_key("default", run.id))
    assert store.succeed_run(begun, now_ms=NOW_MS + 1_500, result_json=None) is not None
    assert rows("runs", run_key("default", run.id))["expires_at"] == {"N": str(NOW + 1 + kept)}


def test_texts_over_256_bytes_live_in_items_that_expire_after_their_run(
    store: DynamoDbStore, client: Any, tables: Tables
) -> None:
    begun = begin(store, a_run("default", call_json="c" * 257, keep_days=7), base_json="b" * 256)
    assert store.succeed_run(begun, now_ms=NOW_MS, result_json="r" * 257) is not None
    found = {item["text"]["S"][0]: int(item["expires_at"]["N"]) for item in payloads(client, tables)}
    assert found == {"c": NOW + (7 + 90) * DAY, "r": NOW + 7 * DAY}


def test_what_is_kept_for_ever_keeps_its_texts(store: DynamoDbStore, client: Any, tables: Tables) -> None:
    begun = begin(store, a_run("default", call_json="c" * 300, keep_days=0), base_json="b" * 300)
    assert store.succeed_run(begun, now_ms=NOW_MS, result_json="r" * 300) is not None
    assert [
        item["text"]["S"][0] for item in payloads(client, tables) if "expires_at" not in item
    ].__len__() == 3


def test_a_data_item_goes_with_its_job(store: DynamoDbStore, client: Any, tables: Tables) -> None:
    large = a_job("default", data={"text": "x" * 300})
    put_job(store, large)
    small = replace(a_job("default", data={"n": 1}), version=2)
    assert store.change_job(JobChange(large, small))
    assert [item["sk"]["S"] for item in client.scan(TableName=tables.definitions)["Items"]] == ["JOB"]


def test_data_of_another_version_is_never_mixed_in(store: DynamoDbStore, spoil: Any) -> None:
    put_job(store, a_job("default", data={"text": "x" * 300}))
    spoil("definitions", definition_key("default", "tick", "DATA"), "version", {"N": "2"})
    with pytest.raises(Unavailable, match="is changed all the time"):
        store.get_job("default", "tick")


def test_a_run_keeps_every_field(store: DynamoDbStore) -> None:
    """A field of a run that the rows forget is found here: each one differs from its default at one end of a life."""
    run = a_run(
        "default", attempt=2, retry_of="x" * 30, first_queued_ms=NOW_MS - 1, priority=9, covers=Covers(1, 2, 3), tenant="t",
        waits=True, call_json="c", keep_days=1, n=7,
    )  # fmt: skip
    assert store.enqueue_run(run) is None
    moved = store.watch_run(run, watch_at=NOW + 5, resends=1)
    assert moved is not None
    begun = store.begin_run(
        "default", run.id, now_ms=NOW_MS, lease_ms=NOW_MS, instance="i", slot="s", base_json="b", nonce="n"
    )
    assert begun is not None
    failed = store.fail_run(begun, now_ms=NOW_MS, error=RunError("A", "b"), follow_up=True)
    assert failed is not None
    differing = {one.name for one in fields(Run) if getattr(failed, one.name) != one.default}
    assert differing == {one.name for one in fields(Run)} - {"reason", "result_json"}
    assert read_run(store, run) == failed


@pytest.mark.parametrize("newer", [True, False])
def test_a_due_trigger_nobody_can_read_stops_no_other(
    store: DynamoDbStore, spoil: Any, rows: Any, caplog: pytest.LogCaptureFixture, newer: bool
) -> None:
    names = tuple(f"t{n}" for n in range(20))
    put_job(store, a_job("default", triggers=names), *(a_row("default", name=name) for name in names))
    key = trigger_key("default", "tick", "t3")
    if newer:
        spoil("definitions", key, "v", {"N": "2"})
    else:
        spoil(
            "definitions",
            key,
            "schedule",
            {"S": '{"kind":"lunar"}'},
        )
    for _ in range(2):
        with caplog.at_level(logging.ERROR):
            pages = [store.due_triggers(n, horizon=NOW + 600, limit=50, cursor=None) for n in range(8)]
        assert sorted(row.name for page in pages for row in page.items) == sorted(set(names) - {"t3"})
    raw = rows("definitions", key)
    if newer:
        assert raw["state"] == {"S": "waiting"}
        assert "due_at" in raw
        assert len(caplog.records) == 2
        assert "has format 2, written by a newer release" in caplog.text
        with pytest.raises(Unavailable, match="format 2"):
            store.get_triggers("default", "tick")
    else:
        assert raw["state"] == {"S": "error"}
        assert not raw.keys() & {"due_at", "due_shard"}
        assert len(caplog.records) == 1
        parked = current_row(store, a_row("default", name="t3"))
        assert (parked.state, parked.due_at, parked.revision) == ("error", None, 2)
        assert parked.error is not None
        assert "default#tick TRIGGER#t3" in parked.error
        assert "lunar" in parked.error


def test_a_stored_zone_that_no_longer_resolves_leaves_job_and_triggers_readable(
    store: DynamoDbStore, spoil: Any, rows: Any
) -> None:
    document = {
        "target": TARGET,
        "triggers": [{"name": "other", "schedule": "every 5m"}, {"schedule": "0 9 * * *"}],
    }
    job = parse_job(document, name="tick")
    schedule = freeze(job.triggers[1].schedule, now=NOW)
    job = replace(job, triggers=(job.triggers[0], replace(job.triggers[1], schedule=schedule)))
    stored = replace(a_job("default"), job=job)
    row = replace(a_row("default"), schedule=schedule)
    put_job(store, stored, row)
    key, trigger = definition_key("default", "tick"), trigger_key("default", "tick", "default")
    for name, place in (("definition", key), ("schedule", trigger)):
        text = rows("definitions", place)[name]["S"]
        assert '"UTC"' in text
        spoil("definitions", place, name, {"S": text.replace('"UTC"', '"Mars/Olympus"')})
    gone = replace(schedule, timezone="Mars/Olympus")
    read = store.get_job("default", "tick")
    assert read is not None
    assert [one.schedule for one in read.job.triggers] == [job.triggers[0].schedule, gone]
    due = [store.due_triggers(shard, horizon=NOW + 600, limit=9, cursor=None).items for shard in range(8)]
    assert [one.schedule for page in due for one in page] == [gone]
    with pytest.raises(ScheduleError, match="Mars/Olympus"):
        plan(gone, anchor=NOW)


def test_parking_loses_to_whoever_mended_the_row(
    store: DynamoDbStore, spoil: Any, rows: Any, client: Any
) -> None:
    row = put_row(store, a_row("default"))
    key = trigger_key("default", "tick", "default")
    good = rows("definitions", key)["schedule"]
    spoil("definitions", key, "schedule", {"S": "{"})

    def mend(**_: Any) -> None:
        client.meta.events.unregister("before-call.dynamodb.UpdateItem", mend)
        spoil("definitions", key, "schedule", good)
        spoil("definitions", key, "due_at", {"N": str(NOW + 5)})

    client.meta.events.register("before-call.dynamodb.UpdateItem", mend)
    for shard in range(8):
        store.due_triggers(shard, horizon=NOW + 600, limit=50, cursor=None)
    assert current_row(store, row) == replace(row, due_at=NOW + 5)


def test_a_trigger_with_an_unreadable_schedule_can_be_replaced_but_not_armed(
    store: DynamoDbStore, spoil: Any
) -> None:
    stored, row = a_job("default"), a_row("default")
    put_job(store, stored, row)
    spoil("definitions", trigger_key("default", "tick", "default"), "schedule", {"S": "{"})
    (read,) = store.get_triggers("default", "tick")
    assert (read.state, read.due_at) == ("error", None)
    armed = replace(read, state="waiting", due_at=NOW, revision=2)
    after = replace(stored, version=2)
    with pytest.raises(Unavailable, match="default' has a schedule that cannot be read"):
        store.change_job(JobChange(stored, after, (read,), (armed,)))
    mended = replace(row, revision=2)
    assert store.change_job(JobChange(stored, after, (read,), (mended,)))
    assert store.get_triggers("default", "tick") == (mended,)


@pytest.mark.parametrize(
    "name, value, problem",
    [
        ("v", {"N": "2"}, "has format 2, written by a newer release"),
        ("definition", {"S": "{"}, "cannot be read"),
        ("definition", {"S": '{"name":"tick"}'}, "target"),
        ("uid", {"N": "1"}, "'S' is missing"),
    ],
)
def test_a_job_nobody_can_read_is_one_clear_error_and_leaves_lists(
    store: DynamoDbStore, spoil: Any, caplog: pytest.LogCaptureFixture, name: str, value: Item, problem: str
) -> None:
    put_job(store, a_job("default"))
    put_job(store, a_job("default", "other"))
    spoil("definitions", definition_key("default", "tick"), name, value)
    with pytest.raises(Unavailable, match=problem) as refused:
        store.get_job("default", "tick")
    assert (refused.value.field, refused.value.value) == ("row", "default#tick JOB")
    page = store.list_jobs("default", prefix="", limit=9, cursor=None)
    assert [one.job.name for one in page.items] == ["other"]
    assert "a job is left out of a list" in caplog.text


@pytest.mark.parametrize(
    "name, value",
    [("v", {"N": "2"}), ("origin", {"S": "["}), ("fence", {"S": "1"}), ("origin", {"S": '{"x":1}'})],
)
def test_a_run_nobody_can_read_is_one_clear_error_and_leaves_lists(
    store: DynamoDbStore, spoil: Any, caplog: pytest.LogCaptureFixture, name: str, value: Item
) -> None:
    bad, good = a_run("default", n=1), a_run("default", n=2)
    for run in (bad, good):
        assert store.enqueue_run(run) is None
    spoil("runs", run_key("default", bad.id), name, value)
    with pytest.raises(Unavailable, match=bad.id):
        store.get_run("default", bad.id)
    assert store.list_job_runs("default", "tick", limit=9, cursor=None).items == (good,)
    assert store.list_runs("default", limit=9, cursor=None).items == (good,)
    pages = [store.watched_runs(n, until=NOW + 999, limit=9, cursor=None) for n in range(8)]
    assert [run for page in pages for run in page.items] == [good]
    assert "a run is left out of a list" in caplog.text


def test_a_run_that_lost_a_text_is_one_clear_error_and_stops_no_sweep(
    store: DynamoDbStore, client: Any, tables: Tables, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = a_run("default", n=1, call_json="c" * 300), a_run("default", n=2)
    for run in (bad, good):
        assert store.enqueue_run(run) is None
    (payload,) = payloads(client, tables)
    client.delete_item(TableName=tables.runs, Key={key: payload[key] for key in ("pk", "sk")})
    with pytest.raises(Unavailable, match="has lost its call"):
        store.get_run("default", bad.id)
    pages = [store.watched_runs(n, until=NOW + 999, limit=9, cursor=None) for n in range(8)]
    assert [run for page in pages for run in page.items] == [good]
    assert len(store.list_job_runs("default", "tick", limit=9, cursor=None).items) == 2
