"""docs/cli.md keeps its promises: its examples run, its exit codes are the code's, its commands exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest

from duetime.api.app import handle
from duetime.cli.problems import Exit
from duetime.engine.sync import sync
from duetime.local.runtime import local_runtime
from duetime.local.server import LocalServer
from duetime.sdk.registry import load_jobs
from duetime.settings import Settings
from tests.unit.cli.conftest import CommandLine
from tests.unit.cli.test_offline import COMMANDS
from tests.unit.house import ROOT

TEXT = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
EXAMPLES = [line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]


@pytest.fixture(scope="module")
def samples() -> Iterator[CommandLine]:
    """The command line beside a local server with the sample jobs."""
    registry = load_jobs()
    runtime = local_runtime(registry, Settings())
    sync(runtime.engine, "default", registry)
    server = LocalServer(lambda event: handle(runtime.engine, event, local=True), runtime.engine.clock, 0)
    runtime.start()
    server.start()
    yield CommandLine(server.url)
    server.close()
    runtime.stop(0)


def test_every_example_runs(samples: CommandLine) -> None:
    assert len(EXAMPLES) > 10
    for line in EXAMPLES:
        command, *arguments = shlex.split(line)
        assert command == "duetime"
        answer = samples(*arguments)
        assert (answer.exit_code, answer.stderr) == (0, ""), line
        assert answer.stdout, line


def test_the_exit_codes_are_all_there() -> None:
    found = [int(code) for code in re.findall(r"^\| (\d) \|", TEXT, re.MULTILINE)]
    assert found == sorted(map(int, Exit))


def test_the_commands_are_all_there() -> None:
    rows = re.findall(r"^\| `duetime ([^`]+)` \|", TEXT, re.MULTILINE)
    found = set()
    for row in rows:
        words = row.replace("\\|", "|").split()
        found |= {words[0]} if "|" not in row else {f"{words[0]} {one}" for one in words[1].split("|")}
    assert found == set(COMMANDS)


def test_a_deleted_code_job_is_said_to_come_back(samples: CommandLine) -> None:
    answer = samples.ok("job", "delete", "heartbeat")
    assert answer.stdout == "job heartbeat: deleted\n"
    assert "comes back at the next sync" in answer.stderr
