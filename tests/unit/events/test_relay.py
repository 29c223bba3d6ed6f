"""The relay: what is published, what comes again, and that nothing stops it."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from botocore.stub import Stubber

from duetime.bus.eventbridge import EventBridgeBus
from duetime.bus.memory import MemoryBus
from duetime.contracts.event import TYPES, published_types
from duetime.core.exchange import Change
from duetime.core.faults import DefinitionError
from duetime.engine.relay import relay
from tests.unit.bus.aws import client
from tests.unit.events.examples import changes, ended, job, row, run, running, stored

QUEUED = Change(None, run(), 0)
WATCHED = Change(run(), run(resends=1, revision=2), 0)
STARTED = Change(run(), running(), 0)


def test_every_change_is_published_in_order() -> None:
    bus = MemoryBus()

    assert relay(bus, list(changes().values()), "*") == ()

    assert [event["type"] for event in bus.events()] == list(changes())


def test_only_the_types_of_the_setting_are_published() -> None:
    bus = MemoryBus()

    relay(bus, list(changes().values()), "duetime.run.failed, duetime.job.paused")

    assert [event["type"] for event in bus.events()] == ["duetime.job.paused", "duetime.run.failed"]


def test_the_setting_names_all_some_or_none() -> None:
    assert published_types("*") == frozenset(TYPES)
    assert published_types("") == frozenset()
    with pytest.raises(
        DefinitionError, match=r"DUETIME_PUBLISHED_TYPES: 'duetime\.run\.begun' is no type of event"
    ):
        published_types("duetime.run.started,duetime.run.begun")


def test_refused_events_are_answered_as_the_changes_they_came_from() -> None:
    # The third change tells two events, and the bus refuses the last one.
    both = Change(stored(paused=True), stored(version=2, job=replace(job(), timeout=5)), 0)
    events = client("events")
    with Stubber(events) as stub:
        refused = {"ErrorCode": "ThrottlingException", "ErrorMessage": "slow down"}
        stub.add_response(
            "put_events", {"FailedEntryCount": 1, "Entries": [{"EventId": "1"}] * 2 + [refused]}
        )

        assert relay(EventBridgeBus(events, "bus"), [QUEUED, WATCHED, both], "*") == (2,)


def test_changes_without_an_event_cost_no_call() -> None:
    events = client("events")
    with Stubber(events):
        assert relay(EventBridgeBus(events, "bus"), [WATCHED, Change(ended("failed"), None, 0)], "*") == ()


def test_a_change_that_cannot_be_told_is_logged_and_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    bus = MemoryBus()
    broken = [
        Change(run(), running(started_ms=10**30), 0),
        Change(row(), row(state="error", last_due=10**30), 0),
        Change(None, stored(updated_ms=10**30), 0),
    ]

    with caplog.at_level(logging.ERROR):
        assert relay(bus, [*broken, STARTED], "*") == ()

    assert [event["type"] for event in bus.events()] == ["duetime.run.started"]
    assert caplog.text.count("a change was not published, subscribers miss it") == 3
    for name in ("run 1nmkmg0", "trigger default/reports.nightly/morning", "job default/reports.nightly"):
        assert name in caplog.text
