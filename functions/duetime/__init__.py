"""Duetime: a scheduler in your own AWS account, and the names its users import.

Each is loaded when it is first asked for, so that `import duetime` costs nothing and loads neither AWS nor pydantic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from duetime.core.describe import describe
    from duetime.core.durations import parse_duration
    from duetime.core.errors import ScheduleError
    from duetime.core.schedule import parse_schedule, schedule_json, schedule_text
    from duetime.core.upcoming import Cron, upcoming
    from duetime.sdk.app import App
    from duetime.sdk.context import RunContext
    from duetime.sdk.errors import Fail, NonRetryable
    from duetime.sdk.holidays import holiday_calendar
    from duetime.sdk.schedules import cron, every, once, trigger

__all__ = [
    "App",
    "Cron",
    "Fail",
    "NonRetryable",
    "RunContext",
    "ScheduleError",
    "cron",
    "describe",
    "every",
    "holiday_calendar",
    "once",
    "parse_duration",
    "parse_schedule",
    "schedule_json",
    "schedule_text",
    "trigger",
    "upcoming",
]

_HOMES: Final = {
    "App": "duetime.sdk.app",
    "Cron": "duetime.core.upcoming",
    "Fail": "duetime.sdk.errors",
    "NonRetryable": "duetime.sdk.errors",
    "RunContext": "duetime.sdk.context",
    "ScheduleError": "duetime.core.errors",
    "cron": "duetime.sdk.schedules",
    "describe": "duetime.core.describe",
    "every": "duetime.sdk.schedules",
    "holiday_calendar": "duetime.sdk.holidays",
    "once": "duetime.sdk.schedules",
    "parse_duration": "duetime.core.durations",
    "parse_schedule": "duetime.core.schedule",
    "schedule_json": "duetime.core.schedule",
    "schedule_text": "duetime.core.schedule",
    "trigger": "duetime.sdk.schedules",
    "upcoming": "duetime.core.upcoming",
}
"""Where each public name lives."""


if not TYPE_CHECKING:  # or a type checker would take every name for one of ours

    def __getattr__(name: str) -> Any:
        """Load a public name from its module."""
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'duetime' has no attribute {name!r}")
        value = getattr(importlib.import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
