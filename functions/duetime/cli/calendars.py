"""`duetime calendar`: what times are excluded, shared by the schedules of a project."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer

from duetime.cli.calendarshow import excludes_text, show_calendar
from duetime.cli.options import Session, remote
from duetime.cli.output import local_time
from duetime.cli.problems import usage
from duetime.cli.show import show_warnings

app = typer.Typer(
    help="Calendars of excluded times: holidays, weekdays, hours; schedules name one with --calendar.",
    no_args_is_help=True,
)

KIND: Final = "What it excludes"
YEARS_AHEAD: Final = 4
SHOWN_USERS: Final = 50

Name = Annotated[str, typer.Argument(help="Name of the calendar, such as holidays.")]
Tz = Annotated[
    str | None, typer.Option("--tz", help="IANA time zone of its days and hours; UTC if left out.")
]
Description = Annotated[str | None, typer.Option("--description", help="What it is for.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check everything, change nothing.")]


@app.command("put")
@remote
def put(
    session: Session,
    name: Name,
    holiday_dates: Annotated[
        str | None,
        typer.Option("--holiday-dates", help="Whole days, such as 2026-12-25,2026-12-26.", rich_help_panel=KIND),
    ] = None,
    weekly: Annotated[
        str | None, typer.Option("--weekly", help="Days of the week, such as SAT,SUN.", rich_help_panel=KIND)
    ] = None,
    daily: Annotated[
        str | None,
        typer.Option("--daily", help="A part of every day, such as 22:00-06:00.", rich_help_panel=KIND),
    ] = None,
    cron: Annotated[
        str | None,
        typer.Option("--cron", help="The seconds that match, such as '* * 0-7 * * *'.", rich_help_panel=KIND),
    ] = None,
    composite: Annotated[
        str | None,
        typer.Option("--composite", help="What any of these calendars excludes, such as holidays,nights.",
                     rich_help_panel=KIND),
    ] = None,
    tz: Tz = None,
    description: Description = None,
    dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Create a calendar or replace it whole: duetime calendar put weekends --weekly SAT,SUN --tz Europe/Berlin."""
    form = calendar_form(holiday_dates, weekly, daily, cron, composite, tz)
    _put(session, name, form, description, dry_run=dry_run)


@app.command("list")
@remote
def list_(
    session: Session,
    prefix: Annotated[str | None, typer.Option("--prefix", help="Only names that begin with this.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 200,
) -> None:
    """List calendars by name."""
    found = list(session.client.items("calendars", limit=limit, prefix=prefix))
    if session.out.as_json:
        session.out.document({"items": found})
        return
    rows = (
        (one["name"], one["kind"], excludes_text(one), local_time(one["updated_at"]), one["description"])
        for one in found
    )
    session.out.table(("name", "kind", "excludes", "changed", "description"), rows)


@app.command("show")
@remote
def show(session: Session, name: Name) -> None:
    """Show a calendar, what it excludes in words, and what uses it."""
    answer = session.client.get("calendars", name)
    users = list(session.client.items("calendars", name, "users", limit=SHOWN_USERS + 1))
    if session.out.as_json:
        session.out.document({**answer, "users": users[:SHOWN_USERS]})
        return
    named = [f"{one['kind']} {one['name']}" for one in users[:SHOWN_USERS]]
    show_calendar(session.out, answer, [*named, "and more"] if len(users) > SHOWN_USERS else named)


@app.command("delete")
@remote
def delete(session: Session, name: Name) -> None:
    """Delete a calendar; one in use is refused, with what uses it."""
    session.client.delete("calendars", name)
    session.out.document({"deleted": name}) if session.out.as_json else session.out.line(
        f"calendar {name}: deleted"
    )


@app.command("holidays")
@remote
def holidays(
    session: Session,
    country: Annotated[str, typer.Argument(help="ISO 3166-1 code of the country, such as DE.")],
    subdivision: Annotated[
        str | None, typer.Option("--subdiv", help="State or province, such as BY; without, what holds everywhere.")
    ] = None,
    years: Annotated[
        str | None, typer.Option("--years", help="Such as 2026-2030; this year and the next four if left out.")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option("--category", help="Such as public or bank; may be repeated.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Put it as the calendar of this name; else it is only shown.")
    ] = None,
    tz: Tz = None,
    description: Description = None,
    dry_run: DryRun = False,
) -> None:  # fmt: skip
    """Make a holiday calendar of a country's public holidays: duetime calendar holidays DE --subdiv BY --tz Europe/Berlin.

    The dates end with the last year: fill the calendar anew before.
    """
    from duetime.sdk.holidays import country_days, days_document  # the library loads country by country

    wanted = year_range(years)
    days = country_days(country, years=wanted, subdivision=subdivision, categories=category or None)
    form = days_document(days, tz or "UTC")
    if tz is None:
        session.out.note("note: these are days of UTC; name the country's own time zone with --tz.")
    if name is not None:
        place = country if subdivision is None else f"{country}, {subdivision}"
        span = str(wanted[0]) if len(wanted) == 1 else f"{wanted[0]} to {wanted[-1]}"
        said = f"Holidays of {place}, {span}" if description is None else description
        _put(session, name, form, said, dry_run=dry_run)
    elif session.out.as_json:
        session.out.document(form)
    else:
        session.out.table(("date", "day", "holiday"), ((day, f"{day:%a}", days[day]) for day in days))
    if not session.out.as_json:
        session.out.line(f"The dates end with {wanted[-1]}: fill it anew before.")


def calendar_form(
    holiday_dates: str | None, weekly: str | None, daily: str | None, cron: str | None, composite: str | None,
    tz: str | None,
) -> dict[str, Any]:  # fmt: skip
    """Return the calendar that the options ask for; raises Trouble."""
    options = {
        "--holiday-dates": holiday_dates, "--weekly": weekly, "--daily": daily, "--cron": cron, "--composite": composite,
    }  # fmt: skip
    given = [(option, value) for option, value in options.items() if value is not None]
    if len(given) != 1:
        option, value = given[1] if given else ("calendar", "none")
        problem = "is a second kind" if given else "is given"
        raise usage(option, value, problem, f"Give one of {', '.join(options)}.")
    option, value = given[0]
    zone = {} if tz is None else {"timezone": tz}
    if option == "--composite":
        if tz is not None:
            raise usage(
                "--tz", tz, "goes with no composite", "Each of its members has a time zone of its own."
            )
        return {"kind": "composite", "calendars": _words(value)}
    if option == "--daily":
        start, dash, end = value.partition("-")
        if not dash:
            raise usage(option, value, "is no part of a day", "Write one such as 22:00-06:00.")
        return {"kind": "daily", "from": start.strip(), "to": end.strip(), **zone}
    if option == "--cron":
        return {"kind": "cron", "cron": value, **zone}
    kind, key = ("holiday", "dates") if option == "--holiday-dates" else ("weekly", "days")
    return {"kind": kind, key: _words(value), **zone}


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def year_range(text: str | None) -> list[int]:
    """Return the years of a text such as 2026 or 2026-2030, by default this one and the next four; raises Trouble."""
    if text is None:
        from duetime.clock import SystemClock

        first = datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC).year
        return list(range(first, first + YEARS_AHEAD + 1))
    start, dash, end = text.partition("-")
    for part in (start, end) if dash else (start,):
        if not (part.isascii() and part.isdigit() and len(part) == 4):
            raise usage("--years", text, "are no years", "Write 2026, or 2026-2030.")
    found = list(range(int(start), int(end or start) + 1))
    if not found:
        raise usage("--years", text, "ends before it begins", "Write 2026-2030.")
    return found


def _put(
    session: Session, name: str, form: Mapping[str, Any], description: str | None, *, dry_run: bool
) -> None:
    body = form if description is None else {**form, "description": description}
    answer = session.client.put("calendars", name, body=body, dry_run=dry_run or None)
    if session.out.as_json:
        session.out.document(answer)
        return
    session.out.line(f"calendar {answer['name']}: {'would be put' if dry_run else 'put'}")
    show_calendar(session.out, answer)
    show_warnings(session.out, answer)
