"""Previews: the next occurrences of a schedule in UTC and on its own clock, what it does in words, and what to beware of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from duetime.core.clockchanges import Excluded, clock_warnings
from duetime.core.describe import describe
from duetime.core.errors import ScheduleError
from duetime.core.instants import LAST_INSTANT, instant_text, local_text, wall_text
from duetime.core.plan import Plan, plan
from duetime.core.schedule import (
    CronSchedule,
    OnceSchedule,
    Schedule,
    freeze,
    parse_schedule,
    settle,
)
from duetime.core.schedulekinds import IntervalSchedule, has_fixed_delay
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
    written: Schedule | None = None,
) -> Preview:
    """Return the next `count` (1 to 20) occurrences of a schedule in any form after an instant, as if created then.

    `timezone`, `dst_gap` and `dst_fold` are the project's defaults. A legal schedule with no future occurrence has none.
    What a creation would refuse of its dates is a warning. `written`: `schedule` is what a creation has made of this one,
    and accepted.
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
    notes = _local_notes(written or parsed, settled, timezone)
    notes += _warnings(settled, after, calendars, found)
    if has_fixed_delay(settled) and len(found) > 1:
        notes.append("Each run's end decides the next instant: they are shown as if a run took no time.")
    if written is None:
        try:
            freeze(parsed, now=after, timezone=timezone, dst_gap=dst_gap, dst_fold=dst_fold)
        except ScheduleError as error:
            notes.append(f"Creation refuses it: {error.detail}")
    return Preview(
        tuple(found),
        tuple(local_text(instant, offset_at(clock, instant)) for instant in found),
        name,
        describe(settled, language),
        tuple(notes),
    )


def _warnings(
    schedule: Schedule, after: int, calendars: Mapping[str, object], upcoming: Sequence[int]
) -> list[str]:
    """Return what the writer of a frozen schedule should know, one sentence each; nothing in most cases.

    Named are the pitfalls of a cron expression (see duetime.core.cronnotes), the clock changes of the next year that
    occurrences will notice, and a schedule or calendar that leaves nothing to run.
    """
    found: list[str] = []
    if isinstance(schedule, CronSchedule):
        from duetime.core.cronnotes import cron_notes  # keeps the import of the schedules light

        found += cron_notes(schedule.cron)
    excluded: Excluded | None = None
    if schedule.calendar is not None:
        from duetime.core.exclusion import exclusion  # most schedules have no calendar

        made = exclusion(schedule.calendar, calendars)
        calendars, excluded = {schedule.calendar: made}, made.excluded
    occurrences = plan(schedule, anchor=after, calendars=calendars)
    following = upcoming[0] if upcoming else None
    if following is None and schedule.immediate and getattr(schedule, "repeat_count", None) == 1:
        following = occurrences.next(
            after
        )  # it ends with the run at creation, which says nothing of the rest
    silent = following is None and schedule.calendar is not None  # a clock has nothing to add
    if not isinstance(schedule, OnceSchedule) and schedule.timezone is not None and not silent:
        until = LAST_INSTANT if schedule.end_at is None else schedule.end_at
        start = after if schedule.start_at is None else max(after, schedule.start_at)
        over = partial(_is_over, schedule, occurrences, after)
        found += clock_warnings(occurrences, zone(schedule.timezone), start, until, excluded, over)
    if isinstance(schedule, OnceSchedule) and schedule.at is not None:
        found += _once_notes(schedule, schedule.at)
        if schedule.at <= after:
            found.append(f"{instant_text(schedule.at)} has passed: it is due at once.")
        if excluded is not None and excluded(schedule.at):
            found.append(f"Calendar {schedule.calendar} excludes {instant_text(schedule.at)}: it never runs.")
    elif following is None:
        found.append(_nothing_left(occurrences.base.next(after), schedule, after))
    return found


def _is_over(schedule: Schedule, occurrences: Plan, created: int, instant: int) -> bool:
    """Whether the last counted run of a schedule comes before an instant."""
    if not isinstance(schedule, IntervalSchedule) or schedule.repeat_count is None:
        return False
    first = created if schedule.immediate else created + 1
    return occurrences.count(first, instant - 1, schedule.repeat_count) >= schedule.repeat_count


def _nothing_left(bare: int | None, schedule: Schedule, after: int) -> str:
    """Why a schedule has no next occurrence; `bare` is the next of its grid alone."""
    inside = bare is not None and (schedule.end_at is None or bare <= schedule.end_at)
    if schedule.calendar is not None and inside:
        return f"Calendar {schedule.calendar} excludes every occurrence: it never comes due."
    return f"Nothing comes due after {instant_text(after)}."


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
