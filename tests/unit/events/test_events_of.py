"""Which changes become which events, and what an event says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from duetime.contracts.event import TYPES, schema_of
from duetime.core.definition import parse_job
from duetime.core.exchange import Change
from duetime.core.machine import RUN_TRANSITIONS, TRIGGER_TRANSITIONS, RunState, Transition
from duetime.core.run import CUT_MARK, Covers, Run, RunError
from duetime.core.stored import Armed, StoredJob
from duetime.engine.relay import MAX_TEXT_BYTES, events_of
from tests.unit.events.examples import (
    COVERS,
    DUE,
    ended,
    event_examples,
    id_of,
    job,
    row,
    run,
    running,
    stored,
)

RUN_EDGES = [(one, source) for one in RUN_TRANSITIONS for source in one.sources or (None,)]
TRIGGER_EDGES = [(one, source) for one in TRIGGER_TRANSITIONS for source in one.sources or (None,)]
TYPE_OF_STATE = {
    "queued": "duetime.run.queued",
    "running": "duetime.run.started",
    "succeeded": "duetime.run.succeeded",
    "failed": "duetime.run.failed",
    "canceled": "duetime.run.canceled",
    "lost": "duetime.run.lost",
    "skipped": "duetime.run.skipped",
    "superseded": "duetime.run.superseded",
}


def types_of(before: Any, after: Any) -> list[str]:
    return [event["type"] for event in events_of(Change(before, after, DUE * 1000))]


@pytest.mark.parametrize("kind", TYPES)
def test_each_type_has_an_example_that_its_schema_accepts(kind: str) -> None:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)

    Draft202012Validator(schema).validate(event_examples()[kind])

    other = event_examples()[
        "duetime.job.scheduled" if kind != "duetime.job.scheduled" else "duetime.run.queued"
    ]
    assert not Draft202012Validator(schema).is_valid(other)


def test_every_state_of_a_run_has_its_type() -> None:
    assert set(TYPE_OF_STATE) == set(get_args(RunState))


@pytest.mark.parametrize("edge,source", RUN_EDGES, ids=[f"{one.name}-{source}" for one, source in RUN_EDGES])
def test_a_run_tells_each_change_of_state_and_no_other_write(edge: Transition, source: Any) -> None:
    after = run(state=edge.target, revision=5, resends=1)
    before = None if source is None else run(state=source, revision=4)

    assert types_of(before, after) == ([] if source == edge.target else [TYPE_OF_STATE[edge.target]])


@pytest.mark.parametrize(
    "edge,source", TRIGGER_EDGES, ids=[f"{one.name}-{source}" for one, source in TRIGGER_EDGES]
)
def test_a_trigger_tells_only_that_it_is_complete_or_in_error(edge: Transition, source: Any) -> None:
    told = {"complete": ["duetime.trigger.completed"], "error": ["duetime.trigger.error"]}
    before = None if source is None else row(state=source)

    assert types_of(before, row(state=edge.target, revision=2)) == told.get(edge.target, [])


def test_a_settled_run_and_an_expired_one_tell_nothing() -> None:
    failed = ended("failed", follow_up=True)

    assert types_of(failed, replace(failed, follow_up=False)) == []
    assert types_of(failed, None) == []
    assert types_of(row(), None) == []


def test_a_spent_trigger_written_again_tells_nothing() -> None:
    assert types_of(row(state="complete"), row(state="complete", revision=7)) == []


@pytest.mark.parametrize(
    "before,after,told",
    [
        (None, stored(), ["scheduled"]),
        (stored(), stored(), []),
        (stored(), stored(version=2), ["scheduled"]),
        (stored(), stored(version=2, job=replace(job(), timeout=5)), ["scheduled"]),
        (stored(), stored(version=2, paused=True), ["paused"]),
        (stored(version=2, paused=True), stored(version=3), ["resumed"]),
        (stored(paused=True), stored(version=2, job=replace(job(), timeout=5)), ["scheduled", "resumed"]),
        (stored(), None, ["unscheduled"]),
        (stored(), stored(uid="another", version=1), ["scheduled"]),
    ],
    ids=[
        "new",
        "same",
        "armed anew",
        "edited",
        "paused",
        "resumed",
        "edited and resumed",
        "deleted",
        "made again",
    ],
)
def test_a_job_tells_what_changed(before: StoredJob | None, after: StoredJob | None, told: list[str]) -> None:
    assert types_of(before, after) == [f"duetime.job.{what}" for what in told]


def test_a_pause_of_one_trigger_names_it() -> None:
    still = stored(version=2, armed={"morning": Armed("4f9k2m7x", DUE, 0, paused=True)})

    (event,) = events_of(Change(stored(), still, DUE * 1000))

    assert (event["type"], event["data"]["trigger"], event["data"]["state"]) == (
        "duetime.job.paused",
        "morning",
        "active",
    )


def test_a_change_told_twice_has_the_same_id_whenever_it_is_told() -> None:
    first, second = (
        events_of(Change(run(), running(), at_ms)) for at_ms in (DUE * 1000, DUE * 1000 + 99_000)
    )

    assert first == second


def test_ids_of_all_examples_differ_and_name_their_row() -> None:
    ids = [event["id"] for event in event_examples().values()]

    assert id_of() + ":1" in ids
    for kind in ("duetime.job.scheduled", "duetime.trigger.completed"):
        assert event_examples()[kind]["id"].startswith("default/reports.nightly")


def test_a_job_made_again_under_its_name_has_new_ids() -> None:
    (first,), (second,) = (events_of(Change(None, stored(uid=uid), DUE * 1000)) for uid in ("one", "two"))

    assert first["id"] != second["id"]


def test_the_events_of_a_run_sort_by_sequence() -> None:
    begun, last = running(revision=9), replace(ended("failed"), revision=10)
    steps = [(None, run(revision=1)), (run(revision=1), begun), (begun, last)]

    told = [
        event["sequence"] for before, after in steps for event in events_of(Change(before, after, DUE * 1000))
    ]

    assert told == sorted(told)
    assert len(set(told)) == 3


def test_a_delete_sorts_after_the_last_change() -> None:
    (changed,) = events_of(Change(stored(), stored(version=2), DUE * 1000))
    (deleted,) = events_of(Change(stored(version=2), None, DUE * 1000))

    assert deleted["sequence"] > changed["sequence"]


def test_a_full_run_says_everything() -> None:
    whole = ended(
        "failed",
        kind="retry",
        attempt=2,
        retry_of=id_of(),
        error=RunError("E", "message"),
        reason="reason",
        covers=Covers(DUE - 60, DUE, 2),
    )

    (event,) = events_of(Change(running(), whole, DUE * 1000))

    data = event["data"]
    assert [name for name, value in data.items() if value is None] == []
    assert data["covers"] == {"from": "2027-01-15T07:59:00Z", "to": "2027-01-15T08:00:00Z", "count": 2}
    assert (data["scheduled_at"], data["finished_at"]) == ("2027-01-15T08:00:00Z", "2027-01-15T08:00:02.345Z")
    assert event["time"] == data["finished_at"]


@pytest.mark.parametrize(
    "value,moment",
    [(run(), "2027-01-15T07:58:30.417Z"), (running(), "2027-01-15T08:00:00.012Z")],
    ids=["queued", "started"],
)
def test_an_event_has_the_time_of_its_transition(value: Run, moment: str) -> None:
    (event,) = events_of(Change(None, value, DUE * 1000 + 50_000))

    assert event["time"] == moment


def test_long_texts_are_cut_with_a_mark() -> None:
    long = "é" * 20_000
    (event,) = events_of(
        Change(running(), ended("failed", error=RunError("E", long), reason=long), DUE * 1000)
    )

    for text in (event["data"]["error"]["message"], event["data"]["reason"]):
        assert text.endswith(CUT_MARK)
        assert len(text.encode()) <= MAX_TEXT_BYTES


def test_an_event_holds_no_data_of_the_run_or_the_job() -> None:
    secret = "hunter2"
    known = parse_job(
        {"name": "reports.nightly", "target": {"kind": "python", "name": "x"}, "data": {"password": secret}}
    )
    begun = running(base_json=json.dumps({"password": secret}), call_json=json.dumps({"password": secret}))

    told = events_of(Change(None, stored(job=known), 0)) + events_of(Change(run(), begun, 0))
    told += events_of(Change(begun, replace(begun, state="succeeded", result_json=json.dumps(secret)), 0))

    assert len(told) == 3
    assert secret not in json.dumps(told)


def test_a_run_of_the_distant_past_can_be_told() -> None:
    (event,) = events_of(Change(None, run(nominal=-60_000_000_000, covers=COVERS), 0))

    assert event["data"]["nominal"] == "0068-09-03T13:20:00Z"
