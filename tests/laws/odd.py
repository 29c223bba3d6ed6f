"""Values that nobody should pass and somebody will: numbers, texts, collections, moments and objects of odd kinds."""

from __future__ import annotations

from collections import UserDict, UserString
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Text(str):
    """A text that is not exactly str."""

    __slots__ = ()


class Array:
    """Compares like an array: item by item, so that neither equal nor unequal is true or false."""

    def __eq__(self, other: object) -> Any:
        return self

    def __ne__(self, other: object) -> Any:
        return self

    def __lt__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise ValueError("the truth of an array is ambiguous")

    __hash__ = None  # type: ignore[assignment]  # as arrays are


class Mute:
    """Cannot say what it is."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    __str__ = __repr__


def _nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


def _own_tail() -> tuple[dict[str, Any], list[Any]]:
    document: dict[str, Any] = {"cron": "@daily"}
    document["start_at"] = document
    return document, [document]


class Unfinished(tzinfo):
    """A time zone that answers nothing."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        raise NotImplementedError

    dst = utcoffset

    def tzname(self, moment: datetime | None) -> str | None:
        raise NotImplementedError


NUMBERS: list[Any] = [
    True, False, 0, -1, 1, 10**30, -(10**5_000), 10**5_000, 0.1, -0.0, 1e308, float("nan"), float("inf"), 1j, Decimal("1.5"),
    Decimal("NaN"), Fraction(1, 3),
]  # fmt: skip
TEXTS: list[Any] = [
    "", " ", "\0", "\ud800", "\udfff tz=UTC", "é", "\u202e* * * * *", "٣ * * * *", "*" * 10**5, "9" * 10**5, Text("0 9 * * *"),
    Text("UTC"), UserString("0 9 * * *"), b"0 9 * * *", bytearray(b"UTC"), memoryview(b"1h"), Path("UTC"),
]  # fmt: skip
COLLECTIONS: list[Any] = [
    [], ["0 9 * * *"], (), ("UTC",), {}, {"kind": None}, {1: 2}, {"": ""}, {None: None}, {"\ud800": 1}, {("a",): 1},
    {10**5_000: 1}, {True: False}, UserDict({"every": "5m"}), set(), {"UTC"}, range(3), iter(()), _nested(50_000), *_own_tail(),
]  # fmt: skip
MOMENTS: list[Any] = [
    NOW, NOW.replace(tzinfo=None), datetime.max.replace(tzinfo=UTC), NOW.date(), NOW.time(), timedelta(1), UTC,
    datetime.min.replace(tzinfo=timezone(timedelta(hours=23))), datetime(2026, 1, 1, tzinfo=Unfinished()),
]  # fmt: skip
OBJECTS: list[Any] = [
    None, object(), type, len, Array(), [Array()], {"kind": Array()}, Mute(), [Mute()], {"kind": Mute()}, ..., NotImplemented,
]  # fmt: skip
ODD = [*NUMBERS, *TEXTS, *COLLECTIONS, *MOMENTS, *OBJECTS]
