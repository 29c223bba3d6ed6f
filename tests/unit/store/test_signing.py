"""Signatures of calls to DynamoDB: each is the one that botocore itself would make over the same headers."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSPreparedRequest, AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import NoCredentialsError

from duetime.clock import ManualClock
from duetime.store.dynamodb.signing import Signer, dynamodb_client
from tests.contract.make import NOW_MS

REGION = "eu-central-1"
BODY = '{"Key":{"pk":{"S":"größe"}}}'.encode()
DAY_MS = 86_400_000


def a_request(url: str = "https://dynamodb.eu-central-1.amazonaws.com/", data: bytes = BODY) -> AWSRequest:
    headers = {
        "X-Amz-Target": "DynamoDB_20120810.GetItem",
        "Content-Type": "application/x-amz-json-1.0",
        "User-Agent": "Boto3/1.0",
        "amz-sdk-invocation-id": "5b2a",
    }
    return AWSRequest(method="POST", url=url, data=data, headers=headers)


def wanted(credentials: Credentials, signed: AWSRequest) -> str:
    """Return the header botocore's own signer makes for the headers that were signed."""
    told = str(signed.headers["Authorization"]).split("SignedHeaders=")[1].split(",")[0].split(";")
    again = AWSRequest(method="POST", url=signed.url, data=signed.data)
    for name in told:
        if name != "host":
            again.headers[name] = signed.headers[name]
    again.context["timestamp"] = signed.headers["X-Amz-Date"]
    again.context["signing"] = {}
    auth = SigV4Auth(credentials, "dynamodb", REGION)
    text = auth.string_to_sign(again, auth.canonical_request(again))
    return (
        f"AWS4-HMAC-SHA256 Credential={auth.scope(again)}, SignedHeaders={';'.join(told)}, "
        f"Signature={auth.signature(text, again)}"
    )


@pytest.mark.parametrize("token", [None, "IQoJb3JpZ2luX2VjE=="])
@pytest.mark.parametrize(
    "url",
    [
        "https://dynamodb.eu-central-1.amazonaws.com/",
        "https://dynamodb.eu-central-1.amazonaws.com:443/",
        "http://127.0.0.1:4566/",
        "http://127.0.0.1:80",
    ],
)
@pytest.mark.parametrize("data", [BODY, b"{}"])
def test_a_signature_is_the_one_botocore_makes(token: str | None, url: str, data: bytes) -> None:
    credentials = Credentials("AKIDEXAMPLE", "invented", token)
    request = a_request(url, data)
    Signer(credentials, REGION, ManualClock(NOW_MS))(request)
    assert request.headers["X-Amz-Date"] == "20270115T080000Z"
    assert request.headers["Authorization"] == wanted(credentials, request)
    assert request.headers["X-Amz-Security-Token"] == token


def test_every_header_that_aws_wants_signed_is_signed() -> None:
    request = a_request()
    Signer(Credentials("AKIDEXAMPLE", "invented", "token"), REGION, ManualClock(NOW_MS))(request)
    signed = str(request.headers["Authorization"]).split("SignedHeaders=")[1].split(",")[0].split(";")
    sent = {name.lower() for name in request.headers}
    assert {name for name in sent if name.startswith("x-amz-")} | {"host", "content-type"} == set(signed)
    assert signed == sorted(signed)


def test_a_new_day_and_renewed_credentials_are_signed_with(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock(NOW_MS)
    credentials = Credentials("AKIDEXAMPLE", "invented", "first")
    signer = Signer(credentials, REGION, clock)
    for access, secret, token, step in (
        ("AKIDEXAMPLE", "invented", "first", 0),
        ("AKIDEXAMPLE", "invented", "first", DAY_MS),
        ("OTHEREXAMPLE", "renewed", "second", 0),
    ):
        credentials.access_key, credentials.secret_key, credentials.token = access, secret, token
        clock.advance_ms(step)
        request = a_request()
        signer(request)
        assert request.headers["Authorization"] == wanted(credentials, request)


def test_without_credentials_nothing_is_sent() -> None:
    with pytest.raises(NoCredentialsError):
        Signer(None, REGION, ManualClock(NOW_MS))(a_request())


def test_each_attempt_of_a_client_is_signed_anew_and_once() -> None:
    clock = ManualClock(NOW_MS)
    session = boto3.Session("AKIDEXAMPLE", "invented", "token", REGION)
    client: Any = dynamodb_client(
        session, Config(retries={"mode": "standard", "total_max_attempts": 2}), clock
    )
    sent: list[AWSPreparedRequest] = []

    def answer(request: AWSPreparedRequest, **_: Any) -> Any:
        sent.append(request)
        clock.advance_ms(5_000)
        return _Answer(500 if len(sent) == 1 else 200)

    client.meta.events.register_first("before-send.dynamodb", answer)
    assert client.list_tables()["TableNames"] == []
    headers = [{name: _text(value) for name, value in one.headers.items()} for one in sent]
    assert [one["X-Amz-Date"] for one in headers] == ["20270115T080000Z", "20270115T080005Z"]
    assert len({one["Authorization"] for one in headers}) == 2
    assert [list(one.headers).count("Authorization") for one in sent] == [1, 1]


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode()


class _Answer:
    """A response of DynamoDB to ListTables."""

    def __init__(self, status: int) -> None:
        self.status_code = status
        self.headers = {"content-type": "application/x-amz-json-1.0"}
        self.content = b'{"TableNames":[]}'
