"""Which schedules a change of a calendar would silence for good: what its author should know before, or right after, it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Final

from duetime.core.errors import ScheduleError
from duetime.core.exclusion import exclusion
from duetime.core.plan import plan
from duetime.core.schedulekinds import OnceSchedule
from duetime.core.stored import StoredCalendar
from duetime.engine.context import Engine
from duetime.engine.occurrences import LENIENT, read_calendars

log = logging.getLogger(__name__)

MOST_JOBS: Final = 50
"""Jobs that are looked at; a change is not held up by thousands."""
MOST_NAMED: Final = 5


def silenced(engine: Engine, after: StoredCalendar, before: StoredCalendar | None) -> tuple[str, ...]:
    """Return one sentence that names jobs, among the first under a calendar, of which a trigger never comes due any more.

    Composites above the calendar are looked through as well.
    """
    if before is None or after.calendar == before.calendar:
        return ()
    now_s = engine.clock.now_ms() // 1000
    named: dict[str, None] = {}
    for calendar, jobs in _under(engine, after):
        stored = read_calendars(engine.store, after.project, [calendar])
        definitions: dict[str, object] = {one.name: one.calendar for one in stored.values()}
        try:
            made = {
                calendar: exclusion(calendar, definitions | {after.name: after.calendar}, lenient=LENIENT)
            }
        except ScheduleError:
            continue
        for name in jobs:
            if _falls_silent(engine, after.project, name, calendar, made, now_s):
                named[f"job {name}"] = None
    if not named:
        return ()
    shown = ", ".join(list(named)[:MOST_NAMED]) + (" and more" if len(named) > MOST_NAMED else "")
    return (f"It excludes every occurrence still to come of {shown}.",)


def _under(engine: Engine, changed: StoredCalendar) -> Iterator[tuple[str, list[str]]]:
    """Yield a calendar and those it is a member of, each with the jobs that use it, `MOST_JOBS` in all."""
    left, seen, names = MOST_JOBS, {changed.name}, [changed.name]
    while names and left > 0:
        calendar = names.pop()
        users = engine.store.calendar_users(changed.project, calendar, limit=left, cursor=None).items
        above = [one.name for one in users if one.kind == "calendar" and one.name not in seen]
        seen.update(above)
        names += above
        jobs = [one.name for one in users if one.kind == "job"]
        left -= len(jobs)
        yield calendar, jobs


def _falls_silent(
    engine: Engine, project: str, name: str, calendar: str, made: Mapping[str, object], now_s: int
) -> bool:
    try:
        rows = engine.store.get_triggers(project, name)
    except Exception:  # advice about one job holds up nobody
        log.exception("whether job %s falls silent is not known", name)
        return False
    for row in rows:
        if row.schedule.calendar != calendar or row.state != "waiting" or row.due_at is None:
            continue
        try:
            following = plan(row.schedule, anchor=row.anchor, calendars=made)
        except ScheduleError:
            continue
        if isinstance(row.schedule, OnceSchedule):
            due = row.due_at if following.contains(row.due_at) else None
        else:
            due = following.next(now_s)
        if due is None:
            return True
    return False
