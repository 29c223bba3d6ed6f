"""Notes on what is legal in a cron expression and yet seldom meant, each with what to write for the other meaning.

A note stands only where another common reading differs: steps beyond their field, digits of weekdays that Quartz counts
otherwise, both day fields, and a year that was meant to be last. Plain expressions have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from duetime.core.cron import read_cron
from duetime.core.cronhints import sunday_first, year_last
from duetime.core.cronmasks import WEEKDAYS

if TYPE_CHECKING:
    from duetime.core.cronparse import Expression

_ALL_DAYS: Final = (2 << 31) - 2
_ALL_WEEK: Final = 0x7F
_WEEKS: Final = {(2 << 7 * n + 7) - (2 << 7 * n): n + 1 for n in range(4)}
"""The masks of the first to the fourth seven days of a month."""
_PLACES: Final = ("first", "second", "third", "fourth")
_NAMES: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def cron_notes(cron: str) -> list[str]:
    """Return what the writer of an expression should know, one sentence or two each; nothing in most cases.

    >>> cron_notes("0 9 * * MON-FRI")
    []
    """
    expression = read_cron(cron)
    fields = (
        expression.second, expression.minute, expression.hour, expression.day, expression.month, expression.weekday,
    )  # fmt: skip
    found = [
        f"The step of {text} is beyond its field and leaves its first value only."
        for field in fields
        for text in field.beyond
    ]
    if expression.fields > 5 and expression.weekday.digits:
        found.append(_digits_note(expression.weekday.text))
    if expression.either_day:
        found.append(_either_note(expression))
    if note := _hourly_note(expression):
        found.append(note)
    return found


def _digits_note(field: str) -> str:
    """The note on days of the week that other schedulers of six and seven fields number otherwise."""
    meant = sunday_first(field)
    end = f"if {meant} was meant, write that" if meant else "names such as MON mean the same everywhere"
    return (
        f"Days of the week as digits ({field}) count from 1 for Monday here, 0 and 7 are Sunday; Quartz and EventBridge "
        f"count from 1 for Sunday: {end}."
    )


def _either_note(expression: Expression) -> str:
    """The note on two day fields that both say something: what was probably meant, and how that is written."""
    day, weekday = expression.day, expression.weekday
    start = f"Both day fields are given ({day.text} and {weekday.text}) and either is enough"
    for field, whole, name in ((day, _ALL_DAYS, "day of month"), (weekday, _ALL_WEEK, "day of week")):
        if field.mask & whole == whole:
            return f"{start}, so that every day matches: write * as {name} if the other field was to choose."
    if meant := _in_week(expression):
        return f"{start}: if {meant[0]} was meant, write * as day of month and {meant[1]} as day of week."
    if any(field.text.startswith("*") for field in (day, weekday)):
        start += "; in a crontab both must match where one begins with *"
    return f"{start}. Where both must match, write one of them only and exclude the other days by a calendar."


def _in_week(expression: Expression) -> tuple[str, str] | None:
    """One weekday within one week of the month in words and as it is written, or None for anything else."""
    items = expression.weekday.items
    if len(items) != 1 or items[0].kind != "range" or items[0].first != items[0].last:
        return None
    name, short = _NAMES[items[0].first], WEEKDAYS[items[0].first]
    days = expression.day
    if week := _WEEKS.get(days.mask) if all(item.kind == "range" for item in days.items) else None:
        return f"the {_PLACES[week - 1]} {name} of the month", f"{short}#{week}"
    if [item[:2] for item in days.items] == [("last_day", 0)]:
        return f"the last {name} of the month", f"{short}L"
    return None


def _hourly_note(expression: Expression) -> str | None:
    """The note on six fields such as `0 2 * * * *`, which name a minute of every hour, or elsewhere an hour of each day.

    Minutes in fives at second 0 are what people write for every hour on purpose: they have none.
    """
    second, minute = expression.second.text, expression.minute.text
    parts = expression.text.split(" ")
    if len(parts) != 6 or parts[2] != "*" or parts[5] not in "*?" or not (second + minute).isdigit():
        return None
    if int(minute) > 23 or (int(second) == 0 and int(minute) % 5 == 0):
        return None
    meant = year_last(parts)
    if meant is None:
        return None
    clock = f"{int(minute):02d}:{int(second):02d}"
    return (
        f"Six fields begin with the second: this is minute {int(minute)} of every hour. If {clock} was meant and the last "
        f"field as the year, as in viat, write {meant}."
    )
