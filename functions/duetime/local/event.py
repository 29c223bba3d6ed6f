"""Requests of the local server as the gateway would pass them on: HTTP API events, payload version 2.0."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from duetime.core.faults import DataError

STAGE: Final = "$default"
MOST_PARAMETERS: Final = 100


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it was read: `target` is the path with its query, header names in any case."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""


def event_of(request: Request, *, request_id: str, now_ms: int) -> dict[str, Any]:
    """Return the event of a request.

    >>> event_of(Request("GET", "/health?a=1&a=2", (("Host", "localhost"),)), request_id="r", now_ms=0)["queryStringParameters"]
    {'a': '1,2'}
    """
    try:
        parts = urlsplit(request.target)
        query = _joined(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS))
    except ValueError:
        raise DataError(
            "path",
            request.target,
            "is no address, or has too many parameters",
            f"Send at most {MOST_PARAMETERS}.",
        ) from None
    path = unquote(parts.path) or "/"
    headers = _joined((name.lower(), value) for name, value in request.headers)
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": STAGE,
        "rawPath": path,
        "rawQueryString": parts.query,
        "headers": headers,
        "requestContext": {
            "apiId": "local",
            "domainName": headers.get("host", "localhost"),
            "domainPrefix": "local",
            "http": {
                "method": request.method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": request_id,
            "routeKey": STAGE,
            "stage": STAGE,
            "timeEpoch": now_ms,
        },
        "isBase64Encoded": False,
    }
    if query:
        event["queryStringParameters"] = query
    if request.body:
        event |= _body(request.body)
    return event


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Join what occurs several times with commas, as the gateway does."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _body(body: bytes) -> dict[str, Any]:
    try:
        return {"body": body.decode()}
    except UnicodeDecodeError:
        return {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
