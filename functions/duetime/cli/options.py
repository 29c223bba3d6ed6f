"""Options that every command shares, and the frame each command runs in.

`remote` gives a command its `Session` and adds --url, --project, --iam and --json to what it takes; `offline` adds --json
alone. Both turn whatever goes wrong into one problem on stderr and the exit code that docs/cli.md promises.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.address import DEFAULT_URL
from duetime.cli.output import Output
from duetime.cli.problems import Trouble, tell
from duetime.core.faults import DuetimeError

if TYPE_CHECKING:
    from duetime.cli.client import Client

AsJson = Annotated[
    bool, typer.Option("--json", help="Print the answer as JSON, for programs.", rich_help_panel="General")
]
Url = Annotated[
    str,
    typer.Option(
        "--url", envvar="DUETIME_URL", help="Address of the control plane.", rich_help_panel="Connection"
    ),
]
Project = Annotated[
    str,
    typer.Option(
        "--project", envvar="DUETIME_PROJECT", help="Project to work in.", rich_help_panel="Connection"
    ),
]
Iam = Annotated[
    bool,
    typer.Option(
        "--iam",
        envvar="DUETIME_IAM",
        help="Sign with your AWS credentials. Otherwise the token in DUETIME_TOKEN is sent, if there is one.",
        rich_help_panel="Connection",
    ),
]


def whole(least: int, most: int | None = None) -> Callable[[str | int], int]:
    """Return the reader of a whole number in a range, for `parser` of an option; a refusal quotes what was given."""
    bounds = f"from {least} on" if most is None else f"from {least} to {most}"

    def read(value: str | int) -> int:
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) < 19) or not (
            least <= int(text) and (most is None or int(text) <= most)
        ):
            raise typer.BadParameter(f"'{text[:40]}' is no whole number {bounds}.")
        return int(text)

    return read


Prefix = Annotated[str | None, typer.Option("--prefix", help="Only names that begin with this.")]
Limit = Annotated[int, typer.Option("--limit", parser=whole(1), metavar="N", help="How many at most.")]


class Session:
    """What a remote command works with: the client and the way to answer."""

    def __init__(self, client: Client, out: Output) -> None:
        self.client, self.out = client, out


def remote(command: Callable[..., None]) -> Callable[..., None]:
    """Run a command with a `Session` as its first argument."""

    def framed(*args: Any, url: str, project: str, iam: bool, as_json: bool, **rest: Any) -> None:
        _guarded(lambda: _connected(command, args, rest, url, project, iam, as_json), as_json)

    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    added = [
        _option("url", Url, DEFAULT_URL),
        _option("project", Project, "default"),
        _option("iam", Iam, False),
        _option("as_json", AsJson, False),
    ]
    return _dressed(framed, command, [*own, *added])


def offline(command: Callable[..., None]) -> Callable[..., None]:
    """Run a command that calls no control plane, with an `Output` as its first argument."""

    def framed(*args: Any, as_json: bool, **rest: Any) -> None:
        _guarded(lambda: command(Output(as_json), *args, **rest), as_json)

    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    return _dressed(framed, command, [*own, _option("as_json", AsJson, False)])


def _connected(
    command: Callable[..., None],
    args: Any,
    rest: dict[str, Any],
    url: str,
    project: str,
    iam: bool,
    as_json: bool,
) -> None:
    import os

    from duetime.cli.client import Client  # httpx takes longer to load than all the rest

    with Client(url, project, token=os.environ.get("DUETIME_TOKEN"), iam=iam) as client:
        command(Session(client, Output(as_json)), *args, **rest)


def _guarded(call: Callable[[], None], as_json: bool) -> None:
    try:
        call()
    except DuetimeError as error:
        raise _ended(Trouble.of(error), as_json) from None
    except Trouble as trouble:
        raise _ended(trouble, as_json) from None


def _ended(trouble: Trouble, as_json: bool) -> typer.Exit:
    tell(trouble, as_json=as_json)
    return typer.Exit(int(trouble.exit))


def _option(name: str, annotation: Any, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _dressed(
    framed: Callable[..., None], command: Callable[..., None], parameters: list[inspect.Parameter]
) -> Callable[..., None]:
    """Give the frame the name, help and parameters that Typer reads."""
    framed.__name__, framed.__doc__, framed.__module__ = command.__name__, command.__doc__, command.__module__
    keyword_only = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    framed.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]  # what inspect.signature reads
    framed.__annotations__ = {one.name: one.annotation for one in parameters}
    return framed
