"""What needs no control plane: preview, version, help, and what is said when there is none."""

from __future__ import annotations

import socket
import subprocess
import sys
from importlib.metadata import version

import pytest

from duetime.cli.problems import plain
from tests.unit.cli.conftest import CommandLine


def test_a_preview_says_when_and_in_words(cli: CommandLine) -> None:
    answer = cli.ok(
        "preview",
        "0 9 * * MON-FRI",
        "--tz",
        "Europe/Berlin",
        "--count",
        "2",
        "--from",
        "2026-10-23T12:00:00Z",
    )
    lines = answer.stdout.splitlines()
    assert "Europe/Berlin" in lines[0]
    assert [line.split() for line in lines[1:]] == [
        ["UTC", "Europe/Berlin"],
        ["2026-10-26T08:00:00Z", "2026-10-26T09:00:00+01:00"],
        ["2026-10-27T08:00:00Z", "2026-10-27T09:00:00+01:00"],
    ]


def test_a_preview_in_utc_shows_one_column(cli: CommandLine) -> None:
    answer = cli.ok("preview", "0 9 * * *", "--count", "1", "--from", "2026-10-23T12:00:00Z")
    assert answer.stdout.splitlines() == ["At 09:00 every day, UTC time.", "UTC", "2026-10-24T09:00:00Z"]


def test_a_preview_as_json_is_the_whole_answer(cli: CommandLine) -> None:
    found = cli.ok(
        "preview", "30 2 * * *", "--tz", "Europe/Berlin", "--from", "2026-03-27T12:00:00Z", "--json"
    ).json
    assert set(found) == {"upcoming", "local", "timezone", "description", "warnings"}
    assert len(found["upcoming"]) == 5
    assert found["warnings"]  # the clocks change on the 29th


def test_a_schedule_with_nothing_left_has_no_instants(cli: CommandLine) -> None:
    answer = cli.ok("preview", "0 0 0 1 1 ? 2001")
    assert "will not run again" in answer.stdout
    assert answer.stderr.startswith("warning: ")


@pytest.mark.parametrize(
    "arguments, field, exit_code",
    [
        (("61 * * * *",), "cron.minute", 1),
        (("every soon",), "every", 1),
        (("0 9 * * *", "--tz", "Mars/Base"), "timezone", 1),
        (("0 9 * * *", "--from", "2026-01-01T00:00:00"), "--from", 1),
        (("0 9 * * *", "--from", "yesterday"), "--from", 1),
    ],
)
def test_what_is_no_schedule_is_one_problem(
    cli: CommandLine, arguments: tuple[str, ...], field: str, exit_code: int
) -> None:
    answer = cli("preview", *arguments)
    assert (answer.exit_code, answer.stdout) == (exit_code, "")
    assert answer.stderr.splitlines()[1].startswith(f"  {field}: "), answer.stderr


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("preview", "@daily", "--count", "21"), "'21' is no whole number from 1 to 20"),
        (("schedule", "create", "x", "--max-attempts", "many"), "'many' is no whole number from 1 to 10"),
        (("schedule", "update", "x", "--max-attempts", "11"), "'11' is no whole number from 1 to 10"),
        (("local", "--port", "99999"), "'99999' is no whole number from 0 to 65535"),
        (("runs", "list", "--limit", "0"), "'0' is no whole number from 1 on"),
        (("job", "list", "--limit", "1e3"), "'1e3' is no whole number from 1 on"),
    ],
)
def test_a_number_out_of_range_is_a_usage_error(
    cli: CommandLine, arguments: tuple[str, ...], words: str
) -> None:
    answer = cli(*arguments, COLUMNS="200")
    assert (answer.exit_code, words in answer.stderr) == (2, True), answer.stderr


def test_the_version_is_the_installed_one(cli: CommandLine) -> None:
    assert cli.ok("version").stdout == f"duetime {version('duetime')}\n"
    assert cli.ok("--version").stdout == cli.ok("version").stdout
    assert cli.ok("version", "--json").json == {"version": version("duetime")}


COMMANDS = (
    "local", "preview", "version", "schedule create", "schedule list", "schedule show", "schedule update",
    "schedule delete", "schedule pause", "schedule resume", "schedule trigger", "job list", "job show", "job put",
    "job delete", "job pause", "job resume", "job trigger", "job enqueue", "calendar put", "calendar list",
    "calendar show", "calendar delete", "calendar holidays", "runs list", "runs show",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_takes_json(cli: CommandLine, command: str) -> None:
    text = cli.ok(*command.split(), "--help", COLUMNS="200").stdout
    assert "Usage: duetime" in text
    assert "--json" in text


def test_the_table_of_commands_is_complete(cli: CommandLine) -> None:
    from typer.main import get_command

    from duetime.cli.main import app

    found = set()
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]  # a group
        inner = getattr(command, "commands", None)
        found |= {name} if inner is None else {f"{name} {one}" for one in inner}
    assert found == set(COMMANDS)


def test_no_server_is_exit_code_5_and_says_how_to_start_one() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        answer = CommandLine(url)("schedule", "trigger", "x")
    assert (answer.exit_code, answer.stdout) == (5, "")
    assert url in answer.stderr
    assert "duetime local" in answer.stderr


def test_the_command_line_starts_without_what_it_does_not_need() -> None:
    """The first thing a person feels: boto3, httpx and the engine are loaded where they are used."""
    code = (
        "import sys, duetime.cli.main\n"
        "heavy = {'boto3', 'botocore', 'httpx', 'rich.console', 'aws_lambda_powertools', 'duetime.engine', 'duetime.api'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "text, shown",
    [("a\x1b[2J", "a\\x1b[2J"), ("ä 中\n\t", "ä 中\n\t"), ("\u202e", "\\u202e"), ("\r\x07", "\\r\\x07")],
)
def test_plain_text_has_nothing_a_terminal_obeys(text: str, shown: str) -> None:
    assert plain(text) == shown
