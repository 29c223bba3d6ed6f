"""After a calendar has changed: arm what is under it anew, user by user, at once or by the next ticks.

The mark of the change (`changed_at`) stays on the calendar until all its users are done, and `progress` says how far that
is, so a crash repeats little and forgets nobody. Each user is one guarded change of its job, decided under the calendars
as they are then. It moves the revision of every trigger that waits, so that a claim which read the calendar before the
change loses its write; doing it twice changes nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, Literal

from duetime.core.applies import EXCLUDED, why_not
from duetime.core.exchange import CalendarChange, CalendarUser, JobChange
from duetime.core.faults import Unavailable, Unreadable
from duetime.core.stored import StoredCalendar, StoredJob, calendars_of
from duetime.core.triggerrow import TriggerRow
from duetime.engine.arming import Around, recalendared
from duetime.engine.chain import occurrence_runs
from duetime.engine.changing import TRIES, bumped, claim_soon, is_off, read_job
from duetime.engine.context import Engine
from duetime.engine.occurrences import trees

log = logging.getLogger(__name__)

PAGE: Final = 64
SLICE_MS: Final = 8_000
"""How long one tick stays with one calendar while others wait."""

Done = Literal["done", "again", "late"]


def arm_changed(engine: Engine, marked: Sequence[StoredCalendar], *, deadline_ms: int) -> int:
    """Go on with changed calendars until `deadline_ms` (UTC epoch ms); returns how many are done.

    Each minute begins with another one, so that none waits for ever behind a large or a broken one.
    """
    done = 0
    first = engine.clock.now_ms() // 60_000 % len(marked)
    for seen in (*marked[first:], *marked[:first]):
        now_ms = engine.clock.now_ms()
        if now_ms > deadline_ms:
            break
        try:
            stored = engine.store.get_calendars(seen.project, [seen.name]).get(seen.name)
            if stored is not None and stored.changed_at is not None:
                done += arm_users(engine, stored, deadline_ms=min(deadline_ms, now_ms + SLICE_MS))
        except Unavailable as error:
            log.warning("calendar %s: its users are armed by the next tick: %s", seen.name, error)
    return done


def arm_users(engine: Engine, stored: StoredCalendar, *, deadline_ms: int) -> bool:
    """Arm the users of a changed calendar anew, and take its mark off when all are; False where some are left.

    Composite calendars above are marked as changed themselves before the mark goes, and are gone on with then. A user that
    loses every race keeps the mark and is met again from the start; one that cannot be read has nothing to arm.
    """
    above: list[StoredCalendar] = []
    cursor, left = stored.progress, False
    with ThreadPoolExecutor(engine.settings.claim_threads) as pool:
        while True:
            page = engine.store.calendar_users(stored.project, stored.name, limit=PAGE, cursor=cursor)
            for user in page.items:
                above += _mark(engine, stored.project, user.name) if user.kind == "calendar" else []
            jobs = [user for user in page.items if user.kind == "job"]
            answers = list(pool.map(lambda user: _arm(engine, stored, user, deadline_ms), jobs))
            if "late" in answers:
                _note(engine, stored, progress=cursor)
                return False
            left = left or "again" in answers
            if page.next is None:
                break
            cursor = page.next
    done = _note(engine, stored, done=not left) and not left
    return all([done, *(arm_users(engine, one, deadline_ms=deadline_ms) for one in above)])


def _note(engine: Engine, stored: StoredCalendar, *, done: bool = False, progress: str | None = None) -> bool:
    """Write how far the users are, or take the mark off; a calendar that was changed meanwhile keeps its mark."""
    for _ in range(TRIES):
        changed_at = None if done else stored.changed_at
        after = replace(stored, changed_at=changed_at, progress=progress, revision=stored.revision + 1)
        if engine.store.change_calendar(CalendarChange(stored, after)):
            return True
        now = engine.store.get_calendars(stored.project, [stored.name]).get(stored.name)
        if now is None or _said(now) != _said(stored):
            return False
        stored = now  # somebody joined: who does so is decided under the calendar as it is
    return False


def _said(stored: StoredCalendar) -> tuple[int, int, int]:
    """What tells one state of a calendar from another, whoever uses it."""
    return stored.version, stored.marks, stored.created_ms


def _mark(engine: Engine, project: str, name: str) -> list[StoredCalendar]:
    """Mark a composite as changed, because a member of it is; nothing where it is gone meanwhile.

    Its `marks` grow, so that no job is put under what it was before.
    """
    for _ in range(TRIES):
        before = engine.store.get_calendars(project, [name]).get(name)
        if before is None:
            return []
        marked = replace(
            before, marks=before.marks + 1, revision=before.revision + 1,
            changed_at=engine.clock.now_ms() // 1000, progress=None,
        )  # fmt: skip
        if engine.store.change_calendar(CalendarChange(before, marked)):
            return [marked]
    raise Unavailable("calendar", name, "is changed all the time", "The next tick tries again.")


def _arm(engine: Engine, stored: StoredCalendar, user: CalendarUser, deadline_ms: int) -> Done:
    """Arm one job anew; whatever goes wrong with it stops no other, and it is met again by the next round."""
    if engine.clock.now_ms() > deadline_ms:
        return "late"
    try:
        return "done" if arm_job(engine, stored.project, user.name) else "again"
    except Unreadable as error:
        log.error("job %s cannot be read and is not armed anew: %s", user.name, error)
        return "done"
    except Exception:  # one job must not stop the others
        log.exception("job %s is armed anew by the next tick", user.name)
        return "again"


def arm_job(engine: Engine, project: str, name: str) -> bool:
    """Arm the triggers of a job anew that are under a calendar; False when others changed it all the time."""
    for _ in range(TRIES):
        before, rows = read_job(engine, project, name, settle=False)
        if before is None:
            return True
        around = Around(trees(engine.store, project, calendars_of(before.job))[1])
        after = tuple(_armed_anew(engine, before, row, around) for row in rows)
        if after == rows:
            return True
        # Not guarded by the calendars: one that changes again leaves a mark of its own.
        if engine.store.change_job(JobChange(before, before, rows, after)):
            horizon = engine.clock.now_ms() // 1000 + engine.settings.horizon
            if any(row.state == "waiting" and (row.due_at or 0) <= horizon for row in after):
                claim_soon(engine, project, name)
            return True
    log.warning("job %s was changed by others all the time and is armed by the next tick", name)
    return False


def _armed_anew(engine: Engine, stored: StoredJob, row: TriggerRow, around: Around) -> TriggerRow:
    if row.schedule.calendar is None:
        return row
    now_s = engine.clock.now_ms() // 1000
    _withdraw_strays(engine, stored, row, now_s, around)
    armed = recalendared(row, off=is_off(stored, row.name), now_s=now_s, around=around)
    # Whoever decided about it under the calendar as it was must lose its write, also where nothing else changes.
    return bumped(armed) if armed != row or row.state in ("waiting", "acquired") else row


def _withdraw_strays(engine: Engine, stored: StoredJob, row: TriggerRow, now_s: int, around: Around) -> None:
    """End what a broken claim has put and not counted, where it is excluded now and no claim will meet it again.

    Else its executor would give it back to `repeat_count`, which it was never taken from.
    """
    if row.remaining is None or row.state != "waiting" or row.due_at is None:
        return
    for run in occurrence_runs(engine, row, since=row.due_at, until=now_s + engine.settings.horizon + 1):
        reason = why_not(stored, run, around.calendars) if run.state == "queued" else None
        if reason is not None and reason.startswith(EXCLUDED):
            engine.store.supersede_run(run.project, run.id, now_ms=engine.clock.now_ms(), reason=reason)
