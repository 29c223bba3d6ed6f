"""A schedule in the place of another: `every 10m` or `rate(5 minutes)` as a cron expression, `0 9 * * *` as an interval.

Needed only to refuse. What is recognised is read first, so that a hint never offers what would be refused again.
"""

from __future__ import annotations

import re
from typing import Final

from duetime.core.cronhints import wrapped
from duetime.core.durations import duration_seconds
from duetime.core.errors import ScheduleError
from duetime.core.instants import parse_moment
from duetime.core.schedulejson import MAX_EVERY, MIN_EVERY

MAX_TEXT: Final = 256
_FIELDS: Final = {"cron": "cron", "every": "every", "once": "at"}
"""The first word of a schedule text, and the field its value belongs to."""
_TRAILING: Final = re.compile(r"[A-Za-z_]+=\S+|immediate|delay|aligned|calendar|x[0-9]+", re.IGNORECASE)
_RATE: Final = re.compile(r"rate\(\s*([0-9]{1,9}) +(second|minute|hour|day|week)s?\s*\)", re.IGNORECASE)
_AT: Final = re.compile(r"at\(\s*([0-9T:-]{10,19})\s*\)", re.IGNORECASE)


def eventbridge(text: str) -> str | None:
    """Return the hint for EventBridge's `rate(...)` and `at(...)`; its `cron(...)` is known where expressions are read.

    >>> eventbridge("rate(5 minutes)")
    "Write every 5m for EventBridge's rate; its first run is at creation: every 5m immediate."
    """
    if rate := _RATE.fullmatch(text.strip()):
        duration = interval(f"{rate[1]}{rate[2][0].lower()}")
        if duration is None:
            return "An interval is 1s to 366d, such as every 5m."
        every = f"every {duration}"
        return f"Write {every} for EventBridge's rate; its first run is at creation: {every} immediate."
    at = _AT.fullmatch(text.strip())
    if at is None:
        return None
    try:
        parse_moment(at[1], "at")
    except ScheduleError as error:
        return f"Write once and the time, but {at[1]} {error.problem}."
    return f"Write once {at[1]}Z, or once {at[1]} tz=Europe/Berlin for a local time."


def interval(text: str) -> str | None:
    """Return a duration as it is written, or None for what no interval may be.

    >>> interval("90s"), interval("500d")
    ('90s', None)
    """
    try:
        seconds = duration_seconds(text.strip(), field="every")
    except ScheduleError:
        return None
    return text.strip() if MIN_EVERY <= seconds <= MAX_EVERY else None


def misplaced(value: object, field: str) -> tuple[str, str] | None:
    """Return what a refused value of the field `cron`, `every` or `at` is instead, and where to write it; None if unknown.

    >>> misplaced("0 9 * * *", "every")
    ('is a cron expression', 'Give it as cron instead of every: cron 0 9 * * *.')
    """
    if not isinstance(value, str) or len(value) > MAX_TEXT or not value.isascii() or not value.isprintable():
        return None
    text = " ".join(value.split())
    if hint := eventbridge(text):
        return "is in the notation of EventBridge", hint
    if wrap := wrapped(text):
        return wrap.problem, wrap.hint
    word, _, rest = text.partition(" ")
    named = _FIELDS.get(word.lower())
    if named is None:
        return _bare(text, field)
    core = _core(rest)
    if named == "at" and core.lower().startswith("in "):
        return _bare(core, field)
    if _kind(core) != named:
        return None
    if named == field:
        alone = f"Write {core} alone"
        return (
            f"begins with the word {word}",
            f"{alone}." if core == rest else f"{alone}, the rest beside it.",
        )
    return "is a whole schedule", f"Give {core} as {named} instead of {field}, or the text as the schedule."


def _bare(text: str, field: str) -> tuple[str, str] | None:
    """A value without a word before it that says what it is."""
    core = _core(text)
    kind = _kind(core)
    if core.lower().startswith("in ") and _kind(core[3:]) == "every":
        return "is a delay", f"Give {core[3:]} as in instead of {field}: once {core}."
    if kind == "cron" and field != "cron":
        return "is a cron expression", f"Give it as cron instead of {field}: cron {core}."
    if kind == "at" and field != "at":
        return "is a time", f"Give it as at instead of {field}: once {core}."
    if kind != "every":
        return None
    if field == "at":
        return "is a duration", f"Give it as in instead of at: once in {core}."
    return ("is a duration", f"Give it as every instead of cron: every {core}.") if field == "cron" else None


def _core(text: str) -> str:
    """A schedule text without the words and options at its end."""
    words = text.split(" ")
    while len(words) > 1 and _TRAILING.fullmatch(words[-1]):
        words.pop()
    return " ".join(words)


def _kind(text: str) -> str | None:
    """The field that takes a value: `cron`, `every` or `at`."""
    from duetime.core.cronparse import MACROS, read_fields  # it knows this module, too

    parts = text.split(" ")
    try:
        if 5 <= len(parts) <= 7:
            read_fields(text, parts)
            return "cron"
        if text.lower() in MACROS:
            return "cron"
        if re.match(r"[0-9]{4}-", text):
            parse_moment(text, "at")
            return "at"
        duration_seconds(text)
    except ScheduleError:
        return None
    return "every"
