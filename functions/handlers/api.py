"""API: answers one request of the HTTP API."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from duetime.api.app import handle
from duetime.bootstrap import aws


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request; the gateway has verified its caller already."""
    return handle(aws(), event)
