"""The entry of the control plane: an HTTP API event (payload 2.0) in, a response out; Lambda and the local server share it.

In this order: the caller (nobody gets past `/health` and `/openapi.json`), the route, the project, the body, then the route
itself. Whatever goes wrong is a problem document. Every request leaves one line in the log, never a body.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from queue import Empty, SimpleQueue
from typing import Any, Final

from duetime.api.body import read_body
from duetime.api.call import Call
from duetime.api.caller import OPEN_ROUTES, principal, unauthenticated
from duetime.api.problems import problem_response
from duetime.api.resolver import IAM_PREFIX, Api, operations_at
from duetime.core.faults import DuetimeError, NotFound
from duetime.engine.context import Engine

log = logging.getLogger("duetime.api")

PROJECTS: Final = frozenset({"default"})
"""The projects there are; more come with their own rows."""
_HEADERS: Final[Mapping[str, str]] = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
_TLS_ONLY: Final = "max-age=31536000"

_idle: SimpleQueue[Api] = SimpleQueue()
"""Resolvers nobody uses now: each serves one request at a time, one more is made when all are busy."""


def handle(engine: Engine, event: Mapping[str, Any], *, local: bool = False) -> dict[str, Any]:
    """Answer one request; never raises. `local` is for the local server alone: its callers need no sign-in."""
    arrived_ms = engine.clock.now_ms()
    context = event.get("requestContext") or {}
    request_id = str(context.get("requestId") or "-")
    method = str((context.get("http") or {}).get("method") or "").upper()
    who = principal(event, local=local)
    path = _path(event)
    template = operations_at(path).get(method, "-")
    try:
        _admit(who, method, path)
        call = Call(engine, who or "-", read_body(event), request_id, arrived_ms)
        response = _routed(call, event, path)
    except Exception as error:  # noqa: BLE001  # the outermost frame: whatever it is, the caller gets a problem document
        refused = problem_response(error, request_id=request_id)
        response = {
            "statusCode": refused.status_code, "body": refused.body, "headers": refused.headers, "cookies": [],
            "isBase64Encoded": False,
        }  # fmt: skip
    response["body"] = response["body"] or ""
    response["headers"] = {**{name.lower(): value for name, value in response["headers"].items()}, **_HEADERS}
    if not local:
        response["headers"]["strict-transport-security"] = _TLS_ONLY
    taken_ms = engine.clock.now_ms() - arrived_ms
    log.info(
        "%s %s %s in %d ms for %s (request %s)", method or "-", template, response["statusCode"], taken_ms, who or "nobody",
        request_id,
    )  # fmt: skip
    return response


def _path(event: Mapping[str, Any]) -> str:
    path = str(event.get("rawPath") or "/")
    return path[len(IAM_PREFIX) :] if path.startswith(IAM_PREFIX + "/") else path


def _admit(who: str | None, method: str, path: str) -> None:
    """Refuse, before anything is read, who is nobody and what does not exist."""
    if who is None and (method, path) not in OPEN_ROUTES:
        raise unauthenticated()
    methods = operations_at(path)
    if not methods:
        raise NotFound(
            "path", path, "leads nowhere", "GET /openapi.json has all routes.", code="NOT_FOUND_ROUTE"
        )  # fmt: skip
    if method not in methods:
        raise DuetimeError(
            "method",
            method,
            "is not supported here",
            f"Use {', '.join(sorted(methods))}.",
            code="METHOD_NOT_ALLOWED",
        )
    if path.startswith("/projects/"):
        project = path.split("/")[2]
        if project not in PROJECTS:
            raise NotFound("project", project, "does not exist", "Use default.", code="NOT_FOUND_PROJECT")


def _routed(call: Call, event: Mapping[str, Any], path: str) -> dict[str, Any]:
    try:
        api = _idle.get_nowait()
    except Empty:
        api = Api()
    try:
        return api.answer(call, event, path)
    finally:
        _idle.put(api)
