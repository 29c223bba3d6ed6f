"""Signing calls to DynamoDB: AWS Signature Version 4 with what this service needs, and at a fraction of the usual cost.

A tick makes thousands of small calls, and two fifths of what botocore computes for one goes into its signature: it signs
every header, sorts and cleans them each time and derives the key anew. All calls to DynamoDB look alike (POST, no path, no
query, four or five headers to sign), so here one text is filled in and the key of the day is kept. Tests hold every
signature to botocore's own.
"""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import NoCredentialsError

from duetime.ports import Clock

if TYPE_CHECKING:
    from boto3 import Session
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials
    from mypy_boto3_dynamodb import DynamoDBClient

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_SERVICE: Final = "dynamodb"


class Signer:
    """Signs requests as they are made: register it for `request-created.dynamodb` of a client that is UNSIGNED."""

    def __init__(self, credentials: Credentials | None, region: str, clock: Clock) -> None:
        """Sign with these credentials, as they are at each call: they may be renewed meanwhile."""
        self._credentials, self._region, self._clock = credentials, region, clock

    def __call__(self, request: AWSRequest, **_: Any) -> None:
        """Add the headers of a signature; raises NoCredentialsError when there is nothing to sign with."""
        if self._credentials is None:
            raise NoCredentialsError
        held = self._credentials.get_frozen_credentials()
        at, day = _instant(self._clock.now_ms() // 1000)
        headers = request.headers
        host, path = _place(request.url)
        signed: dict[str, str] = {"content-type": headers["Content-Type"], "host": host, "x-amz-date": at}
        if held.token:
            headers["X-Amz-Security-Token"] = signed["x-amz-security-token"] = held.token
        signed["x-amz-target"] = headers["X-Amz-Target"]
        names = ";".join(signed)
        lines = "".join(f"{name}:{value}\n" for name, value in signed.items())
        body = sha256(bytes(request.data or b"")).hexdigest()
        canonical = f"POST\n{path}\n\n{lines}\n{names}\n{body}"
        scope = f"{day}/{self._region}/{_SERVICE}/aws4_request"
        text = f"{_ALGORITHM}\n{at}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
        signature = hmac.digest(_key(held.secret_key, day, self._region), text.encode(), "sha256").hex()
        headers["X-Amz-Date"] = at
        headers["Authorization"] = (
            f"{_ALGORITHM} Credential={held.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
        )


@lru_cache(maxsize=4)
def _instant(second: int) -> tuple[str, str]:
    """Return an instant and its day as signatures write them."""
    at = datetime.fromtimestamp(second, UTC).strftime("%Y%m%dT%H%M%SZ")
    return at, at[:8]


@lru_cache(maxsize=4)
def _key(secret: str, day: str, region: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in (day, region, _SERVICE, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


@lru_cache(maxsize=16)
def _place(url: str) -> tuple[str, str]:
    """Return the host, with its port unless that is the usual one, and the path of a URL."""
    parts = urlsplit(url)
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    host = parts.hostname or ""
    return host if parts.port in (None, usual) else f"{host}:{parts.port}", parts.path or "/"


def dynamodb_client(session: Session, config: Config, clock: Clock) -> DynamoDBClient:
    """Return a client of DynamoDB with the session's credentials and region, whose calls are signed here."""
    client = session.client("dynamodb", config=config.merge(Config(signature_version=UNSIGNED)))
    signer = Signer(session.get_credentials(), client.meta.region_name, clock)
    client.meta.events.register("request-created.dynamodb", signer)
    return client
