"""Signatures of calls to DynamoDB: each is the one that botocore itself would make over the same headers."""

from __future__ import annotations

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import NoCredentialsError

from duetime.clock import ManualClock
from duetime.store.dynamodb.signing import Signer
from tests.contract.make import NOW_MS

REGION = "eu-central-1"
URL = "https://dynamodb.eu-central-1.amazonaws.com/"
TARGET = "DynamoDB_20120810.GetItem"
JSON = "application/x-amz-json-1.0"
BODY = '{"Key":{"pk":{"S":"größe"}}}'.encode()
DAY_MS = 86_400_000


def wanted(credentials: Credentials, url: str, headers: dict[str, str], body: bytes) -> str:
    """Return the header botocore's own signer makes for the headers that were signed."""
    request = AWSRequest(method="POST", url=url, data=body)
    for name, value in headers.items():
        if name not in ("host", "authorization"):
            request.headers[name] = value
    request.context["timestamp"] = headers["x-amz-date"]
    request.context["signing"] = {}
    auth = SigV4Auth(credentials, "dynamodb", REGION)
    text = auth.string_to_sign(request, auth.canonical_request(request))
    signed = auth.signed_headers(auth.headers_to_sign(request))
    return (
        f"AWS4-HMAC-SHA256 Credential={auth.scope(request)}, SignedHeaders={signed}, "
        f"Signature={auth.signature(text, request)}"
    )


@pytest.mark.parametrize("token", [None, "IQoJb3JpZ2luX2VjE=="])
@pytest.mark.parametrize("body", [BODY, b"{}"])
@pytest.mark.parametrize(
    "url",
    [
        URL,
        "https://dynamodb.eu-central-1.amazonaws.com:443/",
        "http://127.0.0.1:4566/",
        "http://127.0.0.1:80/",
    ],
)
def test_a_signature_is_the_one_botocore_makes(token: str | None, body: bytes, url: str) -> None:
    credentials = Credentials("AKIDEXAMPLE", "invented", token)
    headers = Signer(credentials, REGION, url, ManualClock(NOW_MS)).headers(TARGET, JSON, body)
    assert headers["authorization"] == wanted(credentials, url, headers, body)
    assert headers["x-amz-date"] == "20270115T080000Z"
    assert headers.get("x-amz-security-token") == token


def test_a_new_day_and_renewed_credentials_are_signed_with() -> None:
    clock = ManualClock(NOW_MS)
    credentials = Credentials("AKIDEXAMPLE", "invented", "first")
    signer = Signer(credentials, REGION, URL, clock)
    seen = set()
    for access, secret, token, step in (
        ("AKIDEXAMPLE", "invented", "first", 0),
        ("AKIDEXAMPLE", "invented", "first", DAY_MS),
        ("OTHEREXAMPLE", "renewed", "second", 0),
    ):
        credentials.access_key, credentials.secret_key, credentials.token = access, secret, token
        clock.advance_ms(step)
        headers = signer.headers(TARGET, JSON, BODY)
        assert headers["authorization"] == wanted(credentials, URL, headers, BODY)
        seen.add(headers["authorization"])
    assert len(seen) == 3


def test_without_credentials_nothing_is_signed() -> None:
    with pytest.raises(NoCredentialsError):
        Signer(None, REGION, URL, ManualClock(NOW_MS)).headers(TARGET, JSON, BODY)
