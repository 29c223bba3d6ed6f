"""Schedule builders for code jobs: the JSON form of a schedule, with names an editor can complete.

They check nothing: the decorator does, so that an error names the job it belongs to. Wherever a schedule is taken, its
text form (`"every 10m"`, `"0 9 * * MON-FRI"`) and its JSON form are taken as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from duetime.core.schedule import Schedule

ScheduleForm = str | Mapping[str, Any] | Schedule
"""A schedule in text or JSON form, or one that was parsed."""
Instant = str | datetime
"""RFC 3339 text, or a datetime; one without an offset is local to the schedule's zone."""


@dataclass(frozen=True, slots=True)
class CodeTrigger:
    """A named trigger of a code job, in JSON form; made by `trigger`."""

    document: Mapping[str, Any]


def every(
    interval: str | timedelta,
    *,
    mode: Literal["fixed_rate", "fixed_delay", "aligned", "calendar"] | None = None,
    repeat_count: int | None = None,
    tz: str | None = None,
    start_at: Instant | None = None,
    end_at: Instant | None = None,
    calendar: str | None = None,
    immediate: bool | None = None,
) -> dict[str, Any]:
    """Return an interval schedule: at a fixed rate unless `mode` says otherwise.

    `repeat_count` is the number of runs in all; `tz` belongs to mode `calendar`. `calendar` names the stored calendar of
    excluded times.

    >>> every("10m", mode="aligned")
    {'kind': 'interval', 'every': '10m', 'mode': 'aligned'}
    """
    span = _milliseconds(interval) if isinstance(interval, timedelta) else interval
    return _given(
        kind="interval", every=span, mode=mode, repeat_count=repeat_count, timezone=tz,
        start_at=_text(start_at), end_at=_text(end_at), calendar=calendar, immediate=immediate,
    )  # fmt: skip


def cron(
    expression: str,
    *,
    tz: str | None = None,
    dst_gap: Literal["skip", "shift"] | None = None,
    dst_fold: Literal["first", "both"] | None = None,
    start_at: Instant | None = None,
    end_at: Instant | None = None,
    calendar: str | None = None,
    immediate: bool | None = None,
) -> dict[str, Any]:
    """Return a cron schedule of 5, 6 (seconds first) or 7 (year last) fields, in the IANA zone `tz`.

    `calendar` names the stored calendar of excluded times.

    >>> cron("0 2 * * *", tz="Asia/Shanghai")
    {'kind': 'cron', 'cron': '0 2 * * *', 'timezone': 'Asia/Shanghai'}
    """
    return _given(
        kind="cron", cron=expression, timezone=tz, dst_gap=dst_gap, dst_fold=dst_fold,
        start_at=_text(start_at), end_at=_text(end_at), calendar=calendar, immediate=immediate,
    )  # fmt: skip


def once(at: Instant, *, tz: str | None = None, calendar: str | None = None) -> dict[str, Any]:
    """Return a schedule of one instant; a local one needs `tz`. It never runs if `calendar` excludes the instant.

    >>> once("2026-11-01T09:00:00", tz="Europe/Berlin")
    {'kind': 'once', 'at': '2026-11-01T09:00:00', 'timezone': 'Europe/Berlin'}
    """
    return _given(kind="once", at=_text(at), timezone=tz, calendar=calendar)


def trigger(
    name: str,
    schedule: ScheduleForm,
    *,
    data: Mapping[str, Any] | None = None,
    priority: int | str | None = None,
    misfire: Literal["run_once", "skip"] | None = None,
    misfire_threshold: str | None = None,
    jitter: str | None = None,
    description: str | None = None,
    enabled: bool | None = None,
) -> CodeTrigger:
    """Return a named trigger, for jobs with several or for what only a trigger has (its own data, misfire, jitter).

    >>> trigger("weekend", cron("0 9 * * SAT-SUN"), data={"full": True}).document["name"]
    'weekend'
    """
    return CodeTrigger(
        _given(
            name=name, schedule=schedule, data=data, priority=priority, misfire=misfire,
            misfire_threshold=misfire_threshold, jitter=jitter, description=description, enabled=enabled,
        )
    )  # fmt: skip


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _text(at: Instant | None) -> str | None:
    return at.isoformat() if isinstance(at, datetime) else at


def _milliseconds(span: timedelta) -> int | float:
    exact = span / timedelta(milliseconds=1)
    return int(exact) if exact.is_integer() else exact
