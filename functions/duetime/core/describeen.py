"""Descriptions of schedules in English."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from duetime.core.cronfields import Field, Item
from duetime.core.cronparse import Expression
from duetime.core.describeparts import clock_times, even_step, every_day, full, plain_items

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKS: Final = ("first", "second", "third", "fourth", "fifth")
_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


class English:
    """See `duetime.core.describe.Language`."""

    def cron(self, expression: Expression) -> str:
        """Say when an expression matches."""
        parts = [_time(expression), _days(expression), _months(expression.month)]
        if expression.year is not None:
            parts.append("in " + _list(expression.year, "year", str))
        return ", ".join(part for part in parts if part)

    def interval(self, every: int, mode: str) -> str:
        """Say how often an interval comes."""
        span = _every(every)
        return {
            "fixed_rate": span,
            "fixed_delay": f"{_span(every)} after each run has finished",
            "aligned": f"{span}, counted from 1970-01-01T00:00:00Z",
            "calendar": f"{span} at the same local time",
        }[mode]

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

    def calendar(self, name: str) -> str:
        """Say that a calendar excludes occurrences."""
        return f"except where calendar {name} excludes it"

    def immediate(self) -> str:
        """Say that one more run comes at creation."""
        return "and once immediately"

    def sentence(self, parts: list[str]) -> str:
        """Join the parts into a sentence."""
        text = ", ".join(parts)
        return text[0].upper() + text[1:] + "."


def _span(seconds: int) -> str:
    """90 seconds as "1 minute 30 seconds"."""
    words = []
    for size, unit in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            words.append(f"{count} {unit}{'s' * (count > 1)}")
    return " ".join(words)


def _every(seconds: int) -> str:
    span = _span(seconds)
    return "every " + (span[2:] if span.startswith("1 ") and span.count(" ") == 1 else span)


def _joined(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _item(item: Item, unit: str, name: Callable[[int], str]) -> str:
    """A value, a range, or a range by a step."""
    if item.first == item.last or item.step > item.last - item.first:
        return name(item.first)
    span = f"{name(item.first)} to {name(item.last)}"
    return span if item.step == 1 else f"every {_ordinal(item.step)} {unit} from {span}"


def _list(field: Field, unit: str, name: Callable[[int], str]) -> str:
    return _joined([_item(item, unit, name) for item in plain_items(field)])


def _numbered(field: Field, unit: str) -> str:
    """ "minute 30", "minutes 5 and 10", "every 7th minute from 0 to 59"."""
    text = _list(field, unit, str)
    if text.startswith("every"):
        return text
    return f"{unit} {text}" if field.mask & (field.mask - 1) == 0 else f"{unit}s {text}"


def _time(expression: Expression) -> str:
    """The time of day: a few clock times, or a phrase for each unit from the finest up."""
    times = clock_times(expression)
    if times:
        return "at " + _joined(times)
    parts: list[str] = []
    for unit, field in (
        ("second", expression.second),
        ("minute", expression.minute),
        ("hour", expression.hour),
    ):
        if unit == "second" and field.mask == 1:
            continue
        step = even_step(field, unit)
        if full(field, unit):
            if not parts:
                parts.append(f"every {unit}")
            elif parts[-1].startswith(("at ", "in ")):
                parts.append(f"of every {unit}")
        elif step and (not parts or unit == "hour"):
            parts.append(f"every {step} {unit}s" if not parts else f"of every {_ordinal(step)} hour")
        else:
            parts.append(f"{'in' if parts else 'at'} {_numbered(field, unit)}")
    return " ".join(parts)


def _days(expression: Expression) -> str:
    """The days, or nothing where every day counts."""
    if every_day(expression):
        return ""
    days = [] if expression.day.free else [_day_of_month(expression.day)]
    weekdays = [] if expression.weekday.free else [_day_of_week(expression.weekday)]
    return " or ".join(days + weekdays)


def _day_of_month(field: Field) -> str:
    words = []
    for item in plain_items(field):
        text = _item(item, "day", str)
        words.append(text if text.startswith("every") else f"day{'s' * (' to ' in text)} {text}")
    for item in field.items:
        if item.kind == "last_day":
            words.append(f"the {_ordinal(item.first)} day before the last" if item.first else "the last day")
        elif item.kind == "nearest":
            words.append(f"the weekday nearest to day {item.first}")
        elif item.kind == "last_weekday":
            words.append("the last weekday")
    return f"on {_joined(words)} of the month"


def _day_of_week(field: Field) -> str:
    words = []
    for item in field.items:
        if item.kind == "range":
            words.append(_item(item, "day", _WEEKDAYS.__getitem__))
        elif item.kind == "last":
            words.append(f"the last {_WEEKDAYS[item.first]} of the month")
        else:
            words.append(f"the {_WEEKS[item.last - 1]} {_WEEKDAYS[item.first]} of the month")
    ranges = any(item.kind == "range" and item.last > item.first for item in field.items)
    return _joined(words) if ranges else f"on {_joined(words)}"


def _months(field: Field) -> str:
    if field.mask == 0x1FFE:
        return ""
    return "in " + _list(field, "month", lambda month: _MONTHS[month - 1])
