"""The Python SDK: what a module of code jobs imports. It runs nothing itself; it only says what there is to run."""

from __future__ import annotations

from duetime.sdk.app import App
from duetime.sdk.context import RunContext
from duetime.sdk.errors import Fail, NonRetryable
from duetime.sdk.handler import Handler
from duetime.sdk.registry import Registry, load_jobs
from duetime.sdk.schedules import cron, every, once, trigger

__all__ = [
    "App",
    "Fail",
    "Handler",
    "NonRetryable",
    "Registry",
    "RunContext",
    "cron",
    "every",
    "load_jobs",
    "once",
    "trigger",
]
