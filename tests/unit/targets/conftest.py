"""What the targets are called with: one run, its deadline and its token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest

from duetime.core.exchange import Invocation
from duetime.core.run import Run
from duetime.core.target import Target, parse_target
from duetime.engine.stop import RunToken
from duetime.targets.aws import Clients

RUN = Run(
    id="0" * 30,
    project="default",
    job="reports.nightly",
    uid="u" * 16,
    kind="schedule",
    scheduled_at=1_800_000_000,
    start_at=1_800_000_000,
    queued_ms=1_800_000_000_000,
    trigger="default",
    nominal=1_800_000_000,
    attempt=2,
    state="running",
    fence=3,
    tenant="acme",
)

Invoke = Callable[..., Invocation]


@pytest.fixture
def invoke() -> Invoke:
    """Return a maker of invocations: a target in JSON form, a deadline, and whatever is to differ."""

    def make(target: Any, *, deadline_ms: int, **changed: Any) -> Invocation:
        parsed: Target = parse_target(target)
        given: dict[str, Any] = {
            "run": RUN,
            "data": {"region": "eu", "big": 12345678901234567890},
            "schedule": "every 10m",
            "token": RunToken(),
            **changed,
        }
        return Invocation(target=parsed, deadline_ms=deadline_ms, **given)

    return make


@pytest.fixture
def make_clients() -> Callable[..., Clients]:
    """Return a maker of clients that have invented credentials and, if wanted, an address of their own."""

    def make(**options: Any) -> Clients:
        session = boto3.session.Session(aws_access_key_id="invented", aws_secret_access_key="invented")
        return Clients(session, **options)

    return make
