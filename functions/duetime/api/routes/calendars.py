"""Calendars: what times are excluded, stored by name and shared by the schedules of a project."""

from __future__ import annotations

from aws_lambda_powertools.event_handler.api_gateway import Response
from aws_lambda_powertools.event_handler.request import Request

from duetime.api.calendarform import calendar_answer, read_calendar, user_answer
from duetime.api.call import Call, call_of
from duetime.api.family import Family
from duetime.api.paging import CursorIn, Limit, page
from duetime.api.routes.parameters import PROJECT, CalendarName, DryRun, Prefix, Project
from duetime.contracts.api_calendar import CalendarAnswer, CalendarBody, CalendarList, CalendarUserList
from duetime.core.names import check_name
from duetime.engine import calendars

routes = Family("calendars")

CALENDARS = PROJECT + "/calendars"
CALENDAR = CALENDARS + "/<name>"


@routes.operation("GET", CALENDARS, "List calendars by name", answers={200: CalendarList})
def list_calendars(
    request: Request, project: Project, limit: Limit = 100, cursor: CursorIn = None, prefix: Prefix = ""
) -> CalendarList:
    """Return a page of calendars."""
    engine = call_of(request).engine
    found = page(
        engine.settings, f"calendars of {project}", {"prefix": prefix}, cursor, limit,
        read=lambda most, after: calendars.list_calendars(engine, project, prefix=prefix, limit=most, cursor=after),
        show=calendar_answer,
    )  # fmt: skip
    return CalendarList(items=found.items, next=found.next)


@routes.operation(
    "POST", CALENDARS, "Create a calendar", answers={201: CalendarAnswer, 200: CalendarAnswer},
    errors=(409, 413, 422), description="409 if a calendar of this name exists. 200 answers a dry run.",
)  # fmt: skip
def create_calendar(
    request: Request, project: Project, body: CalendarBody, dry_run: DryRun = False
) -> Response[CalendarAnswer]:
    """Create only."""
    return _put(call_of(request), project, None, must_exist=False, dry_run=dry_run)


@routes.operation("GET", CALENDAR, "Show a calendar", answers={200: CalendarAnswer})
def get_calendar(request: Request, project: Project, name: CalendarName) -> CalendarAnswer:
    """Return a calendar."""
    engine = call_of(request).engine
    return calendar_answer(calendars.get_calendar(engine, project, check_name(name, "calendar")))


@routes.operation(
    "PUT", CALENDAR, "Create or replace a calendar", answers={200: CalendarAnswer, 201: CalendarAnswer},
    errors=(409, 413, 422),
    description="Replaces it whole. Every trigger under it, also through a composite calendar, is armed anew from now on.",
)  # fmt: skip
def put_calendar(
    request: Request, project: Project, name: CalendarName, body: CalendarBody,
    dry_run: DryRun = False,
) -> Response[CalendarAnswer]:  # fmt: skip
    """Create or replace."""
    return _put(call_of(request), project, check_name(name, "calendar"), must_exist=None, dry_run=dry_run)


@routes.operation(
    "DELETE", CALENDAR, "Delete a calendar", answers={204: None}, errors=(409,),
    description="409 while anything uses it; the answer names the users.",
)  # fmt: skip
def delete_calendar(request: Request, project: Project, name: CalendarName) -> Response[None]:
    """Delete a calendar that nothing uses."""
    call = call_of(request)
    calendars.delete_calendar(call.engine, project, check_name(name, "calendar"), who=call.who)
    return Response(204)


@routes.operation(
    "GET", CALENDAR + "/users", "List what uses a calendar", answers={200: CalendarUserList},
    description="Composite calendars it is a member of, then jobs with a trigger under it, each by name.",
)  # fmt: skip
def list_calendar_users(
    request: Request, project: Project, name: CalendarName, limit: Limit = 100, cursor: CursorIn = None
) -> CalendarUserList:
    """Return a page of what uses it directly."""
    engine, own = call_of(request).engine, check_name(name, "calendar")
    found = page(
        engine.settings, f"users of calendar {own} of {project}", {}, cursor, limit,
        read=lambda most, after: calendars.calendar_users(engine, project, own, limit=most, cursor=after),
        show=user_answer,
    )  # fmt: skip
    return CalendarUserList(items=found.items, next=found.next)


def _put(
    call: Call, project: str, name: str | None, *, must_exist: bool | None, dry_run: bool
) -> Response[CalendarAnswer]:
    own, calendar, description = read_calendar(call.body or {}, name)
    result = calendars.put_calendar(
        call.engine, project, own, calendar, description=description, who=call.who, must_exist=must_exist,
        dry_run=dry_run,
    )  # fmt: skip
    return Response(
        201 if result.created and not dry_run else 200,
        "application/json",
        calendar_answer(result.stored, result.warnings),
    )
