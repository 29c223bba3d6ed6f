"""Whether the control plane answers, and what it can do: the only routes without a caller."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler.api_gateway import Response
from aws_lambda_powertools.event_handler.request import Request

from duetime.api.call import call_of
from duetime.api.family import Family
from duetime.contracts.api_health import HealthAnswer
from duetime.contracts.instants import moment_text

routes = Family("service")


@routes.operation(
    "GET", "/health", "Whether the control plane answers", answers={200: HealthAnswer}, open_to_all=True
)
def health(request: Request) -> HealthAnswer:
    """The process answers; nothing behind it is asked, so it costs nothing to ask often."""
    return HealthAnswer(status="ok", time=moment_text(call_of(request).engine.clock.now_ms()))


@routes.operation("GET", "/openapi.json", "This document", answers={200: dict[str, Any]}, open_to_all=True)
def openapi() -> Response[dict[str, Any]]:
    """The OpenAPI 3.1 document of all routes."""
    from duetime.api.openapi import document  # made when first asked for: no other request needs it

    return Response(200, "application/json", document())
