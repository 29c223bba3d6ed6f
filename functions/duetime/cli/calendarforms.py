"""From the options of `duetime calendar` to the calendars and years they stand for. Nothing is sent from here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from duetime.cli.problems import usage

YEARS_AHEAD: Final = 4
WEEKDAYS: Final = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")


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
    if option == "--weekly":
        check_weekdays(value)
    kind, key = ("holiday", "dates") if option == "--holiday-dates" else ("weekly", "days")
    return {"kind": kind, key: _words(value), **zone}


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def year_range(text: str | None) -> list[int]:
    """Return the years of a text such as 2026, 2026-2030 or 2026,2028, in order; by default this one and the next four.

    Raises Trouble.
    """
    if text is None:
        from duetime.clock import SystemClock

        first = datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC).year
        return list(range(first, first + YEARS_AHEAD + 1))
    found: set[int] = set()
    for word in text.split(","):
        start, dash, end = (part.strip() for part in word.partition("-"))
        for part in (start, end) if dash else (start,):
            if not (part.isascii() and part.isdigit() and len(part) == 4):
                raise usage("--years", text, "are no years", "Write 2026, 2026-2030 or 2026,2028.")
        years = range(int(start), int(end or start) + 1)
        if not years:
            raise usage("--years", text, "ends before it begins", "Write 2026-2030.")
        found.update(years)
    return sorted(found)


def check_weekdays(text: str) -> None:
    """Refuse a range or a full name among days of the week, with what to write; all else is left to the scheduler."""
    for word in _words(text):
        parts = [part.strip().upper() for part in word.split("-")]
        places = [
            place
            for part in parts
            for place, name in enumerate(WEEKDAYS)
            if part in (name, name[:3]) and part
        ]
        if len(places) != len(parts) or len(parts) > 2 or parts == [WEEKDAYS[places[0]][:3]]:
            continue
        start, end = places[0], places[-1]
        count = (end - start) % 7 + 1
        meant = ",".join(WEEKDAYS[(start + day) % 7][:3] for day in range(count))
        problem = "is a range of days" if len(parts) == 2 else "is a day by its full name"
        raise usage("--weekly", word, problem, f"Write {meant}.")
