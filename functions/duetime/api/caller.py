"""Who calls: the principal the gateway authenticated, never something the caller wrote.

API Gateway puts what its authorizer verified into `requestContext.authorizer`; headers, body and query cannot reach it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from duetime.core.faults import DuetimeError

LOCAL: Final = "local"
MAX_PRINCIPAL: Final = 2048
OPEN_ROUTES: Final = frozenset({("GET", "/health"), ("GET", "/openapi.json")})
"""The only routes without a caller."""


def principal(event: Mapping[str, Any], *, local: bool) -> str | None:
    """Return the caller as records name him, or None for nobody.

    `jwt:<subject>` for a token, the ARN for a signed request, `local` on the local server, which passes `local`.

    >>> principal({"requestContext": {"authorizer": {"jwt": {"claims": {"sub": "ada"}}}}}, local=False)
    'jwt:ada'
    """
    if local:
        return LOCAL
    authorizer = _part(_part(event, "requestContext"), "authorizer")
    subject = _part(_part(authorizer, "jwt"), "claims").get("sub")
    if _is_name(subject):
        return f"jwt:{subject}"
    arn = _part(authorizer, "iam").get("userArn")
    return arn if _is_name(arn) else None


def unauthenticated() -> DuetimeError:
    """Return the refusal of a request without a caller."""
    return DuetimeError(
        "authorization", "none", "names no caller",
        "Sign the request with SigV4 under /iam, or send a bearer token.", code="UNAUTHENTICATED",
    )  # fmt: skip


def _is_name(value: object) -> TypeGuard[str]:
    """Whether records and log lines can carry this name as it is."""
    return isinstance(value, str) and 0 < len(value) <= MAX_PRINCIPAL and value.isprintable()


def _part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}
