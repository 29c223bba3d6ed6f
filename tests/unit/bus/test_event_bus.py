"""What every event bus owes its port, held against the one in memory and the one on EventBridge alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from moto import mock_aws

from duetime.bus.eventbridge import EventBridgeBus
from duetime.bus.memory import MemoryBus
from duetime.core.exchange import Change
from duetime.engine.relay import events_of
from duetime.ports import EventBus
from tests.unit.bus.aws import client
from tests.unit.bus.subscriber import Subscriber
from tests.unit.events.examples import event_examples, run


class Case(NamedTuple):
    bus: EventBus
    received: Callable[[], list[Mapping[str, Any]]]


@pytest.fixture(params=["memory", "eventbridge"])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    if request.param == "memory":
        bus = MemoryBus()
        yield Case(bus, lambda: list(bus.events()))
        return
    with mock_aws():
        subscriber = Subscriber("transitions")
        yield Case(EventBridgeBus(client("events"), "transitions"), subscriber.details)


def some(count: int) -> list[dict[str, Any]]:
    return [
        event for number in range(count) for event in events_of(Change(None, run(revision=number + 1), 0))
    ]


def test_events_arrive_unchanged(case: Case) -> None:
    sent = list(event_examples().values())

    assert case.bus.publish(sent) == ()

    assert sorted(case.received(), key=lambda one: one["id"]) == sorted(sent, key=lambda one: one["id"])


@pytest.mark.parametrize("count", [0, 1, 10, 11, 25])
def test_any_number_of_events_is_published_once_each(case: Case, count: int) -> None:
    sent = some(count)

    assert case.bus.publish(sent) == ()

    assert sorted(one["id"] for one in case.received()) == sorted(one["id"] for one in sent)


def test_what_is_no_json_is_refused_and_nothing_is_published(case: Case) -> None:
    good, bad = some(2)

    with pytest.raises(ValueError, match="JSON"):
        case.bus.publish([good, {**bad, "data": {"x": float("nan")}}])

    assert case.received() == []
