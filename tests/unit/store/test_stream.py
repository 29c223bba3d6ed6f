"""Stream records as the functions receive them, decoded into the values of the rows."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

from duetime.core.exchange import Change, JobChange
from duetime.core.faults import Unavailable
from duetime.core.run import RunError
from duetime.store.dynamodb import DynamoDbStore, Tables, decode
from duetime.store.dynamodb.keys import Item, definition_key, run_key, trigger_key
from tests.contract.make import NOW, NOW_MS, a_job, a_row, a_run, begin, put_job


@pytest.fixture
def image(client: Any, tables: Tables) -> Any:
    """Read a row as a stream record inside an event shows it: through JSON, binaries as base 64."""

    def read(table: str, key: Item) -> Item:
        item: Item = client.get_item(TableName=getattr(tables, table), Key=key)["Item"]
        shown: Item = json.loads(json.dumps(item, default=lambda raw: b64encode(raw).decode()))
        return shown

    return read


def record(old: Item | None, new: Item | None, at: float = NOW) -> dict[str, Any]:
    images = {name: image for name, image in (("OldImage", old), ("NewImage", new)) if image is not None}
    kind = "INSERT" if old is None else "MODIFY" if new is not None else "REMOVE"
    told = {"ApproximateCreationDateTime": at, "StreamViewType": "NEW_AND_OLD_IMAGES", **images}
    return {"eventID": "1", "eventName": kind, "eventSource": "aws:dynamodb", "dynamodb": told}


def test_a_run_is_told_before_and_after(store: DynamoDbStore, image: Any) -> None:
    run = a_run("default", call_json='{"n":1}')
    assert store.enqueue_run(run) is None
    queued = image("runs", run_key("default", run.id))
    begun = store.begin_run(
        "default", run.id, now_ms=NOW_MS, lease_ms=NOW_MS, instance="i", slot=None, base_json="{}", nonce="n"
    )
    running = image("runs", run_key("default", run.id))
    assert decode(record(None, queued)) == Change(None, run, NOW_MS)
    assert decode(record(queued, running, NOW + 0.25)) == Change(run, begun, NOW_MS + 250)


def test_long_texts_are_left_out(store: DynamoDbStore, image: Any) -> None:
    begun = begin(store, a_run("default", call_json="c" * 300), base_json="b" * 300)
    failed = store.fail_run(begun, now_ms=NOW_MS, error=RunError("A", "m" * 300), follow_up=False)
    assert failed is not None
    change = decode(record(None, image("runs", run_key("default", begun.id))))
    assert change is not None
    assert change.after == replace(failed, call_json=None, base_json=None, error=RunError("A", ""))


def test_a_job_and_its_triggers_are_told(store: DynamoDbStore, image: Any) -> None:
    stored, row = a_job("default"), a_row("default")
    put_job(store, stored, row)
    job_image = image("definitions", definition_key("default", "tick"))
    row_image = image("definitions", trigger_key("default", "tick", "default"))
    assert decode(record(None, job_image)) == Change(None, stored, NOW_MS)
    assert decode(record(job_image, None)) == Change(stored, None, NOW_MS)
    assert decode(record(row_image, None)) == Change(row, None, NOW_MS)
    after = replace(stored, version=2, paused=True)
    assert store.change_job(JobChange(stored, after, (row,), (row,)))
    paused = image("definitions", definition_key("default", "tick"))
    assert decode(record(job_image, paused)) == Change(stored, after, NOW_MS)


def test_rows_that_belong_to_others_and_runs_that_expire_are_not_told(
    store: DynamoDbStore, client: Any, tables: Tables, image: Any
) -> None:
    put_job(store, a_job("default", data={"text": "x" * 300}))
    run = a_run("default", call_json="c" * 300)
    assert store.enqueue_run(run) is None
    assert decode(record(None, image("definitions", definition_key("default", "tick", "DATA")))) is None
    payloads = [item for item in client.scan(TableName=tables.runs)["Items"] if item["row"]["S"] == "payload"]
    (key,) = [{name: item[name] for name in ("pk", "sk")} for item in payloads]
    assert decode(record(None, image("runs", key))) is None
    assert decode(record(image("runs", run_key("default", run.id)), None)) is None


def test_a_parked_trigger_is_told_although_nobody_can_read_its_schedule(
    store: DynamoDbStore, client: Any, tables: Tables, image: Any
) -> None:
    put_job(store, a_job("default"), a_row("default"))
    key = trigger_key("default", "tick", "default")
    client.update_item(
        TableName=tables.definitions, Key=key, UpdateExpression="SET #s = :s",
        ExpressionAttributeNames={"#s": "schedule"}, ExpressionAttributeValues={":s": {"S": "{"}},
    )  # fmt: skip
    before = image("definitions", key)
    for shard in range(8):
        store.due_triggers(shard, horizon=NOW + 600, limit=9, cursor=None)
    change = decode(record(before, image("definitions", key)))
    assert change is not None
    assert change.after is not None
    assert getattr(change.after, "state", None) == "error"
    assert getattr(change.after, "revision", None) == 2


def test_a_row_of_a_newer_format_is_one_clear_error(store: DynamoDbStore, image: Any) -> None:
    run = a_run("default")
    assert store.enqueue_run(run) is None
    shown = image("runs", run_key("default", run.id))
    with pytest.raises(Unavailable, match="has format 9, written by a newer release"):
        decode(record(None, {**shown, "v": {"N": "9"}}))
