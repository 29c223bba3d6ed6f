"""Previews: when a schedule would run. Nothing is stored."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler.request import Request

from duetime.api.call import Call, call_of
from duetime.api.family import Family
from duetime.api.routes.parameters import PROJECT, Project
from duetime.contracts.api_preview import CronPreviewBody, PreviewAnswer, SchedulePreviewBody
from duetime.core.errors import ScheduleError
from duetime.core.instants import parse_moment
from duetime.core.preview import MAX_COUNT, preview

routes = Family("preview")

_CRON_OPTIONS = ("cron", "timezone", "dst_gap", "dst_fold")


@routes.operation(
    "POST", PROJECT + "/cron/preview", "Preview a cron expression", answers={200: PreviewAnswer}
)
def preview_cron(request: Request, project: Project, body: CronPreviewBody) -> PreviewAnswer:
    """Return the next instants of a cron expression."""
    call = call_of(request)
    form = {
        key: value for key, value in (call.body or {}).items() if key in _CRON_OPTIONS and value is not None
    }
    return _preview(call, {"kind": "cron", **form}, body.count, body.from_)


@routes.operation("POST", PROJECT + "/schedules/preview", "Preview a schedule", answers={200: PreviewAnswer})
def preview_schedule(request: Request, project: Project, body: SchedulePreviewBody) -> PreviewAnswer:
    """Return the next instants of a schedule in any form."""
    call = call_of(request)
    try:
        return _preview(call, (call.body or {})["schedule"], body.count, body.from_)
    except ScheduleError as error:
        raise error if error.field == "from" else error.within("schedule") from None


def _preview(call: Call, schedule: Any, count: int, start: str | None) -> PreviewAnswer:
    after = call.engine.clock.now_ms() // 1000
    if start is not None:
        found = parse_moment(start, "from").instant
        if found is None:
            raise ScheduleError("from", start, "has no offset", f"Write {start}Z for UTC.")
        after = found
    settings = call.engine.settings
    seen = preview(
        schedule, count=min(max(count, 1), MAX_COUNT), after=after, timezone=settings.default_zone,
        dst_gap=settings.default_dst_gap, dst_fold=settings.default_dst_fold,
    )  # fmt: skip
    return PreviewAnswer(**seen.json())
