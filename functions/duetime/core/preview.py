"""Previews: the next occurrences of a schedule in UTC and on its own clock, what it does in words, and what to beware of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from duetime.core.clockchanges import clock_warnings
from duetime.core.cron import read_cron
from duetime.core.describe import describe
from duetime.core.errors import ScheduleError
from duetime.core.exclusion import exclusion
from duetime.core.instants import LAST_INSTANT, instant_text, local_text, wall_text
from duetime.core.plan import plan
from duetime.core.schedule import (
    CronSchedule,
    OnceSchedule,
    Schedule,
    parse_schedule,
    settle,
)
from duetime.core.upcoming import instants
from duetime.core.zones import instant_of, landing, offset_at, zone

MAX_COUNT: Final = 20


@dataclass(frozen=True, slots=True)
class Preview:
    """What a schedule will do: `upcoming` in UTC epoch seconds, the same instants as `local` RFC 3339 texts in `timezone`."""

    upcoming: tuple[int, ...]
    local: tuple[str, ...]
    timezone: str
    description: str
    warnings: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """Return the preview as a JSON object; all times are RFC 3339."""
        return {
            "upcoming": [instant_text(instant) for instant in self.upcoming],
            "local": list(self.local),
            "timezone": self.timezone,
            "description": self.description,
            "warnings": list(self.warnings),
        }


def preview(
    schedule: object,
    *,
    after: int,
    count: int = 5,
    calendars: Mapping[str, object] | None = None,
    timezone: str = "UTC",
    dst_gap: str = "skip",
    dst_fold: str = "first",
    language: str = "en",
) -> Preview:
    """Return the next `count` (1 to 20) occurrences of a schedule in any form after an instant, as if created then.

    `timezone`, `dst_gap` and `dst_fold` are the project's defaults. A legal schedule with no future occurrence has none.
    Raises ScheduleError for a schedule or calendar that cannot be taken and a count out of range.

    >>> preview("0 9 * * *", after=0, count=1).json()["upcoming"]
    ['1970-01-01T09:00:00Z']
    """
    if type(count) is not int or not 1 <= count <= MAX_COUNT:
        raise ScheduleError("count", count, "is out of range", f"Use 1 to {MAX_COUNT}.")
    parsed = parse_schedule(schedule)
    settled = settle(parsed, now=after, timezone=timezone, dst_gap=dst_gap, dst_fold=dst_fold)
    found = instants(settled, after, count, calendars or {})
    name = getattr(settled, "timezone", None) or "UTC"
    clock = zone(name)
    return Preview(
        tuple(found),
        tuple(local_text(instant, offset_at(clock, instant)) for instant in found),
        name,
        describe(settled, language),
        tuple(_once_local(parsed, timezone) + warnings(settled, after=after, calendars=calendars)),
    )


def warnings(schedule: Schedule, *, after: int, calendars: Mapping[str, object] | None = None) -> list[str]:
    """Return what the writer of a frozen schedule should know, one sentence each; nothing in most cases.

    Named are steps beyond their field, weekday digits in expressions of 6 or 7 fields, the clock changes of the next year
    that occurrences will notice, and a schedule or calendar that leaves nothing to run.
    """
    found: list[str] = []
    if isinstance(schedule, CronSchedule):
        found += _cron_notes(schedule.cron)
    calendars = calendars or {}
    occurrences = plan(schedule, anchor=after, calendars=calendars)
    if not isinstance(schedule, OnceSchedule) and schedule.timezone is not None:
        until = LAST_INSTANT if schedule.end_at is None else schedule.end_at
        start = after if schedule.start_at is None else max(after, schedule.start_at)
        found += clock_warnings(occurrences.base, zone(schedule.timezone), start, until)
    if isinstance(schedule, OnceSchedule) and schedule.at is not None and schedule.at <= after:
        found.append(f"{instant_text(schedule.at)} has passed: it is due at once.")
    if schedule.calendar is not None and isinstance(schedule, OnceSchedule) and schedule.at is not None:
        if exclusion(schedule.calendar, calendars).excluded(schedule.at):
            found.append(f"Calendar {schedule.calendar} excludes {instant_text(schedule.at)}: it never runs.")
    elif occurrences.next(after) is None and not isinstance(schedule, OnceSchedule):
        found.append(_nothing_left(occurrences.base.next(after), schedule, after))
    return found


def _nothing_left(bare: int | None, schedule: Schedule, after: int) -> str:
    """Why a schedule has no next occurrence; `bare` is the next of its grid alone."""
    inside = bare is not None and (schedule.end_at is None or bare <= schedule.end_at)
    if schedule.calendar is not None and inside:
        return f"Calendar {schedule.calendar} excludes every occurrence: it never comes due."
    return f"Nothing comes due after {instant_text(after)}."


def _cron_notes(cron: str) -> list[str]:
    """Notes on what is legal in an expression and yet seldom meant."""
    expression = read_cron(cron)
    found = []
    for field in (expression.second, expression.minute, expression.hour, expression.day, expression.month):
        found += [
            f"The step of {text} is beyond its field and leaves its first value only."
            for text in field.beyond
        ]
    found += [
        f"The step of {text} is beyond its field and leaves its first value only."
        for text in expression.weekday.beyond
    ]
    if expression.fields > 5 and expression.weekday.digits:
        found.append(
            f"Days of the week as digits ({expression.weekday.text}) count 0 and 7 as Sunday and 1 as Monday here; Quartz counts "
            "1 as Sunday. Names such as MON mean the same everywhere."
        )
    return found


def _once_local(schedule: Schedule, timezone: str) -> list[str]:
    """A note where the local time of a once comes twice or not at all."""
    if not isinstance(schedule, OnceSchedule) or schedule.at_wall is None:
        return []
    clock, wall = zone(schedule.timezone or timezone), wall_text(schedule.at_wall)
    at = landing(clock, schedule.at_wall)
    if instant_of(clock, schedule.at_wall) is None:
        return [f"{wall} does not exist in {clock.name}: it runs at the end of the gap, {instant_text(at)}."]
    index = bisect_right(clock.near.starts, at)
    if index < len(clock.near.starts) and clock.near.opens[index] <= schedule.at_wall:
        return [f"{wall} comes twice in {clock.name}: it runs at the first, {instant_text(at)}."]
    return []
