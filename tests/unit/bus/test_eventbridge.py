"""The bus on EventBridge: its envelope, its limits, and what is answered when it refuses."""

from __future__ import annotations

import json
from typing import Any

from botocore.stub import Stubber
from moto import mock_aws

from duetime.bus.eventbridge import MAX_CALL_BYTES, EventBridgeBus
from duetime.core.exchange import Change
from duetime.core.run import RunError
from duetime.engine.relay import events_of
from tests.unit.bus.aws import client
from tests.unit.bus.subscriber import Subscriber
from tests.unit.events.examples import ended, event_examples, run, running


def some(count: int) -> list[dict[str, Any]]:
    return [
        event for number in range(count) for event in events_of(Change(None, run(revision=number + 1), 0))
    ]


def calls_of(events_client: Any) -> list[list[dict[str, Any]]]:
    """Return a list that each PutEvents call of the client appends its entries to."""
    calls: list[list[dict[str, Any]]] = []
    events_client.meta.events.register(
        "provide-client-params.eventbridge.PutEvents", lambda params, **_: calls.append(params["Entries"])
    )
    return calls


def test_the_envelope_names_source_and_type_so_that_rules_can_match_them() -> None:
    with mock_aws():
        subscriber = Subscriber("transitions")
        EventBridgeBus(client("events"), "transitions").publish([event_examples()["duetime.run.failed"]])

        (envelope,) = subscriber.envelopes()

    assert (envelope["source"], envelope["detail-type"]) == ("/duetime/default", "duetime.run.failed")
    assert envelope["time"].startswith("2027-01-15T08:00:02")


def test_calls_hold_ten_events_in_their_order() -> None:
    with mock_aws():
        Subscriber("transitions")
        events = client("events")
        calls = calls_of(events)
        EventBridgeBus(events, "transitions").publish(some(23))

    assert [len(call) for call in calls] == [10, 10, 3]
    told = [json.loads(entry["Detail"])["id"] for call in calls for entry in call]
    assert told == [event["id"] for event in some(23)]


def test_calls_stay_within_their_bytes_whatever_the_runs_said() -> None:
    # Control characters weigh six times as much in JSON: the worst a message can be.
    worst = RunError("E", "\x01" * 50_000)
    changes = [Change(running(), ended("failed", error=worst, reason="\x01" * 50_000), 0) for _ in range(20)]
    with mock_aws():
        Subscriber("transitions")
        events = client("events")
        calls = calls_of(events)
        told = [event for change in changes for event in events_of(change)]

        assert EventBridgeBus(events, "transitions").publish(told) == ()

    assert sum(len(call) for call in calls) == 20
    assert len(calls) > 2
    assert max(sum(len(entry["Detail"].encode()) for entry in call) for call in calls) < MAX_CALL_BYTES


def test_indexes_of_refused_events_are_answered() -> None:
    events = client("events")
    with Stubber(events) as stub:
        stub.add_response("put_events", {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}] * 10})
        throttled = {"ErrorCode": "ThrottlingException", "ErrorMessage": "slow down"}
        stub.add_response("put_events", {"FailedEntryCount": 1, "Entries": [{"EventId": "1"}, throttled]})

        assert EventBridgeBus(events, "transitions").publish(some(12)) == (11,)


def test_a_call_that_fails_answers_its_events_and_stops_no_other() -> None:
    events = client("events")
    with Stubber(events) as stub:
        stub.add_client_error("put_events", "InternalException", http_status_code=500)
        stub.add_response("put_events", {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}] * 2})

        assert EventBridgeBus(events, "transitions").publish(some(12)) == tuple(range(10))


def test_a_bus_that_is_not_there_answers_everything_as_refused() -> None:
    with mock_aws():
        events = client("events", connect_timeout=1)
        with Stubber(events) as stub:
            stub.add_client_error("put_events", "ResourceNotFoundException", http_status_code=400)

            assert EventBridgeBus(events, "gone").publish(some(3)) == (0, 1, 2)
