"""Tick, once a minute: claims the triggers that fall due before the horizon and sends their runs on their way."""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from duetime.bootstrap import aws
from duetime.engine.tick import tick

log = logging.getLogger("duetime.handlers.tick")


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Run one tick; the event says when it was due and nothing that the tick needs."""
    engine = aws()
    deadline_ms = engine.clock.now_ms() + context.get_remaining_time_in_millis()
    report = asdict(tick(engine, deadline_ms=deadline_ms))
    log.info("tick of %s: %s", event.get("time"), report)
    return report
