"""A whole local server for a module's tests, and the command line that calls it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from duetime.api.app import handle
from duetime.cli.main import app
from duetime.local.runtime import Runtime, local_runtime
from duetime.local.server import LocalServer
from duetime.sdk import App, Fail, RunContext
from duetime.sdk.registry import Registry
from duetime.settings import Settings

JOBS = App("test")


@JOBS.handler("echo")
def echo(run: RunContext) -> dict[str, Any]:
    """Return what the run was given; `fail` in it makes the run fail."""
    if "fail" in run.data:
        raise Fail("ON_PURPOSE", "\x1b[31mred\x1b[0m\nsecond line")
    run.wait(run.data.get("seconds", 0))
    return dict(run.data)


class Answer:
    """What one command wrote and how it ended."""

    def __init__(self, exit_code: int, stdout: str, stderr: str) -> None:
        self.exit_code, self.stdout, self.stderr = exit_code, stdout, stderr

    @property
    def json(self) -> Any:
        """What it wrote to stdout, as JSON."""
        return json.loads(self.stdout)


class CommandLine:
    """Runs commands against one control plane."""

    def __init__(self, url: str, runtime: Runtime | None = None) -> None:
        self.url, self.runtime = url, runtime

    def __call__(self, *arguments: str, stdin: str | None = None, **environment: str) -> Answer:
        result = CliRunner().invoke(app, arguments, input=stdin, env={"DUETIME_URL": self.url, **environment})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    def ok(self, *arguments: str, **more: Any) -> Answer:
        """Run a command that must succeed."""
        answer = self(*arguments, **more)
        assert answer.exit_code == 0, answer.stderr
        return answer


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the person who runs the tests has set is no part of them."""
    for name in ("DUETIME_URL", "DUETIME_PROJECT", "DUETIME_TOKEN", "DUETIME_IAM"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def cli() -> Iterator[CommandLine]:
    """The command line beside a running local server that has the handler `echo`."""
    runtime = local_runtime(Registry.of(JOBS), Settings())
    server = LocalServer(lambda event: handle(runtime.engine, event, local=True), runtime.engine.clock, 0)
    runtime.start()
    server.start()
    yield CommandLine(server.url, runtime)
    server.close()
    runtime.stop(0)
