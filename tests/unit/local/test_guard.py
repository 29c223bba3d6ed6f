"""Who may talk to the local server."""

from __future__ import annotations

import pytest

from duetime.core.faults import DuetimeError
from duetime.local.event import Request
from duetime.local.guard import body_length, check_request

PORT = 8787


def request(*headers: tuple[str, str]) -> Request:
    return Request("POST", "/projects/default/jobs", headers)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8787", "localhost:8787", "LOCALHOST:8787", "localhost", "127.0.0.1"]
)
def test_its_own_names_are_taken(host: str) -> None:
    check_request(request(("Host", host)), PORT)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example:8787",
        "localhost:8788",
        "127.0.0.2:8787",
        "[::1]:8787",
        "",
        "a@localhost",
    ],
)
def test_other_names_are_refused(host: str) -> None:
    """A page whose name was rebound to this machine sends that name."""
    with pytest.raises(DuetimeError, match="host") as caught:
        check_request(request(("Host", host)), PORT)
    assert (caught.value.code, caught.value.status) == ("FORBIDDEN", 403)


def test_no_host_and_two_hosts_are_refused() -> None:
    for headers in ((), (("Host", "localhost"), ("Host", "evil.example"))):
        with pytest.raises(DuetimeError, match="host"):
            check_request(request(*headers), PORT)


@pytest.mark.parametrize(
    "name, value",
    [
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://localhost:3000"),
        ("Origin", "https://localhost:8787"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ],
)
def test_pages_of_other_servers_are_refused(name: str, value: str) -> None:
    with pytest.raises(DuetimeError, match="another server") as caught:
        check_request(request(("Host", "localhost:8787"), (name, value)), PORT)
    assert caught.value.code == "FORBIDDEN"


@pytest.mark.parametrize(
    "name, value",
    [
        ("Origin", "http://localhost:8787"),
        ("Origin", "http://127.0.0.1:8787"),
        ("Sec-Fetch-Site", "same-origin"),
    ],
)
def test_its_own_pages_are_taken(name: str, value: str) -> None:
    check_request(request(("Host", "localhost:8787"), (name, value)), PORT)


def test_the_length_of_a_body_is_one_number() -> None:
    assert body_length(()) == 0
    assert body_length((("content-length", "7"), ("Content-Length", "7"))) == 7
    assert body_length((("Content-Length", str(1024 * 1024)),)) == 1024 * 1024


@pytest.mark.parametrize(
    "headers, code",
    [
        ((("Transfer-Encoding", "chunked"),), "VALIDATION_DATA"),
        ((("Content-Length", "1"), ("Content-Length", "2")), "VALIDATION_DATA"),
        ((("Content-Length", "-1"),), "VALIDATION_DATA"),
        ((("Content-Length", "+1"),), "VALIDATION_DATA"),
        ((("Content-Length", "٣"),), "VALIDATION_DATA"),
        ((("Content-Length", "9" * 30),), "VALIDATION_DATA"),
        ((("Content-Length", "1048577"),), "TOO_LARGE"),
    ],
)
def test_any_other_length_is_refused(headers: tuple[tuple[str, str], ...], code: str) -> None:
    with pytest.raises(DuetimeError) as caught:
        body_length(headers)
    assert caught.value.code == code
