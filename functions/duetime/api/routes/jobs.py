"""Jobs: put, read, delete, pause, resume, and call."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Response
from aws_lambda_powertools.event_handler.openapi.params import Body
from aws_lambda_powertools.event_handler.request import Request

from duetime.api.answers import job_answer, run_answer
from duetime.api.call import Call, call_of
from duetime.api.family import Family
from duetime.api.paging import CursorIn, Limit, page
from duetime.api.routes.parameters import PROJECT, DryRun, Job, Prefix, Project, TriggerName
from duetime.contracts.api_job import JobAnswer, JobBody, JobList, PauseBody, ResumeBody
from duetime.contracts.api_run import EnqueueCall, RunAnswer, TriggerCall
from duetime.core.definition import Job as Definition
from duetime.core.definition import parse_job
from duetime.core.errors import ScheduleError
from duetime.core.faults import DefinitionError
from duetime.core.fields import seconds
from duetime.core.instants import parse_moment
from duetime.core.jsontext import check_data
from duetime.core.names import check_name
from duetime.engine import call as calls
from duetime.engine import manage, pauses, query

routes = Family("jobs")

JOBS = PROJECT + "/jobs"
JOB = JOBS + "/<job>"
MAX_DELAY = 366 * 86_400
WAIT_MS = 25_000
"""How long after its arrival a trigger call may wait: the gateway gives up at 30 s."""


@routes.operation("GET", JOBS, "List jobs by name", answers={200: JobList})
def list_jobs(
    request: Request, project: Project, limit: Limit = 100, cursor: CursorIn = None, prefix: Prefix = ""
) -> JobList:
    """Return a page of jobs."""
    engine = call_of(request).engine
    found = page(
        engine.settings, f"jobs of {project}", {"prefix": prefix}, cursor, limit,
        read=lambda most, after: query.list_statuses(engine, project, prefix=prefix, limit=most, cursor=after),
        show=job_answer,
    )  # fmt: skip
    return JobList(items=found.items, next=found.next)


@routes.operation(
    "POST", JOBS, "Create a job", answers={201: JobAnswer, 200: JobAnswer}, errors=(409, 413, 422),
    description="409 if a job of this name exists. 200 answers a dry run.",
)  # fmt: skip
def create_job(
    request: Request, project: Project, body: JobBody, dry_run: DryRun = False
) -> Response[JobAnswer]:
    """Create only."""
    call = call_of(request)
    return _put(call, project, parse_job(call.body), must_exist=False, dry_run=dry_run)


@routes.operation("GET", JOB, "Show a job", answers={200: JobAnswer})
def get_job(request: Request, project: Project, job: Job) -> JobAnswer:
    """Return a job with where its triggers stand."""
    return _shown(call_of(request), project, check_name(job, "job"))


@routes.operation(
    "PUT", JOB, "Create or replace a job", answers={200: JobAnswer, 201: JobAnswer}, errors=(409, 413, 422),
    description="Replaces the whole job: what is left out returns to its default. A pause stays.",
)  # fmt: skip
def put_job(
    request: Request, project: Project, job: Job, body: JobBody, dry_run: DryRun = False
) -> Response[JobAnswer]:
    """Create or replace."""
    call = call_of(request)
    return _put(
        call, project, parse_job(call.body, name=check_name(job, "job")), must_exist=None, dry_run=dry_run
    )


@routes.operation(
    "DELETE", JOB, "Delete a job", answers={204: None}, errors=(409,),
    description="Running runs finish, queued ones end superseded, the history is kept.",
)  # fmt: skip
def delete_job(request: Request, project: Project, job: Job) -> Response[None]:
    """Delete a job and its triggers."""
    call = call_of(request)
    manage.delete_job(call.engine, project, check_name(job, "job"), who=call.who)
    return Response(204)


@routes.operation(
    "POST", JOB + "/pause", "Pause a job", answers={200: JobAnswer}, errors=(409,),
    description="Stops automatic runs, those sent already included; manual runs go on.",
)  # fmt: skip
def pause_job(
    request: Request, project: Project, job: Job, body: Annotated[PauseBody | None, Body()] = None
) -> JobAnswer:
    """Pause, with a note."""
    call, name = call_of(request), check_name(job, "job")
    note = body.note if body is not None else None
    pauses.pause_job(call.engine, project, name, who=call.who, note=note)
    return _shown(call, project, name)


@routes.operation("POST", JOB + "/resume", "Resume a job", answers={200: JobAnswer}, errors=(409,))
def resume_job(
    request: Request, project: Project, job: Job, body: Annotated[ResumeBody | None, Body()] = None
) -> JobAnswer:
    """Resume, from now or with what was missed; a spent `once` is armed again."""
    call, name = call_of(request), check_name(job, "job")
    missed = (body or ResumeBody()).missed
    pauses.resume_job(call.engine, project, name, who=call.who, missed=missed)
    return _shown(call, project, name)


@routes.operation(
    "POST", JOB + "/triggers/<trigger>/pause", "Pause a trigger", answers={200: JobAnswer}, errors=(409,)
)
def pause_trigger(request: Request, project: Project, job: Job, trigger: TriggerName) -> JobAnswer:
    """Stop the automatic runs of one trigger."""
    call, name = call_of(request), check_name(job, "job")
    pauses.pause_trigger(call.engine, project, name, check_name(trigger, "trigger"), who=call.who)
    return _shown(call, project, name)


@routes.operation(
    "POST", JOB + "/triggers/<trigger>/resume", "Resume a trigger", answers={200: JobAnswer}, errors=(409,)
)
def resume_trigger(
    request: Request, project: Project, job: Job, trigger: TriggerName,
    body: Annotated[ResumeBody | None, Body()] = None,
) -> JobAnswer:  # fmt: skip
    """Let one trigger run by itself again."""
    call, name = call_of(request), check_name(job, "job")
    pauses.resume_trigger(
        call.engine, project, name, check_name(trigger, "trigger"), who=call.who,
        missed=(body or ResumeBody()).missed,
    )  # fmt: skip
    return _shown(call, project, name)


@routes.operation(
    "POST", JOB + "/trigger", "Run a job now and wait for it", answers={200: RunAnswer, 202: RunAnswer},
    errors=(409, 413),
    description="Waits until 25 s after the call arrived; 202 if the run has not ended by then. "
    "409 when another run is in progress and overlap is not allowed.",
)  # fmt: skip
def trigger_job(
    request: Request, project: Project, job: Job, body: Annotated[TriggerCall | None, Body()] = None
) -> Response[RunAnswer]:
    """Run now."""
    call, given = call_of(request), body or TriggerCall()
    wait_ms = max(0, call.arrived_ms + WAIT_MS - call.engine.clock.now_ms())
    run = calls.trigger(
        call.engine, project, check_name(job, "job"), data=check_data(given.data, "data"), wait_ms=wait_ms,
        tenant=_tenant(given),
    )  # fmt: skip
    return Response(200 if run.ended else 202, "application/json", run_answer(run))


@routes.operation(
    "POST", JOB + "/enqueue", "Run a job as soon as it may", answers={202: RunAnswer}, errors=(413,),
    description="Returns at once; the run waits for its slot where the job forbids overlap.",
)  # fmt: skip
def enqueue_job(
    request: Request, project: Project, job: Job, body: Annotated[EnqueueCall | None, Body()] = None
) -> Response[RunAnswer]:
    """Run now, at an instant or after a delay."""
    call, given = call_of(request), body or EnqueueCall()
    run = calls.enqueue(
        call.engine, project, check_name(job, "job"), data=check_data(given.data, "data"), at=_at(given),
        delay=None if given.delay is None else seconds(given.delay, "delay", 1, MAX_DELAY), tenant=_tenant(given),
    )  # fmt: skip
    return Response(202, "application/json", run_answer(run))


def _put(
    call: Call, project: str, job: Definition, *, must_exist: bool | None, dry_run: bool
) -> Response[JobAnswer]:
    result = manage.put_job(call.engine, project, job, who=call.who, must_exist=must_exist, dry_run=dry_run)
    status = query.placed(call.engine, result.stored, result.triggers)
    return Response(
        201 if result.created and not dry_run else 200,
        "application/json",
        job_answer(status, result.warnings),
    )


def _shown(call: Call, project: str, name: str) -> JobAnswer:
    return job_answer(query.status(call.engine, project, name))


def _tenant(given: TriggerCall) -> str | None:
    return None if given.tenant is None else check_name(given.tenant, "tenant")


def _at(given: EnqueueCall) -> int | None:
    if given.at is None:
        return None
    try:
        found = parse_moment(given.at, "at").instant
    except ScheduleError as error:
        raise DefinitionError("at", given.at, error.problem, error.hint) from None
    if found is None:
        raise DefinitionError("at", given.at, "has no offset", f"Write {given.at}Z for UTC.")
    return found
