"""Who may talk to the local server: programs on this machine, and no web page.

It has no sign-in, so a browser must not be led to it. A page's own name that resolves to this machine (DNS rebinding)
shows in `Host`; a page elsewhere that sends a form or a script's request shows in `Origin` and `Sec-Fetch-Site`.
"""

from __future__ import annotations

import re
from typing import Final

from duetime.core.faults import DataError, DuetimeError
from duetime.local.event import Request

_TOKEN: Final = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
MAX_BODY_BYTES: Final = 1024 * 1024
NAMES: Final = ("127.0.0.1", "localhost")
"""What this machine may be called by its own programs."""


def check_request(request: Request, port: int) -> None:
    """Raise the refusal of a request that does not come from a program on this machine.

    >>> check_request(Request("GET", "/health", (("Host", "localhost:8787"),)), 8787)
    >>> check_request(Request("GET", "/health", (("Host", "example.org"),)), 8787)
    Traceback (most recent call last):
    duetime.core.faults.DuetimeError: host: 'example.org' is not the name of this server. Use http://127.0.0.1:8787.
    """
    hosts = _all(request, "host")
    allowed = {f"{name}:{port}" for name in NAMES} | set(NAMES)
    if len(hosts) != 1 or hosts[0].lower() not in allowed:
        raise _refused(
            "host",
            ", ".join(hosts) or "none",
            "is not the name of this server",
            f"Use http://127.0.0.1:{port}.",
        )
    origins = {f"http://{name}" for name in allowed}
    for origin in _all(request, "origin"):
        if origin.lower() not in origins:
            raise _refused(
                "origin", origin, "is a page of another server", "Call from a program on this machine."
            )
    for site in _all(request, "sec-fetch-site"):
        if site.lower() not in ("same-origin", "none"):
            raise _refused(
                "sec-fetch-site", site, "is a page of another server", "Call from a program on this machine."
            )


def body_length(headers: tuple[tuple[str, str], ...]) -> int:
    """Return how many bytes of body follow the headers; raises DataError unless that is one clear number up to 1 MiB.

    >>> body_length((("Content-Length", "12"),))
    12
    """
    names = {name.lower() for name, _ in headers}
    for name in names:
        if not _TOKEN.fullmatch(name):
            raise DataError(
                "headers", name, "is no name of a header", "Send names without blanks or separators."
            )
    if "transfer-encoding" in names:
        raise DataError(
            "transfer-encoding", "chunked", "is not taken here", "Send the body with its Content-Length."
        )
    lengths = {value.strip() for name, value in headers if name.lower() == "content-length"}
    if not lengths:
        return 0
    text = lengths.pop()
    if lengths or not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise DataError("content-length", text, "is no number of bytes", "Send it once, as digits.")
    if int(text) > MAX_BODY_BYTES:
        raise DataError(
            "body", f"{text} bytes", "is too large", f"Send at most {MAX_BODY_BYTES} bytes.", code="TOO_LARGE"
        )
    return int(text)


def _all(request: Request, name: str) -> list[str]:
    return [value.strip() for given, value in request.headers if given.lower() == name]


def _refused(field: str, value: str, problem: str, hint: str) -> DuetimeError:
    return DuetimeError(field, value, problem, hint, code="FORBIDDEN")
