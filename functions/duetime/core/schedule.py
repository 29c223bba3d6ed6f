"""Schedules: taken in any accepted form, fixed against a project's defaults, and given back as text or JSON.

`parse_schedule` is pure and accepts text, bare text, a number of milliseconds and the JSON form. `freeze` turns what depends
on the moment and the project of a write (default zone, `once in 10m`, local times) into a schedule that depends on nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from duetime.core.errors import ScheduleError
from duetime.core.instants import LAST_INSTANT, instant_text, wall_text
from duetime.core.schedulejson import MAX_DELAY, read_schedule, schedule_json, start_instant
from duetime.core.schedulekinds import CronSchedule, Fold, Gap, IntervalSchedule, OnceSchedule, Schedule
from duetime.core.text import schedule_text, text_document
from duetime.core.zones import check_zone, instant_of, landing, zone

__all__ = [
    "CronSchedule",
    "IntervalSchedule",
    "OnceSchedule",
    "Schedule",
    "freeze",
    "parse_schedule",
    "schedule_json",
    "schedule_text",
    "settle",
]


def parse_schedule(value: object, *, check_zones: bool = True) -> Schedule:
    """Return the schedule of a text, a bare text, a JSON object or a number of milliseconds.

    A schedule is returned as it is. Stored ones are read without `check_zones`: a zone name that no longer resolves then
    raises when an occurrence is asked for. Raises ScheduleError naming the field, the offending text and what to write
    instead.

    >>> parse_schedule("0 9 * * MON-FRI tz=Europe/Berlin") == parse_schedule(
    ...     {"kind": "cron", "cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin"})
    True
    """
    if isinstance(value, str):
        return read_schedule(text_document(value), check_zones=check_zones)
    if isinstance(value, Mapping):
        return read_schedule(value, check_zones=check_zones)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return read_schedule({"every": value})
    if isinstance(value, (CronSchedule, IntervalSchedule, OnceSchedule)):
        return value
    raise ScheduleError(
        "schedule", value, "is no schedule", 'Write a text such as "every 10m", or a JSON object.'
    )


def freeze(
    schedule: Schedule, *, now: int, timezone: str = "UTC", dst_gap: str = "skip", dst_fold: str = "first"
) -> Schedule:
    """Return a schedule fixed at the moment `now` of its write: defaults filled in, relative and local times resolved.

    `timezone`, `dst_gap` and `dst_fold` are the project's defaults. Raises ScheduleError where it must not be created: a
    window that is over, a `once` more than ten years ahead, outside its own window or in a clock gap under `skip`.

    >>> freeze(parse_schedule("once in 10m"), now=1_800_000_000).at
    1800000600
    """
    settled = settle(schedule, now=now, timezone=timezone, dst_gap=dst_gap, dst_fold=dst_fold)
    if settled.end_at is not None and settled.end_at <= now:
        hint = f"It is {instant_text(now)} now; give a later end or none."
        raise ScheduleError("end_at", instant_text(settled.end_at), "is not in the future", hint)
    if isinstance(settled, OnceSchedule) and settled.at is not None:
        _check_once(settled, settled.at, now)
    return settled


def settle(
    schedule: Schedule, *, now: int, timezone: str = "UTC", dst_gap: str = "skip", dst_fold: str = "first"
) -> Schedule:
    """Return a schedule with defaults and local times resolved as `freeze` does, but without judging its dates."""
    gap, fold = cast(Gap, dst_gap), cast(Fold, dst_fold)
    if isinstance(schedule, OnceSchedule):
        return _settle_once(schedule, now, timezone, gap)
    if isinstance(schedule, IntervalSchedule) and schedule.mode != "calendar":
        return schedule
    filled: dict[str, Any] = {
        "timezone": schedule.timezone or check_zone(timezone),
        "dst_gap": schedule.dst_gap or gap,
        "dst_fold": schedule.dst_fold or fold,
    }
    if isinstance(schedule, IntervalSchedule) and schedule.start_wall is not None:
        filled["start_at"] = start_instant(schedule.start_wall, filled["timezone"])
        if schedule.end_at is not None and schedule.end_at < filled["start_at"]:
            raise ScheduleError(
                "end_at", instant_text(schedule.end_at), "is before start_at", "Give a later end."
            )
    return replace(schedule, **filled)


def _settle_once(schedule: OnceSchedule, now: int, timezone: str, gap: Gap) -> OnceSchedule:
    if schedule.delay is not None:
        return replace(schedule, at=min(now + schedule.delay, LAST_INSTANT), delay=None)
    if schedule.at_wall is None:
        return schedule
    name = schedule.timezone or check_zone(timezone)
    policy = schedule.dst_gap or gap
    at = instant_of(zone(name), schedule.at_wall, shift=policy == "shift")
    if at is None:
        end = instant_text(landing(zone(name), schedule.at_wall))
        hint = (
            f"Clocks are set forward there at {end}: write another time, or dst_gap shift for that instant."
        )
        raise ScheduleError("at", wall_text(schedule.at_wall), f"does not exist in {name}", hint)
    return replace(schedule, at=at, at_wall=None, timezone=name, dst_gap=None)


def _check_once(schedule: OnceSchedule, at: int, now: int) -> None:
    if at > now + MAX_DELAY:
        raise ScheduleError("at", instant_text(at), "is more than ten years ahead", "Use an earlier time.")
    for key, bound, outside in (
        ("start_at", schedule.start_at, schedule.start_at is not None and at < schedule.start_at),
        ("end_at", schedule.end_at, schedule.end_at is not None and at > schedule.end_at),
    ):
        if outside and bound is not None:
            hint = f"{key} is {instant_text(bound)}; leave it out or move it."
            raise ScheduleError("at", instant_text(at), "lies outside its own window", hint)
