"""Schedules as one line of text, for people, command lines and storage: `every 10m x5`, `cron 0 9 * * MON-FRI tz=UTC`.

A text is first turned into the JSON object it stands for, so that both forms obey the same rules and errors name the same
fields. The canonical text of a schedule reads back as an equal schedule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from duetime.core.durations import UNIT_NAMES, duration_text
from duetime.core.errors import ScheduleError
from duetime.core.schedulejson import schedule_json
from duetime.core.schedulekinds import Schedule
from duetime.core.zones import check_zone

MAX_TEXT: Final = 1_024
_OPTION: Final = "([A-Za-z_]+)=(.*)"
_OPTIONS: Final = {
    "tz": "timezone",
    "gap": "dst_gap",
    "fold": "dst_fold",
    "start": "start_at",
    "end": "end_at",
    "calendar": "calendar",
}
_NAMES: Final = {**_OPTIONS, **{name: name for name in _OPTIONS.values()}}
_MODES: Final = {"delay": "fixed_delay", "aligned": "aligned", "calendar": "calendar"}
_FORMS: Final = (
    'Write "every 10m", "cron 0 9 * * MON-FRI tz=Europe/Berlin", "once 2026-11-01T09:00:00Z", or the bare duration or '
    "expression."
)


def text_document(text: str) -> dict[str, Any]:
    """Return the JSON object that a schedule text stands for; `read_schedule` checks its values.

    >>> text_document("every 10m x5 delay")
    {'every': '10m', 'mode': 'fixed_delay', 'repeat_count': 5}
    """
    if len(text) > MAX_TEXT:
        raise ScheduleError(
            "schedule", text, f"is longer than {MAX_TEXT} characters", "Write several triggers instead."
        )
    if not text.isascii() or any(c < " " and c != "\t" for c in text) or "\x7f" in text:
        hint = "Use ASCII letters, digits and spaces on one line."
        raise ScheduleError("schedule", text, "has a line break or a character of no schedule", hint)
    words = text.split()
    options = _take_options(words)
    _refuse_strays(words)
    if not words:
        raise ScheduleError("schedule", text, "is empty", _FORMS)
    kind = words[0].lower()
    if kind == "cron":
        return {"kind": "cron", "cron": " ".join(words[1:]), **options}
    if kind == "once":
        return {**_once(words[1:], text), **options}
    if kind == "every":
        return {**_every(words[1:], text), **options}
    if text.lstrip().startswith("@") or len(words) >= 5 or any(c in "*?#" for c in text) or "=" in words[0]:
        return {"cron": " ".join(words), **options}
    if words[0][0] in "0123456789P.-+":
        return {**_every(words, text), **options}
    from duetime.core.cronparse import MACROS  # both only to refuse
    from duetime.core.misplaced import eventbridge

    macro = f"@{words[0].lower()}"
    hint = f"Write {macro}." if macro in MACROS and len(words) == 1 else eventbridge(text) or _FORMS
    raise ScheduleError("schedule", text, "is no schedule", hint)


def schedule_text(schedule: Schedule) -> str:
    """Return the canonical text of a schedule; `parse_schedule` turns it into an equal one.

    >>> from duetime.core.schedulekinds import IntervalSchedule
    >>> schedule_text(IntervalSchedule(600, repeat_count=5))
    'every 10m x5'
    """
    document = schedule_json(schedule)
    match document["kind"]:
        case "cron":
            words = ["cron", document["cron"]]
        case "interval":
            words = ["every", document["every"]]
            words += [word for word, mode in _MODES.items() if mode == document["mode"]]
            words += [f"x{document['repeat_count']}"] if "repeat_count" in document else []
        case _:
            words = ["once", document["at"]] if "at" in document else ["once", "in", document["in"]]
    words += [f"{short}={document[name]}" for short, name in _OPTIONS.items() if name in document]
    words += ["immediate"] if schedule.immediate else []
    return " ".join(words)


def _take_options(words: list[str]) -> dict[str, Any]:
    """Take the trailing options off the words, last first."""
    options: dict[str, Any] = {}
    while words:
        found = re.fullmatch(_OPTION, words[-1])
        if words[-1].lower() == "immediate":
            name, value = "immediate", ""
        elif found is None or (len(words) == 1 and found[1].lower() not in _NAMES):
            break
        elif found[1].lower() in _NAMES:
            name, value = _NAMES[found[1].lower()], found[2]
        else:
            hint = f"Options are {', '.join(f'{short}=' for short in _OPTIONS)} and the word immediate."
            raise ScheduleError(found[1], found[2], "is no option of a schedule text", hint)
        if name in options:
            raise ScheduleError(name, value, "is given twice", "Give it once.")
        if not value and name != "immediate":
            raise ScheduleError(
                name, value, "is empty", "Give a value after the equals sign, or leave it out."
            )
        options[name] = value or True
        words.pop()
    return options


def _refuse_strays(words: list[str]) -> None:
    """Refuse an option before what is none, as in `tz=China Standard Time`: its value seems to have a space."""
    for place, word in enumerate(words[1:], 1):
        found = re.fullmatch(_OPTION, word)
        if found is not None and found[1].lower() in _NAMES:
            name, value = _NAMES[found[1].lower()], " ".join([found[2], *words[place + 1 :]])
            if name == "timezone":
                check_zone(value)
            hint = "Options stand last, each as name=value without a space."
            raise ScheduleError(name, value, "is no value of this option", hint)


def _every(words: list[str], text: str) -> dict[str, Any]:
    """`10m`, `10m x5`, `14d calendar`: a duration, then a mode and a number of runs in any order."""
    rest: dict[str, Any] = {}
    while words:
        word = words[-1].lower()
        if word in _MODES and "mode" not in rest:
            rest["mode"] = _MODES[word]
        elif re.fullmatch(r"x[0-9]{1,12}", word) and "repeat_count" not in rest:
            rest["repeat_count"] = int(word[1:])
        else:
            break
        words.pop()
    if not words:
        raise ScheduleError(
            "every", text, "has no duration", "Write every 10m, every 1h30m delay or every 1d x5."
        )
    if len(words) > 1:
        _refuse_mode(words[-1], rest)
    return {"every": " ".join(words), **dict(sorted(rest.items()))}


def _refuse_mode(word: str, known: Mapping[str, Any]) -> None:
    """Refuse what stands between the duration and the words that were taken, unless it is part of the duration."""
    mode, runs = (
        word.lower(),
        "After the duration write delay, aligned, calendar or x5; bare is a fixed rate.",
    )
    if mode in _MODES:
        first = next(name for name, value in _MODES.items() if value == known["mode"])
        hint = "An interval has one mode: write one of delay, aligned and calendar."
        raise ScheduleError(
            "mode", f"{word} {first}", "names two modes" if mode != first else "is given twice", hint
        )
    if re.fullmatch(r"x[0-9]{1,12}", mode):
        raise ScheduleError("repeat_count", word, "is a second number of runs", "Write one, such as x5.")
    if mode in ("fixed_rate", "fixed_delay"):
        hint = "Write delay instead." if mode == "fixed_delay" else "Leave it out: bare is a fixed rate."
        raise ScheduleError("mode", word, "is no word of the text form", hint)
    if mode == "immediate":
        raise ScheduleError(
            "mode", word, "stands before other words", "Options stand last: every 10m x3 immediate."
        )
    if re.fullmatch("[A-Za-z][A-Za-z_]{2,}", word) and not (
        mode in UNIT_NAMES or mode.startswith(("month", "year"))
    ):
        raise ScheduleError("mode", word, "is no mode of an interval", runs)


def _once(words: list[str], text: str) -> dict[str, Any]:
    """`2026-11-01T09:00:00Z` or `in 10m`."""
    if words and words[0].lower() == "in":
        return {"kind": "once", "in": " ".join(words[1:])}
    if not words:
        raise ScheduleError("at", text, "has no time", "Write once 2026-11-01T09:00:00Z or once in 10m.")
    return {"kind": "once", "at": " ".join(words)}


__all__ = ["duration_text", "schedule_text", "text_document"]
