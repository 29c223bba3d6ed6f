"""`duetime schedule`: jobs with exactly one trigger, in the words of the schedules resource."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import takewhile
from typing import Annotated, Any

import typer

from duetime.cli.forms import object_form, policies_form, target_form
from duetime.cli.naming import naming
from duetime.cli.options import Limit, Prefix, Session, remote
from duetime.cli.output import local_time
from duetime.cli.problems import Exit, Trouble
from duetime.cli.scheduleoptions import (
    HOW,
    OPTIONS,
    At,
    Backoff,
    Calendar,
    CatchUp,
    Cron,
    DryRun,
    End,
    Every,
    Fold,
    Function,
    Gap,
    Handler,
    Immediate,
    In,
    Inputs,
    MaxAttempts,
    Name,
    Overlap,
    Queue,
    Start,
    Text,
    Tz,
)  # fmt: skip
from duetime.cli.show import show_schedule, show_warnings, state_text, target_text, when_text
from duetime.cli.whenform import When, dropped, schedule_form

app = typer.Typer(
    help="Create, show and change schedules: one thing to do at one kind of time.", no_args_is_help=True
)


@app.command("create")
@remote
def create(
    session: Session, name: Name, cron: Cron = None, every: Every = None, at: At = None, in_: In = None, text: Text = None,
    tz: Tz = None, gap: Gap = None, fold: Fold = None, start: Start = None, end: End = None, calendar: Calendar = None,
    immediate: Immediate = None, handler: Handler = None, function: Function = None, queue: Queue = None,
    inputs: Inputs = None, overlap: Overlap = None, max_attempts: MaxAttempts = None, backoff: Backoff = None,
    catch_up: CatchUp = None, dry_run: DryRun = False,
    disabled: Annotated[bool, typer.Option("--disabled", help="Create it paused.", rich_help_panel=HOW)] = False,
) -> None:  # fmt: skip
    """Create a schedule: duetime schedule create nightly --cron "0 2 * * *" --handler heartbeat."""
    when = When(cron, every, at, in_, text, tz, gap, fold, start, end, calendar, immediate)
    typed = when.typed | {
        "--inputs": inputs, "--overlap": overlap, "--max-attempts": max_attempts, "--backoff": backoff,
        "--handler": handler, "NAME": name,
    }  # fmt: skip
    with naming(OPTIONS, typed):
        body = {
            "name": name,
            "trigger": schedule_form(when),
            "target": target_form(handler=handler, function=function, queue=queue, required=True),
            "inputs": object_form(inputs, "--inputs") or {},
            "enabled": not disabled,
            **policies_form(overlap, max_attempts, backoff, catch_up),
        }
        answer = session.client.post("schedules", body=body, dry_run=dry_run or None)
    _done(
        session, answer, "would be created; nothing is stored" if dry_run else "created", stored=not dry_run
    )
    _real_calls(session, function, queue)


@app.command("update")
@remote
def update(
    session: Session, name: Name, cron: Cron = None, every: Every = None, at: At = None, in_: In = None, text: Text = None,
    tz: Tz = None, gap: Gap = None, fold: Fold = None, start: Start = None, end: End = None, calendar: Calendar = None,
    immediate: Immediate = None, handler: Handler = None, function: Function = None, queue: Queue = None,
    inputs: Inputs = None, overlap: Overlap = None, max_attempts: MaxAttempts = None, backoff: Backoff = None,
    catch_up: CatchUp = None, dry_run: DryRun = False,
    enabled: Annotated[
        bool | None, typer.Option("--enabled/--disabled", help="Resume or pause it.", rich_help_panel=HOW)
    ] = None,
) -> None:  # fmt: skip
    """Change what the options name; all else stays as it is."""
    when = When(cron, every, at, in_, text, tz, gap, fold, start, end, calendar, immediate)
    typed = when.typed | {
        "--inputs": inputs, "--overlap": overlap, "--max-attempts": max_attempts, "--backoff": backoff,
        "--handler": handler, "NAME": name,
    }  # fmt: skip
    client = session.client
    before = client.get("schedules", name)
    if enabled is None:
        # A spent schedule shows as not enabled; only the job tells whether somebody paused it.
        enabled = before["enabled"] or not client.get("jobs", name)["paused"]
    with naming(OPTIONS, typed):
        form = schedule_form(when, before["trigger"])
        target = target_form(handler=handler, function=function, queue=queue, required=False)
        body = {
            "name": name,
            "trigger": form,
            "target": target or before["target"],
            "inputs": before["inputs"] if inputs is None else object_form(inputs, "--inputs"),
            "enabled": enabled,
            **{
                key: before[key]
                for key in ("on_overlap", "queue_cap", "max_attempts", "retry_backoff_secs", "catch_up")
            },
            **policies_form(overlap, max_attempts, backoff, catch_up),
        }
        answer = client.put("schedules", name, body=body, dry_run=dry_run or None)
    _done(
        session, answer, "would be changed; nothing is stored" if dry_run else "changed", stored=not dry_run
    )
    for lost in dropped(before["trigger"], form, when):
        session.out.note(f"warning: {lost}")
    _real_calls(session, function, queue)


@app.command("list")
@remote
def list_(
    session: Session,
    prefix: Prefix = None,
    limit: Limit = 200,
) -> None:
    """List schedules by name."""
    found = list(session.client.items("schedules", limit=limit, prefix=prefix))
    if session.out.as_json:
        session.out.document({"items": found})
        return
    last = max((one["name"] for one in found), default="")
    jobs = session.client.items("jobs", limit=sys.maxsize, prefix=prefix)
    states = {job["name"]: job for job in takewhile(lambda job: job["name"] <= last, jobs)}
    rows = (
        (one["name"], when_text(one["trigger"]), target_text(one["target"]), state_text(one, states.get(one["name"])),
         local_time(one["next_due_at"]), local_time(one["last_fired_at"]))
        for one in found
    )  # fmt: skip
    session.out.table(("name", "when", "calls", "state", "next", "last"), rows)


@app.command("show")
@remote
def show(session: Session, name: Name) -> None:
    """Show a schedule and where it stands."""
    _done(session, session.client.get("schedules", name), None)


@app.command("delete")
@remote
def delete(session: Session, name: Name) -> None:
    """Delete a schedule; running runs finish, the history stays."""
    session.client.delete("schedules", name)
    session.out.document({"deleted": name}) if session.out.as_json else session.out.line(
        f"schedule {name}: deleted"
    )


@app.command("pause")
@remote
def pause(
    session: Session,
    name: Name,
    note: Annotated[str | None, typer.Option("--note", help="Why, for others to read.")] = None,
) -> None:
    """Stop its automatic runs, those already sent included."""
    body = None if note is None else {"note": note}
    _done(session, session.client.post("schedules", name, "pause", body=body), "paused")


@app.command("resume")
@remote
def resume(session: Session, name: Name) -> None:
    """Let it run by itself again, from now on; a spent one-time schedule is armed again."""
    _done(session, session.client.post("schedules", name, "resume"), "resumed")


@app.command("trigger")
@remote
def trigger(
    session: Session, name: Name,
    inputs: Annotated[
        str | None, typer.Option("--inputs", help="Data of this run on top of its own: a JSON object, or @FILE.")
    ] = None,
) -> None:  # fmt: skip
    """Run it now, beside its schedule; prints the id of the run at once."""
    given = object_form(inputs, "--inputs")
    answer = session.client.post(
        "schedules", name, "trigger", body=None if given is None else {"data": given}
    )
    if session.out.as_json:
        session.out.document(answer)
    else:
        session.out.line(
            f"schedule {name}: run {answer['request_id']} begins; `duetime runs show` has its result"
        )


def _done(session: Session, answer: Mapping[str, Any], what: str | None, *, stored: bool = True) -> None:
    """Answer with a schedule and its state; where it is not `stored` it has none."""
    out = session.out
    if out.as_json:
        out.document(answer)
        return
    if what is not None:
        out.line(f"schedule {answer['name']}: {what}")
    show_schedule(out, answer, _job(session, answer["name"]) if stored else None)
    show_warnings(out, answer)


def _job(session: Session, name: str) -> Mapping[str, Any] | None:
    """The job that a schedule is the simple form of: it knows the state. None where it went away meanwhile."""
    try:
        found: Mapping[str, Any] = session.client.get("jobs", name)
    except Trouble as trouble:
        if trouble.exit is Exit.NOT_FOUND:
            return None
        raise
    return found


def _real_calls(session: Session, function: str | None, queue: str | None) -> None:
    """Warn of a target in AWS on a server on this machine."""
    if session.client.local and (function or queue):
        session.out.note(
            "warning: the local server calls real AWS, with the credentials of the shell it was started in."
        )
