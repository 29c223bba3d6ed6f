"""What tests of changing calendars share: some calendars, and changes whose process lives or dies."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.engine import calendars
from tests.world import World

NEVER = {"kind": "weekly", "days": ["SUN"]}
"""Excludes nothing near START, which is 08:00 on a Friday."""


def put(world: World, name: str, calendar: Any, engine: Any = None) -> None:
    calendars.put_calendar(engine or world.engine_plain, "default", name, calendar, who="test")


def put_and_die(world: World, name: str, calendar: Any) -> None:
    """The change is written; the process dies before it arms anybody, or has too many users for its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calendars, "_arm_soon", lambda *_: None)
        put(world, name, calendar)


def daily(first: str, last: str) -> dict[str, str]:
    return {"kind": "daily", "from": first, "to": last}


def row(world: World, job: str = "job") -> Any:
    return world.memory.get_triggers("default", job)[0]
