"""A trigger as a row: all that a claim needs, in attributes, so that a tick reads no jobs."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from duetime.core.faults import Unreadable
from duetime.core.jsontext import dumps
from duetime.core.schedule import OnceSchedule, Schedule, parse_schedule, schedule_json
from duetime.core.triggerrow import TriggerRow
from duetime.store.dynamodb.attributes import n, need_text, number, reading, s, text
from duetime.store.dynamodb.keys import FORMAT, TRIGGER, Item, due_shard, trigger_key

_TEXTS: Final = ("uid", "generation", "misfire", "tenant", "last_run", "outstanding", "error", "state")
_KEYS: Final = ("project", "job", "name", "schedule")
_NUMBERS: Final = tuple(one.name for one in fields(TriggerRow) if one.name not in _KEYS + _TEXTS)
"""Everything else about a trigger is a whole number."""
_ALWAYS: Final = frozenset({"state", "revision"})
"""What guards speak of is written also where it is the default."""
_DEFAULTS: Final = {one.name: one.default for one in fields(TriggerRow)}

NO_SCHEDULE: Final = OnceSchedule(at=0)
"""Stands in a trigger row whose own schedule cannot be read. Such a row can be replaced or deleted, never armed."""


def trigger_item(row: TriggerRow, *, shards: int) -> Item:
    """Return the row of a trigger; what equals the default is left out."""
    item = trigger_key(row.project, row.job, row.name)
    item |= {"row": s("trigger"), "v": n(FORMAT), "schedule": s(_schedule_text(row.schedule))}
    for name in _TEXTS:
        value = getattr(row, name)
        if value is not None and (name in _ALWAYS or value != _DEFAULTS[name]):
            item[name] = s(value)
    for name in _NUMBERS:
        value = getattr(row, name)
        if value is not None and (name in _ALWAYS or value != _DEFAULTS[name]):
            item[name] = n(value)
    if row.due_at is not None:
        item["due_shard"] = due_shard(row.project, row.job, row.name, shards)
    return item


@lru_cache(maxsize=4096)
def _schedule_text(schedule: Schedule) -> str:
    return dumps(schedule_json(schedule))


@lru_cache(maxsize=4096)
def _schedule(written: str) -> Schedule:
    return parse_schedule(json.loads(written), check_zones=False)


def read_trigger(item: Item) -> TriggerRow:
    """Return the trigger of a row; raises Unreadable."""
    with reading(item):
        return _trigger(item, _schedule(need_text(item, "schedule")))


def _trigger(item: Item, schedule: Schedule, **instead: Any) -> TriggerRow:
    project, job = need_text(item, "pk").split("#")
    told: dict[str, Any] = {name: text(item, name) for name in _TEXTS if name in item}
    told |= {name: number(item, name) for name in _NUMBERS if name in item}
    name = need_text(item, "sk").removeprefix(TRIGGER)
    return TriggerRow(project=project, job=job, name=name, schedule=schedule, **{**told, **instead})


def read_any_trigger(item: Item) -> TriggerRow:
    """Return the trigger of a row as far as it can be read: one with an unreadable schedule is in `error`."""
    try:
        return read_trigger(item)
    except Unreadable as error:
        if error.newer:
            raise
        reason = text(item, "error") or str(error)
    with reading(item):
        return _trigger(item, NO_SCHEDULE, state="error", due_at=None, error=reason)
