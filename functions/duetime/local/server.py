"""The HTTP API on this machine's loopback: each request becomes a gateway event for `duetime.api.app.handle`.

Bound to 127.0.0.1 only. Bounded in all directions: the body, the headers, the time of a read, the connections at once. What
it cannot read is answered by a problem document and the connection is closed.
"""

from __future__ import annotations

import errno
import logging
import socketserver
import sys
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from duetime.core.faults import DuetimeError, SettingsError, Unavailable
from duetime.core.ids import new_uid
from duetime.local.event import Request, event_of
from duetime.local.guard import body_length, check_request
from duetime.ports import Clock

log = logging.getLogger(__name__)

HOST: Final = "127.0.0.1"
READ_SECONDS: Final = 15
"""How long a connection may stay silent."""
POLL_SECONDS: Final = 0.2
"""How late the server notices that it is closed."""
MOST_CONNECTIONS: Final = 128

Handle = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""From an HTTP API event to its response."""


class LocalServer:
    """Serves until closed. `port` is the real one, also when 0 (any free one) was asked for."""

    def __init__(self, handle: Handle, clock: Clock, port: int) -> None:
        """Bind the port; raises SettingsError when that cannot be done."""
        try:
            self._server = _Server(handle, clock, port)
        except OSError as error:
            raise _not_bound(port, error) from None
        self.port = self._server.server_port
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_SECONDS,), name="http", daemon=True
        )

    @property
    def url(self) -> str:
        """The address to call."""
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Free the port and answer UNAVAILABLE_STOPPING on connections that are open; requests in progress go on."""
        self._server.closing = True
        self._server.shutdown()
        self._server.server_close()


def _not_bound(port: int, error: OSError) -> SettingsError:
    problem = {
        errno.EADDRINUSE: "is in use by another program",
        errno.EACCES: "may not be used by this user",
    }.get(error.errno or 0, f"cannot be used ({error.strerror or error})")
    return SettingsError("port", port, problem, "Choose another with --port, or any free one with --port 0.")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, handle: Handle, clock: Clock, port: int) -> None:
        self.handle_event, self.clock = handle, clock
        self.closing = False
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), _Connection)

    def server_bind(self) -> None:
        # Not HTTPServer's: it looks up the host's name, which may take seconds where there is no network.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._free.acquire(blocking=False):
            log.warning("%s connections are open: one more was closed at once", MOST_CONNECTIONS)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a connection broke: %s", sys.exc_info()[1])


class _Connection(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "duetime", ""
    timeout = READ_SECONDS
    disable_nagle_algorithm = True

    def __getattr__(self, name: str) -> Callable[[], None]:
        # Every method goes the same way; the API answers those a route does not have.
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def _serve(self) -> None:
        request_id = new_uid()
        try:
            request = self._read()
            check_request(request, self.server.server_port)
            if self.server.closing:
                raise Unavailable(
                    "server", "local", "is stopping", "Start it again.", code="UNAVAILABLE_STOPPING"
                )
            event = event_of(request, request_id=request_id, now_ms=self.server.clock.now_ms())
        except DuetimeError as error:
            self.close_connection = True  # what follows may be the rest of what was not read
            self._answer(_problem(error, request_id))
            return
        self._answer(self.server.handle_event(event))

    def _read(self) -> Request:
        headers = tuple(self.headers.items())
        length = body_length(headers)
        body = self.rfile.read(length) if length else b""
        if len(body) != length:
            raise TimeoutError("the body ended early")
        return Request(self.command, self.path, headers, body)

    def _answer(self, response: Mapping[str, Any]) -> None:
        body = str(response.get("body") or "").encode()
        status = int(response["statusCode"])
        self.send_response(status)
        for name, value in response["headers"].items():
            self.send_header(name, str(value))
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if self.command != "HEAD" and status != HTTPStatus.NO_CONTENT:
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the standard library could not read as HTTP, in the same form as every refusal."""
        self.close_connection = True
        fault = DuetimeError(
            "request",
            HTTPStatus(code).phrase,
            "cannot be read",
            "Send plain HTTP/1.1.",
            code="VALIDATION_DATA",
        )
        try:
            self._answer(_problem(fault, new_uid()))
        except OSError:
            log.debug("the caller was gone before its answer")

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent: the API writes one line for each request."""


def _problem(error: DuetimeError, request_id: str) -> Mapping[str, Any]:
    from duetime.api.problems import problem_response

    found = problem_response(error, request_id=request_id)
    headers = {**found.headers, "content-type": found.content_type or ""}
    return {"statusCode": found.status_code, "headers": headers, "body": found.body}
