"""The bus inside one process: its listeners, and how much it remembers."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import pytest

from duetime.bus.memory import MemoryBus


def test_listeners_hear_every_event_from_then_on_in_order() -> None:
    bus, heard = MemoryBus(), list[Mapping[str, Any]]()
    bus.publish([{"n": 0}])
    bus.subscribe(heard.append)

    bus.publish([{"n": 1}, {"n": 2}])

    assert heard == [{"n": 1}, {"n": 2}]


def test_a_listener_that_fails_harms_neither_publisher_nor_others(caplog: pytest.LogCaptureFixture) -> None:
    bus, heard = MemoryBus(), list[Mapping[str, Any]]()

    def failing(event: Mapping[str, Any]) -> None:
        raise RuntimeError("boom")

    bus.subscribe(failing)
    bus.subscribe(heard.append)
    with caplog.at_level(logging.ERROR):
        assert bus.publish([{"type": "duetime.run.queued"}]) == ()

    assert heard == [{"type": "duetime.run.queued"}]
    assert "missed an event: duetime.run.queued" in caplog.text


def test_only_the_last_events_are_remembered() -> None:
    bus = MemoryBus(keep=2)

    bus.publish([{"n": number} for number in range(5)])

    assert bus.events() == ({"n": 3}, {"n": 4})


def test_a_listener_cannot_change_what_the_publisher_holds() -> None:
    bus, event = MemoryBus(), {"data": {"n": 1}}

    bus.publish([event])
    event["data"]["n"] = 2

    assert bus.events() == ({"data": {"n": 1}},)
