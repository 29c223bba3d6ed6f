"""Sweep, once a minute: moves on the runs that are stuck."""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from duetime.bootstrap import aws
from duetime.engine.sweep import sweep

log = logging.getLogger("duetime.handlers.sweep")


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Run one sweep; the event says when it was due and nothing that the sweep needs."""
    report = asdict(sweep(aws()))
    log.info("sweep of %s: %s", event.get("time"), report)
    return report
