"""The function that a deployment calls once: syncs the code jobs of the `jobs` package into the default project.

Its event says nothing. What it raises fails the deployment, before which nothing was written.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from duetime.bootstrap import aws
from duetime.engine.sync import sync
from duetime.sdk.registry import load_jobs

PROJECT = "default"


def handler(event: object, context: object) -> dict[str, Any]:
    """Sync, and answer the report."""
    return asdict(sync(aws(), PROJECT, load_jobs()))
