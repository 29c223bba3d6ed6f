"""How calendars look to a person: what they exclude in words, and holidays by year."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Any, Final

from duetime.cli.output import Output, compact, local_time
from duetime.core.faults import DuetimeError

_OWN: Final = (
    "project", "name", "description", "version", "created_at", "updated_at", "warnings",
)  # fmt: skip
"""What an answer says beside the calendar itself."""


def excludes_text(form: Mapping[str, Any]) -> str:
    """Return what a calendar excludes, in words; `form` is its JSON form or an answer with it.

    >>> excludes_text({"kind": "daily", "from": "22:00", "to": "06:00", "timezone": "Europe/Berlin"})
    'every day from 22:00 to 06:00 of the next, Europe/Berlin time'
    """
    from duetime.core.calendars import CompositeCalendar, calendar_json, parse_calendar

    plain = {key: value for key, value in form.items() if key not in _OWN}
    try:
        parsed = parse_calendar(plain, check_zones=False)
    except DuetimeError:  # a newer control plane knows kinds that this command does not
        return compact(plain)
    plain = calendar_json(parsed)
    if isinstance(parsed, CompositeCalendar):
        return f"what {_joined(parsed.calendars)} {'exclude' if len(parsed.calendars) > 1 else 'excludes'}"
    return f"{_SAID[parsed.kind](plain)}, {parsed.timezone} time"


def _holiday(plain: Mapping[str, Any]) -> str:
    dates = plain["dates"]
    return dates[0] if len(dates) == 1 else f"{len(dates)} days from {dates[0]} to {dates[-1]}"


def _weekly(plain: Mapping[str, Any]) -> str:
    days = [_WEEKDAYS[name] for name in _WEEKDAYS if name in plain["days"]]
    return f"every {_joined(days)}"


def _daily(plain: Mapping[str, Any]) -> str:
    start, end = (plain[key].removesuffix(":00") for key in ("from", "to"))
    return f"every day from {start} to {end}{' of the next' if plain['to'] < plain['from'] else ''}"


def _cron(plain: Mapping[str, Any]) -> str:
    from duetime.core.describe import describe

    said = describe(f"cron {plain['cron']}").removesuffix(".").removesuffix(", UTC time")
    return f"{plain['cron']} ({said[0].lower()}{said[1:]})"


_WEEKDAYS: Final = {
    "MON": "Monday", "TUE": "Tuesday", "WED": "Wednesday", "THU": "Thursday", "FRI": "Friday", "SAT": "Saturday",
    "SUN": "Sunday",
}  # fmt: skip
_SAID: Final = {"holiday": _holiday, "weekly": _weekly, "daily": _daily, "cron": _cron}


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def show_calendar(out: Output, answer: Mapping[str, Any], users: Iterable[str] | None = None) -> None:
    """Print one calendar, the days of a holiday calendar by year, and who uses it where that is known."""
    facts = {
        "name": answer["name"],
        "description": answer["description"],
        "kind": answer["kind"],
        "excludes": excludes_text(answer),
        "version": answer["version"],
        "changed": local_time(answer["updated_at"]),
    }
    if users is not None:
        facts["used by"] = ", ".join(users) or "nothing"
    out.facts(facts)
    if answer["kind"] == "holiday":
        _show_years(out, answer["dates"])


def _show_years(out: Output, dates: Iterable[str]) -> None:
    """Print dates by year."""
    rows = (
        (year, ", ".join(f"{date.fromisoformat(one):%b} {int(one[8:])}" for one in days))
        for year, days in groupby(dates, key=lambda one: one[:4])
    )
    out.table(("year", "days"), rows)
