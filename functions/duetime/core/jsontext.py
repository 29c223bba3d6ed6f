"""JSON that keeps every number: what cannot be kept exactly is refused, never changed in silence.

Data is stored and passed on as JSON text. Reading refuses NaN, Infinity, floats that would lose digits, duplicate keys,
deep nesting and too many bytes, each with one clear DataError.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from duetime.core.faults import DataError

MAX_DATA_BYTES: Final = 128 * 1024
MAX_DEPTH: Final = 32
_EXAMPLE: Final = 'Send a JSON object such as {"format": "pdf"}.'


def loads_exact(text: str | bytes, field: str = "body", *, max_bytes: int = 1024 * 1024) -> Any:
    """Return the value of a JSON text, or raise DataError naming `field`.

    >>> loads_exact('{"n": 12345678901234567890, "x": 0.1}')
    {'n': 12345678901234567890, 'x': 0.1}
    """
    size = len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise DataError(
            field, f"{size} bytes", "is too large", f"Send at most {max_bytes} bytes.", code="TOO_LARGE"
        )

    def number(written: str) -> float:
        value = float(written)
        if value in (float("inf"), float("-inf")) or Decimal(repr(value)) != Decimal(written):
            raise DataError(
                field, written, "is a number that cannot be kept exactly", "Send it as a JSON string."
            )
        return value

    def integer(written: str) -> int:
        if len(written) > 400:
            raise DataError(field, written, "is a number that is too long", "Send it as a JSON string.")
        return int(written)

    def constant(written: str) -> Any:
        raise DataError(field, written, "is no JSON", "JSON has no NaN or Infinity; send null or a string.")

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(found)
        if len(result) != len(found):
            names = [name for name, _ in found]
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(field, twice, "is a key that occurs twice", "Send each key once.")
        return result

    try:
        value = json.loads(
            text, parse_float=number, parse_int=integer, parse_constant=constant, object_pairs_hook=pairs
        )
    except DataError:
        raise
    except RecursionError:
        raise DataError(field, "nesting", "is too deep", f"Nest at most {MAX_DEPTH} levels.") from None
    except ValueError as error:  # JSONDecodeError, and UnicodeDecodeError for bytes
        problem = error.msg if isinstance(error, json.JSONDecodeError) else "not UTF-8"
        raise DataError(field, shown_start(text), f"is no JSON ({problem})", _EXAMPLE) from None
    check_value(value, field)
    return value


def shown_start(text: str | bytes) -> str:
    """Return the first characters of a text for an error message."""
    return text[:40].decode("utf-8", "replace") if isinstance(text, bytes) else text[:40]


def check_value(value: Any, field: str, depth: int = MAX_DEPTH) -> None:
    """Raise DataError unless `value` is made of JSON values only and nests at most `depth` levels."""
    if depth <= 0:
        raise DataError(field, "nesting", "is too deep", f"Nest at most {MAX_DEPTH} levels.")
    if value is None or isinstance(value, bool | int):
        return
    if isinstance(value, str):
        if any(0xD800 <= ord(c) <= 0xDFFF for c in value):
            raise DataError(field, value, "holds half a surrogate pair", "Send valid Unicode.")
        return
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise DataError(
                field, value, "is no JSON number", "JSON has no NaN or Infinity; send null or a string."
            )
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise DataError(field, key, "is no key of a JSON object", "Use strings as keys.")
            check_value(key, field, depth)
            check_value(item, f"{field}.{key[:40]}", depth - 1)
        return
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            check_value(item, f"{field}[{index}]", depth - 1)
        return
    raise DataError(
        field,
        type(value).__name__,
        "is no JSON value",
        "Use objects, arrays, strings, numbers, booleans, null.",
    )


def dumps(value: Any) -> str:
    """Return the compact JSON text of a checked value; keys keep their order.

    >>> dumps({"b": 1, "a": [1.5, None]})
    '{"b":1,"a":[1.5,null]}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def check_data(value: Any, field: str) -> dict[str, Any]:
    """Return `value` if it can be the data of a job, trigger or call: a JSON object of at most 128 KiB.

    >>> check_data({"format": "pdf"}, "data")
    {'format': 'pdf'}
    """
    if not isinstance(value, Mapping):
        raise DataError(field, value, "is no JSON object", _EXAMPLE)
    check_value(value, field)
    size = len(dumps(value).encode())
    if size > MAX_DATA_BYTES:
        raise DataError(
            field,
            f"{size} bytes",
            "is too large",
            f"Send at most {MAX_DATA_BYTES} bytes; keep large inputs in S3 and send their key.",
            code="TOO_LARGE",
        )
    return dict(value)


def merge_data(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Return job ← trigger ← call merged key by key; a later layer wins.

    >>> merge_data({"a": 1, "b": 1}, {"b": 2})
    {'a': 1, 'b': 2}
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        merged.update(layer)
    return merged
