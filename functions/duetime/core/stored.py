"""Jobs and calendars as a store keeps them: the definition and what the scheduler itself knows of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from duetime.core.calendars import Calendar, CompositeCalendar
from duetime.core.definition import Job


@dataclass(frozen=True, slots=True)
class Armed:
    """What a job's row knows of one of its triggers: the identity its runs were made under.

    `floor` (UTC epoch seconds) is when it was last resumed without its misses: what was due before then does not start.
    """

    generation: str
    anchor: int
    ordinal: int
    paused: bool = False
    floor: int = 0
    again: int = 0
    again_from: int = 0
    again_until: int = 0


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job as stored: its definition, its generation `uid`, its `version`, who paused it and why."""

    project: str
    job: Job
    uid: str
    version: int
    armed: Mapping[str, Armed]
    created_ms: int
    updated_ms: int
    paused: bool = False
    paused_by: str | None = None
    paused_note: str | None = None
    source: str = "runtime"
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class StoredCalendar:
    """A calendar as stored. `version` grows with its definition, `marks` when a member of it has changed; `revision` with
    every write, also when a user joins.

    `changed_at` (UTC epoch seconds) is since when its users wait to be armed anew after a change of it, None when none
    do; `progress` is the last user of which that is done.
    """

    project: str
    name: str
    calendar: Calendar
    version: int
    revision: int
    created_ms: int
    updated_ms: int
    description: str = ""
    marks: int = 0
    changed_at: int | None = None
    progress: str | None = None


def calendars_of(job: Job | None) -> frozenset[str]:
    """Return the names of the calendars that the triggers of a job use."""
    triggers = () if job is None else job.triggers
    return frozenset(one.schedule.calendar for one in triggers if one.schedule.calendar is not None)


def members_of(calendar: Calendar | None) -> frozenset[str]:
    """Return the names of the calendars that a calendar is made of; none but a composite has any."""
    return frozenset(calendar.calendars) if isinstance(calendar, CompositeCalendar) else frozenset()
