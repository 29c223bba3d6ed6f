"""Reads one compiled time zone (RFC 8536) into the list of its offset changes and the rule that holds after them.

Nothing here knows where the bytes come from. Offsets are seconds east of UTC; instants are UTC epoch seconds.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

DAY: Final = 86_400
_HEADER: Final = struct.Struct(">4sc15x6L")
_OFFSET: Final = r"([+-]?[0-9]{1,3}(?::[0-9]{2}){0,2})"
_NAME: Final = r"(?:<[A-Za-z0-9+-]+>|[A-Za-z]+)"
_RULE: Final = rf"{_NAME}{_OFFSET}(?:{_NAME}{_OFFSET}?,([^,/]+)(?:/{_OFFSET})?,([^,/]+)(?:/{_OFFSET})?)?"


class Rule(NamedTuple):
    """Two changes a year: to summer time at `start`, back at `end`, each a day text ("M3.2.0") and a local second."""

    standard: int
    summer: int
    start: str
    start_second: int
    end: str
    end_second: int

    def changes(self, year: int) -> Iterator[tuple[int, int]]:
        """Yield the (instant, new offset) pairs of one year in no promised order."""
        new_year = days_to(year, 1)
        yield _day(self.start, year, new_year) * DAY + self.start_second - self.standard, self.summer
        yield _day(self.end, year, new_year) * DAY + self.end_second - self.summer, self.standard


class ZoneData(NamedTuple):
    """A zone as filed: the offset before the first change, every listed change, and the rule after the last or None."""

    initial: int
    changes: list[tuple[int, int]]
    rule: Rule | None


def read(data: bytes) -> ZoneData:
    """Return what a compiled zone says. Raises ValueError for bytes that are none."""
    magic, version, *counts = _HEADER.unpack_from(data)
    if magic != b"TZif" or version < b"2":
        raise ValueError("not a compiled time zone of version 2 or later")
    position = _HEADER.size + _body(counts, 4)
    counts = list(_HEADER.unpack_from(data, position)[2:])
    position += _HEADER.size
    _, _, _, times, types, _ = counts
    instants = struct.unpack_from(f">{times}q", data, position)
    kinds = data[position + times * 8 : position + times * 9]
    offsets = [struct.unpack_from(">l", data, position + times * 9 + 6 * index)[0] for index in range(types)]
    footer = data[position + _body(counts, 8) :].strip(b"\n").decode("ascii")
    changes = [(instant, offsets[kind]) for instant, kind in zip(instants, kinds, strict=True)]
    rule, final = _rule(footer) if footer else (None, None)
    if final is not None and rule is None and not changes:
        return ZoneData(final, [], None)
    return ZoneData(offsets[0], changes, rule)


def _body(counts: list[int], width: int) -> int:
    """The size of a data block from the six counts of its header."""
    utc, standard, leaps, times, types, characters = counts
    return times * (width + 1) + types * 6 + characters + leaps * (width + 4) + standard + utc


def _rule(footer: str) -> tuple[Rule | None, int]:
    """The rule of a POSIX TZ text and its standard offset; no rule where the offset never changes."""
    found = re.fullmatch(_RULE, footer)
    if found is None:
        raise ValueError(f"unknown time zone rule {footer!r}")
    standard = -_seconds(found[1])
    if found[3] is None:
        return None, standard
    summer = -_seconds(found[2]) if found[2] else standard + 3_600
    start_second, end_second = (_seconds(text) if text else 7_200 for text in (found[4], found[6]))
    return Rule(standard, summer, found[3], start_second, found[5], end_second), standard


def _seconds(text: str) -> int:
    """`[+-]hh[:mm[:ss]]` in seconds."""
    sign = -1 if text[0] == "-" else 1
    hours, minutes, seconds = [*map(int, text.lstrip("+-").split(":")), 0, 0][:3]
    return sign * (hours * 3_600 + minutes * 60 + seconds)


def _day(text: str, year: int, new_year: int) -> int:
    """The epoch day a rule's day text names in a year: `Mmonth.week.weekday`, `Jn` (no 29 February) or `n`."""
    if text[0] == "J":
        number = int(text[1:])
        return new_year + number - 1 + (number >= 60 and days_to(year, 3) - new_year == 60)
    if text[0] != "M":
        return new_year + int(text)
    month, week, weekday = map(int, text[1:].split("."))
    first = days_to(year, month)
    day = first + (weekday - (first + 4)) % 7 + (week - 1) * 7
    return day if day < days_to(year + month // 12, month % 12 + 1) else day - 7


def days_to(year: int, month: int) -> int:
    """Return the epoch day of the first of a month in the Gregorian calendar, for any year.

    >>> days_to(1970, 1), days_to(2000, 3)
    (0, 11017)
    """
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return year * 365 + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 - 719_468
