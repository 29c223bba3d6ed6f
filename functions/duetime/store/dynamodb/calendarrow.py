"""A calendar as a row: its definition as one JSON text, however many dates it has, and one small row for each user.

While `changed_at` is set the row stands in the due index, in a partition of its own that no tick asks for triggers.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Final, Literal

from duetime.core.calendars import Calendar, calendar_json, parse_calendar
from duetime.core.exchange import CalendarUser
from duetime.core.jsontext import dumps
from duetime.core.stored import StoredCalendar
from duetime.store.dynamodb.attributes import (
    n,
    need_number,
    need_text,
    number,
    numbers,
    reading,
    s,
    text,
    texts,
)
from duetime.store.dynamodb.keys import CALENDAR, FORMAT, USE, Item, calendar_catalog, calendar_key, use_key

_KINDS: Final[dict[str, Literal["calendar", "job"]]] = {"calendar": "calendar", "job": "job"}


def calendar_item(stored: StoredCalendar) -> Item:
    """Return the row of a calendar."""
    row = calendar_key(stored.project, stored.name)
    row |= {
        "row": s("calendar"),
        "v": n(FORMAT),
        "catalog": s(calendar_catalog(stored.project)),
        "name": s(stored.name),
        "definition": s(dumps(calendar_json(stored.calendar))),
        "version": n(stored.version),
        "revision": n(stored.revision),
        "marks": n(stored.marks),
        "created_ms": n(stored.created_ms),
        "updated_ms": n(stored.updated_ms),
        **texts(description=stored.description or None, progress=stored.progress),
        **numbers(changed_at=stored.changed_at, due_at=stored.changed_at),
    }
    return row if stored.changed_at is None else row | {"due_shard": s(CALENDAR)}


def read_calendar(item: Item) -> StoredCalendar:
    """Return the calendar of its row, also where its zone's name no longer resolves. Raises Unreadable."""
    with reading(item):
        _, project, name = need_text(item, "pk").split("#")
        return StoredCalendar(
            project=project,
            name=name,
            calendar=_calendar(need_text(item, "definition")),
            version=need_number(item, "version"),
            revision=need_number(item, "revision"),
            created_ms=need_number(item, "created_ms"),
            updated_ms=need_number(item, "updated_ms"),
            description=text(item, "description") or "",
            marks=need_number(item, "marks"),
            changed_at=number(item, "changed_at"),
            progress=text(item, "progress"),
        )


@lru_cache(maxsize=64)
def _calendar(definition: str) -> Calendar:
    """Return the calendar of a stored definition; kept, because every run under it reads it. A large one is 1 MB."""
    return parse_calendar(json.loads(definition), check_zones=False)


def use_item(project: str, calendar: str, user: CalendarUser) -> Item:
    """Return the row that notes a user of a calendar, in the calendar's own partition."""
    return use_key(project, calendar, user.kind, user.name) | {"row": s("use"), "v": n(FORMAT)}


def read_use(item: Item) -> CalendarUser:
    """Return the user a row notes. Raises Unreadable: a user that is passed over would be one that is lost."""
    with reading(item):
        kind, name = need_text(item, "sk").removeprefix(USE).split("#")
        return CalendarUser(_KINDS[kind], name)
