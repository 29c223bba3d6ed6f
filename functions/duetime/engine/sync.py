"""Syncing code jobs: what the deployed code says is put into the store, and what was changed at run time is respected.

The fingerprint of a job's definition in code is stored with it. While it stays the same, the stored job is left as it
is, edited or not; when it changes, code wins, with a warning if that undoes an edit. Pause and progress of triggers of
the same name are kept. Jobs gone from code are reported, never removed. All are checked before the first is written.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from duetime.core.definition import Job, job_document
from duetime.core.faults import DuetimeError
from duetime.core.jsontext import dumps
from duetime.core.stored import StoredJob
from duetime.core.target import PythonTarget
from duetime.engine.context import Engine
from duetime.engine.manage import put_job
from duetime.engine.pauses import resume_trigger
from duetime.sdk.registry import Registry

log = logging.getLogger(__name__)

WHO = "code"
PAGE = 200


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The names of the code jobs by what was done with each, of those gone from code, and what authors should know."""

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def sync(engine: Engine, project: str, registry: Registry) -> SyncReport:
    """Put every code job that is new or has changed in code; answers what became of each.

    Raises the error of the first job that cannot be taken, its field below the job's name; then nothing was written.
    """
    done: dict[str, list[str]] = {"created": [], "updated": [], "unchanged": [], "overridden": []}
    warnings: list[str] = []
    pending: list[tuple[Job, str]] = []
    for name, job in sorted(registry.jobs.items()):
        mark, stored = fingerprint(job), engine.store.get_job(project, name)
        verdict = _verdict(stored, mark)
        done[verdict].append(name)
        if verdict in ("created", "updated"):
            pending.append((job, mark))
            warnings += _undone(name, stored)
    for job, mark in pending:
        _put(engine, project, job, mark, dry_run=True)
    for job, mark in pending:
        warnings += _put(engine, project, job, mark, dry_run=False)
    gone: list[str] = []
    for one in _stored_jobs(engine, project):
        if one.source in ("code", "overridden") and one.job.name not in registry.jobs:
            gone.append(one.job.name)
        _revive(engine, project, registry, one)
    warnings += [f"{name}: its code is gone; delete the job or bring the code back." for name in gone]
    for text in warnings:
        log.warning("sync: %s", text)
    return SyncReport(
        **{verdict: tuple(names) for verdict, names in done.items()},
        gone=tuple(gone),
        warnings=tuple(warnings),
    )


def fingerprint(job: Job) -> str:
    """Return the SHA-256 of a job's definition document: what its code says, before anything is filled in."""
    return sha256(dumps(job_document(job)).encode()).hexdigest()


def _verdict(stored: StoredJob | None, mark: str) -> str:
    if stored is None:
        return "created"
    if stored.fingerprint == mark and stored.source in ("code", "overridden"):
        return "unchanged" if stored.source == "code" else "overridden"
    return "updated"


def _undone(name: str, stored: StoredJob | None) -> Iterator[str]:
    if stored is not None and stored.source == "overridden":
        yield f"{name}: its code has changed and replaces what was edited at run time."
    elif stored is not None and stored.source != "code":
        yield f"{name}: a job of this name was made at run time; code replaces it."


def _put(engine: Engine, project: str, job: Job, mark: str, *, dry_run: bool) -> list[str]:
    try:
        result = put_job(engine, project, job, who=WHO, source="code", fingerprint=mark, dry_run=dry_run)
    except DuetimeError as error:
        raise error.within(f"job {job.name}") from None
    return [f"{job.name}: {text}" for text in result.warnings]


def _stored_jobs(engine: Engine, project: str) -> Iterator[StoredJob]:
    cursor: str | None = None
    while True:
        page = engine.store.list_jobs(project, prefix="", limit=PAGE, cursor=cursor)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def _revive(engine: Engine, project: str, registry: Registry, stored: StoredJob) -> None:
    """Let the triggers of a job go on that were put into `error` because no code registered its handler."""
    target = stored.job.target
    if not isinstance(target, PythonTarget) or target.name not in registry.handlers:
        return
    for row in engine.store.get_triggers(project, stored.job.name):
        if row.state == "error" and (row.error or "").startswith("NOT_FOUND_HANDLER"):
            resume_trigger(engine, project, stored.job.name, row.name, who=WHO)
