"""`duetime job`: jobs whole, with any number of triggers, as JSON documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from duetime.cli.forms import object_form, read_object
from duetime.cli.naming import naming
from duetime.cli.options import Limit, Prefix, Session, remote
from duetime.cli.output import local_time
from duetime.cli.problems import Exit, usage
from duetime.cli.show import show_job, show_run, show_warnings, target_text, when_text

app = typer.Typer(
    help="Show, put and call jobs; code jobs and schedules are jobs as well.", no_args_is_help=True
)

EXAMPLE: Final = '{"name": "reports.nightly", "target": {"kind": "python", "name": "heartbeat"}}'

CALL: Final = {"at": "--at", "delay": "--delay", "data": "--data", "tenant": "--tenant"}
"""The option that sets a field of a call."""

Name = Annotated[str, typer.Argument(help="Name of the job, such as reports.nightly.")]
OfTrigger = Annotated[str | None, typer.Option("--trigger", help="Only this trigger of the job.")]
Data = Annotated[
    str | None,
    typer.Option("--data", help="Data of this run on top of the job's own: a JSON object, or @FILE."),
]
Tenant = Annotated[str | None, typer.Option("--tenant", help="Tenant the run is for.")]


@app.command("list")
@remote
def list_(
    session: Session,
    prefix: Prefix = None,
    limit: Limit = 200,
) -> None:
    """List jobs by name."""
    found = list(session.client.items("jobs", limit=limit, prefix=prefix))
    if session.out.as_json:
        session.out.document({"items": found})
        return
    rows = (
        (one["name"], "; ".join(when_text(trigger["schedule"]) for trigger in one["triggers"]) or None,
         target_text(one["target"]), one["source"], "paused" if one["paused"] else "active",
         local_time(one["next_due_at"]), local_time(one["last_fired_at"]))
        for one in found
    )  # fmt: skip
    session.out.table(("name", "when", "calls", "source", "state", "next", "last"), rows)


@app.command("show")
@remote
def show(session: Session, name: Name) -> None:
    """Show a job, its triggers and where they stand."""
    _done(session, session.client.get("jobs", name), None)


@app.command("put")
@remote
def put(
    session: Session,
    file: Annotated[Path, typer.Argument(help="File with the job as a JSON object; - reads it from stdin.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, change nothing.")] = False,
) -> None:
    """Create a job or replace it whole: what the document leaves out returns to its default."""
    body = read_object(file, "FILE", EXAMPLE)
    name = body.get("name")
    if not isinstance(name, str) or not name:
        raise usage(
            "name", name, "is no name of a job", 'Give the document one, such as "name": "reports.nightly".'
        )
    _done(
        session,
        session.client.put("jobs", name, body=body, dry_run=dry_run or None),
        "would be put; nothing is stored" if dry_run else "put",
    )


@app.command("delete")
@remote
def delete(session: Session, name: Name) -> None:
    """Delete a job and its triggers; running runs finish, the history stays. A code job comes back at the next sync."""
    source = session.client.get("jobs", name)["source"]
    session.client.delete("jobs", name)
    session.out.document({"deleted": name}) if session.out.as_json else session.out.line(
        f"job {name}: deleted"
    )
    if source != "runtime":
        session.out.note(
            "warning: it is defined in code and comes back at the next sync, which is each deploy and each start of "
            "`duetime local`; pause it, or remove it from the code."
        )


@app.command("pause")
@remote
def pause(
    session: Session, name: Name, trigger: OfTrigger = None,
    note: Annotated[str | None, typer.Option("--note", help="Why, for others to read.")] = None,
) -> None:  # fmt: skip
    """Stop the automatic runs of a job or of one trigger, those already sent included."""
    if trigger is not None and note is not None:
        raise usage("--note", note, "goes with a whole job only", "Leave out --note or --trigger.")
    body = None if note is None else {"note": note}
    _done(session, session.client.post(*_path(name, trigger), "pause", body=body), "paused")


@app.command("resume")
@remote
def resume(
    session: Session, name: Name, trigger: OfTrigger = None,
    missed: Annotated[
        str, typer.Option("--missed", help="What becomes of occurrences missed meanwhile: drop, or misfire (its policy).")
    ] = "drop",
) -> None:  # fmt: skip
    """Let a job or one of its triggers run by itself again; a spent one-time trigger is armed again."""
    _done(session, session.client.post(*_path(name, trigger), "resume", body={"missed": missed}), "resumed")


@app.command("trigger")
@remote
def trigger(session: Session, name: Name, data: Data = None, tenant: Tenant = None) -> None:
    """Run a job now and wait for its end, up to 25 seconds. Exit code 1 if the run did not succeed."""
    with naming(CALL, {"--data": data, "--tenant": tenant}):
        run = session.client.post("jobs", name, "trigger", body=_call(data, tenant))
    _run(session, run)
    if run["status"] not in ("succeeded", "queued", "running"):
        raise typer.Exit(int(Exit.FAILED))


@app.command("enqueue")
@remote
def enqueue(
    session: Session, name: Name, data: Data = None, tenant: Tenant = None,
    at: Annotated[str | None, typer.Option("--at", help="When it starts (RFC 3339 with offset).")] = None,
    delay: Annotated[str | None, typer.Option("--delay", help="How long from now it starts, such as 10m.")] = None,
) -> None:  # fmt: skip
    """Run a job as soon as it may; returns at once, and the run waits for its turn."""
    if at is not None and delay is not None:
        raise usage("--delay", delay, "stands beside --at", "Give one of the two.")
    when = {key: value for key, value in (("at", at), ("delay", delay)) if value is not None}
    with naming(CALL, {"--at": at, "--delay": delay, "--data": data, "--tenant": tenant}):
        run = session.client.post("jobs", name, "enqueue", body={**_call(data, tenant), **when})
    _run(session, run)


def _path(name: str, trigger: str | None) -> tuple[str, ...]:
    return ("jobs", name) if trigger is None else ("jobs", name, "triggers", trigger)


def _call(data: str | None, tenant: str | None) -> dict[str, Any]:
    return {"data": object_form(data, "--data") or {}, **({} if tenant is None else {"tenant": tenant})}


def _done(session: Session, answer: Mapping[str, Any], what: str | None) -> None:
    out = session.out
    if out.as_json:
        out.document(answer)
        return
    if what is not None:
        out.line(f"job {answer['name']}: {what}")
    show_job(out, answer)
    show_warnings(out, answer)


def _run(session: Session, run: Mapping[str, Any]) -> None:
    session.out.document(run) if session.out.as_json else show_run(session.out, run)
