"""One request on its way through a route: who asks, for what, and the engine that answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aws_lambda_powertools.event_handler.request import Request

from duetime.engine.context import Engine

KEY: Final = "duetime_call"


@dataclass(frozen=True, slots=True)
class Call:
    """What a route needs beside its parameters. `body` is exactly what was sent, before any model saw it."""

    engine: Engine
    who: str
    body: Mapping[str, Any] | None
    request_id: str
    arrived_ms: int


def call_of(request: Request) -> Call:
    """Return the call a route was given."""
    call = request.context[KEY]
    assert isinstance(call, Call)  # noqa: S101  # put there by Api.answer, nowhere else
    return call
