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
from duetime.core.instants import LAST_INSTANT, instant_text, local_text, wall_text
from duetime.core.plan import plan
from duetime.core.schedule import (
    CronSchedule,
    OnceSchedule,
    Schedule,
    parse_schedule,
    settle,
)
from duetime.core.schedulekinds import has_fixed_delay
from duetime.core.upcoming import instants
from duetime.core.zones import instant_of, landing, offset_at, span_at, zone

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
    calendars = {} if calendars is None else calendars
    found = instants(settled, after, count, calendars)
    name = getattr(settled, "timezone", None) or "UTC"
    clock = zone(name)
    notes = _local_notes(parsed, settled, timezone) + warnings(settled, after=after, calendars=calendars)
    if has_fixed_delay(settled) and len(found) > 1:
        notes.append("Each run's end decides the next instant: they are shown as if a run took no time.")
    return Preview(
        tuple(found),
        tuple(local_text(instant, offset_at(clock, instant)) for instant in found),
        name,
        describe(settled, language),
        tuple(notes),
    )


def warnings(schedule: Schedule, *, after: int, calendars: Mapping[str, object] | None = None) -> list[str]:
    """Return what the writer of a frozen schedule should know, one sentence each; nothing in most cases.

    Named are steps beyond their field, weekday digits in expressions of 6 or 7 fields, the clock changes of the next year
    that occurrences will notice, and a schedule or calendar that leaves nothing to run.
    """
    found: list[str] = []
    if isinstance(schedule, CronSchedule):
        found += _cron_notes(schedule.cron)
    calendars = {} if calendars is None else calendars
    occurrences = plan(schedule, anchor=after, calendars=calendars)
    if not isinstance(schedule, OnceSchedule) and schedule.timezone is not None:
        until = LAST_INSTANT if schedule.end_at is None else schedule.end_at
        start = after if schedule.start_at is None else max(after, schedule.start_at)
        found += clock_warnings(occurrences.base, zone(schedule.timezone), start, until)
    if isinstance(schedule, OnceSchedule) and schedule.at is not None:
        found += _once_notes(schedule, schedule.at)
        if schedule.at <= after:
            found.append(f"{instant_text(schedule.at)} has passed: it is due at once.")
    if schedule.calendar is not None and isinstance(schedule, OnceSchedule) and schedule.at is not None:
        from duetime.core.exclusion import exclusion  # most schedules have no calendar

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
        found.append(_digits_note(expression.weekday.text))
    return found


def _digits_note(field: str) -> str:
    """The note on days of the week that other schedulers of six and seven fields number otherwise."""
    from duetime.core.cronhints import sunday_first  # seldom

    meant = sunday_first(field)
    end = f"if {meant} was meant, write that" if meant else "names such as MON mean the same everywhere"
    return (
        f"Days of the week as digits ({field}) count from 1 for Monday here, 0 and 7 are Sunday; Quartz and EventBridge "
        f"count from 1 for Sunday: {end}."
    )


def _local_notes(written: Schedule, settled: Schedule, timezone: str) -> list[str]:
    """A note where a once was written as a local time that does not exist."""
    if not isinstance(written, OnceSchedule) or not isinstance(settled, OnceSchedule) or settled.at is None:
        return []
    if written.at_wall is None or instant_of(zone(written.timezone or timezone), written.at_wall) is not None:
        return []
    name = written.timezone or timezone
    end = instant_text(settled.at)
    return [f"{wall_text(written.at_wall)} does not exist in {name}: it runs at the end of the gap, {end}."]


def _once_notes(schedule: OnceSchedule, at: int) -> list[str]:
    """A note where the clock of a frozen once shows its local time twice."""
    if schedule.timezone is None:
        return []
    where = zone(schedule.timezone)
    wall = at + offset_at(where, at)
    first = landing(where, wall)
    spans, cycles = span_at(where, first)
    index = bisect_right(spans.starts, first - cycles)
    if first == at and (index == len(spans.starts) or spans.opens[index] + cycles > wall):
        return []
    which = "first" if first == at else "second"
    return [f"{wall_text(wall)} comes twice in {where.name}: it runs at the {which}, {instant_text(at)}."]
