"""The options of `duetime schedule create` and `update`, and how the fields of a schedule's body are called by them."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from duetime.cli.options import whole

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
Text = Annotated[
    str | None,
    typer.Option(
        "--when",
        help='The whole text of a schedule instead, such as "0 9 * * * tz=Europe/Berlin gap=shift".',
        rich_help_panel=WHEN,
    ),
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
Gap = Annotated[
    str | None,
    typer.Option(
        "--gap",
        help="A time that the clock leaves out: skip it, or shift to the gap's end.",
        rich_help_panel=WHEN,
    ),
]
Fold = Annotated[
    str | None,
    typer.Option(
        "--fold", help="A time that comes twice: run at the first, or at both.", rich_help_panel=WHEN
    ),
]
Immediate = Annotated[
    bool | None,
    typer.Option("--immediate/--no-immediate", help="One more run at creation.", rich_help_panel=WHEN),
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
    int | None,
    typer.Option(
        "--max-attempts",
        parser=whole(1, 10),
        metavar="N",
        help="Attempts in all, 1 to 10.",
        rich_help_panel=HOW,
    ),
]
Backoff = Annotated[
    int | None,
    typer.Option(
        "--backoff",
        parser=whole(1, 86_400),
        metavar="SECONDS",
        help="Seconds before another attempt, 1 to 86400.",
        rich_help_panel=HOW,
    ),
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

OPTIONS: Final = {
    "every": "--every", "mode": "--every", "trigger.cron": "--cron", "trigger.every": "--every",
    "trigger.mode": "--every", "trigger.repeat_count": "--every",
    "trigger.at": "--at", "trigger.in": "--in", "trigger.timezone": "--tz", "trigger.dst_gap": "--gap",
    "trigger.dst_fold": "--fold", "trigger.start_at": "--start", "trigger.end_at": "--end",
    "trigger.calendar": "--calendar", "trigger.immediate": "--immediate", "inputs": "--inputs",
    "on_overlap": "--overlap", "max_attempts": "--max-attempts", "retry_backoff_secs": "--backoff",
    "target.name": "--handler", "name": "NAME",
}  # fmt: skip
"""The option that sets a field."""
