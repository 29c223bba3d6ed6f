"""`duetime preview`: when a schedule would run, reckoned here without any control plane."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import typer

from duetime.cli.forms import object_form
from duetime.cli.options import offline, whole
from duetime.cli.output import Output
from duetime.cli.problems import usage
from duetime.cli.show import show_warnings
from duetime.core.faults import DuetimeError

MOST: Final = 20
EXAMPLE: Final = {"kind": "weekly", "days": ["SAT", "SUN"]}


@offline
def preview(
    out: Output,
    text: Annotated[
        str,
        typer.Argument(help='Schedule, such as "0 9 * * MON-FRI", "every 10m", "@daily" or "once in 2h".'),
    ],
    count: Annotated[
        int, typer.Option("--count", parser=whole(1, MOST), metavar="N", help="How many instants, 1 to 20.")
    ] = 5,
    tz: Annotated[str, typer.Option("--tz", help="IANA time zone, where the text names none.")] = "UTC",
    start: Annotated[
        str | None, typer.Option("--from", help="After this time (RFC 3339 with offset) instead of now.")
    ] = None,
    calendars: Annotated[
        str | None,
        typer.Option(
            "--calendars",
            help="Calendars by name, where the text names one: a JSON object, or @FILE that holds one.",
        ),
    ] = None,
) -> None:
    """Show when a schedule would run next; works without any server."""
    from duetime.clock import SystemClock
    from duetime.core.errors import ScheduleError
    from duetime.core.instants import parse_moment
    from duetime.core.preview import preview as look_ahead
    from duetime.core.schedule import parse_schedule

    now = SystemClock().now_ms() // 1000 if start is None else parse_moment(start, "--from").instant
    if now is None:
        raise ScheduleError("--from", start, "has no offset", f"Write {start}Z for UTC.")
    known = calendars_form(calendars)
    under = parse_schedule(text).calendar
    if under is not None and under not in known:
        raise ScheduleError(
            "calendar", under, "is not among those given here, and a preview asks no project",
            f"Give it: --calendars '{json.dumps({under: EXAMPLE})}', or --calendars @FILE.",
        )  # fmt: skip
    found = look_ahead(text, after=now, count=count, timezone=tz, calendars=known).json()
    if out.as_json:
        out.document(found)
        return
    out.line(found["description"])
    if found["upcoming"]:
        local = found["timezone"] != "UTC"
        columns, rows = ("UTC", found["timezone"]), zip(found["upcoming"], found["local"], strict=True)
        out.table(columns if local else columns[:1], (row if local else row[:1] for row in rows))
    else:
        out.line("It will not run again.")
    show_warnings(out, found)


def calendars_form(text: str | None) -> dict[str, Any]:
    """Return the calendars of --calendars by name, each checked whether it is used or not; raises Trouble."""
    from duetime.core.calendars import parse_calendar

    found = object_form(text, "--calendars", json.dumps({"off": EXAMPLE})) or {}
    for name, calendar in found.items():
        try:
            parse_calendar(calendar)
        except DuetimeError as error:
            raise usage(
                f"--calendars ({name}.{error.field})", error.value, error.problem, error.hint
            ) from None
    return found
