"""`duetime calendar`: what times are excluded, shared by the schedules of a project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from duetime.cli.calendarforms import calendar_form, year_range
from duetime.cli.calendarshow import excludes_text, show_calendar
from duetime.cli.naming import naming
from duetime.cli.options import Limit, Prefix, Session, remote
from duetime.cli.output import local_time
from duetime.cli.problems import Exit, Trouble
from duetime.cli.show import show_warnings

app = typer.Typer(
    help="Calendars of excluded times: holidays, weekdays, hours; schedules name one with --calendar.",
    no_args_is_help=True,
)

KIND: Final = "What it excludes"
TITLE: Final = "The calendar is not valid."
SHOWN_USERS: Final = 50

PUT: Final = {
    "dates": "--holiday-dates", "days": "--weekly", "from": "--daily", "to": "--daily", "cron": "--cron",
    "calendars": "--composite", "timezone": "--tz",
}  # fmt: skip
HOLIDAYS: Final = {
    "country": "COUNTRY", "subdivision": "--subdiv", "years": "--years", "categories": "--category", "timezone": "--tz",
}  # fmt: skip
"""The options that set fields."""

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
    typed = {
        "--holiday-dates": holiday_dates, "--weekly": weekly, "--cron": cron, "--composite": composite, "--tz": tz,
        "--daily": daily,
    }  # fmt: skip
    form = calendar_form(holiday_dates, weekly, daily, cron, composite, tz)
    with naming(PUT, typed, TITLE):
        _put(session, name, form, description, dry_run=dry_run)


@app.command("list")
@remote
def list_(
    session: Session,
    prefix: Prefix = None,
    limit: Limit = 200,
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
        str | None, typer.Option("--years", help="Such as 2026-2030 or 2026,2028; this year and the next four if left out.")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option("--category", help="Such as bank, instead of public; repeat it for several.")
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
    zone = _stored_zone(session, name) if tz is None and name is not None else tz
    typed = {
        "COUNTRY": country,
        "--subdiv": subdivision,
        "--years": years,
        "--category": category,
        "--tz": tz,
    }
    with naming(HOLIDAYS, typed, "These holidays are not known."):
        days = country_days(country, years=wanted, subdivision=subdivision, categories=category or None)
    with naming(HOLIDAYS, typed, TITLE):
        form = days_document(days, zone or "UTC")
    if category and "public" not in category:
        session.out.note("note: the public holidays are left out; add --category public to have them, too.")
    if zone is None:
        session.out.note("note: these are days of UTC; name the country's own time zone with --tz.")
    elif tz is None:
        session.out.note(f"note: these are days of {zone}, as before; --tz names another zone.")
    if name is not None:
        place = country if subdivision is None else f"{country}, {subdivision}"
        said = f"Holidays of {place}, {_span(wanted)}" if description is None else description
        _put(session, name, form, said, dry_run=dry_run)
    elif session.out.as_json:
        session.out.document(form)
    else:
        session.out.table(("date", "day", "holiday"), ((day, f"{day:%a}", days[day]) for day in days))
    if not session.out.as_json:
        session.out.line(f"The dates end with {wanted[-1]}: fill it anew before.")


def _stored_zone(session: Session, name: str) -> str | None:
    """The time zone of a stored calendar, None where there is none of this name or it has no zone of its own."""
    try:
        found = session.client.get("calendars", name).get("timezone")
    except Trouble as trouble:
        if trouble.exit is Exit.NOT_FOUND:
            return None
        raise
    return None if found is None else str(found)


def _span(years: list[int]) -> str:
    """Years in words."""
    if len(years) > 1 and years[-1] - years[0] == len(years) - 1:
        return f"{years[0]} to {years[-1]}"
    return ", ".join(map(str, years))


def _put(
    session: Session, name: str, form: Mapping[str, Any], description: str | None, *, dry_run: bool
) -> None:
    body = form if description is None else {**form, "description": description}
    answer = session.client.put("calendars", name, body=body, dry_run=dry_run or None)
    if session.out.as_json:
        session.out.document(answer)
        return
    session.out.line(f"calendar {answer['name']}: {'would be put; nothing is stored' if dry_run else 'put'}")
    show_calendar(session.out, answer)
    show_warnings(session.out, answer)
