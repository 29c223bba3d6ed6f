"""What was probably meant by an expression written for another scheduler. Needed only to refuse or to warn.

Nothing is translated silently: a hint spells out the expression to write, and is only given where that one is legal here.
"""

from __future__ import annotations

import re
from typing import Final

from duetime.core.cronmasks import WEEKDAYS
from duetime.core.errors import ScheduleError

_DIGIT: Final = re.compile(r"(?<![#/0-9])[0-9](?![0-9])")
_YEAR: Final = re.compile(r"[0-9]{4}\b|\*/[0-9]")
_FOREIGN: Final = re.compile(r"\?|L|W\b|[0-9]W|[A-Z]{3}", re.IGNORECASE)


def sunday_first(field: str) -> str | None:
    """Return a day of week whose digits count 1 as Sunday, as in Quartz and EventBridge, by names; None if it has a 0.

    >>> sunday_first("2-6"), sunday_first("6#3"), sunday_first("0-4")
    ('MON-FRI', 'FRI#3', None)
    """
    digits = [int(digit) for digit in _DIGIT.findall(field)]
    if not digits or not all(1 <= digit <= 7 for digit in digits):
        return None
    return _DIGIT.sub(lambda digit: WEEKDAYS[int(digit[0]) - 1], field)


def wrapped(text: str) -> ScheduleError | None:
    """Return the refusal of an expression in EventBridge's `cron(...)`, or None for any other text."""
    found = re.fullmatch(r"cron\s*\((.*)\)?", text, re.IGNORECASE)
    if found is None:
        return None
    inner = " ".join(found[1].removesuffix(")").split())
    meant = year_last(inner.split(" "))
    hint = (
        f"Write {meant}"
        if meant
        else "Write the fields alone, the second first and the year last, such as 0 0 9 * * MON-FRI"
    )
    return ScheduleError("cron", text, "is in the notation of EventBridge", f"{hint}.")


def with_year(parts: list[str], error: ScheduleError) -> ScheduleError:
    """Return the refusal of six fields, with what to write where the last of them was meant as the year."""
    misplaced = any(_FOREIGN.search(parts[place]) for place in (2, 4)) or _FOREIGN.fullmatch(parts[3][:3])
    if not misplaced and not _YEAR.match(parts[5]):
        return error
    meant = year_last(parts)
    if meant is None:
        return error
    hint = f"Six fields begin with the second. If the last one is the year, as in EventBridge and viat, write {meant}."
    return ScheduleError(error.field, error.value, error.problem, hint)


def year_last(parts: list[str]) -> str | None:
    """Return six fields whose last is the year as they are written here, or None where that is not legal either."""
    from duetime.core.cronparse import read_fields  # it knows this module, too

    if len(parts) != 6:
        return None
    weekday = (sunday_first(parts[4]) or parts[4]) if "?" in parts else parts[4]
    year = [] if parts[5] in ("*", "?") else [parts[5]]
    meant = ["0", *parts[:4], weekday, *year]
    try:
        read_fields(" ".join(meant), meant)
    except ScheduleError:
        return None
    return " ".join(meant)
