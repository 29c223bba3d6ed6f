"""The command `duetime`. Each group of commands is a module of its own; what is heavy is imported where it is used."""

from __future__ import annotations

from typing import Annotated

import typer

from duetime.cli import calendars, jobs, previews, runs, schedules, serve
from duetime.cli.options import offline
from duetime.cli.output import Output

HELP = """Duetime runs jobs on time, to the second.

`duetime local` starts all of it on this machine. The other commands talk to it, or to a deployment named by --url.
"""

app = typer.Typer(
    name="duetime",
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("local")(serve.local)
app.add_typer(schedules.app, name="schedule")
app.add_typer(jobs.app, name="job")
app.add_typer(calendars.app, name="calendar")
app.add_typer(runs.app, name="runs")
app.command("preview")(previews.preview)


def _tell_version(asked: bool) -> None:
    if asked:
        Output(as_json=False).line(f"duetime {_installed()}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_tell_version, help="Print the version and end."),
    ] = False,
) -> None:
    """Take what stands before the name of a command."""


def _installed() -> str:
    from importlib.metadata import version as installed

    return installed("duetime")


@app.command("version")
@offline
def version(out: Output) -> None:
    """Print the version of this command."""
    found = _installed()
    out.document({"version": found}) if out.as_json else out.line(f"duetime {found}")


def main() -> None:
    """Run the command line; exits with the codes of docs/cli.md."""
    app()
