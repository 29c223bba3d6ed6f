"""Beats and the relay."""

from __future__ import annotations

import logging
import threading

import pytest

from duetime.clock import ManualClock, SystemClock
from duetime.core.exchange import Change
from duetime.local import loops
from duetime.local.loops import Beat, Relay

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
    assert called.wait(15)
    beat.stop()
    SystemClock().sleep_ms(20)
    assert "the tick failed" in caplog.text


class Calls:
    """Counts, and can be waited for."""

    def __init__(self) -> None:
        self.count = 0
        self._changed = threading.Condition()

    def __call__(self) -> None:
        with self._changed:
            self.count += 1
            self._changed.notify_all()

    def reaches(self, count: int, seconds: float = 15) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self.count >= count, seconds)


@pytest.mark.parametrize("offset_ms", [0, 30_000])
def test_a_beat_comes_once_at_its_place_in_the_minute(
    offset_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "LOOK_MS", 10)
    clock, calls = ManualClock(MINUTE + offset_ms - 40), Calls()
    beat = Beat("sweep", calls, clock, offset_ms=offset_ms, at_once=False)
    beat.start()
    for step_ms, expected in ((39, 0), (1, 1), (59_999, 1), (1, 2)):
        clock.advance_ms(step_ms)
        assert calls.reaches(expected)
        assert not calls.reaches(expected + 1, 0.1)
    beat.stop()


@pytest.mark.parametrize("jump_ms", [3 * 3_600_000, -3_600_000], ids=["slept", "set back"])
def test_a_clock_that_jumps_holds_up_no_beat(jump_ms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "LOOK_MS", 10)
    clock, calls = ManualClock(MINUTE), Calls()
    beat = Beat("tick", calls, clock, offset_ms=0, at_once=True)
    beat.start()
    assert calls.reaches(1)
    clock.advance_ms(jump_ms)
    SystemClock().sleep_ms(100)
    clock.advance_ms(60_000)
    assert calls.reaches(2)
    beat.stop()


def test_changes_are_told_in_order_and_before_a_stop() -> None:
    told: list[int] = []
    relay = Relay(lambda one: told.append(one.at_ms))
    relay.start()
    for number in range(1_000):
        relay.put(change(number))
    relay.stop(15_000)
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
    relay.stop(15_000)
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
