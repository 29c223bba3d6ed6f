"""The handler matrix: sync, async, typed, failing, not JSON, late, ignoring its timeout, stopped."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel

from duetime import App, Fail, NonRetryable, RunContext
from duetime.clock import SystemClock
from duetime.core.exchange import Invocation, Outcome
from duetime.core.run import RunError
from duetime.engine.stop import RunToken
from duetime.sdk.registry import Registry
from duetime.targets.python import PythonHandlers

CLOCK = SystemClock()
Deliver = Callable[..., Outcome]


class Report(BaseModel):
    region: str


@pytest.fixture
def deliver(invoke: Callable[..., Invocation]) -> Deliver:
    """Return a function that runs a handler to its end: it is registered, called and judged."""

    def run(
        function: Callable[..., Any], *, limit_ms: int = 60_000, grace_ms: int = 0, **changed: Any
    ) -> Outcome:
        app = App("tests")
        app.handler("handler")(function)
        deadline_ms = CLOCK.now_ms() + limit_ms
        given = invoke(
            {"kind": "python", "name": "handler"},
            deadline_ms=deadline_ms,
            hard_deadline_ms=deadline_ms + grace_ms,
            **changed,
        )
        return PythonHandlers(Registry.of(app), CLOCK).deliver(given)

    return run


# --- results ---------------------------------------------------------------------------------------------------------


def test_a_handler_without_parameters_succeeds_with_what_it_returns(deliver: Deliver) -> None:
    assert deliver(lambda: {"rows": 3}) == Outcome("succeeded", result={"rows": 3})
    assert deliver(lambda: None) == Outcome("succeeded")


def test_a_handler_is_told_everything_about_its_run(deliver: Deliver) -> None:
    seen: list[RunContext] = []

    def handler(run: RunContext) -> str:
        seen.append(run)
        return threading.current_thread().name

    outcome = deliver(handler)
    (run,) = seen
    assert outcome.result == f"run-{run.id}"
    assert (run.project, run.job, run.trigger, run.schedule) == (
        "default",
        "reports.nightly",
        "default",
        "every 10m",
    )
    assert run.nominal == run.scheduled_at == datetime(2027, 1, 15, 8, tzinfo=UTC)
    assert (run.kind, run.attempt, run.tenant, run.fence) == ("schedule", 2, "acme", 3)
    assert run.data == {"region": "eu", "big": 12345678901234567890}
    assert 0 < run.remaining() <= 60
    assert not run.canceled


def test_an_async_handler_runs_in_a_loop_of_its_own(deliver: Deliver) -> None:
    async def handler(run: RunContext[Report]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"region": run.data.region}

    assert deliver(handler) == Outcome("succeeded", result={"region": "eu"})


def test_data_that_does_not_fit_fails_for_good_before_the_handler_is_called(deliver: Deliver) -> None:
    called: list[Any] = []

    def handler(run: RunContext[Report]) -> None:
        called.append(run)

    outcome = deliver(handler, data={"region": 7})
    assert (outcome.status, outcome.permanent, called) == ("failed", True, [])
    assert outcome.error is not None
    assert outcome.error.code == "VALIDATION_DATA"
    assert "data.region: '7' does not fit Report" in outcome.error.message


def _cycle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@pytest.mark.parametrize(
    "value, said",
    [
        (object(), "result: 'object' is no JSON value"),
        ({"rows": {1, 2}}, "result.rows: 'set' is no JSON value"),
        ([1, b"x"], "result[1]: 'bytes' is no JSON value"),
        ({1: "x"}, "is no key of a JSON object"),
        (float("nan"), "is no JSON number"),
        ("\ud800", "surrogate"),
        (_cycle(), "too deep"),
        (10**5000, "cannot be written as JSON"),
    ],
    ids=["object", "set", "bytes", "key", "nan", "surrogate", "cycle", "digits"],
)
def test_a_result_that_is_no_json_fails_for_good_and_says_where(
    deliver: Deliver, value: Any, said: str
) -> None:
    outcome = deliver(lambda: value)
    assert (outcome.status, outcome.permanent) == ("failed", True)
    assert outcome.error is not None
    assert outcome.error.code == "VALIDATION_DATA"
    assert said in outcome.error.message


# --- failures --------------------------------------------------------------------------------------------------------


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def _fails(error: BaseException) -> tuple[Callable[[], None], Callable[[], Any]]:
    def handler() -> None:
        raise error

    async def later() -> None:
        raise error

    return handler, later


@pytest.mark.parametrize(
    "error, kept, permanent",
    [
        (Fail("NO_ROWS", "The export is empty."), RunError("NO_ROWS", "The export is empty."), False),
        (NonRetryable("Closed.", code="CLOSED"), RunError("CLOSED", "Closed."), True),
        (ValueError("bad row"), RunError("UNEXPECTED_HANDLER", "ValueError: bad row"), False),
        (KeyError(), RunError("UNEXPECTED_HANDLER", "KeyError"), False),
        (SystemExit(1), RunError("UNEXPECTED_HANDLER", "SystemExit: 1"), False),
        (asyncio.CancelledError(), RunError("UNEXPECTED_HANDLER", "CancelledError"), False),
        (Unspeakable(), RunError("UNEXPECTED_HANDLER", "Unspeakable: (its message cannot be shown)"), False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_an_exception_fails_the_run(
    deliver: Deliver, error: BaseException, kept: RunError, permanent: bool
) -> None:
    for handler in _fails(error):
        assert deliver(handler) == Outcome("failed", error=kept, permanent=permanent)


def test_the_log_has_the_stack_of_an_exception_and_no_local_value(
    deliver: Deliver, caplog: pytest.LogCaptureFixture
) -> None:
    def handler() -> None:
        password = "hunter2".upper()
        raise ValueError(len(password))

    outcome = deliver(handler)
    assert outcome.error == RunError("UNEXPECTED_HANDLER", "ValueError: 7")
    assert "Traceback" in caplog.text
    assert "test_python.py" in caplog.text
    assert "HUNTER2" not in caplog.text


def test_an_unknown_handler_fails_for_good_and_is_refused_at_write(invoke: Callable[..., Invocation]) -> None:
    app = App("tests")
    app.handler("reports.nightly")(lambda: None)
    target = PythonHandlers(Registry.of(app), CLOCK)
    outcome = target.deliver(invoke({"kind": "python", "name": "reports.nightli"}, deadline_ms=0))
    assert (outcome.status, outcome.permanent) == ("failed", True)
    assert outcome.error is not None
    assert outcome.error.code == "NOT_FOUND_HANDLER"
    assert "Did you mean reports.nightly?" in outcome.error.message


# --- timeouts --------------------------------------------------------------------------------------------------------


def test_a_handler_that_heeds_its_token_times_out_on_time(deliver: Deliver) -> None:
    heard: list[bool] = []
    outcome = deliver(lambda run: heard.append(run.wait(30)), limit_ms=400, grace_ms=20_000)
    assert (outcome.status, outcome.still_running, heard) == ("timeout", False, [True])
    assert outcome.error is not None
    assert outcome.error.code == "TIMEOUT_RUN"


@pytest.mark.parametrize("ends", [lambda: {"late": True}, lambda: 1 / 0], ids=["returning", "raising"])
def test_whatever_a_late_handler_does_is_a_timeout(deliver: Deliver, ends: Callable[[], Any]) -> None:
    def handler(run: RunContext) -> Any:
        run.wait(30)
        return ends()

    outcome = deliver(handler, limit_ms=400, grace_ms=20_000)
    assert (outcome.status, outcome.still_running, outcome.result) == ("timeout", False, None)


def test_a_handler_that_ignores_its_timeout_is_left_behind_still_running(
    deliver: Deliver, caplog: pytest.LogCaptureFixture
) -> None:
    release, returned = threading.Event(), threading.Event()

    def handler() -> None:
        release.wait(30)
        returned.set()

    outcome = deliver(handler, limit_ms=400, grace_ms=100)
    assert (outcome.status, outcome.still_running, returned.is_set()) == ("timeout", True, False)
    assert "ignored its timeout and still runs" in caplog.text
    thread = next(one for one in threading.enumerate() if one.name.startswith("run-"))
    assert thread.daemon
    release.set()
    thread.join(30)
    assert returned.is_set()
    assert "returned long after its timeout" in caplog.text


def test_an_async_handler_is_cancelled_at_its_deadline_and_cleans_up(deliver: Deliver) -> None:
    cleaned: list[bool] = []

    async def handler() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            cleaned.append(True)

    outcome = deliver(handler, limit_ms=400, grace_ms=20_000)
    assert (outcome.status, outcome.still_running, cleaned) == ("timeout", False, [True])


def test_an_async_handler_that_swallows_its_cancellation_is_left_behind(deliver: Deliver) -> None:
    release = threading.Event()

    async def handler() -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            release.wait(30)

    outcome = deliver(handler, limit_ms=400, grace_ms=150)
    release.set()
    assert (outcome.status, outcome.still_running) == ("timeout", True)


def test_a_deadline_that_is_over_calls_nobody(deliver: Deliver) -> None:
    called: list[bool] = []
    outcome = deliver(lambda: called.append(True), limit_ms=0, grace_ms=30_000)
    assert (outcome.status, outcome.still_running, called) == ("timeout", False, [])


# --- a stopping host -------------------------------------------------------------------------------------------------


def test_a_stop_cancels_an_async_handler(deliver: Deliver) -> None:
    token = RunToken()

    async def handler() -> None:
        token.cancel()
        await asyncio.sleep(30)

    outcome = deliver(handler, token=token)
    assert outcome == Outcome("canceled", error=RunError("CONFLICT_CANCELED", "stopping"))


def test_a_sync_handler_that_ends_regularly_after_a_stop_has_succeeded(deliver: Deliver) -> None:
    token = RunToken()

    def handler(run: RunContext) -> str:
        token.cancel()
        return "saved" if run.wait(30) else "missed"

    assert deliver(handler, token=token) == Outcome("succeeded", result="saved")


def test_runs_are_delivered_side_by_side(deliver: Deliver) -> None:
    together = threading.Barrier(8, timeout=30)
    outcomes: list[Outcome] = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(deliver(lambda: together.wait() >= 0)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.result for one in outcomes] == [True] * 8


def test_a_failed_run_of_its_own_wish_leaves_no_stack_in_the_log(
    deliver: Deliver, caplog: pytest.LogCaptureFixture
) -> None:
    def handler() -> None:
        raise Fail("NO_ROWS", "Empty.")

    with caplog.at_level(logging.DEBUG):
        deliver(handler)
    assert "Traceback" not in caplog.text
