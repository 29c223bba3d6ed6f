"""A cron expression as seven numbers, one a field: what a search needs of it, read by tables of the usual field texts.

Bit n is value n. Days that depend on the month have bits of their own: in the day of month `L-n` is bit 32 + n (n 0 to 30; `L`
is `L-0`), `LW` bit 63, `nW` bit 64 + n; in the day of week the k-th day n is bit 8k + n, the last one bit 48 + n.
What the tables do not know, legal or not, is left to the grammar in `duetime.core.cronparse`; both give the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from duetime.core.errors import ScheduleError

if TYPE_CHECKING:
    from duetime.core.cronfields import Field
    from duetime.core.cronparse import Expression

MAX_TEXT: Final = 256
MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 2099
LAST_DAY: Final = 32
LAST_WORKDAY: Final = 63
NEAREST: Final = 64
NTH: Final = 8
LAST: Final = 48
PLAIN_DAYS: Final = 0xFFFF_FFFE
PLAIN_WEEK: Final = 0x7F


class Masks(NamedTuple):
    """The fields of an expression as masks; `year` None = any year. With `either` a match of one day field is enough."""

    second: int
    minute: int
    hour: int
    day: int
    month: int
    weekday: int
    year: int | None
    either: bool


class _Table:
    """One field's usual texts: `words` with their masks, `numbers` that may begin or end a range."""

    __slots__ = ("high", "numbers", "words")

    def __init__(self, low: int, high: int, names: tuple[str, ...] = ()) -> None:
        self.high = high
        numbers = {name: value for value, name in enumerate(names, low)}
        for value in range(low, high + 1):
            numbers[str(value)] = numbers[f"{value:02d}"] = value
        self.numbers = numbers
        self.words = words = {text: 1 << value for text, value in numbers.items()}
        words["*"] = full = (2 << high) - (1 << low)
        for step in range(2, high - low + 1):
            words[f"*/{step}"] = _steps(low, high, step)
        words["*/1"] = full

    def read(self, text: str) -> int:
        """Return the mask of a list of words and ranges, or 0 where the grammar has to be asked."""
        if "," not in text:
            return self._range(text)
        mask = 0
        for part in text.split(","):
            found = self.words.get(part) or self._range(part)
            if not found:
                return 0
            mask |= found
        return mask

    def _range(self, part: str) -> int:
        """`a-b`, `a-b/n` and `a/n`, or 0."""
        base, slash, step = part.partition("/")
        first, dash, last = base.partition("-")
        low, high = self.numbers.get(first), self.numbers.get(last) if dash else self.high
        if low is None or high is None or low > high:
            return 0
        if not slash:
            return (2 << high) - (1 << low)
        if not step.isdecimal() or len(step) > 4 or not (by := int(step)):
            return 0
        return _steps(low, high, by)


def _steps(low: int, high: int, step: int) -> int:
    return sum([1 << value for value in range(low, high + 1, step)])


_SIXTY: Final = _Table(0, 59)
_HOURS: Final = _Table(0, 23)
_DAYS: Final = _Table(1, 31)
_MONTHS: Final = _Table(1, 12, MONTHS)
_WEEKDAYS: Final = _Table(0, 6, WEEKDAYS)


def _add_special_days() -> None:
    """The words of the two day fields that name days by their place in the month."""
    words = _DAYS.words
    words["L"] = 1 << LAST_DAY
    words["LW"] = 1 << LAST_WORKDAY
    for day in range(31):
        words[f"L-{day}"] = 1 << LAST_DAY + day
        words[f"{day + 1}W"] = 1 << NEAREST + day + 1
    words = _WEEKDAYS.words
    for text, day in {**_WEEKDAYS.numbers, "7": 0}.items():
        if len(text) != 2:
            words[text] = 1 << day
            words[f"{text}L"] = 1 << LAST + day
            for place in range(1, 6):
                words[f"{text}#{place}"] = 1 << NTH * place + day
    del _WEEKDAYS.numbers["SUN"]  # ending a range it is 7: the grammar knows
    for low, first in enumerate(WEEKDAYS[1:], 1):
        for high, last in enumerate(WEEKDAYS[low + 1 :], low + 1):
            words[f"{first}-{last}"] = words[f"{low}-{high}"] = (2 << high) - (1 << low)


_add_special_days()


def normal_text(value: object, field: str = "cron") -> str:
    """Return an expression with single spaces, or raise ScheduleError: no text, too long, characters of no cron.

    >>> normal_text(" 0  9 * * MON-FRI ")
    '0 9 * * MON-FRI'
    """
    if isinstance(value, str) and len(value) <= MAX_TEXT and value.isascii() and value.isprintable():
        return " ".join(value.split())  # nearly always
    if not isinstance(value, str):
        raise ScheduleError(
            field, value, "is no text", 'Write a cron expression in quotes, such as "0 9 * * MON-FRI".'
        )
    if len(value) > MAX_TEXT:
        raise ScheduleError(
            field, value, f"is longer than {MAX_TEXT} characters", "Write several triggers instead."
        )
    if not value.isascii():
        odd = next(c for c in value if not c.isascii())
        hint = f"Use ASCII digits, letters and spaces; U+{ord(odd):04X} is none of them."
        raise ScheduleError(field, value, "has a character of no cron expression", hint)
    if any((c < " " and c != "\t") or c == "\x7f" for c in value):
        raise ScheduleError(
            field, value, "has a line break or control character", "Separate the fields by spaces."
        )
    return " ".join(value.split())


def read_masks(text: str) -> Masks:
    """Return the masks of an expression in normal form. Raises ScheduleError with field, offending text and hint.

    >>> read_masks("0 22 L * ?").day == 1 << LAST_DAY
    True
    """
    parts = text.upper().split(" ")
    if len(parts) == 5:
        minute, hour, day, month, weekday = parts
        seconds: int = 1
    elif len(parts) == 6:
        second, minute, hour, day, month, weekday = parts
        seconds = _SIXTY.words.get(second) or _SIXTY.read(second)
    else:
        return _by_grammar(text)
    minutes = _SIXTY.words.get(minute) or _SIXTY.read(minute)
    hours = _HOURS.words.get(hour) or _HOURS.read(hour)
    days = PLAIN_DAYS if day == "?" else _DAYS.words.get(day) or _DAYS.read(day)
    months = _MONTHS.words.get(month) or _MONTHS.read(month)
    weekdays = PLAIN_WEEK if weekday == "?" else _WEEKDAYS.words.get(weekday) or _WEEKDAYS.read(weekday)
    if not (seconds and minutes and hours and days and months and weekdays):
        return _by_grammar(text)
    either = day != "*" and day != "?" and weekday != "*" and weekday != "?"
    return Masks(seconds, minutes, hours, days, months, weekdays, None, either)


def _by_grammar(text: str) -> Masks:
    """The masks of what the tables do not know."""
    from duetime.core.cronparse import parse_cron  # most expressions need no more than the tables

    return masks_of(parse_cron(text))


def masks_of(expression: Expression) -> Masks:
    """Return the masks of an expression that the grammar has read."""
    return Masks(
        expression.second.mask,
        expression.minute.mask,
        expression.hour.mask,
        _day_mask(expression.day),
        expression.month.mask,
        _weekday_mask(expression.weekday),
        None if expression.year is None else expression.year.mask,
        expression.either_day,
    )


def _day_mask(field: Field) -> int:
    mask = field.mask
    for item in field.items:
        if item.kind == "last_day":
            mask |= 1 << LAST_DAY + item.first
        elif item.kind == "last_weekday":
            mask |= 1 << LAST_WORKDAY
        elif item.kind == "nearest":
            mask |= 1 << NEAREST + item.first
    return mask


def _weekday_mask(field: Field) -> int:
    mask = field.mask
    for item in field.items:
        if item.kind == "last":
            mask |= 1 << LAST + item.first
        elif item.kind == "nth":
            mask |= 1 << NTH * item.last + item.first
    return mask
