"""Pausing and resuming jobs and triggers, each one atomic change.

When a pause has been answered, nothing of the job starts by itself any more, what was sent already included.
"""

from __future__ import annotations

from dataclasses import replace

from duetime.core.faults import NotFound
from duetime.core.stored import Armed, StoredJob
from duetime.engine.arming import Around, Missed, held, paused_job, rearmed
from duetime.engine.changing import Rows, bumped, changed
from duetime.engine.context import Engine


def pause_job(engine: Engine, project: str, name: str, *, who: str, note: str | None = None) -> StoredJob:
    """Stop a job's automatic runs, those sent already included; manual runs go on. Pausing twice changes nothing."""

    def change(before: StoredJob, rows: Rows, around: Around) -> tuple[StoredJob, Rows] | None:
        if before.paused:
            return None
        after = paused_job(before, who=who, note=note, now_ms=engine.clock.now_ms())
        return after, tuple(bumped(held(row, now_s=after.updated_ms // 1000, around=around)) for row in rows)

    return changed(engine, project, name, change)


def resume_job(engine: Engine, project: str, name: str, *, who: str, missed: Missed = "drop") -> StoredJob:
    """Let a job run by itself again, from now (`drop`) or with what it missed (`misfire`); a spent once runs once more."""

    def change(before: StoredJob, rows: Rows, around: Around) -> tuple[StoredJob, Rows] | None:
        now_ms = engine.clock.now_ms()
        armed, after_rows = dict(before.armed), []
        for row in rows:
            mark, trigger = armed[row.name], before.job.trigger(row.name)
            if trigger is not None and trigger.enabled and not mark.paused:
                row, armed[row.name] = rearmed(row, mark, missed=missed, now_s=now_ms // 1000, around=around)
            after_rows.append(bumped(row))
        after = replace(
            before, paused=False, paused_by=None, paused_note=None, armed=armed,
            version=before.version + 1, updated_ms=now_ms,
        )  # fmt: skip
        return after, tuple(after_rows)

    return changed(engine, project, name, change)


def pause_trigger(engine: Engine, project: str, name: str, trigger: str, *, who: str) -> StoredJob:
    """Stop the automatic runs of one trigger."""

    def change(before: StoredJob, rows: Rows, around: Around) -> tuple[StoredJob, Rows] | None:
        mark = _mark(before, trigger)
        if mark.paused:
            return None
        armed = {**before.armed, trigger: replace(mark, paused=True)}
        after = replace(before, armed=armed, version=before.version + 1, updated_ms=engine.clock.now_ms())
        return after, tuple(
            bumped(held(row, now_s=after.updated_ms // 1000, around=around)) if row.name == trigger else row
            for row in rows
        )

    return changed(engine, project, name, change)


def resume_trigger(
    engine: Engine, project: str, name: str, trigger: str, *, who: str, missed: Missed = "drop"
) -> StoredJob:
    """Let one trigger run by itself again; while its job is paused it stays so."""

    def change(before: StoredJob, rows: Rows, around: Around) -> tuple[StoredJob, Rows] | None:
        now_ms = engine.clock.now_ms()
        mark, definition = replace(_mark(before, trigger), paused=False), before.job.trigger(trigger)
        row = next(one for one in rows if one.name == trigger)
        if not before.paused and definition is not None and definition.enabled:
            row, mark = rearmed(row, mark, missed=missed, now_s=now_ms // 1000, around=around)
        after = replace(
            before, armed={**before.armed, trigger: mark}, version=before.version + 1, updated_ms=now_ms
        )
        return after, tuple(bumped(row) if one.name == trigger else one for one in rows)

    return changed(engine, project, name, change)


def _mark(stored: StoredJob, trigger: str) -> Armed:
    mark = stored.armed.get(trigger)
    if mark is None:
        raise NotFound(
            "trigger", trigger, "is no trigger of this job",
            f"It has {', '.join(stored.armed) or 'none'}.", code="NOT_FOUND_TRIGGER",
        )  # fmt: skip
    return mark
