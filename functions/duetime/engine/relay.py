"""The relay: turns what the tables' streams tell into events, and publishes them.

`events_of` is pure. Only a change of state is an event: a run that is looked at again, guarded or settled, a trigger
that is claimed, and rows that expire publish nothing. An event's id derives from the row's identity and revision, so a
change told twice is the same event twice. Publishing never harms a run: it happens after the write, elsewhere, and
whatever cannot be told as an event is logged and passed over.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from duetime.contracts.event import SEQUENCE_DIGITS, TYPES, published_types
from duetime.contracts.instants import instant_text, moment_text
from duetime.core.exchange import Change
from duetime.core.run import Run, cut
from duetime.core.stored import StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.ports import EventBus

log = logging.getLogger(__name__)

MAX_TEXT_BYTES: Final = 8 * 1024
"""An event tells the beginning of a long error or reason; the run itself keeps more. Ten events fit into one call."""

_RUN_TYPES: Final = {
    "queued": "duetime.run.queued",
    "running": "duetime.run.started",
    "succeeded": "duetime.run.succeeded",
    "failed": "duetime.run.failed",
    "canceled": "duetime.run.canceled",
    "lost": "duetime.run.lost",
    "skipped": "duetime.run.skipped",
    "superseded": "duetime.run.superseded",
}
_TRIGGER_TYPES: Final = {"complete": "duetime.trigger.completed", "error": "duetime.trigger.error"}


def relay(bus: EventBus, changes: Sequence[Change], published: str) -> tuple[int, ...]:
    """Publish the events of changes, in their order; answers the indexes of changes to be told again.

    `published` is the setting: `*` or the types that are published, separated by commas.
    """
    wanted = published_types(published)
    events: list[dict[str, Any]] = []
    sources: list[int] = []
    for index, change in enumerate(changes):
        for event in _events_or_none(change):
            if event["type"] in wanted:
                events.append(event)
                sources.append(index)
    if not events:
        return ()
    return tuple(sorted({sources[refused] for refused in bus.publish(events)}))


def _events_or_none(change: Change) -> list[dict[str, Any]]:
    try:
        return events_of(change)
    except Exception:
        # One row that cannot be told must not hold up the stream, and with it every event behind it.
        log.exception(
            "a change was not published, subscribers miss it: %s", _name_of(change.after or change.before)
        )
        return []


def _name_of(row: StoredJob | TriggerRow | Run | None) -> str:
    match row:
        case Run():
            return f"run {row.id} of {row.project}/{row.job}, revision {row.revision}"
        case TriggerRow():
            return f"trigger {row.project}/{row.job}/{row.name}, revision {row.revision}"
        case StoredJob():
            return f"job {row.project}/{row.job.name}, version {row.version}"
        case None:
            return "nothing before and after"


def events_of(change: Change) -> list[dict[str, Any]]:
    """Return the CloudEvents of one change of a row: none when its state stayed as it was or the row expired."""
    before, after = change.before, change.after
    match after:
        case Run():
            same = isinstance(before, Run) and before.state == after.state
            return [] if same else [_run_event(after, change.at_ms)]
        case TriggerRow():
            same = isinstance(before, TriggerRow) and before.state == after.state
            return [] if same or after.state not in _TRIGGER_TYPES else [_trigger_event(after, change.at_ms)]
        case StoredJob():
            return _job_events(before if isinstance(before, StoredJob) else None, after)
        case None:
            return [_deletion(before, change.at_ms)] if isinstance(before, StoredJob) else []


def _event(
    kind: str, *, id: str, project: str, subject: str, at_ms: int, revision: int, data: dict[str, Any]
) -> dict[str, Any]:
    event = TYPES[kind].model.model_validate(
        {
            "specversion": "1.0",
            "id": id,
            "source": f"/duetime/{project}",
            "type": kind,
            "subject": subject,
            "time": moment_text(at_ms),
            "datacontenttype": "application/json",
            "sequence": f"{revision:0{SEQUENCE_DIGITS}d}",
            "data": data,
        }
    )
    return event.model_dump(mode="json", by_alias=True)


def _run_event(run: Run, at_ms: int) -> dict[str, Any]:
    happened = {"queued": run.queued_ms, "running": run.started_ms}.get(run.state, run.finished_ms)
    error, covers = run.error, run.covers
    return _event(
        _RUN_TYPES[run.state],
        id=f"{run.id}:{run.revision}",
        project=run.project,
        subject=run.id,
        at_ms=at_ms if happened is None else happened,
        revision=run.revision,
        data={
            "job": run.job,
            "trigger": run.trigger,
            "run": run.id,
            "kind": run.kind,
            "state": run.state,
            "nominal": instant_text(run.nominal),
            "scheduled_at": instant_text(run.scheduled_at),
            "queued_at": moment_text(run.queued_ms),
            "started_at": moment_text(run.started_ms),
            "finished_at": moment_text(run.finished_ms),
            "error": None
            if error is None
            else {"code": error.code, "message": cut(error.message, MAX_TEXT_BYTES)},
            "reason": None if run.reason is None else cut(run.reason, MAX_TEXT_BYTES),
            "attempt": run.attempt,
            "retry_of": run.retry_of,
            "covers": None
            if covers is None
            else {"from": instant_text(covers.first), "to": instant_text(covers.last), "count": covers.count},
            "instance": run.instance,
            "tenant": run.tenant,
        },
    )


def _trigger_event(row: TriggerRow, at_ms: int) -> dict[str, Any]:
    kind = _TRIGGER_TYPES[row.state]
    # A trigger made anew counts its revisions from the start: uid and generation tell it from the one before.
    identity = f"{row.uid}.{row.generation}.{row.revision}"
    return _event(
        kind,
        id=f"{row.project}/{row.job}/{row.name}@{identity}:{kind.rsplit('.', 1)[-1]}",
        project=row.project,
        subject=row.job,
        at_ms=at_ms,
        revision=row.revision,
        data={
            "job": row.job,
            "trigger": row.name,
            "state": row.state,
            "nominal": instant_text(row.last_due),
            "run": row.last_run,
            "reason": None if row.error is None else cut(row.error, MAX_TEXT_BYTES),
            "tenant": row.tenant,
        },
    )


def _job_events(before: StoredJob | None, after: StoredJob) -> list[dict[str, Any]]:
    """What changed: the pause of the job, the pause of single triggers, and anything else as `scheduled`."""
    if before is None or before.uid != after.uid:
        return [_job_event(after, "scheduled")]
    if before.version == after.version:
        return []
    events = []
    if before.paused != after.paused:
        events.append(_job_event(after, "paused" if after.paused else "resumed"))
    for name, armed in after.armed.items():
        if name in before.armed and before.armed[name].paused != armed.paused:
            events.append(_job_event(after, "paused" if armed.paused else "resumed", trigger=name))
    # A write that paused or resumed may have changed the definition too; a write that did neither must have.
    changed = before.job != after.job or not events
    return [_job_event(after, "scheduled"), *events] if changed else events


def _job_event(stored: StoredJob, what: str, *, trigger: str | None = None) -> dict[str, Any]:
    return _event(
        f"duetime.job.{what}",
        id=_job_event_id(stored, what if trigger is None else f"{what}:{trigger}"),
        project=stored.project,
        subject=stored.job.name,
        at_ms=stored.updated_ms,
        revision=stored.version,
        data={
            **_job_data(stored, "paused" if stored.paused else "active"),
            "trigger": trigger,
            "reason": stored.paused_note if what == "paused" and trigger is None else None,
        },
    )


def _deletion(last: StoredJob, at_ms: int) -> dict[str, Any]:
    return _event(
        "duetime.job.unscheduled",
        id=_job_event_id(last, "unscheduled"),
        project=last.project,
        subject=last.job.name,
        at_ms=at_ms,
        revision=last.version + 1,
        data=_job_data(last, "deleted"),
    )


def _job_event_id(stored: StoredJob, what: str) -> str:
    # A job made again under an old name counts its versions from the start: uid tells it from the one before.
    return f"{stored.project}/{stored.job.name}@{stored.uid}.{stored.version}:{what}"


def _job_data(stored: StoredJob, state: str) -> dict[str, Any]:
    job = stored.job
    return {
        "job": job.name,
        "state": state,
        "version": stored.version,
        "triggers": tuple(one.name for one in job.triggers),
        "tenant": job.tenant,
    }
