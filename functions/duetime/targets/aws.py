"""Clients of AWS services for targets: made when first needed, kept for as long as the process lives.

A client's read timeout cannot change, and a delivery must not outlive its run's deadline, so there is one for each
number of whole seconds asked for; those used longest ago go first. Jobs have few different timeouts, so clients are
met again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import boto3

CONNECT_SECONDS: Final = 5
MOST_CLIENTS: Final = 16


class Clients:
    """A thread-safe cache of clients by service, region, read timeout and number of attempts."""

    def __init__(self, session: boto3.session.Session | None = None, **options: Any) -> None:
        """`options` go to every client (`endpoint_url`); without a session the environment's is used."""
        self._session, self._options = session, options
        self._clients: OrderedDict[tuple[str, str, int, int], Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, service: str, region: str, *, seconds: int, attempts: int) -> Any:
        """Return a client that gives up on an answer after `seconds` and calls at most `attempts` times."""
        key = (service, region, seconds, attempts)
        with self._lock:
            if key not in self._clients:
                self._clients[key] = self._make(*key)
            self._clients.move_to_end(key)
            if len(self._clients) > MOST_CLIENTS:
                self._clients.popitem(last=False)  # calls in progress keep theirs alive
            return self._clients[key]

    def _make(self, service: str, region: str, seconds: int, attempts: int) -> Any:
        import boto3
        from botocore.config import Config

        self._session = self._session or boto3.session.Session()
        config = Config(
            connect_timeout=min(CONNECT_SECONDS, seconds),
            read_timeout=seconds,
            retries={"mode": "standard", "total_max_attempts": attempts},
            tcp_keepalive=True,  # a long invocation is a silent connection
            max_pool_connections=64,
        )
        client: Any = self._session.client  # typed for literal names of services only
        return client(service, region_name=region, config=config, **self._options)
