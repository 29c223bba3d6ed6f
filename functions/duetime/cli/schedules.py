"""`duetime schedule`: jobs with exactly one trigger, in the words of the schedules resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from duetime.cli.forms import object_form, policies_form, schedule_form, target_form
from duetime.cli.options import Session, remote
from duetime.cli.output import local_time
from duetime.cli.show import show_schedule, show_warnings, target_text, when_text

app = typer.Typer(
    help="Create, show and change schedules: one thing to do at one kind of time.", no_args_is_help=True
)

WHEN: Final = "When"
WHAT: Final = "What"
HOW: Final = "How"

Name = Annotated[str, typer.Argument(help="Name of the schedule, such as nightly-report.")]
Cron = Annotated[
    str | None,
    typer.Option(
        "--cron",
        help="Cron expression of 5 fields, 6 (seconds first) or 7 (year last).",
        rich_help_panel=WHEN,
    ),
]
Every = Annotated[
    str | None,
    typer.Option(
        "--every", help='Interval, such as 10m, "5m aligned" or "1h delay x5".', rich_help_panel=WHEN
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", help="Once, at this time (RFC 3339, or local together with --tz).", rich_help_panel=WHEN
    ),
]
In = Annotated[
    str | None, typer.Option("--in", help="Once, this long from now, such as 20s.", rich_help_panel=WHEN)
]
Tz = Annotated[
    str | None, typer.Option("--tz", help="IANA time zone, such as Europe/Berlin.", rich_help_panel=WHEN)
]
Start = Annotated[str | None, typer.Option("--start", help="No run before this time.", rich_help_panel=WHEN)]
End = Annotated[str | None, typer.Option("--end", help="No run after this time.", rich_help_panel=WHEN)]
Calendar = Annotated[
    str | None,
    typer.Option(
        "--calendar",
        help='Pass over what the calendar of this name excludes; "" is none.',
        rich_help_panel=WHEN,
    ),
]
Handler = Annotated[
    str | None,
    typer.Option(
        "--handler", "--script", help="Call this handler of the deployed code.", rich_help_panel=WHAT
    ),
]
Function = Annotated[
    str | None, typer.Option("--lambda", help="Invoke the Lambda function of this ARN.", rich_help_panel=WHAT)
]
Queue = Annotated[
    str | None, typer.Option("--sqs", help="Send to the SQS queue of this ARN.", rich_help_panel=WHAT)
]
Inputs = Annotated[
    str | None,
    typer.Option(
        "--inputs", help="Data of each run: a JSON object, or @FILE that holds one.", rich_help_panel=WHAT
    ),
]
Overlap = Annotated[
    str | None,
    typer.Option(
        "--overlap", help="What a run does that meets a running one: skip or parallel.", rich_help_panel=HOW
    ),
]
MaxAttempts = Annotated[
    int | None, typer.Option("--max-attempts", help="Attempts in all, 1 to 10.", rich_help_panel=HOW)
]
Backoff = Annotated[
    int | None,
    typer.Option("--backoff", help="Seconds before another attempt, 1 to 86400.", rich_help_panel=HOW),
]
CatchUp = Annotated[
    bool | None,
    typer.Option(
        "--catch-up/--no-catch-up", help="Make up for missed runs by one, or leave them.", rich_help_panel=HOW
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Check everything, change nothing.", rich_help_panel=HOW)
]


@app.command("create")
@remote
def create(
    session: Session, name: Name, cron: Cron = None, every: Every = None, at: At = None, in_: In = None, tz: Tz = None,
    start: Start = None, end: End = None, calendar: Calendar = None, handler: Handler = None, function: Function = None,
    queue: Queue = None, inputs: Inputs = None, overlap: Overlap = None, max_attempts: MaxAttempts = None,
    backoff: Backoff = None, catch_up: CatchUp = None, dry_run: DryRun = False,
    disabled: Annotated[bool, typer.Option("--disabled", help="Create it paused.", rich_help_panel=HOW)] = False,
) -> None:  # fmt: skip
    """Create a schedule: duetime schedule create nightly --cron "0 2 * * *" --handler heartbeat."""
    body = {
        "name": name,
        "trigger": schedule_form(
            cron=cron, every=every, at=at, in_=in_, tz=tz, start=start, end=end, calendar=calendar
        ),
        "target": target_form(handler=handler, function=function, queue=queue, required=True),
        "inputs": object_form(inputs, "--inputs") or {},
        "enabled": not disabled,
        **policies_form(overlap, max_attempts, backoff, catch_up),
    }
    _done(
        session,
        session.client.post("schedules", body=body, dry_run=dry_run or None),
        "would be created" if dry_run else "created",
    )


@app.command("update")
@remote
def update(
    session: Session, name: Name, cron: Cron = None, every: Every = None, at: At = None, in_: In = None, tz: Tz = None,
    start: Start = None, end: End = None, calendar: Calendar = None, handler: Handler = None, function: Function = None,
    queue: Queue = None, inputs: Inputs = None, overlap: Overlap = None, max_attempts: MaxAttempts = None,
    backoff: Backoff = None, catch_up: CatchUp = None, dry_run: DryRun = False,
    enabled: Annotated[
        bool | None, typer.Option("--enabled/--disabled", help="Resume or pause it.", rich_help_panel=HOW)
    ] = None,
) -> None:  # fmt: skip
    """Change what the options name; all else stays as it is."""
    client = session.client
    before = client.get("schedules", name)
    if enabled is None:
        # A spent schedule shows as not enabled; only the job tells whether somebody paused it.
        enabled = before["enabled"] or not client.get("jobs", name)["paused"]
    body = {
        "name": name,
        "trigger": schedule_form(
            cron=cron,
            every=every,
            at=at,
            in_=in_,
            tz=tz,
            start=start,
            end=end,
            calendar=calendar,
            before=before["trigger"],
        ),
        "target": target_form(handler=handler, function=function, queue=queue, required=False)
        or before["target"],
        "inputs": before["inputs"] if inputs is None else object_form(inputs, "--inputs"),
        "enabled": enabled,
        **{
            key: before[key]
            for key in ("on_overlap", "queue_cap", "max_attempts", "retry_backoff_secs", "catch_up")
        },
        **policies_form(overlap, max_attempts, backoff, catch_up),
    }
    _done(
        session,
        client.put("schedules", name, body=body, dry_run=dry_run or None),
        "would be changed" if dry_run else "changed",
    )


@app.command("list")
@remote
def list_(
    session: Session,
    prefix: Annotated[str | None, typer.Option("--prefix", help="Only names that begin with this.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 200,
) -> None:
    """List schedules by name."""
    found = list(session.client.items("schedules", limit=limit, prefix=prefix))
    if session.out.as_json:
        session.out.document({"items": found})
        return
    rows = (
        (one["name"], when_text(one["trigger"]), target_text(one["target"]), one["enabled"],
         local_time(one["next_due_at"]), local_time(one["last_fired_at"]))
        for one in found
    )  # fmt: skip
    session.out.table(("name", "when", "calls", "enabled", "next", "last"), rows)


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


def _done(session: Session, answer: Mapping[str, Any], what: str | None) -> None:
    out = session.out
    if out.as_json:
        out.document(answer)
        return
    if what is not None:
        out.line(f"schedule {answer['name']}: {what}")
    show_schedule(out, answer)
    show_warnings(out, answer)
