"""How a request shows who sends it: nothing on this machine, a bearer token, or a signature of AWS credentials."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import httpx

from duetime.cli.problems import Exit, Trouble, usage

if TYPE_CHECKING:
    from botocore.credentials import Credentials

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_GATEWAY: Final = re.compile(r"[a-z0-9]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?")
_SERVICE: Final = "execute-api"


class Bearer(httpx.Auth):
    """Sends a token with every request."""

    def __init__(self, token: str) -> None:
        self._token = token

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the token."""
        request.headers["authorization"] = f"Bearer {self._token}"
        yield request


class Signed(httpx.Auth):
    """Signs every request, and each repetition anew, with SigV4."""

    requires_request_body = True

    def __init__(self, credentials: Credentials, region: str) -> None:
        self._credentials, self._region = credentials, region

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add date, session token and signature."""
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        signed = AWSRequest(
            method=request.method,
            url=str(request.url),
            data=request.content,
            headers={
                name: request.headers[name] for name in ("host", "content-type") if name in request.headers
            },
        )
        SigV4Auth(self._credentials, _SERVICE, self._region).add_auth(signed)
        for name, value in signed.headers.items():
            request.headers[name] = value
        yield request


def auth_for(url: str, *, token: str | None, iam: bool) -> httpx.Auth | None:
    """Return how requests to `url` are authenticated; raises Trouble where that cannot or must not be done."""
    if token and iam:
        raise usage(
            "--iam",
            "with DUETIME_TOKEN",
            "asks for two identities at once",
            "Unset DUETIME_TOKEN, or leave out --iam.",
        )
    if not token and not iam:
        return None
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise usage("--url", url, "would carry credentials over a network in clear text", "Use https.")
    if token:
        if not token.isascii() or not token.isprintable() or " " in token:
            raise usage("DUETIME_TOKEN", "(hidden)", "is no token", "Set it to the token alone, on one line.")
        return Bearer(token)
    return _signed(parts.hostname or "")


def _signed(host: str) -> Signed:
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    try:
        session = Session()
        credentials = session.get_credentials()
        found = _GATEWAY.fullmatch(host)
        region = found[1] if found else os.environ.get("AWS_REGION") or session.get_config_variable("region")
    except BotoCoreError as error:
        raise _no_identity(f"credentials: {error}") from None
    if credentials is None:
        raise _no_identity("credentials: none were found.")
    if not region:
        raise usage(
            "AWS_REGION",
            "",
            "is not set and the address does not tell it",
            "Set AWS_REGION to the region of the deployment.",
        )
    return Signed(credentials, region)


def _no_identity(detail: str) -> Trouble:
    return Trouble(
        "There are no AWS credentials to sign with.", detail, "Sign in to AWS, or set AWS_PROFILE.",
        exit=Exit.NOT_ALLOWED, code="UNAUTHENTICATED", field="credentials",
    )  # fmt: skip
