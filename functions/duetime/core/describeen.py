"""Descriptions of schedules in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from duetime.core.describeparts import (
    Piece,
    clock_times,
    every_day,
    pieces,
    regular,
    span,
    stretch,
    values,
    weekday_pieces,
)

if TYPE_CHECKING:
    from duetime.core.cronfields import Field
    from duetime.core.cronparse import Expression

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_WEEKS: Final = ("first", "second", "third", "fourth", "fifth")

_BACK: Final = {0: "the last day", 1: "the day before the last day"}


class English:
    """See `duetime.core.describe.Language`."""

    def cron(self, expression: Expression) -> str:
        """Say when an expression matches."""
        named = _named_months(expression)
        parts = [_time(expression), _days(expression, named or "the month")]
        if not named:
            parts.append(_months(expression.month))
        if expression.year is not None:
            parts.append(_years(expression.year))
        return ", ".join(part for part in parts if part)

    def interval(self, every: int, mode: str) -> str:
        """Say how often an interval comes."""
        if mode == "fixed_delay":
            return f"{_span(every)} after each run has finished"
        origin = "midnight UTC" if 86_400 % every == 0 else "1970-01-01T00:00:00Z"
        tail = {"aligned": f", counted from {origin}", "calendar": " at the same local time"}.get(mode, "")
        return _every(every) + tail

    def repeats(self, count: int) -> str:
        """Say how many runs there are in all."""
        return "1 run in all" if count == 1 else f"{count} runs in all"

    def once(self, when: str) -> str:
        """Say that there is one run at a time."""
        return f"once at {when}"

    def delayed(self, delay: int) -> str:
        """Say that there is one run after creation."""
        return f"once, {_span(delay)} after creation"

    def in_zone(self, timezone: str) -> str:
        """Say on whose clock."""
        return f"{timezone} time"

    def policies(self, gap: str | None, fold: str | None) -> list[str]:
        """Say what changes of the clock do, where it is not the usual."""
        parts = ["times skipped by the clock move to the end of the gap"] if gap == "shift" else []
        return parts + (["times that come twice run twice"] if fold == "both" else [])

    def window(self, start: str | None, end: str | None) -> str:
        """Say between which bounds."""
        return " ".join(([f"from {start}"] if start else []) + ([f"until {end}"] if end else []))

    def calendar(self, name: str, kind: str) -> str:
        """Say what a calendar does to occurrences it excludes."""
        return {
            "passed": f"except where calendar {name} excludes it",
            "moved": f"put off while calendar {name} excludes it",
            "dropped": f"unless calendar {name} excludes it",
        }[kind]

    def immediate(self, first: bool, started: bool) -> str:
        """Say that one more run comes at creation."""
        moment = "the start" if started else "creation"
        return f"the first at {moment}" if first else f"and once at {moment}"

    def sentence(self, parts: list[str]) -> str:
        """Join the parts into a sentence."""
        text = ", ".join(parts)
        return text[0].upper() + text[1:] + "."


def _span(seconds: int) -> str:
    """90 minutes, 1 hour 1 minute and 1 second as words."""
    return _joined([f"{count} {unit}{'s' * (count > 1)}" for count, unit in span(seconds)])


def _every(seconds: int) -> str:
    found = span(seconds)
    return f"every {found[0][1]}" if len(found) == 1 and found[0][0] == 1 else f"every {_span(seconds)}"


def _joined(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _each(step: int, unit: str) -> str:
    """ "every minute", "every 5 minutes"."""
    return f"every {unit}" if step == 1 else f"every {step} {unit}s"


def _piece(piece: Piece) -> str:
    return str(piece.first) if piece.single else f"{piece.first} to {piece.last}"


def _numbered(found: list[int], unit: str) -> str:
    """ "minute 30", "minutes 5 and 10", "every 7th minute from 0 to 56"."""
    parts = pieces(found)
    if parts[0].step > 1:
        return f"every {_ordinal(parts[0].step)} {unit} from {_piece(parts[0])}"
    return f"{unit}{'s' * (len(found) > 1)} {_joined([_piece(part) for part in parts])}"


def _time(expression: Expression) -> str:
    """The time of day: a few clock times, one stretch of the day, or a phrase for each unit from the finest up."""
    daily = " every day" if every_day(expression) else ""
    if times := clock_times(expression):
        return f"at {_joined(times)}{daily}"
    if found := stretch(expression):
        return f"{_each(found.step, found.unit)} from {found.first} to {found.last}{daily}"
    seconds, minutes, hours = map(values, (expression.second, expression.minute, expression.hour))
    whole = len(minutes) == 60, len(hours) == 24
    if seconds == [0]:
        return _fine(minutes, "minute") + ("" if whole[1] and regular(minutes, "minute") else _of(hours))
    fine = _fine(seconds, "second")
    if all(whole) and regular(seconds, "second"):
        return fine
    if whole[0]:
        return fine + " of every minute" + ("" if whole[1] else _of(hours))
    return fine + (" in " if regular(seconds, "second") else " of ") + _inner(minutes) + _of(hours)


def _fine(found: list[int], unit: str) -> str:
    """The finest unit of a time: "every 5 minutes", "at minute 30", "every 7 minutes from minute 0 to 56"."""
    step = regular(found, unit)
    if step is not None:
        return _each(step, unit)
    parts = pieces(found)
    if parts[0].step > 1:
        return f"every {parts[0].step} {unit}s from {unit} {_piece(parts[0])}"
    return "at " + _numbered(found, unit)


def _of(hours: list[int]) -> str:
    return " of every hour" if len(hours) == 24 else f" of {_numbered(hours, 'hour')}"


def _inner(minutes: list[int]) -> str:
    """Minutes whose seconds are counted."""
    step = regular(minutes, "minute")
    return _numbered(minutes, "minute") if step is None else f"every {_ordinal(step)} minute"


def _named_months(expression: Expression) -> str:
    """Months that can stand where "the month" would: "January", "April and July"; else nothing."""
    months, restricted = pieces(values(expression.month)), not every_day(expression)
    plain = all(item.kind == "range" for item in expression.weekday.items)
    few = len(values(expression.month)) <= 4 and all(month.single for month in months)
    if few and restricted and not expression.either_day and (expression.weekday.free or not plain):
        return _joined([_MONTHS[month.first - 1] for month in months])
    return ""


def _days(expression: Expression, month: str) -> str:
    """The days, or nothing where every day counts."""
    if every_day(expression):
        return ""
    days = [] if expression.day.free else [_day_of_month(expression.day, month)]
    weekdays = [] if expression.weekday.free else [_day_of_week(expression.weekday, month)]
    return " and also ".join(days + weekdays)


def _day_of_month(field: Field, month: str) -> str:
    words, days = [], values(field)
    if days:
        words.append(_numbered(days, "day"))
    near = sorted({item.first for item in field.items if item.kind == "nearest"})
    if near:
        words.append(f"the weekday{'s' * (len(near) > 1)} nearest to {_numbered(near, 'day')}")
    if any(item.kind == "last_weekday" for item in field.items):
        words.append("the last weekday")
    backs = sorted({item.first for item in field.items if item.kind == "last_day"}, reverse=True)
    words += [_BACK.get(back, f"{back} days before the last day") for back in backs]
    lead = "" if words[0][0].isdigit() else "on "
    return f"{lead}{_joined(words)} of {month}"


def _day_of_week(field: Field, month: str) -> str:
    plain = weekday_pieces(field)
    words = [
        _WEEKDAYS[day.first % 7] if day.single else f"{_WEEKDAYS[day.first % 7]} to {_WEEKDAYS[day.last % 7]}"
        for day in plain
    ]
    chosen = [
        f"the {'last' if item.kind == 'last' else _WEEKS[item.last - 1]} {_WEEKDAYS[item.first]}"
        for item in dict.fromkeys(field.items)
        if item.kind != "range"
    ]
    text = _joined(words + chosen) + (f" of {month}" if chosen else "")
    return text if any(not day.single for day in plain) else f"on {text}"


def _months(field: Field) -> str:
    if field.mask == 0x1FFE:
        return ""
    found = pieces(values(field))
    if len(found) == 1 and found[0].step == 1 and not found[0].single:
        return f"from {_MONTHS[found[0].first - 1]} to {_MONTHS[found[0].last - 1]}"
    return "in " + _joined([_MONTHS[month - 1] for month in values(field)])


def _years(field: Field) -> str:
    found = pieces(values(field))
    if len(found) == 1 and not found[0].single:
        each = f"in every {_ordinal(found[0].step)} year " if found[0].step > 1 else ""
        return f"{each}from {_piece(found[0])}"
    return "in " + _joined([_piece(piece) for piece in found])
