"""Calendars of a project: put, delete and read them, with whatever is under them armed anew after a change.

A change is one guarded write that also leaves a mark on the calendar; its users are armed anew at once as far as there is
time, the rest by the ticks, and the mark goes when all are. An exclusion holds from the answer on (the start of a run asks
the calendar); a time given back counts when its user is armed anew and the look-ahead has not passed it. A calendar in use
cannot be deleted, and none can be made to contain itself, whoever else writes at the same time.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from duetime.core.calendarnotes import calendar_notes
from duetime.core.calendars import Calendar, parse_calendar
from duetime.core.definition import MAX_DESCRIPTION
from duetime.core.errors import ScheduleError
from duetime.core.exchange import CalendarChange, CalendarUser, Page
from duetime.core.exclusion import MAX_LEAVES, exclusion
from duetime.core.faults import Conflict, DefinitionError, NotFound
from duetime.core.fields import text
from duetime.core.names import check_name
from duetime.core.stored import StoredCalendar, members_of
from duetime.engine.calendarusers import arm_users
from duetime.engine.changing import TRIES
from duetime.engine.context import Engine
from duetime.engine.occurrences import read_calendars
from duetime.engine.silenced import silenced

log = logging.getLogger(__name__)

INLINE_MS: Final = 5_000
"""How long a change arms users anew before it leaves the rest to the ticks."""
SHOWN_USERS: Final = 10
MAX_ABOVE: Final = 100
"""Composite calendars above one that are looked at; more are refused."""


@dataclass(frozen=True, slots=True)
class PutCalendar:
    """The calendar as it stands after a put, whether it is new, and what its author should know."""

    stored: StoredCalendar
    created: bool
    warnings: tuple[str, ...] = ()


def put_calendar(
    engine: Engine,
    project: str,
    name: str,
    calendar: object,
    *,
    who: str,
    description: str = "",
    must_exist: bool | None = None,
    dry_run: bool = False,
) -> PutCalendar:
    """Create or replace a calendar; `calendar` is a definition or a parsed one.

    `must_exist`: None takes both, False only creates (CONFLICT_EXISTS), True only replaces (NOT_FOUND_CALENDAR). Raises
    ScheduleError for what is no calendar and for members that contain it, NOT_FOUND_CALENDAR for members that do not exist.
    """
    name, parsed = check_name(name, "name"), parse_calendar(calendar)
    text(description, "description", MAX_DESCRIPTION)
    for _ in range(TRIES):
        before = engine.store.get_calendars(project, [name]).get(name)
        if must_exist is False and before is not None:
            hint = "Choose another name, or replace it (PUT; `duetime calendar put`)."
            raise Conflict("name", name, "exists already", hint)
        if must_exist and before is None:
            raise _no_calendar(name)
        resolved = _check_members(engine, project, name, parsed)
        after = _after(engine, project, name, parsed, description, before)
        warnings = (*calendar_notes(parsed, now=after.updated_ms // 1000), *silenced(engine, after, before))
        if dry_run:
            return PutCalendar(after, before is None, warnings)
        if after == before or engine.store.change_calendar(CalendarChange(before, after, resolved)):
            log.info("calendar %s of %s is put in version %d by %s", name, project, after.version, who)
            if after.changed_at is not None:
                _arm_soon(engine, after)
            return PutCalendar(after, before is None, warnings)
    raise _contended(name)


def _after(
    engine: Engine,
    project: str,
    name: str,
    calendar: Calendar,
    description: str,
    before: StoredCalendar | None,
) -> StoredCalendar:
    """The calendar as it is written; one that says what the stored one says is the stored one."""
    now_ms = engine.clock.now_ms()
    if before is None:
        return StoredCalendar(project, name, calendar, 1, 1, now_ms, now_ms, description)
    if calendar == before.calendar and description == before.description:
        return before
    after = replace(before, description=description, revision=before.revision + 1, updated_ms=now_ms)
    if calendar == before.calendar:
        return after
    version = before.version + 1
    return replace(after, calendar=calendar, version=version, changed_at=now_ms // 1000, progress=None)


def _check_members(engine: Engine, project: str, name: str, calendar: Calendar) -> tuple[StoredCalendar, ...]:
    """Return the calendars that the members of one come to; refuse missing ones, circles, depth and numbers.

    The composites above it are looked at too: they must stay within their bounds.
    """
    if (
        not members_of(calendar)
        and not engine.store.calendar_users(project, name, limit=1, cursor=None).items
    ):
        return ()
    below = read_calendars(engine.store, project, members_of(calendar) - {name})
    for member in sorted(members_of(calendar) - {name} - below.keys()):
        hint = "Create it first, or check the name."
        raise DefinitionError(
            "calendars", member, "is no calendar of this project", hint, code="NOT_FOUND_CALENDAR"
        )
    known: dict[str, object] = {one.name: one.calendar for one in below.values()}
    known[name] = calendar
    exclusion(name, known)
    if len(below) > MAX_LEAVES:
        raise ScheduleError(
            "calendars", f"{len(below)} calendars", "are too many for one composite, members included",
            f"Use at most {MAX_LEAVES}.",
        )  # fmt: skip
    for above in _above(engine, project, name):
        around = read_calendars(engine.store, project, [above])
        try:
            exclusion(above, {**{one.name: one.calendar for one in around.values()}, **known})
        except ScheduleError as error:
            raise ScheduleError(
                "calendars", name, f"is a member of {above}, which then {error.problem}", error.hint
            ) from None
    return tuple(one for one in below.values() if one.name != name)


def _above(engine: Engine, project: str, name: str) -> Iterator[str]:
    """Yield the composites that a calendar is in, however deep."""
    seen, left = {name}, [name]
    while left:
        for user in _users(engine, project, left.pop()):
            if user.kind != "calendar":
                break  # composites come first
            if user.name not in seen:
                seen.add(user.name)
                left.append(user.name)
                if len(seen) > MAX_ABOVE:
                    raise ScheduleError(
                        "calendars", name, f"is in more than {MAX_ABOVE} composites", "Merge some of them."
                    )
                yield user.name


def _users(engine: Engine, project: str, name: str) -> Iterator[CalendarUser]:
    cursor: str | None = None
    while True:
        page = engine.store.calendar_users(project, name, limit=100, cursor=cursor)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def _arm_soon(engine: Engine, stored: StoredCalendar) -> None:
    """Arm users anew while the caller waits; the change is made, so what is left is the ticks' business."""
    try:
        arm_users(engine, stored, deadline_ms=engine.clock.now_ms() + INLINE_MS)
    except Exception:  # the answer is that the calendar is written, whatever became of its users
        log.exception("calendar %s is written; its users are armed by the next tick", stored.name)


def delete_calendar(engine: Engine, project: str, name: str, *, who: str) -> None:
    """Delete a calendar that nothing uses. Raises CONFLICT_IN_USE naming who does, and NOT_FOUND_CALENDAR."""
    for _ in range(TRIES):
        before = engine.store.get_calendars(project, [name]).get(name)
        if before is None:
            raise _no_calendar(name)
        users = engine.store.calendar_users(project, name, limit=SHOWN_USERS + 1, cursor=None).items
        if users:
            raise Conflict(
                "name", name, f"is used by {_named(users)}", "Take it out of their schedules and calendars first.",
                code="CONFLICT_IN_USE",
            )  # fmt: skip
        if engine.store.change_calendar(CalendarChange(before, None)):
            log.info("calendar %s of %s is deleted by %s", name, project, who)
            return
    raise _contended(name)


def _named(users: tuple[CalendarUser, ...]) -> str:
    shown = ", ".join(f"{one.kind} {one.name}" for one in users[:SHOWN_USERS])
    return shown + (" and more" if len(users) > SHOWN_USERS else "")


def get_calendar(engine: Engine, project: str, name: str) -> StoredCalendar:
    """Return a calendar; raises NOT_FOUND_CALENDAR."""
    found = engine.store.get_calendars(project, [name]).get(name)
    if found is None:
        raise _no_calendar(name)
    return found


def list_calendars(
    engine: Engine, project: str, *, prefix: str = "", limit: int, cursor: str | None = None
) -> Page[StoredCalendar]:
    """Return calendars by name."""
    return engine.store.list_calendars(project, prefix=prefix, limit=limit, cursor=cursor)


def calendar_users(
    engine: Engine, project: str, name: str, *, limit: int, cursor: str | None = None
) -> Page[CalendarUser]:
    """Return what uses a calendar directly: composite calendars, then jobs; raises NOT_FOUND_CALENDAR."""
    get_calendar(engine, project, name)
    return engine.store.calendar_users(project, name, limit=limit, cursor=cursor)


def stored_calendars(engine: Engine, project: str, name: str | None) -> Mapping[str, Calendar]:
    """Return the definitions a schedule under calendar `name` needs, members included; none for no calendar.

    One that does not exist is left out, and refused by whoever evaluates the schedule.
    """
    if name is None:
        return {}
    return {one.name: one.calendar for one in read_calendars(engine.store, project, [name]).values()}


def _no_calendar(name: str) -> NotFound:
    return NotFound(
        "calendar",
        name,
        "does not exist",
        "Check the name, or list the calendars.",
        code="NOT_FOUND_CALENDAR",
    )


def _contended(name: str) -> Conflict:
    return Conflict(
        "calendar", name, "was changed by others all the time", "Read it again and repeat the change.",
        code="CONFLICT_VERSION",
    )  # fmt: skip
