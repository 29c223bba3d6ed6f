"""The body of a request, read exactly before anything else sees it.

Refused, with one clear error: more than 1 MiB, another content type than JSON, broken base64 or UTF-8, NaN, numbers that
would lose digits, keys that occur twice, deep nesting, and anything but one object.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

from duetime.core.faults import DataError
from duetime.core.jsontext import loads_exact

MAX_BODY_BYTES: Final = 1024 * 1024
_OBJECT: Final = "Send one JSON object, such as {}."


def read_body(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the JSON object of a request, or None where there is no body; raises DataError.

    >>> read_body({"body": '{"note": "moving"}', "headers": {"content-type": "application/json"}})
    {'note': 'moving'}
    """
    raw = event.get("body")
    if not raw:
        return None
    text = _decoded(raw) if event.get("isBase64Encoded") else raw
    _check_content_type(event)
    value = loads_exact(text, max_bytes=MAX_BODY_BYTES)
    if not isinstance(value, dict):
        raise DataError("body", type(value).__name__, "is no JSON object", _OBJECT)
    return value


def _decoded(raw: str) -> bytes:
    if len(raw) > MAX_BODY_BYTES * 4 // 3 + 4:
        raise DataError(
            "body", f"{len(raw)} characters of base64", "is too large", f"Send at most {MAX_BODY_BYTES} bytes.",
            code="TOO_LARGE",
        )  # fmt: skip
    try:
        return base64.b64decode(raw, validate=True)
    except (binascii.Error, ValueError):
        raise DataError("body", raw[:40], "is no base64", "Send the JSON text itself.") from None


def _check_content_type(event: Mapping[str, Any]) -> None:
    headers = event.get("headers")
    given = ""
    for name, value in (headers if isinstance(headers, Mapping) else {}).items():
        if str(name).lower() == "content-type":
            given = str(value)
    kind, _, parameters = given.partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    if kind.strip().lower() != "application/json" or charset not in ("", "utf-8"):
        raise DataError("content-type", given or None, "is not taken", "Send application/json in UTF-8.")
