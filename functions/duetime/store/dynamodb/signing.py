"""Signatures for DynamoDB: AWS Signature Version 4 with what this service needs, and at a fraction of the usual cost.

All calls look alike (POST, no path, no query, four or five headers), so one text is filled in and the key of the day is
kept, where botocore sorts and cleans every header anew. Tests hold each signature to botocore's own.
"""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from botocore.exceptions import NoCredentialsError

from duetime.ports import Clock

if TYPE_CHECKING:
    from botocore.credentials import Credentials

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_SERVICE: Final = "dynamodb"


class Signer:
    """Signs what is sent to one endpoint, with the credentials as they are at each call: they may be renewed meanwhile."""

    def __init__(self, credentials: Credentials | None, region: str, url: str, clock: Clock) -> None:
        self._credentials, self._region, self._clock = credentials, region, clock
        self._host = _host(url)

    def headers(self, target: str, content_type: str, body: bytes) -> dict[str, str]:
        """Return the headers of a signed request; raises NoCredentialsError when there is nothing to sign with."""
        if self._credentials is None:
            raise NoCredentialsError
        held = self._credentials.get_frozen_credentials()
        at, day = _instant(self._clock.now_ms() // 1000)
        sent = {"content-type": content_type, "host": self._host, "x-amz-date": at}
        if held.token:
            sent["x-amz-security-token"] = held.token
        sent["x-amz-target"] = target
        names = ";".join(sent)
        lines = "".join(f"{name}:{value}\n" for name, value in sent.items())
        canonical = f"POST\n/\n\n{lines}\n{names}\n{sha256(body).hexdigest()}"
        scope = f"{day}/{self._region}/{_SERVICE}/aws4_request"
        text = f"{_ALGORITHM}\n{at}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
        signature = hmac.digest(_key(held.secret_key, day, self._region), text.encode(), "sha256").hex()
        sent["authorization"] = (
            f"{_ALGORITHM} Credential={held.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
        )
        return sent


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


def _host(url: str) -> str:
    """Return the host of a URL, with its port unless that is the usual one."""
    parts = urlsplit(url)
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    host = parts.hostname or ""
    return host if parts.port in (None, usual) else f"{host}:{parts.port}"
