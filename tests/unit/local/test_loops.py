"""Beats and the relay."""

from __future__ import annotations

import logging
import threading

import pytest

from duetime.clock import ManualClock, SystemClock
from duetime.local import loops
from duetime.local.loops import Beat, Relay
from duetime.ports import Change

MINUTE = 1_800_000_000_000
"""The beginning of a minute, in UTC epoch milliseconds."""


def change(at_ms: int) -> Change:
    return Change(None, None, at_ms)


def test_a_beat_comes_at_once_and_survives_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    called = threading.Event()

    def verb() -> None:
        called.set()
        raise RuntimeError("away")

    beat = Beat("tick", verb, SystemClock(), offset_ms=0, at_once=True)
    beat.start()
    assert called.wait(2)
    beat.stop()
    SystemClock().sleep_ms(20)
    assert "the tick failed" in caplog.text


@pytest.mark.parametrize(
    ("now_ms", "offset_ms"), [(MINUTE - 40, 0), (MINUTE + 30_000 - 40, 30_000)], ids=["full", "half"]
)
def test_a_beat_comes_at_its_place_in_the_minute(now_ms: int, offset_ms: int) -> None:
    """The clock stands still, so each wait is 40 ms, and three calls take three of them."""
    clock, calls, done = ManualClock(now_ms), [0], threading.Event()

    def verb() -> None:
        calls[0] += 1
        if calls[0] == 3:
            done.set()

    beat = Beat("sweep", verb, clock, offset_ms=offset_ms, at_once=False)
    began_ms = SystemClock().now_ms()
    beat.start()
    assert done.wait(3)
    beat.stop()
    assert SystemClock().now_ms() - began_ms >= 115


def test_changes_are_told_in_order_and_before_a_stop() -> None:
    told: list[int] = []
    relay = Relay(lambda one: told.append(one.at_ms))
    relay.start()
    for number in range(1_000):
        relay.put(change(number))
    relay.stop(2_000)
    assert told == list(range(1_000))


def test_a_listener_that_fails_harms_no_other(caplog: pytest.LogCaptureFixture) -> None:
    told: list[int] = []

    def broken(one: Change) -> None:
        raise ValueError(one.at_ms)

    relay = Relay(broken)
    relay.add(lambda one: told.append(one.at_ms))
    relay.start()
    relay.put(change(1))
    relay.put(change(2))
    relay.stop(2_000)
    assert told == [1, 2]
    assert "missed a change" in caplog.text


def test_a_relay_that_is_behind_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(loops, "MOST_UNTOLD", 2)
    relay = Relay()  # never started: nothing is taken out
    with caplog.at_level(logging.WARNING):
        for number in range(4):
            relay.put(change(number))
    assert caplog.text.count("not told") == 2
