"""Reads one field of a cron expression into a bit mask and the items it was made of.

The grammar of every field: `*`, a value, `a-b`, `*/n`, `a/n` (from a to the field's end), `a-b/n`, and lists of them.
Day of month adds `L`, `L-n`, `nW`, `LW`; day of week adds `nL` and `n#k`, and takes 7 and a closing SUN as Sunday. Work is
bounded by the length of the text, whatever numbers it holds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from duetime.core.cronmasks import FIRST_YEAR, LAST_YEAR, MONTHS, WEEKDAYS
from duetime.core.errors import ScheduleError

_DIGITS: Final = r"(?:^|[,-])[0-9]"
ItemKind = Literal["range", "last_day", "nearest", "last_weekday", "last", "nth"]


class Spec(NamedTuple):
    """A field: its name, least and greatest value, the names of its values, and what `example` to show in hints."""

    name: str
    low: int
    high: int
    names: tuple[str, ...]
    example: str


SECOND: Final = Spec("second", 0, 59, (), "*/10")
MINUTE: Final = Spec("minute", 0, 59, (), "*/5")
HOUR: Final = Spec("hour", 0, 23, (), "9-17")
DAY: Final = Spec("day of month", 1, 31, (), "1,15 or L")
MONTH: Final = Spec("month", 1, 12, MONTHS, "1-6 or JAN")
WEEKDAY: Final = Spec("day of week", 0, 6, WEEKDAYS, "MON-FRI")
YEAR: Final = Spec("year", FIRST_YEAR, LAST_YEAR, (), "2030-2032")


class Item(NamedTuple):
    """One item of a list. A range runs `first` to `last` by `step`; `star` says that it was written with `*`.

    `last_day` is `first` days before the month's last; `nearest` the weekday nearest to day `first`; `last` the last
    weekday `first` of the month; `nth` weekday `first` for the `last`-th time; `last_weekday` the last Monday to Friday.
    """

    kind: ItemKind
    first: int = 0
    last: int = 0
    step: int = 1
    star: bool = False


class Field(NamedTuple):
    """A field as read: the mask of its plain values (bit n = value n), its items, and what is worth a note."""

    text: str
    mask: int
    items: tuple[Item, ...]
    digits: bool
    """Values were given as numbers, which for days of the week other schedulers count differently."""
    beyond: tuple[str, ...]
    """Items whose step is larger than the field, so that only their first value is left."""

    @property
    def free(self) -> bool:
        """Whether the field says nothing: exactly `*` or `?`."""
        return self.text in "*?"


@lru_cache(maxsize=2048)
def read_field(text: str, spec: Spec) -> Field:
    """Return what the text of one field means. Raises ScheduleError naming the field and what to write instead.

    >>> bin(read_field("1-5/2", HOUR).mask), read_field("L-3", DAY).items[0].first
    ('0b101010', 3)
    """
    parts = text.split(",")
    items = tuple([_item(part, len(parts) == 1, spec) for part in parts])
    mask, beyond = 0, []
    for part, item in zip(parts, items, strict=True):
        if item.kind == "range":
            span = item.last - item.first
            if item.step == 1:
                mask |= (2 << span) - 1 << item.first
            else:
                mask |= sum([1 << value for value in range(item.first, item.last + 1, item.step)])
                if item.step > span:
                    beyond.append(part)
    if spec is WEEKDAY:
        mask = mask & 0x7F | mask >> 7
    return Field(text, mask, items, re.search(_DIGITS, text) is not None, tuple(beyond))


def _item(written: str, alone: bool, spec: Spec) -> Item:
    """One item of a list, or the field itself where it stands alone; errors repeat it as it was written."""
    try:
        return _upper_item(written.upper(), alone, spec)
    except ScheduleError as error:
        raise ScheduleError(error.field, written, _as_written(error.problem, written), error.hint) from None


def _as_written(problem: str, written: str) -> str:
    """A problem that quotes a part of the item, with that part in the case it was written in."""
    before, quote, part = problem.removesuffix("'").partition("'")
    place = written.upper().find(part)
    return f"{before}'{written[place : place + len(part)]}'" if quote and place >= 0 else problem


def _upper_item(part: str, alone: bool, spec: Spec) -> Item:
    if not part:
        hint = f"Write values with one comma between, such as {spec.example}."
        raise _error(spec, part, "is empty between commas", hint)
    if part == "?" and alone and spec in (DAY, WEEKDAY):
        return Item("range", spec.low, spec.high, 1, True)
    special = _day_item(part, spec) if spec is DAY else _weekday_item(part, spec) if spec is WEEKDAY else None
    if special is not None:
        return special
    base, slash, step_text = part.partition("/")
    step = _step(step_text, part, spec) if slash else 1
    if base == "*":
        return Item("range", spec.low, spec.high, step, True)
    first_text, dash, last_text = base.partition("-")
    first = _value(first_text, part, spec)
    if not dash:
        first %= 7 if spec is WEEKDAY else 10_000
        return Item("range", first, spec.high if slash else first, step)
    last = _value(last_text, part, spec)
    if spec is WEEKDAY and last_text == "SUN":
        last = 7
    if first > last:
        raise _error(
            spec, part, "is a reversed range", f"Write {_wrapped(first_text, last_text, step, spec)}."
        )
    return Item("range", first, last, step)


def _value(text: str, part: str, spec: Spec) -> int:
    """A number or name in the field's range."""
    if text in spec.names:
        return spec.names.index(text) + spec.low
    if not text.isdigit():
        from duetime.core.cronhints import unknown  # only to refuse

        raise _error(spec, part, *unknown(text, part, spec))
    value = int(text)
    if spec.low <= value <= spec.high or (spec is WEEKDAY and value == 7):
        return value
    hint = f"Use {spec.low} to {spec.high}."
    if spec is HOUR and value == 24:
        hint = "Midnight is hour 0 of the next day."
    elif spec in (MINUTE, SECOND) and value == 60:
        hint = f"A {spec.name} runs from 0 to 59; use 0."
    elif spec is WEEKDAY:
        hint = "Use 0 to 7 (0 and 7 are Sunday) or SUN to SAT."
    raise _error(spec, part, "is out of range", hint)


def _step(text: str, part: str, spec: Spec) -> int:
    """The number after a slash."""
    if not text.isdigit():
        raise _error(
            spec, part, "has no whole number as its step", f"Write */n or a-b/n, such as {spec.low}/2."
        )
    step = int(text)
    if step == 0:
        raise _error(spec, part, "has a step of zero", "Use a step of 1 or more.")
    return min(step, 10_000)


def _day_item(part: str, spec: Spec) -> Item | None:
    """`L`, `L-n`, `nW` and `LW` of the day of month, or None for anything plain."""
    if part == "L":
        return Item("last_day")
    if part in ("LW", "WL"):
        if part == "WL":
            raise _error(spec, part, "is in the wrong order", "Write LW for the last weekday of the month.")
        return Item("last_weekday")
    if part.startswith("L-"):
        back = part[2:]
        if back.isdigit() and int(back) <= 30:
            return Item("last_day", int(back))
        if back.endswith("W") and back[:-1].isdigit():
            hint = f"W does not follow L-n: write {part[:-1]}, or LW for the last weekday of the month."
            raise _error(spec, part, "joins L-n and W", hint)
        hint = "Write L-n with n from 1 to 30, such as L-3 for three days before the last."
        raise _error(spec, part, "is no day before the last", hint)
    if part.endswith("W"):
        day = part[:-1]
        if day.isdigit() and 1 <= int(day) <= 31:
            return Item("nearest", int(day))
        hint = "Write W after one day from 1 to 31, such as 15W, or LW; it takes no range and no step."
        raise _error(spec, part, "is no day with a nearest weekday", hint)
    return None


def _weekday_item(part: str, spec: Spec) -> Item | None:
    """`nL` and `n#k` of the day of week, or None for anything plain."""
    if part == "L":
        hint = "Write SATL for the last Saturday of the month, or SAT for every Saturday."
        raise _error(spec, part, "stands alone, which schedulers read differently", hint)
    if part.endswith("L"):
        return Item("last", _value(part[:-1], part, spec) % 7)
    day, mark, number = part.partition("#")
    if not mark:
        return None
    if number not in ("1", "2", "3", "4", "5"):
        raise _error(
            spec,
            part,
            "has no week from 1 to 5 after #",
            "Write FRI#1 to FRI#5, or FRIL for the last Friday.",
        )
    return Item("nth", _value(day, part, spec) % 7, int(number))


def _wrapped(first: str, last: str, step: int, spec: Spec) -> str:
    """A reversed range as the ranges or values it was meant to be; years do not begin again."""
    if spec is YEAR:
        return f"{last}-{first}"
    if first == "7":
        first = "0"
        if step == 1:
            return f"0-{last}"
    if step > 1:
        low, size = _value(first, first, spec), spec.high - spec.low + 1
        values = range(low, _value(last, last, spec) + (size if first != "0" else 0) + 1, step)
        return ",".join(str((value - spec.low) % size + spec.low) for value in values)
    least, most = (spec.names[0], spec.names[-1]) if first in spec.names else (str(spec.low), str(spec.high))
    parts = [first if first == most else f"{first}-{most}", least if last == least else f"{least}-{last}"]
    return ",".join(parts)


def _error(spec: Spec, part: str, problem: str, hint: str) -> ScheduleError:
    return ScheduleError(f"cron.{spec.name.replace(' ', '_')}", part, problem, hint)
