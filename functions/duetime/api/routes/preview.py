"""Previews: when a schedule would run. Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aws_lambda_powertools.event_handler.request import Request

from duetime.api.calendarform import read_calendar
from duetime.api.call import Call, call_of
from duetime.api.family import Family
from duetime.api.routes.parameters import PROJECT, Project
from duetime.contracts.api_preview import CronPreviewBody, PreviewAnswer, SchedulePreviewBody
from duetime.core.calendars import Calendar
from duetime.core.errors import ScheduleError
from duetime.core.faults import DefinitionError, DuetimeError, shown
from duetime.core.instants import parse_moment
from duetime.core.preview import MAX_COUNT, preview
from duetime.core.schedule import parse_schedule
from duetime.core.stored import members_of
from duetime.engine.occurrences import read_calendars

routes = Family("preview")

MAX_CALENDARS: Final = 32
"""Calendars that the body of a preview may bring along."""
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


@routes.operation(
    "POST", PROJECT + "/schedules/preview", "Preview a schedule", answers={200: PreviewAnswer}, errors=(422,),
    description="Under the project's calendars; those in the body stand in for stored ones of the same name.",
)  # fmt: skip
def preview_schedule(request: Request, project: Project, body: SchedulePreviewBody) -> PreviewAnswer:
    """Return the next instants of a schedule in any form."""
    call = call_of(request)
    given = _given_calendars(body.calendars)
    try:
        schedule = parse_schedule((call.body or {})["schedule"])
        calendars = _calendars(call, project, schedule.calendar, given)
        return _preview(call, schedule, body.count, body.from_, calendars)
    except ScheduleError as error:
        raise error if error.field == "from" else error.within("schedule") from None


def _given_calendars(forms: Any) -> Mapping[str, Calendar]:
    """The calendars of a body."""
    if forms is None:
        return {}
    if not isinstance(forms, Mapping) or len(forms) > MAX_CALENDARS:
        hint = f'Write {{"holidays": {{"kind": "holiday", ...}}}}, at most {MAX_CALENDARS}.'
        raise ScheduleError("calendars", forms, "is no object of a few calendars by name", hint)
    calendars = {}
    for name, form in forms.items():
        try:
            calendars[name] = read_calendar(form, name)[1]
        except DuetimeError as error:
            raise error.within(f"calendars.{shown(name)}") from None
    return calendars


def _calendars(
    call: Call, project: str, name: str | None, given: Mapping[str, Calendar]
) -> Mapping[str, Calendar]:
    """The calendars that a schedule under one of this name asks: those given, and what is stored of the others."""
    known, seen = dict(given), set[str]()
    level = set() if name is None else {name}
    while level:
        stored = read_calendars(call.engine.store, project, level - known.keys())
        known = {**{one.name: one.calendar for one in stored.values()}, **known}
        for missing in sorted(level - known.keys()):
            hint = "Check the name, put it first, or give it in `calendars`."
            raise DefinitionError(
                "schedule.calendar",
                missing,
                "is no calendar of this project",
                hint,
                code="NOT_FOUND_CALENDAR",
            )
        seen |= level
        level = {member for one in level for member in members_of(known[one])} - seen
    return known


def _preview(
    call: Call, schedule: Any, count: int, start: str | None, calendars: Mapping[str, Calendar] | None = None
) -> PreviewAnswer:
    after = call.engine.clock.now_ms() // 1000
    if start is not None:
        found = parse_moment(start, "from").instant
        if found is None:
            raise ScheduleError("from", start, "has no offset", f"Write {start}Z for UTC.")
        after = found
    settings = call.engine.settings
    seen = preview(
        schedule, count=min(max(count, 1), MAX_COUNT), after=after, calendars=calendars,
        timezone=settings.default_zone, dst_gap=settings.default_dst_gap, dst_fold=settings.default_dst_fold,
    )  # fmt: skip
    return PreviewAnswer(**seen.json())
