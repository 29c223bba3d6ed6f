"""Clients for adapters under test: moto answers them in this process, no account is needed."""

from __future__ import annotations

from typing import Any

import boto3
from botocore.config import Config

REGION = "eu-west-1"


def client(service: Any, **options: Any) -> Any:
    """Return a client with invented keys that does not repeat what failed."""
    return boto3.client(
        service,
        region_name=REGION,
        aws_access_key_id="invented",
        aws_secret_access_key="invented",
        config=Config(retries={"total_max_attempts": 1}, **options),
    )
