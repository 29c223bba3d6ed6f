"""Calls to the control plane: one method for each HTTP method, JSON in and out, every failure a `Trouble`.

Numbers are kept exactly in both directions. Calls that can be repeated without harm (GET, PUT, DELETE) are, when the server
could not be reached or asked for patience (429, 503). Redirects are not followed: they would carry the caller's identity
elsewhere. The certificate bundle of `SSL_CERT_FILE` or `SSL_CERT_DIR` is used where one is set.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote, urlencode, urlsplit

import httpx

from duetime.cli.address import DEFAULT_URL
from duetime.cli.auth import LOOPBACK, auth_for
from duetime.cli.problems import Exit, Trouble, usage
from duetime.clock import SystemClock
from duetime.core.jsontext import dumps
from duetime.ports import Clock

PAGE: Final = 200
"""Items asked for at once."""
PAUSES_MS: Final = (200, 500, 1_000)
MOST_PATIENCE_MS: Final = 10_000
"""The longest pause a server's Retry-After is followed for."""
REPEATABLE: Final = frozenset({"GET", "PUT", "DELETE"})
BUSY: Final = frozenset({429, 503})
TIMEOUT: Final = httpx.Timeout(15, read=35, connect=5)
"""Seconds; a trigger call may take 25 to be answered."""


class Client:
    """A project of one control plane.

    `transport` replaces the network: any httpx transport.
    """

    def __init__(
        self,
        url: str,
        project: str,
        *,
        token: str | None = None,
        iam: bool = False,
        clock: Clock | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        parts = urlsplit(url)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.query
            or parts.fragment
            or parts.username
        ):
            raise usage(
                "--url", url, "is no address", f"Use one such as {DEFAULT_URL} or the ApiUrl of the stack."
            )
        self.local = parts.hostname in LOOPBACK
        self.url = url.rstrip("/")
        self._project = project
        self._prefix = self.url + ("/iam" if iam else "")
        self._clock = clock or SystemClock()
        self._http = httpx.Client(
            auth=auth_for(url, token=token, iam=iam),
            timeout=TIMEOUT,
            # Without TLS no bundle is read, and no proxy stands between a program and its own machine.
            verify=httpx.create_ssl_context()
            if parts.scheme == "https"
            else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=not self.local,
            transport=transport,
            headers={"accept": "application/json, application/problem+json", "user-agent": "duetime-cli"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, *path: str, **query: object) -> Any:
        """Return the answer to a GET below the project; query parameters that are None are left out."""
        return self._call("GET", path, query)

    def post(self, *path: str, body: Mapping[str, Any] | None = None, **query: object) -> Any:
        """Return the answer to a POST."""
        return self._call("POST", path, query, body)

    def put(self, *path: str, body: Mapping[str, Any], **query: object) -> Any:
        """Return the answer to a PUT."""
        return self._call("PUT", path, query, body)

    def delete(self, *path: str) -> None:
        """Delete."""
        self._call("DELETE", path, {})

    def items(self, *path: str, limit: int, **query: object) -> Iterator[Any]:
        """Yield the items of a list, at most `limit`, page by page; a short page is not the end."""
        cursor: str | None = None
        while limit > 0:
            found = self.get(*path, limit=min(limit, PAGE), cursor=cursor, **query)
            yield from found["items"][:limit]
            limit -= len(found["items"])
            cursor = found["next"]
            if cursor is None:
                return

    def _call(
        self,
        method: str,
        path: tuple[str, ...],
        query: Mapping[str, object],
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        url = f"{self._prefix}/projects/{quote(self._project, safe='')}/" + "/".join(
            quote(one, safe="") for one in path
        )
        given = {name.rstrip("_"): _text(value) for name, value in query.items() if value is not None}
        if given:
            url += "?" + urlencode(given, quote_via=quote, safe="-_.~")
        content = None if body is None else dumps(body).encode()
        headers = {} if body is None else {"content-type": "application/json"}
        for pause_ms in (*PAUSES_MS, None):
            left = pause_ms is not None and method in REPEATABLE
            try:
                response = self._http.request(method, url, content=content, headers=headers)
            except httpx.RequestError as error:
                if not left or not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
                    raise self._unreachable(error) from None
                self._clock.sleep_ms(pause_ms or 0)
                continue
            if response.status_code in BUSY and left:
                self._clock.sleep_ms(max(pause_ms or 0, _patience_ms(response)))
                continue
            return self._answer(response, path[0])
        raise AssertionError("the last try returns or raises")

    def _answer(self, response: httpx.Response, what: str) -> Any:
        if response.status_code == 204:
            return None
        try:
            value = response.json()
        except ValueError:
            value = None
        if response.is_success and isinstance(value, dict):
            return value
        if not response.is_success and isinstance(value, dict):
            if "code" not in value and isinstance(value.get("message"), str):  # the gateway's own refusals
                value = {"detail": value["message"], "hint": _HINTS.get(response.status_code)}
            title = _TITLES.get((what, str(value.get("code"))))
            raise Trouble.answered(
                value if title is None else {**value, "title": title}, response.status_code
            )
        raise Trouble(
            "This is no Duetime control plane.", f"--url: '{self.url}' answered {response.status_code} without JSON.",
            "Check --url or DUETIME_URL: it is the ApiUrl of the stack, or what `duetime local` prints.",
            exit=Exit.UNREACHABLE, code="UNREACHABLE", field="--url",
        )  # fmt: skip

    def _unreachable(self, error: httpx.RequestError) -> Trouble:
        told = (
            "gave no answer in time"
            if isinstance(error, httpx.TimeoutException)
            else f"cannot be reached ({error})"
        )
        hint = "Start it with `duetime local`, or name another with --url or DUETIME_URL." if self.local else (
            "Check --url or DUETIME_URL, and the network."
        )  # fmt: skip
        return Trouble(
            "The control plane does not answer.", f"--url: '{self.url}' {told}.", hint,
            exit=Exit.UNREACHABLE, code="UNREACHABLE", field="--url",
        )  # fmt: skip


_TITLES: Final[Mapping[tuple[str, str], str]] = {
    ("schedules", "NOT_FOUND_JOB"): "No schedule of this name exists in the project.",
    ("calendars", "VALIDATION_SCHEDULE"): "The calendar is not valid.",
}
"""Headlines of codes that say another thing of some resources."""
_HINTS: Final[Mapping[int, str]] = {
    401: "Set DUETIME_TOKEN to a token of the deployment's issuer, or sign with --iam.",
    403: "Ask the owner of the deployment for access, or sign with --iam.",
}


def _text(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _patience_ms(response: httpx.Response) -> int:
    asked = response.headers.get("retry-after", "")
    return (
        min(int(asked) * 1000, MOST_PATIENCE_MS)
        if asked.isascii() and asked.isdigit() and len(asked) < 6
        else 0
    )
