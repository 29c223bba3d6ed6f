"""Runs: the history of a project and of a job, and one run by its id."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.request import Request

from duetime.api.answers import run_answer
from duetime.api.call import call_of
from duetime.api.family import Family
from duetime.api.paging import CursorIn, Limit
from duetime.api.routes.jobs import JOB
from duetime.api.routes.parameters import PROJECT, Job, Project, RunId
from duetime.api.runfilters import job_runs_page, run_filters, runs_page
from duetime.contracts.api_run import STATES, RunAnswer, RunList
from duetime.core.exchange import Page
from duetime.core.names import check_name
from duetime.core.run import Run
from duetime.engine import query

routes = Family("runs")

States = Annotated[str | None, Query(description=f"Only these, separated by commas: {', '.join(STATES)}.")]
OfJob = Annotated[str | None, Query(description="Only runs of this job.")]
OfTrigger = Annotated[str | None, Query(description="Only runs of this trigger.")]
From = Annotated[
    str | None, Query(alias="from", description="Only nominal instants from this on (RFC 3339).")
]
To = Annotated[str | None, Query(description="Only nominal instants before this (RFC 3339).")]
Before = Annotated[str | None, Query(description="The same as `to`; not together with it.")]


@routes.operation("GET", PROJECT + "/runs", "List the runs of a project", answers={200: RunList})
def list_runs(
    request: Request, project: Project, limit: Limit = 100, cursor: CursorIn = None, states: States = None,
    job: OfJob = None, trigger: OfTrigger = None, from_: From = None, to: To = None, before: Before = None,
) -> RunList:  # fmt: skip
    """Return a page of runs, newest nominal instant first."""
    engine = call_of(request).engine
    filters = run_filters(states, job, trigger, from_, to, before)

    def read(most: int, after: str | None) -> Page[Run]:
        return query.project_runs(
            engine, project, limit=most, cursor=after, job=filters.job, states=filters.states,
            trigger=filters.trigger, since=filters.since, until=filters.until,
        )  # fmt: skip

    return runs_page(engine, f"runs of {project}", filters, cursor, limit, read)


@routes.operation(
    "GET",
    JOB + "/runs",
    "List the runs of a job",
    answers={200: RunList},
    description="The history outlives the job.",
)
def list_job_runs(
    request: Request, project: Project, job: Job, limit: Limit = 100, cursor: CursorIn = None, states: States = None,
    trigger: OfTrigger = None, from_: From = None, to: To = None, before: Before = None,
) -> RunList:  # fmt: skip
    """Return a page of a job's runs, newest nominal instant first."""
    filters = run_filters(states, None, trigger, from_, to, before)
    return job_runs_page(call_of(request).engine, project, check_name(job, "job"), filters, cursor, limit)


@routes.operation("GET", PROJECT + "/runs/<run>", "Show a run", answers={200: RunAnswer})
def get_run(request: Request, project: Project, run: RunId) -> RunAnswer:
    """Return one run whole."""
    return run_answer(query.get_run(call_of(request).engine, project, run))
