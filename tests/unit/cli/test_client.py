"""The client's own duties: addresses, retries, exact numbers, identities, answers that are not Duetime's.

httpx's own replay transport stands for the network.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from duetime.cli.client import Client
from duetime.cli.problems import Exit, Trouble
from duetime.clock import ManualClock

URL = "https://abc123.execute-api.eu-west-1.amazonaws.com"


def answer(value: Any, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=value, headers=headers)


class Network:
    """Answers requests one after another and remembers them."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers, self.requests = list(answers), list[httpx.Request]()
        self.clock = ManualClock(0)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def client(self, url: str = URL, project: str = "default", **more: Any) -> Client:
        return Client(url, project, clock=self.clock, transport=httpx.MockTransport(self), **more)


def test_paths_and_queries_are_quoted_and_what_is_none_is_left_out() -> None:
    network = Network(answer({}))
    with network.client(URL + "/", "pro/ject") as client:
        client.get("jobs", "a b/../c", prefix="x&y", limit=5, cursor=None, dry_run=True)
    assert str(network.requests[0].url) == (
        f"{URL}/projects/pro%2Fject/jobs/a%20b%2F..%2Fc?prefix=x%26y&limit=5&dry_run=true"
    )


def test_a_list_is_read_page_by_page_up_to_its_limit() -> None:
    pages = [{"items": [1, 2], "next": "c1"}, {"items": [], "next": "c2"}, {"items": [3, 4], "next": "c3"}]
    network = Network(*map(answer, pages))
    with network.client() as client:
        assert list(client.items("runs", limit=3, job="a")) == [1, 2, 3]
    assert [dict(request.url.params) for request in network.requests] == [
        {"job": "a", "limit": "3"}, {"job": "a", "limit": "1", "cursor": "c1"}, {"job": "a", "limit": "1", "cursor": "c2"},
    ]  # fmt: skip


def test_numbers_are_kept_exactly() -> None:
    network = Network(httpx.Response(200, content=b'{"n": 123456789012345678901234567890, "x": 0.1}'))
    with network.client() as client:
        assert client.put("jobs", "a", body={"n": 2**80}) == {"n": 123456789012345678901234567890, "x": 0.1}
    assert network.requests[0].content == b'{"n":1208925819614629174706176}'
    assert network.requests[0].headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "busy", [answer({}, 503), answer({}, 429), httpx.ConnectError("no"), httpx.ConnectTimeout("no")]
)
def test_what_can_be_repeated_is(busy: httpx.Response | Exception) -> None:
    network = Network(busy, busy, answer({"name": "a"}))
    with network.client() as client:
        assert client.get("jobs", "a") == {"name": "a"}
    assert network.clock.now_ms() == 700


def test_a_server_is_given_the_time_it_asks_for() -> None:
    network = Network(
        answer({}, 429, **{"retry-after": "3"}), answer({}, 503, **{"retry-after": "9999"}), answer({})
    )
    with network.client() as client:
        client.get("jobs", "a")
    assert network.clock.now_ms() == 13_000


@pytest.mark.parametrize("busy", [answer({"code": "RATE_LIMITED"}, 429), httpx.ConnectError("no")])
def test_a_call_that_makes_a_run_is_never_repeated(busy: httpx.Response | Exception) -> None:
    network = Network(busy)
    with network.client() as client, pytest.raises(Trouble) as caught:
        client.post("jobs", "a", "trigger")
    assert caught.value.exit is Exit.UNREACHABLE
    assert len(network.requests) == 1


def test_patience_ends() -> None:
    network = Network(*[httpx.ConnectError("no")] * 4)
    with network.client() as client, pytest.raises(Trouble, match="cannot be reached") as caught:
        client.get("jobs")
    assert (caught.value.exit, len(network.requests)) == (Exit.UNREACHABLE, 4)


def test_an_answer_that_does_not_come_is_not_asked_for_twice() -> None:
    network = Network(httpx.ReadTimeout("slow"))
    with network.client() as client, pytest.raises(Trouble, match="no answer in time"):
        client.delete("jobs", "a")


@pytest.mark.parametrize(
    "status, code",
    [(400, 1), (401, 6), (403, 6), (404, 3), (409, 4), (413, 1), (422, 1), (429, 5), (500, 1), (503, 5)],
)
def test_a_problem_document_is_told_with_its_exit_code(status: int, code: int) -> None:
    problem = {
        "title": "T.",
        "detail": "f: 'v' is bad.",
        "code": "C",
        "field": "f",
        "hint": "Do.",
        "status": status,
    }
    network = Network(answer(problem, status))
    with network.client() as client, pytest.raises(Trouble) as caught:
        client.post("jobs", "a", "trigger")
    trouble = caught.value
    assert (trouble.title, trouble.detail, trouble.hint, trouble.code, trouble.field) == (
        "T.", "f: 'v' is bad.", "Do.", "C", "f",
    )  # fmt: skip
    assert int(trouble.exit) == code


def test_the_gateways_own_refusal_has_a_hint() -> None:
    network = Network(answer({"message": "Unauthorized"}, 401))
    with network.client() as client, pytest.raises(Trouble, match="Unauthorized") as caught:
        client.get("jobs")
    assert "DUETIME_TOKEN" in (caught.value.hint or "")
    assert caught.value.exit is Exit.NOT_ALLOWED


@pytest.mark.parametrize(
    "other",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(502, text="<html>"),
        httpx.Response(200, json=[]),
        httpx.Response(302, headers={"location": "https://elsewhere.example"}),
    ],
)
def test_another_server_is_recognised_and_never_followed(other: httpx.Response) -> None:
    network = Network(other)
    with network.client() as client, pytest.raises(Trouble, match=URL):
        client.get("jobs")
    assert len(network.requests) == 1


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "localhost:8787", "https://", "https://u:p@x", "https://x?a=1", "https://x#y"]
)
def test_what_is_no_address_is_a_usage_error(url: str) -> None:
    with pytest.raises(Trouble) as caught:
        Client(url, "default")
    assert (caught.value.exit, caught.value.field) == (Exit.USAGE, "--url")


def test_a_token_travels_with_every_request() -> None:
    network = Network(answer({}), answer({}))
    with network.client(token="t0ken") as client:
        client.get("jobs")
        client.post("jobs", "a", "pause")
    assert [one.headers["authorization"] for one in network.requests] == ["Bearer t0ken"] * 2


def test_without_an_identity_none_is_sent() -> None:
    network = Network(answer({}))
    with network.client("http://127.0.0.1:8787") as client:
        client.get("jobs")
    assert "authorization" not in network.requests[0].headers


@pytest.mark.parametrize(
    "url, more, field",
    [
        ("http://duetime.example", {"token": "t"}, "--url"),
        ("http://duetime.example", {"iam": True}, "--url"),
        (URL, {"token": "t", "iam": True}, "--iam"),
        (URL, {"token": "two words"}, "DUETIME_TOKEN"),
        (URL, {"token": "a\nb"}, "DUETIME_TOKEN"),
    ],
)
def test_an_identity_that_must_not_be_sent_is_refused(url: str, more: dict[str, Any], field: str) -> None:
    with pytest.raises(Trouble) as caught:
        Client(url, "default", **more)
    assert (caught.value.exit, caught.value.field) == (Exit.USAGE, field)
    assert "two words" not in caught.value.detail


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set the environment botocore looks for credentials in; nothing of this machine is read."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")

    def set_(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return set_


def test_a_signed_request_goes_to_the_iam_routes_with_the_region_of_its_host(
    aws: Callable[..., None],
) -> None:
    aws(AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY="secret", AWS_SESSION_TOKEN="session")
    network = Network(answer({}), answer({}, 503), answer({}))
    with network.client(iam=True) as client:
        client.put("jobs", "a", body={"name": "a"})
        client.get("jobs", prefix="a b")
    first = network.requests[0]
    assert first.url.path == "/iam/projects/default/jobs/a"
    assert "/eu-west-1/execute-api/aws4_request" in first.headers["authorization"]
    assert first.headers["x-amz-security-token"] == "session"
    assert first.headers["x-amz-date"]
    assert "secret" not in str(first.headers)
    assert len(network.requests) == 3  # a repetition is signed as well
    assert all("Signature=" in one.headers["authorization"] for one in network.requests)


def test_a_signature_is_the_one_that_its_parts_give(aws: Callable[..., None]) -> None:
    """Signed again over what was really sent, at the same time, by botocore: method, path, query, host and body count."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    aws(AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY="secret")
    network = Network(answer({}))
    with network.client(iam=True) as client:
        client.post("jobs", "a b", "trigger", body={"data": {"ä": 1}}, dry_run=True)
    sent = network.requests[0]
    again = AWSRequest(
        method=sent.method, url=str(sent.url), data=sent.content,
        headers={name: sent.headers[name] for name in ("host", "content-type")},
    )  # fmt: skip
    again.context["timestamp"] = sent.headers["x-amz-date"]
    again.headers["X-Amz-Date"] = sent.headers["x-amz-date"]
    signer = SigV4Auth(Credentials("AKIDEXAMPLE", "secret"), "execute-api", "eu-west-1")
    signature = signer.signature(signer.string_to_sign(again, signer.canonical_request(again)), again)
    assert sent.headers["authorization"].endswith(f"Signature={signature}")


def test_no_credentials_is_not_allowed(aws: Callable[..., None]) -> None:
    with pytest.raises(Trouble) as caught:
        Client(URL, "default", iam=True)
    assert caught.value.exit is Exit.NOT_ALLOWED


def test_an_address_of_ones_own_needs_a_region(aws: Callable[..., None]) -> None:
    aws(AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY="secret")
    with pytest.raises(Trouble) as caught:
        Client("https://duetime.example", "default", iam=True)
    assert caught.value.field == "AWS_REGION"
    aws(AWS_REGION="eu-central-1")
    network = Network(answer({}))
    with network.client("https://duetime.example", iam=True) as client:
        client.get("jobs")
    assert "/eu-central-1/execute-api/" in network.requests[0].headers["authorization"]


def test_json_of_a_trouble_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    from duetime.cli.problems import tell

    tell(Trouble("T", "d\nd", None, exit=Exit.CONFLICT, code="C", field="f"), as_json=True)
    found = json.loads(capsys.readouterr().err)
    assert found == {"title": "T", "detail": "d\nd", "code": "C", "field": "f", "hint": None, "exit": 4}
