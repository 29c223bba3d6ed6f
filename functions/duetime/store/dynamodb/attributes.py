"""Typed attribute values, written and read by hand: no Decimal, no guessing, no layer that costs a copy.

Whole numbers are `N`, texts `S`; what a user's number may be in is JSON text. A row that cannot be read is one clear
error that names it, whatever is wrong inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from duetime.core.faults import Unreadable
from duetime.store.dynamodb.keys import FORMAT, Item, Value

TRUE: Final[Value] = {"BOOL": True}


def s(text: str) -> Value:
    """Return a text as an attribute value."""
    return {"S": text}


def n(number: int) -> Value:
    """Return a whole number as an attribute value."""
    return {"N": str(number)}


def texts(**named: str | None) -> Item:
    """Return the given texts as attributes, without those that are None."""
    return {name: {"S": text} for name, text in named.items() if text is not None}


def numbers(**named: int | None) -> Item:
    """Return the given whole numbers as attributes, without those that are None."""
    return {name: {"N": str(number)} for name, number in named.items() if number is not None}


def text(item: Item, name: str) -> str | None:
    """Return a text attribute, or None when there is none."""
    return need_text(item, name) if name in item else None


def number(item: Item, name: str) -> int | None:
    """Return a whole-number attribute, or None when there is none."""
    return need_number(item, name) if name in item else None


def flag(item: Item, name: str) -> bool:
    """Return a true-or-false attribute; false when there is none."""
    return name in item and bool(item[name]["BOOL"])


def need_text(item: Item, name: str) -> str:
    """Return a text attribute that must be there."""
    found: str = item[name]["S"]
    return found


def need_number(item: Item, name: str) -> int:
    """Return a whole-number attribute that must be there."""
    return int(item[name]["N"])


@contextmanager
def reading(item: Item) -> Iterator[None]:
    """Turn whatever fails while a row is taken apart into one Unreadable that names the row and the cause."""
    version = item.get("v", {}).get("N", "")
    if version.isdigit() and int(version) > FORMAT:
        error = _unreadable(
            item, f"has format {version}, written by a newer release", "Deploy that release again."
        )
        error.newer = True
        raise error
    try:
        yield
    except KeyError as cause:
        raise _unreadable(
            item, f"cannot be read: {cause} is missing", "Restore it, or delete and create it."
        ) from cause
    except (ValueError, TypeError, AttributeError, IndexError) as cause:
        problem = f"cannot be read: {str(cause).rstrip('.')}"
        raise _unreadable(item, problem, "Restore it, or delete and create it.") from cause


def _unreadable(item: Item, problem: str, hint: str) -> Unreadable:
    pk, sk = (item.get(name, {}).get("S", "?") for name in ("pk", "sk"))
    return Unreadable("row", f"{pk} {sk}", problem, hint)
