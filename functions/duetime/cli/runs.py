"""`duetime runs`: what ran, when, and what came of it."""

from __future__ import annotations

from typing import Annotated

import typer

from duetime.cli.options import Session, remote, whole
from duetime.cli.show import show_run, show_runs
from duetime.clock import SystemClock
from duetime.core.instants import instant_text

app = typer.Typer(help="Look at the history of runs.", no_args_is_help=True)


@app.command("list")
@remote
def list_(
    session: Session,
    job: Annotated[str | None, typer.Option("--job", help="Only runs of this job or schedule.")] = None,
    state: Annotated[
        list[str] | None,
        typer.Option("--state", help="Only runs in this state, such as failed; may be repeated."),
    ] = None,
    trigger: Annotated[str | None, typer.Option("--trigger", help="Only runs of this trigger.")] = None,
    since: Annotated[
        str | None, typer.Option("--from", help="Only instants from this on (RFC 3339).")
    ] = None,
    until: Annotated[str | None, typer.Option("--to", help="Only instants before this (RFC 3339).")] = None,
    ahead: Annotated[
        bool, typer.Option("--ahead", help="Also runs that are queued already for instants to come.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", parser=whole(1), metavar="N", help="How many at most.")
    ] = 20,
) -> None:
    """List runs, newest instant first, up to now."""
    if until is None and not ahead:
        until = instant_text(SystemClock().now_ms() // 1000 + 1)
    states = ",".join(state) if state else None
    found = list(
        session.client.items(
            "runs", limit=limit, job=job, states=states, trigger=trigger, from_=since, to=until
        )
    )
    if not found and job is not None:
        session.client.get(
            "jobs", job
        )  # a name that is none is refused; the history of a deleted job was found above
    session.out.document({"items": found}) if session.out.as_json else show_runs(session.out, found)


@app.command("show")
@remote
def show(session: Session, run: Annotated[str, typer.Argument(help="Id of the run.")]) -> None:
    """Show one run whole: when it was due, started and ended, with what data and result."""
    found = session.client.get("runs", run)
    session.out.document(found) if session.out.as_json else show_run(session.out, found)
