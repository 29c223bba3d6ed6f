"""A DynamoDB client that moto answers in this process, one call at a time as the service itself is atomic per call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from moto import mock_aws

from tests.contract.audit import audit


class OneAtATime:
    """A client whose calls never overlap: moto reads and writes a row in two steps, DynamoDB in one."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if not callable(found) or name.startswith("get_waiter"):
            return found
        return self._locked(found)

    def _locked(self, operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **given: Any) -> Any:
            with self._lock:
                return operation(*args, **given)

        call.__name__ = getattr(operation, "__name__", "call")
        return call


@contextmanager
def moto_client() -> Iterator[Any]:
    """Start moto and yield a client of it; every request is audited."""
    with mock_aws():
        client = boto3.client(
            "dynamodb",
            region_name="eu-central-1",
            aws_access_key_id="invented",
            aws_secret_access_key="invented",
            config=Config(retries={"total_max_attempts": 1}, parameter_validation=True),
        )
        audit(client)
        yield OneAtATime(client)
