"""`duetime local` as a process of its own: what it prints, when its jobs start, how it stops."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import CommandLine

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
Start = Callable[..., subprocess.Popen[str]]

MODULE = """
import os
import time
from pathlib import Path
from duetime import App, RunContext

app = App("mine")
folder = Path(os.environ["MARKS"])


@app.job("obedient", "once in 1s", timeout="60s")
def obedient(run: RunContext) -> str:
    (folder / "obedient").touch()
    while not run.wait(1):
        pass
    raise InterruptedError("told to stop")


@app.job("deaf", "once in 1s", timeout="60s")
def deaf() -> None:
    (folder / "deaf").touch()
    time.sleep(60)


@app.job("short", "once in 1s", timeout="60s")
def short() -> str:
    (folder / "short").touch()
    while not (folder / "finish").exists():
        time.sleep(0.02)
    return "finished"
"""
"""Jobs that leave a mark when they have begun."""


def wait_for_marks(folder: Path) -> None:
    until = time.monotonic() + 20
    while not all((folder / name).exists() for name in ("obedient", "deaf", "short")):
        assert time.monotonic() < until, sorted(folder.iterdir())
        time.sleep(0.02)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start `duetime local` on a free port; whatever still runs after the test is killed."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, module: str | None = None, **environment: str) -> subprocess.Popen[str]:
        if module is not None:
            (tmp_path / "mine.py").write_text(module)
            arguments = (*arguments, "--jobs", "mine")
            environment |= {"PYTHONPATH": str(tmp_path), "MARKS": str(tmp_path)}
        command = [
            sys.executable,
            "-c",
            "from duetime.cli.main import main; main()",
            "local",
            "--port",
            "0",
            *arguments,
        ]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def line_of(process: subprocess.Popen[str], wanted: str) -> str:
    """Return the first line of stdout that holds `wanted`."""
    assert process.stdout is not None
    for line in process.stdout:
        if wanted in line:
            return line
    raise AssertionError(f"{wanted!r} never came: {process.stderr.read() if process.stderr else ''}")


def events_of(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert process.stdout is not None
    return (json.loads(line) for line in process.stdout)


def test_it_starts_runs_the_samples_on_time_and_ends_by_ctrl_c(start: Start) -> None:
    began = time.monotonic()
    process = start("--json")
    events = events_of(process)
    started = next(events)
    print(f"duetime local is up after {time.monotonic() - began:.2f} s")  # noqa: T201  # a figure to read
    assert (started["event"], {one["job"] for one in started["next"]}) == (
        "started",
        {"heartbeat", "minute-report"},
    )
    beat = next(one for one in started["next"] if one["job"] == "heartbeat")
    cli = CommandLine(started["url"])
    assert "heartbeat" in cli.ok("job", "list").stdout
    run = next(one for one in events if one["job"] == "heartbeat")
    print(f"heartbeat started {run['late_ms']} ms after its instant")  # noqa: T201  # a figure to read
    assert (run["scheduled_at"], run["status"]) == (beat["at"], "succeeded")
    assert 0 <= run["late_ms"] < 1_000
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=10)
    assert process.returncode == 0, errors
    # A run that was at work may end in between.
    told = [json.loads(line)["event"] for line in rest.splitlines()]
    assert [event for event in told if event != "run"] == ["stopping", "stopped"]
    assert "Traceback" not in errors


def test_a_person_sees_the_address_and_what_runs_next(start: Start) -> None:
    process = start()
    assert ADDRESS.search(line_of(process, "API: "))
    header = line_of(process, "next, UTC")
    assert header.split()[:2] == ["job", "trigger"]
    assert re.search(r"heartbeat +default +\S+ \S+ +\S+Z +Every 10 seconds", line_of(process, "heartbeat"))
    line_of(process, "Ctrl-C stops")
    process.send_signal(signal.SIGTERM)
    rest, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (0, "")
    assert rest.splitlines()[-1].startswith("Stopped")


def test_a_stop_waits_for_who_finishes_tells_who_runs_on_and_leaves_who_is_deaf(
    start: Start, tmp_path: Path
) -> None:
    process = start("--json", module=MODULE, DUETIME_STOP_GRACE="3")
    events = events_of(process)
    cli = CommandLine(next(events)["url"])
    wait_for_marks(tmp_path)
    running = cli.ok("runs", "list", "--state", "running", "--json").json["items"]
    ids = {one["job"]: one["id"] for one in running}
    assert set(ids) == {"obedient", "deaf", "short"}
    process.send_signal(signal.SIGINT)
    assert set(next(events)["running"]) == set(ids.values())
    (tmp_path / "finish").touch()
    *ended, stopped = events
    assert process.wait(10) == 0
    assert [(one["job"], one["status"], one["result"], one["reason"]) for one in ended] == [
        ("short", "succeeded", "finished", None), ("obedient", "canceled", None, "stopping"),
    ]  # fmt: skip
    assert (set(stopped["told"]), stopped["left"]) == ({ids["obedient"], ids["deaf"]}, [ids["deaf"]])


def test_a_second_ctrl_c_ends_at_once(start: Start, tmp_path: Path) -> None:
    process = start(module=MODULE)
    line_of(process, "Ctrl-C stops")
    wait_for_marks(tmp_path)  # two of these jobs run for a minute
    process.send_signal(signal.SIGINT)
    line_of(process, "Ctrl-C again")
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(5) == 130
    assert time.monotonic() - began < 2


def test_a_port_in_use_is_one_clear_error(start: Start) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = start("--port", str(taken.getsockname()[1]))
        out, errors = process.communicate(timeout=20)
    assert (process.returncode, out) == (1, "")
    assert "in use by another program" in errors
    assert "--port" in errors
    assert len(errors.splitlines()) == 3


@pytest.mark.parametrize(
    "options, environment, told",
    [
        ((), {"DUETIME_STOP_GRACE": "soon"}, "DUETIME_STOP_GRACE: 'soon'"),
        (("--jobs", "nowhere"), {}, "'nowhere' could not be imported"),
    ],
)
def test_what_cannot_start_is_one_clear_error(
    start: Start, options: tuple[str, ...], environment: dict[str, str], told: str
) -> None:
    process = start(*options, **environment)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, out) == (1, "")
    assert told in errors
    assert "Traceback" not in errors
