"""A job as a row: its definition as one JSON text, what the scheduler knows of it as attributes.

Data of up to 256 bytes in all (the job's and its triggers') stays in the definition; more is an item of its own beside
the row, written in the same transaction and bound to it by the version.
"""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from functools import lru_cache
from typing import Any, Final

from duetime.core.definition import Job, job_document, parse_job
from duetime.core.jsontext import dumps
from duetime.core.stored import Armed, StoredJob
from duetime.store.checks import job_data
from duetime.store.dynamodb.attributes import TRUE, flag, n, need_number, need_text, reading, s, text, texts
from duetime.store.dynamodb.keys import DATA, FORMAT, Item, definition_key

MAX_INLINE_BYTES: Final = 256


def job_rows(stored: StoredJob) -> tuple[Item, Item | None]:
    """Return a job's row and its data item, or None where the data fits into the row."""
    job, project = stored.job, stored.project
    row = definition_key(project, job.name)
    row |= {
        "row": s("job"),
        "v": n(FORMAT),
        "catalog": s(project),
        "name": s(job.name),
        "uid": s(stored.uid),
        "version": n(stored.version),
        "armed": s(_armed_text(stored)),
        "created_ms": n(stored.created_ms),
        "updated_ms": n(stored.updated_ms),
        "source": s(stored.source),
        **({"paused": TRUE} if stored.paused else {}),
        **texts(paused_by=stored.paused_by, paused_note=stored.paused_note, fingerprint=stored.fingerprint),
    }
    if not has_data_item(job):
        return row | {"definition": s(dumps(job_document(job)))}, None
    data = definition_key(project, job.name, DATA) | {
        "row": s("data"),
        "v": n(FORMAT),
        "uid": s(stored.uid),
        "version": n(stored.version),
        "data": s(dumps(job_data(job))),
    }
    return row | {"definition": s(dumps(job_document(_without_data(job)))), "data_item": TRUE}, data


def has_data_item(job: Job) -> bool:
    """Whether a job's data and its triggers' take an item of their own."""
    data = job_data(job)
    return bool(data) and len(dumps(data).encode()) > MAX_INLINE_BYTES


def _without_data(job: Job) -> Job:
    return replace(job, data={}, triggers=tuple(replace(one, data={}) for one in job.triggers))


def _armed_text(stored: StoredJob) -> str:
    return dumps({name: list(astuple(one)) for name, one in stored.armed.items()})


def read_job(item: Item, data: Item | None = None) -> StoredJob:
    """Return the job of its row and, if it has one, its data item; without that its data is empty. Raises Unreadable."""
    with reading(item):
        job = _job(need_text(item, "definition"))
        armed = json.loads(need_text(item, "armed"))
        stored = StoredJob(
            project=need_text(item, "pk").split("#")[0],
            job=job,
            uid=need_text(item, "uid"),
            version=need_number(item, "version"),
            armed={name: Armed(*parts) for name, parts in armed.items()},
            created_ms=need_number(item, "created_ms"),
            updated_ms=need_number(item, "updated_ms"),
            paused=flag(item, "paused"),
            paused_by=text(item, "paused_by"),
            paused_note=text(item, "paused_note"),
            source=need_text(item, "source"),
            fingerprint=text(item, "fingerprint"),
        )
    return stored if data is None else _with_data(stored, data)


def _with_data(stored: StoredJob, item: Item) -> StoredJob:
    with reading(item):
        told: dict[str, Any] = json.loads(need_text(item, "data"))
        of_triggers: dict[str, dict[str, Any]] = told.get("triggers", {})
        triggers = tuple(replace(one, data=of_triggers.get(one.name, {})) for one in stored.job.triggers)
        return replace(stored, job=replace(stored.job, data=told.get("job", {}), triggers=triggers))


def belongs(item: Item, data: Item) -> bool:
    """Whether a data item was written together with a job's row."""
    return item.get("version") == data.get("version") and item.get("uid") == data.get("uid")


@lru_cache(maxsize=1024)
def _job(definition: str) -> Job:
    """Return the job of a stored definition; kept, because an executor reads the same few again and again."""
    return parse_job(json.loads(definition), stored=True)
