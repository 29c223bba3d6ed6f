"""The local HTTP server, over real sockets: what reaches the API, what is refused before, and its limits."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from duetime.clock import SystemClock
from duetime.core.faults import DefinitionError
from duetime.local import server as module
from duetime.local.runtime import local_runtime
from duetime.local.server import LocalServer
from duetime.sdk.registry import Registry
from duetime.settings import Settings


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    """The real API on the embedded store; nothing is executed."""
    from duetime.api.app import handle

    engine = local_runtime(Registry(), Settings()).engine
    found = LocalServer(lambda event: handle(engine, event, local=True), SystemClock(), 0)
    found.start()
    yield found
    found.close()


def call(
    server: LocalServer,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, dict[str, str], Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    try:
        connection.request(method, path, body, dict(headers or {}))
        response = connection.getresponse()
        text = response.read()
        found = {name.lower(): value for name, value in response.getheaders()}
        return response.status, found, json.loads(text) if text else None
    finally:
        connection.close()


def raw(server: LocalServer, request: bytes) -> bytes:
    """Send bytes as they are, and read until the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(request)
        found = b""
        while part := connection.recv(65_536):
            found += part
        return found


def test_it_listens_on_loopback_only(server: LocalServer) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}"
    assert server._server.server_address[0] == "127.0.0.1"


def test_the_api_answers(server: LocalServer) -> None:
    status, headers, answer = call(server, "GET", "/health")
    assert (status, answer["status"]) == (200, "ok")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["server"].strip() == "duetime"


def test_a_body_reaches_the_api_and_comes_back(server: LocalServer) -> None:
    body = {"cron": "0 9 * * *", "timezone": "Europe/Berlin", "count": 2}
    status, _, answer = call(
        server,
        "POST",
        "/projects/default/cron/preview",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    assert (status, len(answer["upcoming"]), answer["timezone"]) == (200, 2, "Europe/Berlin")


def test_methods_and_paths_that_do_not_exist_are_problems(server: LocalServer) -> None:
    status, headers, answer = call(server, "BREW", "/health")
    assert (status, answer["code"], headers["allow"]) == (405, "METHOD_NOT_ALLOWED", "GET")
    status, headers, answer = call(server, "GET", "/nowhere")
    assert (status, answer["code"], headers["content-type"]) == (
        404,
        "NOT_FOUND_ROUTE",
        "application/problem+json",
    )


def test_one_connection_serves_many_requests(server: LocalServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    for _ in range(3):
        connection.request("GET", "/health")
        response = connection.getresponse()
        assert (response.status, response.read()[:1]) == (200, b"{")
        assert connection.sock is not None
    connection.close()


def test_a_rebound_name_is_refused(server: LocalServer) -> None:
    status, _, answer = call(
        server, "GET", "/projects/default/jobs", headers={"Host": f"evil.example:{server.port}"}
    )
    assert (status, answer["code"], answer["field"]) == (403, "FORBIDDEN", "host")


def test_a_page_elsewhere_cannot_write(server: LocalServer) -> None:
    path = "/projects/default/jobs/x/pause"
    status, _, answer = call(server, "POST", path, headers={"Origin": "https://evil.example"})
    assert (status, answer["code"], answer["field"]) == (403, "FORBIDDEN", "origin")
    status, headers, _ = call(server, "OPTIONS", path, headers={"Origin": "https://evil.example"})
    assert status == 403
    assert not [name for name in headers if name.startswith("access-control")]


def test_a_form_cannot_write(server: LocalServer) -> None:
    """What a page can send without asking first is no JSON content type."""
    body = b'{"name": "x", "target": {"kind": "python", "name": "x"}}'
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        status, _, answer = call(server, "POST", "/projects/default/jobs", body, {"content-type": kind})
        assert (status, answer["field"]) == (400, "content-type"), answer


def test_a_body_over_the_limit_is_refused_unread(server: LocalServer) -> None:
    request = b"POST /projects/default/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n"
    answer = raw(server, request)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "TOO_LARGE"


@pytest.mark.parametrize(
    "request_",
    [
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X%d: a\r\n" % number for number in range(200)) + b"\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"NONSENSE\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    ],
    ids=["chunked", "two lengths", "long header", "many headers", "long path", "no request", "no version"],
)
def test_what_cannot_be_read_is_a_problem_and_ends_the_connection(
    server: LocalServer, request_: bytes
) -> None:
    answer = raw(server, request_)
    assert json.loads(answer.rpartition(b"\r\n\r\n")[2] or answer)["code"] == "VALIDATION_DATA"


def test_a_silent_caller_is_let_go(monkeypatch: pytest.MonkeyPatch, server: LocalServer) -> None:
    monkeypatch.setattr(module._Connection, "timeout", 0.2)
    assert raw(server, b"GET /health HTT") == b""
    assert raw(server, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf") == b""
    assert call(server, "GET", "/health")[0] == 200


def test_connections_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 2)
    found = LocalServer(lambda event: {"statusCode": 200, "headers": {}, "body": "{}"}, SystemClock(), 0)
    found.start()
    silent = [socket.create_connection(("127.0.0.1", found.port), timeout=5) for _ in range(2)]
    with pytest.raises((ConnectionError, http.client.BadStatusLine)):
        call(found, "GET", "/")
    for one in silent:
        one.close()
    until_ms = SystemClock().now_ms() + 3_000
    status = 0
    while status != 200 and SystemClock().now_ms() < until_ms:
        try:
            status = call(found, "GET", "/")[0]
        except (
            ConnectionError,
            http.client.BadStatusLine,
        ):  # the server has not noticed yet that they are gone
            SystemClock().sleep_ms(20)
    found.close()
    assert status == 200


def test_a_port_in_use_is_one_clear_error(server: LocalServer) -> None:
    with pytest.raises(DefinitionError, match="in use by another program") as caught:
        LocalServer(lambda event: {}, SystemClock(), server.port)
    assert (caught.value.field, caught.value.value) == ("port", str(server.port))
    assert "--port" in caught.value.hint


def test_a_closing_server_frees_its_port_and_says_so_on_open_connections() -> None:
    found = LocalServer(lambda event: {"statusCode": 200, "headers": {}, "body": "{}"}, SystemClock(), 0)
    found.start()
    connection = http.client.HTTPConnection("127.0.0.1", found.port, timeout=5)
    connection.request("GET", "/")
    assert connection.getresponse().read() == b"{}"
    found.close()
    connection.request("GET", "/")
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["code"]) == (503, "UNAVAILABLE_STOPPING")
    connection.close()
    LocalServer(lambda event: {}, SystemClock(), found.port)._server.server_close()


def test_requests_are_served_side_by_side() -> None:
    both = threading.Barrier(2, timeout=3)

    def handle(event: Mapping[str, Any]) -> dict[str, Any]:
        both.wait()
        return {"statusCode": 204, "headers": {}, "body": ""}

    found = LocalServer(handle, SystemClock(), 0)
    found.start()
    statuses: list[int] = []
    callers = [threading.Thread(target=lambda: statuses.append(call(found, "GET", "/")[0])) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(5)
    found.close()
    assert statuses == [204, 204]
