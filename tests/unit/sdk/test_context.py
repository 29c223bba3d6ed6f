"""What a handler sees of its run."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

import duetime
from duetime import Fail, NonRetryable, RunContext
from duetime.clock import ManualClock
from duetime.engine.stop import RunToken


def context(clock: ManualClock, token: RunToken, **changed: Any) -> RunContext:
    given: dict[str, Any] = {
        "id": "0" * 30,
        "project": "default",
        "job": "reports.nightly",
        "trigger": "default",
        "schedule": "every 10m",
        "nominal": datetime(2026, 11, 1, tzinfo=UTC),
        "scheduled_at": datetime(2026, 11, 1, tzinfo=UTC),
        "kind": "schedule",
        "attempt": 1,
        "data": {},
        "tenant": None,
        "fence": 1,
        "deadline_ms": 10_000,
        "token": token,
        "clock": clock,
    }
    return RunContext(**{**given, **changed})


def test_remaining_counts_down_to_nothing() -> None:
    clock = ManualClock(4_000)
    run = context(clock, RunToken())
    assert run.remaining() == 6.0
    clock.advance_ms(5_999)
    assert run.remaining() == 0.001
    clock.advance_ms(5_000)
    assert run.remaining() == 0


def test_waiting_ends_when_the_run_is_told_to_stop() -> None:
    token = RunToken()
    run = context(ManualClock(0), token)
    assert (run.canceled, run.wait(0.001)) == (False, False)
    token.cancel()
    assert (run.canceled, run.wait(60)) == (True, True)


def test_the_key_for_other_services_is_the_id_of_the_run() -> None:
    run = context(ManualClock(0), RunToken())
    assert run.idempotency_key == run.id


def test_lines_of_the_log_name_job_and_run(caplog: pytest.LogCaptureFixture) -> None:
    run = context(ManualClock(0), RunToken())
    with caplog.at_level(logging.INFO, logger="duetime.job"):
        run.logger.info("%s rows", 3, extra={"region": "eu"})
    (line,) = caplog.records
    assert line.getMessage() == f"[reports.nightly {run.id}] 3 rows"
    assert (line.__dict__["run_id"], line.__dict__["job"], line.__dict__["region"]) == (
        run.id,
        "reports.nightly",
        "eu",
    )


def test_a_failure_has_a_code_of_its_own() -> None:
    assert (Fail("NO_ROWS").code, Fail("NO_ROWS").message, str(Fail("NO_ROWS"))) == ("NO_ROWS", "", "NO_ROWS")
    assert (NonRetryable().code, str(NonRetryable())) == ("NON_RETRYABLE", "NON_RETRYABLE")


def test_every_public_name_can_be_imported_and_no_other() -> None:
    assert all(hasattr(duetime, name) for name in duetime.__all__)
    assert set(duetime.__all__) <= set(dir(duetime))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = duetime.nothing  # type: ignore[attr-defined]  # what is tested
