"""From a definition to trigger rows: what is armed when a job is written, paused or resumed, or a calendar changes. Pure.

What a decision needs to know beside the rows is handed in (`Around`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from duetime.core.definition import Job, Trigger
from duetime.core.errors import ScheduleError
from duetime.core.instants import earliest
from duetime.core.plan import plan
from duetime.core.schedule import IntervalSchedule, OnceSchedule, Schedule, freeze
from duetime.core.schedulekinds import has_fixed_delay
from duetime.core.stored import Armed, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.settings import Settings

Missed = Literal["drop", "misfire"]


@dataclass(frozen=True, slots=True)
class Around:
    """What a decision about triggers needs to know beside them.

    `calendars` are those they are under, by name, as `plan` takes them. `ahead` says how many runs after now a trigger has
    put and counted, where a calendar that may have changed had a say in it: its schedule does not tell.
    """

    calendars: Mapping[str, object]
    ahead: Mapping[str, int] = field(default_factory=dict)


def frozen(schedule: Schedule, before: TriggerRow | None, *, now_s: int, settings: Settings) -> Schedule:
    """Return a schedule with its defaults frozen; one that says what the stored one says is the stored one."""

    def freeze_at(now: int) -> Schedule:
        return freeze(
            schedule, now=now, timezone=settings.default_zone,
            dst_gap=settings.default_dst_gap, dst_fold=settings.default_dst_fold,
        )  # fmt: skip

    relative = isinstance(schedule, OnceSchedule) and schedule.at is None
    # Frozen as of its own creation, so that a window that has ended meanwhile is still the same schedule.
    if (
        before is not None
        and not relative
        and (schedule == before.schedule or freeze_at(before.anchor) == before.schedule)
    ):
        return before.schedule
    return freeze_at(now_s)


def first_due(schedule: Schedule, anchor: int, around: Around) -> int | None:
    """Return the first instant of a schedule that is armed at `anchor`; a once in the past is due at its instant."""
    occurrences = plan(schedule, anchor=anchor, calendars=around.calendars)
    if isinstance(schedule, OnceSchedule) and not schedule.immediate:
        return schedule.at if schedule.at is not None and occurrences.contains(schedule.at) else None
    return occurrences.first(anchor)


def refuse_excluded(schedule: Schedule, now_s: int, around: Around) -> None:
    """Raise ScheduleError for a schedule that would run, but for a calendar that excludes all of it.

    A once that is excluded is only warned of: it stands for one instant, which the calendar may yet give back.
    """
    if schedule.calendar is None or isinstance(schedule, OnceSchedule):
        return
    if first_due(schedule, now_s, around) is not None:
        return
    if first_due(replace(schedule, calendar=None), now_s, around) is not None:
        hint = "Change the calendar or the schedule, or leave the calendar out."
        raise ScheduleError("calendar", schedule.calendar, "excludes every occurrence", hint)


def armed_rows(
    project: str,
    uid: str,
    job: Job,
    rows: Mapping[str, TriggerRow],
    armed: Mapping[str, Armed],
    *,
    paused: bool,
    version: int,
    now_s: int,
    new_generation: str,
    keep_days: int,
    around: Around,
) -> tuple[tuple[TriggerRow, ...], dict[str, Armed]]:
    """Return the trigger rows of a job as written now, and what its own row knows of them.

    `job` has frozen schedules. A trigger whose schedule is as it was keeps its due instant, count and progress; a new or
    changed one is armed from now. Paused ones keep what they would be due for in `held_due`.
    """
    made: list[TriggerRow] = []
    known: dict[str, Armed] = {}
    for trigger in job.triggers:
        old, mark = rows.get(trigger.name), armed.get(trigger.name)
        same = old is not None and mark is not None and old.uid == uid and old.schedule == trigger.schedule
        row = (
            _kept(old, job, trigger, keep_days)
            if same and old is not None
            else _fresh(project, uid, job, trigger, now_s, new_generation, keep_days, around)
        )
        if not same and old is not None:
            # A count knows nothing of what another schedule has put ahead: then those runs are not of this schedule.
            counted = row.remaining is not None or old.remaining is not None
            row = replace(row, revision=old.revision + 1, ordinal=version if counted else old.ordinal)
        elif not same:
            # A trigger of this name may have been here before under this uid: no ordinal was ever above the version.
            row = replace(row, ordinal=version)
        if not same or mark is None:
            # The same instant may have been armed before: a past one gets ids of its own.
            if row.due_at is not None and row.due_at <= now_s:
                row = replace(
                    row,
                    again=(old.again if old is not None else 0) + 1,
                    again_from=row.due_at,
                    again_until=now_s,
                )
            elif old is not None:
                row = replace(row, again=old.again, again_from=old.again_from, again_until=old.again_until)
            mark = Armed(
                row.generation, row.anchor, row.ordinal, paused=mark is not None and mark.paused,
                floor=0 if mark is None else mark.floor,
                again=row.again, again_from=row.again_from, again_until=row.again_until,
            )  # fmt: skip
        off = paused or mark.paused or not trigger.enabled
        if off:
            row = held(row, now_s=now_s, around=around)
        elif row.state in ("paused", "error"):
            row, mark = rearmed(row, mark, missed="drop", now_s=now_s, around=around)
        made.append(row)
        known[trigger.name] = mark
    return tuple(made), known


def _fresh(
    project: str,
    uid: str,
    job: Job,
    trigger: Trigger,
    now_s: int,
    generation: str,
    keep_days: int,
    around: Around,
) -> TriggerRow:
    due = first_due(trigger.schedule, now_s, around)
    row = TriggerRow(
        project, job.name, trigger.name, uid, generation, trigger.schedule, now_s,
        state="waiting" if due is not None else "complete", due_at=due, remaining=_repeats(trigger.schedule),
    )  # fmt: skip
    return _with_policies(row, job, trigger, keep_days)


def _kept(row: TriggerRow, job: Job, trigger: Trigger, keep_days: int) -> TriggerRow:
    return _with_policies(replace(row, revision=row.revision + 1), job, trigger, keep_days)


def _with_policies(row: TriggerRow, job: Job, trigger: Trigger, keep_days: int) -> TriggerRow:
    priority = job.priority if job.priority is not None and trigger.priority == 5 else trigger.priority
    return replace(
        row, priority=priority, misfire=trigger.misfire, misfire_threshold=trigger.misfire_threshold,
        jitter=trigger.jitter, timeout=job.timeout, tenant=job.tenant,
        keep_days=keep_days if job.keep_history is None else job.keep_history,
    )  # fmt: skip


def _repeats(schedule: Schedule) -> int | None:
    return schedule.repeat_count if isinstance(schedule, IntervalSchedule) else None


def held(row: TriggerRow, *, now_s: int, around: Around) -> TriggerRow:
    """Return a row as a pause leaves it: out of the due index, remembering what it was due for.

    What the look-ahead has put already will not start either: the first instant after now is what it was due for, and
    the instants still to come are given back to `repeat_count`. A trigger that cannot be decided can be paused too.
    """
    fixed_delay = has_fixed_delay(row.schedule)
    put_ahead = is_ahead(row, now_s)
    if row.state == "paused" or (row.state == "complete" and not put_ahead):
        return row
    due = row.due_at if row.state == "waiting" else None
    try:
        occurrences = plan(row.schedule, anchor=row.anchor, calendars=around.calendars)
    except ScheduleError:
        return replace(row, state="paused", due_at=None, held_due=due)
    if not fixed_delay and (put_ahead or (due is not None and due > now_s)):
        following = occurrences.next(now_s)
        due = earliest(due, following)
    if put_ahead and row.last_due is not None:
        counted = around.ahead.get(row.name)
        if counted is None:
            counted = occurrences.count(now_s + 1, row.last_due)
        remaining = None if row.remaining is None else row.remaining + counted
        row = replace(row, remaining=remaining, fired=max(0, row.fired - counted), returned=now_s)
    return replace(row, state="paused", due_at=None, held_due=due)


def is_ahead(row: TriggerRow, now_s: int) -> bool:
    """Whether the look-ahead has put and counted instants after now that nothing has given back yet."""
    ahead = row.last_due is not None and row.last_due > now_s and not has_fixed_delay(row.schedule)
    return ahead and not row.returned


def rearmed(
    row: TriggerRow, mark: Armed, *, missed: Missed, now_s: int, around: Around
) -> tuple[TriggerRow, Armed]:
    """Return a row as a resume leaves it.

    `drop` goes on from now; `misfire` is due for what the pause took away. A once is due again at its instant, even a past
    or spent one; whatever was due before now is armed `again`, because a run of the instant may have ended already. One
    that cannot be decided is in `error`, whatever becomes of the others.
    """
    if row.state in ("waiting", "acquired"):
        return row, mark
    if row.state == "error":
        row = held(row, now_s=now_s, around=around)  # what it had put ahead is met again, and counted again
    if row.outstanding is not None:
        # A fixed delay whose run may still be at work: the tick finds out and arms it after that run's end.
        floor = now_s if missed == "drop" else None
        row = replace(row, state="acquired", due_at=now_s, held_due=floor, error=None)
        return row, replace(mark, paused=False, floor=mark.floor if floor is None else floor)
    if row.state == "complete" and not isinstance(row.schedule, OnceSchedule):
        return row, mark
    try:
        due = _due_again(row, missed, now_s, around)
    except ScheduleError as error:
        return replace(row, state="error", error=str(error)[:500]), replace(mark, paused=False)
    row = replace(
        row,
        state="waiting" if due is not None else "complete",
        due_at=due,
        held_due=None,
        outstanding=None,
        error=None,
    )
    mark = replace(mark, paused=False)
    if due is None or due > now_s:
        return row, replace(mark, floor=now_s) if missed == "drop" else mark
    row = replace(row, again=row.again + 1, again_from=due, again_until=now_s)
    return row, replace(mark, again=row.again, again_from=due, again_until=now_s)


def _due_again(row: TriggerRow, missed: Missed, now_s: int, around: Around) -> int | None:
    """When a resumed trigger is due next."""
    if isinstance(row.schedule, OnceSchedule):
        return first_due(replace(row.schedule, immediate=False), row.anchor, around)
    occurrences = plan(row.schedule, anchor=row.anchor, calendars=around.calendars)
    if missed == "misfire" and row.held_due is not None:
        if row.schedule.calendar is None:
            return row.held_due
        # A calendar that has come to exclude it takes it away for good, and may have given back what comes before it.
        return earliest(occurrences.at_or_after(row.held_due), occurrences.after_finish(now_s))
    return occurrences.after_finish(now_s)


def recalendared(row: TriggerRow, *, off: bool, now_s: int, around: Around) -> TriggerRow:
    """Return a row as the change of a calendar leaves it: what is not decided yet is decided under the calendar as it is.

    Grids go on from what the look-ahead has put; a fixed delay waits one interval from now at most. What is due already is
    left to its claim, what is paused or in error to a resume; a once whose instant has passed while it was excluded never
    runs. `off` says that job or trigger is switched off: what comes back then comes back paused.
    """
    if row.schedule.calendar is None or row.state not in ("waiting", "complete"):
        return row
    if row.state == "waiting" and row.due_at is not None and row.due_at <= now_s:
        return row
    if row.state == "complete" and _is_spent(row):
        return row
    try:
        due = _due_under(row, now_s, around)
    except ScheduleError as error:
        return replace(row, state="error", due_at=None, error=str(error)[:500])
    if due == row.due_at:
        return row
    if off:
        return replace(row, state="paused", due_at=None, held_due=due)
    return replace(row, state="complete" if due is None else "waiting", due_at=due)


def _is_spent(row: TriggerRow) -> bool:
    """Whether a complete trigger is so for another reason than a calendar."""
    if isinstance(row.schedule, OnceSchedule):
        return row.last_due is not None
    return row.remaining is not None and row.remaining <= 0


def _due_under(row: TriggerRow, now_s: int, around: Around) -> int | None:
    """When a trigger that is not due yet is due next."""
    occurrences = plan(row.schedule, anchor=row.anchor, calendars=around.calendars)
    if not has_fixed_delay(row.schedule):
        put = row.last_due if row.last_due is not None and not row.returned else now_s
        return occurrences.next(max(now_s, put))
    waits = None if row.due_at is None else occurrences.at_or_after(row.due_at)
    return earliest(waits, occurrences.after_finish(now_s))


def paused_job(stored: StoredJob, *, who: str, note: str | None, now_ms: int) -> StoredJob:
    """Return a job as a pause leaves it."""
    return replace(
        stored, paused=True, paused_by=who, paused_note=note, version=stored.version + 1, updated_ms=now_ms
    )
