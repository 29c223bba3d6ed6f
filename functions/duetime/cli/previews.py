"""`duetime preview`: when a schedule would run, reckoned here without any control plane."""

from __future__ import annotations

from typing import Annotated

import typer

from duetime.cli.forms import object_form
from duetime.cli.options import offline
from duetime.cli.output import Output
from duetime.cli.show import show_warnings

MOST = 20


@offline
def preview(
    out: Output,
    text: Annotated[
        str,
        typer.Argument(help='Schedule, such as "0 9 * * MON-FRI", "every 10m", "@daily" or "once in 2h".'),
    ],
    count: Annotated[int, typer.Option("--count", min=1, max=MOST, help="How many instants.")] = 5,
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

    now = SystemClock().now_ms() // 1000 if start is None else parse_moment(start, "--from").instant
    if now is None:
        raise ScheduleError("--from", start, "has no offset", f"Write {start}Z for UTC.")
    known = object_form(calendars, "--calendars")
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
