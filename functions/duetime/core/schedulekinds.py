"""The three kinds of schedule as values. Two equal schedules have the same occurrences (given the same anchor).

Instants are UTC epoch seconds, wall times seconds since 1970-01-01T00:00 on the schedule's own clock, durations seconds.
`timezone`, `dst_gap` and `dst_fold` are None where nothing was written; `freeze` fills them from the project's defaults.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Mode = Literal["fixed_rate", "fixed_delay", "aligned", "calendar"]
Gap = Literal["skip", "shift"]
Fold = Literal["first", "both"]


@dataclass(frozen=True, slots=True)
class CronSchedule:
    """The wall times of a cron expression in a time zone; `cron` is kept as written, with single spaces."""

    kind: ClassVar[Literal["cron"]] = "cron"
    cron: str
    timezone: str | None = None
    dst_gap: Gap | None = None
    dst_fold: Fold | None = None
    start_at: int | None = None
    end_at: int | None = None
    calendar: str | None = None
    immediate: bool = False


@dataclass(frozen=True, slots=True)
class IntervalSchedule:
    """Every so many seconds, by one of four modes. The zone fields belong to mode `calendar` alone.

    `start_wall` is a `start_at` that was written as a local time; `start_at` is its instant once the zone is known.
    """

    kind: ClassVar[Literal["interval"]] = "interval"
    every: int
    mode: Mode = "fixed_rate"
    repeat_count: int | None = None
    timezone: str | None = None
    dst_gap: Gap | None = None
    dst_fold: Fold | None = None
    start_at: int | None = None
    start_wall: int | None = None
    end_at: int | None = None
    calendar: str | None = None
    immediate: bool = False


@dataclass(frozen=True, slots=True)
class OnceSchedule:
    """One instant. Exactly one of `at`, `at_wall` (a local time) and `delay` (from the write on) is given.

    A frozen one has `at`; `timezone` then only says in which zone to show it.
    """

    kind: ClassVar[Literal["once"]] = "once"
    at: int | None = None
    at_wall: int | None = None
    delay: int | None = None
    timezone: str | None = None
    dst_gap: Gap | None = None
    start_at: int | None = None
    end_at: int | None = None
    calendar: str | None = None
    immediate: bool = False


Schedule = CronSchedule | IntervalSchedule | OnceSchedule
"""Any schedule."""


def has_fixed_delay(schedule: Schedule) -> bool:
    """Whether a schedule has one outstanding occurrence at a time, the next counted from the end of the one before."""
    return isinstance(schedule, IntervalSchedule) and schedule.mode == "fixed_delay"
