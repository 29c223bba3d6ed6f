"""Schedules: the simple form of jobs, with the body, the ranges and the clamps of the schedules resource."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query
from aws_lambda_powertools.event_handler.request import Request

from duetime.api.call import Call, call_of
from duetime.api.family import Family
from duetime.api.paging import CursorIn, Limit, page
from duetime.api.routes.parameters import PROJECT, DryRun, Prefix, Project, ScheduleName
from duetime.api.routes.runs import Before, From, States, To
from duetime.api.runfilters import job_runs_page, run_filters
from duetime.api.scheduleform import (
    TRIGGER,
    in_words_of_schedule,
    is_schedule,
    lost_options,
    schedule_answer,
    schedule_job,
)
from duetime.contracts.api_job import PauseBody, ResumeBody
from duetime.contracts.api_run import RequestAnswer, RunList, TriggerCall
from duetime.contracts.api_schedule import ScheduleAnswer, ScheduleBody, ScheduleList
from duetime.core.definition import Job
from duetime.core.exchange import Page
from duetime.core.faults import Conflict, DuetimeError, NotFound
from duetime.core.jsontext import check_data
from duetime.core.names import check_name, check_slug
from duetime.core.run import Run
from duetime.engine import call as calls
from duetime.engine import manage, pauses, query
from duetime.engine.query import JobStatus

routes = Family("schedules")

SCHEDULES = PROJECT + "/schedules"
SCHEDULE = SCHEDULES + "/<name>"
MOST_RUNS = 200
RECENT = 20
"""How many of the newest runs are looked through for a retry that waits for its time."""

RunsLimit = Annotated[int, Query(description="Items of a page, at most; brought into 1 to 200.")]


@routes.operation(
    "GET", SCHEDULES, "List schedules by name", answers={200: ScheduleList},
    description="Jobs that are no schedules are left out, so a page may be short.",
)  # fmt: skip
def list_schedules(
    request: Request, project: Project, limit: Limit = 100, cursor: CursorIn = None, prefix: Prefix = ""
) -> ScheduleList:
    """Return a page of schedules."""
    engine = call_of(request).engine

    def read(most: int, after: str | None) -> Page[JobStatus]:
        found = query.list_statuses(engine, project, prefix=prefix, limit=most, cursor=after)
        return Page(tuple(one for one in found.items if is_schedule(one.stored)), found.next)

    found = page(
        engine.settings, f"schedules of {project}", {"prefix": prefix}, cursor, limit,
        read=read, show=lambda one: schedule_answer(one, retry=_retry(call_of(request), one)),
    )  # fmt: skip
    return ScheduleList(items=found.items, next=found.next)


@routes.operation(
    "POST", SCHEDULES, "Create a schedule", answers={201: ScheduleAnswer, 200: ScheduleAnswer},
    errors=(409, 413, 422), description="409 if a job of this name exists. 200 answers a dry run.",
)  # fmt: skip
def create_schedule(
    request: Request, project: Project, body: ScheduleBody, dry_run: DryRun = False
) -> Response[ScheduleAnswer]:
    """Create only."""
    call = call_of(request)
    job = schedule_job(body, call.body or {})
    return _put(call, project, job, enabled=body.enabled, must_exist=False, dry_run=dry_run)


@routes.operation("GET", SCHEDULE, "Show a schedule", answers={200: ScheduleAnswer})
def get_schedule(request: Request, project: Project, name: ScheduleName) -> ScheduleAnswer:
    """Return a schedule with where it stands."""
    return _shown(call_of(request), project, check_slug(name, "name"))


@routes.operation(
    "PUT", SCHEDULE, "Create or replace a schedule", answers={200: ScheduleAnswer, 201: ScheduleAnswer},
    errors=(409, 413, 422),
    description="Replaces it whole: what is left out returns to its default, also `enabled`. "
    "A spent `once` at the same instant stays spent; resume arms it again.",
)  # fmt: skip
def put_schedule(
    request: Request, project: Project, name: ScheduleName, body: ScheduleBody, dry_run: DryRun = False
) -> Response[ScheduleAnswer]:
    """Create or replace."""
    call = call_of(request)
    job = schedule_job(body, call.body or {}, check_slug(name, "name"))
    return _put(call, project, job, enabled=body.enabled, must_exist=None, dry_run=dry_run)


@routes.operation(
    "DELETE", SCHEDULE, "Delete a schedule", answers={204: None}, errors=(409,),
    description="Running runs finish, queued ones end superseded, the history is kept.",
)  # fmt: skip
def delete_schedule(request: Request, project: Project, name: ScheduleName) -> Response[None]:
    """Delete a schedule."""
    call = call_of(request)
    _status(call, project, check_slug(name, "name"))
    manage.delete_job(call.engine, project, name, who=call.who)
    return Response(204)


@routes.operation(
    "POST", SCHEDULE + "/pause", "Pause a schedule", answers={200: ScheduleAnswer}, errors=(409,)
)
def pause_schedule(
    request: Request, project: Project, name: ScheduleName, body: Annotated[PauseBody | None, Body()] = None
) -> ScheduleAnswer:
    """Stop its automatic runs; what runs goes on."""
    call = call_of(request)
    _status(call, project, check_slug(name, "name"))
    note = body.note if body is not None else None
    pauses.pause_job(call.engine, project, name, who=call.who, note=note)
    return _shown(call, project, name)


@routes.operation(
    "POST", SCHEDULE + "/resume", "Resume a schedule", answers={200: ScheduleAnswer}, errors=(409,),
    description="The next run is the next from now; a `once` is armed again, a past one is due at once.",
)  # fmt: skip
def resume_schedule(
    request: Request, project: Project, name: ScheduleName, body: Annotated[ResumeBody | None, Body()] = None
) -> ScheduleAnswer:
    """Let it run by itself again."""
    call, missed = call_of(request), (body or ResumeBody()).missed
    stored = _status(call, project, check_slug(name, "name")).stored
    if not stored.job.triggers[0].enabled:
        raise Conflict(
            "name", name, "has a trigger that its job disables", "PUT the schedule with enabled true.",
            code="CONFLICT_VERSION",
        )  # fmt: skip
    if stored.armed[TRIGGER].paused:
        pauses.resume_trigger(call.engine, project, name, TRIGGER, who=call.who, missed=missed)
    pauses.resume_job(call.engine, project, name, who=call.who, missed=missed)
    return _shown(call, project, name)


@routes.operation(
    "POST", SCHEDULE + "/trigger", "Run a schedule now", answers={202: RequestAnswer}, errors=(409, 413),
    description="Returns at once. 409 when another run is in progress and overlap is not allowed.",
)  # fmt: skip
def trigger_schedule(
    request: Request, project: Project, name: ScheduleName, body: Annotated[TriggerCall | None, Body()] = None
) -> Response[RequestAnswer]:
    """Run now; the answer is the id of the run."""
    call, given = call_of(request), body or TriggerCall()
    _status(call, project, check_slug(name, "name"))
    tenant = None if given.tenant is None else check_name(given.tenant, "tenant")
    run = calls.start_trigger(call.engine, project, name, data=check_data(given.data, "data"), tenant=tenant)
    return Response(202, "application/json", RequestAnswer(request_id=run.id))


@routes.operation(
    "GET", SCHEDULE + "/runs", "List the runs of a schedule", answers={200: RunList},
    description="The history outlives the schedule.",
)  # fmt: skip
def list_schedule_runs(
    request: Request, project: Project, name: ScheduleName, limit: RunsLimit = 50, cursor: CursorIn = None,
    states: States = None, from_: From = None, to: To = None, before: Before = None,
) -> RunList:  # fmt: skip
    """Return a page of its runs, newest nominal instant first."""
    filters = run_filters(states, from_=from_, to=to, before=before)
    most = min(max(limit, 1), MOST_RUNS)
    return job_runs_page(call_of(request).engine, project, check_slug(name, "name"), filters, cursor, most)


def _put(
    call: Call, project: str, job: Job, *, enabled: bool, must_exist: bool | None, dry_run: bool
) -> Response[ScheduleAnswer]:
    before = call.engine.store.get_job(project, job.name)
    if before is not None and must_exist is None and not is_schedule(before):
        raise Conflict(
            "name",
            job.name,
            "is a job with other triggers than one named default",
            "PUT it as a job instead.",
        )
    try:
        result = manage.put_job(
            call.engine, project, job, who=call.who, must_exist=must_exist, pause=not enabled, dry_run=dry_run
        )
        stored, rows = result.stored, result.triggers
        if enabled and not dry_run and stored.armed[TRIGGER].paused:  # by a pause of the trigger alone
            stored = pauses.resume_trigger(call.engine, project, job.name, TRIGGER, who=call.who)
            rows = call.engine.store.get_triggers(project, job.name)
    except DuetimeError as error:
        raise in_words_of_schedule(error) from None
    status = query.placed(call.engine, stored, rows)
    answer = schedule_answer(status, (*result.warnings, *lost_options(before)), _retry(call, status))
    return Response(201 if result.created and not dry_run else 200, "application/json", answer)


def _status(call: Call, project: str, name: str) -> JobStatus:
    status = query.status(call.engine, project, name)
    if not is_schedule(status.stored):
        raise NotFound("name", name, "is a job, but no schedule", "Use the routes under /jobs for it.")
    return status


def _shown(call: Call, project: str, name: str) -> ScheduleAnswer:
    status = _status(call, project, name)
    return schedule_answer(status, retry=_retry(call, status))


def _retry(call: Call, status: JobStatus) -> Run | None:
    """The retry that waits for its time, looked for only where there can be one."""
    job = status.stored.job
    if not job.retry.max_retries or not status.triggers:
        return None
    recent = query.job_runs(call.engine, status.stored.project, job.name, limit=RECENT).items
    waiting = [run for run in recent if run.kind == "retry" and run.state == "queued"]
    return min(waiting, key=lambda run: run.start_at, default=None)
