"""What was probably meant by an expression written for another scheduler. Needed only to refuse or to warn.

Nothing is translated silently: a hint spells out the expression to write, and is only given where that one is legal here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from duetime.core.cronmasks import MONTHS, WEEKDAYS
from duetime.core.errors import ScheduleError

if TYPE_CHECKING:
    from duetime.core.cronfields import Spec

_DIGIT: Final = re.compile(r"(?<![#/0-9])[0-9](?![0-9])")
_YEAR: Final = re.compile(r"[0-9]{4}\b|\*/[0-9]")
_HASHED: Final = re.compile(r"[HR](\(.*)?|.*~.*")
_COMMAND: Final = re.compile(r"(?:\.{0,2}|~)/[A-Za-z0-9._]")
_WORD: Final = re.compile(r"[a-z_][a-z0-9_-]{3,}", re.IGNORECASE)
_FOREIGN: Final = re.compile(r"\?|L|W\b|[0-9]W|[A-Z]{3}", re.IGNORECASE)
_NAMES: Final = frozenset((*MONTHS, *WEEKDAYS))


def sunday_first(field: str) -> str | None:
    """Return a day of week whose digits count 1 as Sunday, as in Quartz and EventBridge, by names; None if it has a 0.

    >>> sunday_first("2-6"), sunday_first("6#3"), sunday_first("0-4")
    ('MON-FRI', 'FRI#3', None)
    """
    digits = [int(digit) for digit in _DIGIT.findall(field)]
    if not digits or not all(1 <= digit <= 7 for digit in digits):
        return None
    return _DIGIT.sub(lambda digit: WEEKDAYS[int(digit[0]) - 1], field)


def refusal(text: str, parts: list[str], error: ScheduleError) -> ScheduleError:
    """Return the refusal of an expression: `error`, or one that knows what was meant by the whole of it."""
    from duetime.core.misplaced import misplaced  # it knows this module, too

    if found := misplaced(text, "cron"):
        return ScheduleError("cron", text, *found)
    if expression := _crontab(parts, error.field):
        hint = f"A crontab's user and command are no part of it: write {expression}. What runs is the target."
        return ScheduleError("cron", text, "has more than an expression", hint)
    return with_year(parts, error) if len(parts) == 6 else error


def _crontab(parts: list[str], field: str) -> str | None:
    """The expression of a crontab line, or None where what follows could be fields; `field` is the one refused."""
    from duetime.core.cronparse import MACROS, read_fields  # it knows this module, too

    count = 1 if parts[0].lower() in MACROS else 5
    rest = parts[count:]
    words = [word for word in rest[:2] if _WORD.fullmatch(word) and word[:3].upper() not in _NAMES]
    alone = len(words) == len(rest) == 1 and field not in ("cron", "cron.day_of_week")
    if not (alone or len(words) == 2 or any(_COMMAND.match(word) for word in rest)):
        return None
    try:
        if count == 5:
            read_fields(" ".join(parts[:5]), parts[:5])
    except ScheduleError:
        return None
    return " ".join(parts[:count])


def unknown(text: str, part: str, spec: Spec) -> tuple[str, str]:
    """Return what is wrong with a text that is neither number nor name of a field, and what to write instead."""
    if text == "?":
        if spec.name in ("day of month", "day of week"):
            return "has ? beside other values", f"Write ? alone, or values such as {spec.example}."
        return "is taken in the two day fields only", f"Write {part.replace('?', '*')[:20]}."
    if _HASHED.fullmatch(text):
        return "is a hashed or random value", "Write a fixed value; the trigger's jitter spreads runs."
    if re.fullmatch("X[0-9]+", text):
        return "is a number of runs", "Only an interval has one: every 1d x5."
    if not text:
        return "misses a value", f"Write a value, range or step, such as {spec.example}."
    if text == "L":
        return "has L where it has no meaning", "L stands for the last day, in the day of month only."
    if ".." in text:
        return "has dots in it", f"Write a range with -, such as {text.replace('..', '-')[:20]}."
    if text[:3] in spec.names and text.isalpha():
        return f"has the unknown value '{text[:20]}'", f"Names have three letters: write {text[:3]}."
    known = f"names {spec.names[0]} to {spec.names[-1]} or " if spec.names else ""
    high = 7 if spec.name == "day of week" else spec.high
    return (
        f"has the unknown value '{text[:20]}'",
        f"Use {known}numbers {spec.low} to {high}, such as {spec.example}.",
    )


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
