"""The two samples that ship do something visible, and show what they say they show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from duetime.clock import ManualClock
from duetime.core.exchange import Invocation, Outcome
from duetime.core.ids import run_id
from duetime.core.run import Run, RunError
from duetime.core.target import PythonTarget
from duetime.engine.stop import RunToken
from duetime.sdk.registry import load_jobs
from duetime.targets.python import PythonHandlers

NOON = 1_800_000_000 + 4 * 3600
"""2027-01-15T12:00:00Z."""

Deliver = Callable[..., Outcome]


@pytest.fixture
def deliver() -> Deliver:
    """Return a function that runs a sample 12 ms after its instant."""
    registry, clock = load_jobs("jobs"), ManualClock(NOON * 1000 + 12)

    def run(job: str, *, attempt: int = 1, **call: Any) -> Outcome:
        name = run_id("default", job, "u", trigger="default", nominal=NOON, kind="schedule", ordinal="0")
        one = Run(name, "default", job, "u", "schedule", NOON, NOON, NOON * 1000, "default", NOON)
        return PythonHandlers(registry, clock).deliver(
            Invocation(
                run=replace(one, attempt=attempt),
                data={**registry.jobs[job].data, **call},
                schedule=None,
                deadline_ms=clock.now_ms() + 20_000,
                token=RunToken(),
                target=PythonTarget(job),
            )
        )

    return run


def test_the_heartbeat_counts_from_midnight_and_says_how_late_it_is(
    deliver: Deliver, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        assert deliver("heartbeat") == Outcome("succeeded", result={"beat": 4320, "late_ms": 12})
    assert "beat 4320, 12 ms after its instant" in caplog.text


def test_the_report_has_typed_data_and_shows_a_retry(deliver: Deliver) -> None:
    done = {"title": "Orders of the last minute", "rows": 3, "attempt": 1}
    assert deliver("minute-report") == Outcome("succeeded", result=done)
    assert deliver("minute-report", failures=1) == Outcome(
        "failed", error=RunError("SOURCE_AWAY", "The source did not answer attempt 1.")
    )
    assert deliver("minute-report", failures=1, attempt=2).status == "succeeded"
    refused = deliver("minute-report", rows="many")
    assert (refused.status, refused.permanent) == ("failed", True)
