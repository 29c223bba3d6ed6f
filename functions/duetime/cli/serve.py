"""`duetime local`: all of Duetime on this machine, in one process, for as long as it runs.

Ctrl-C or SIGTERM stops it in order: no new run begins, what runs may finish, what still runs is told to stop. A second
Ctrl-C ends it at once.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from duetime.cli.address import DEFAULT_PORT
from duetime.cli.options import offline, whole
from duetime.cli.output import Output

if TYPE_CHECKING:
    from duetime.engine.context import Engine

PROJECT: Final = "default"
AT_ONCE: Final = 130
"""The exit code after a second Ctrl-C."""


@offline
def local(
    out: Output,
    port: Annotated[
        int,
        typer.Option(
            "--port", parser=whole(0, 65_535), metavar="N", help="Port on 127.0.0.1; 0 takes any free one."
        ),
    ] = DEFAULT_PORT,
    jobs: Annotated[str, typer.Option("--jobs", help="Python package whose jobs run.")] = "jobs",
) -> None:
    """Run all of Duetime on this machine: scheduler, HTTP API and the jobs of the jobs package.

    Everything is kept in memory and is gone when it stops. Only programs on this machine can reach it.
    """
    from duetime.cli.screen import Screen
    from duetime.engine.sync import sync
    from duetime.local.runtime import local_runtime
    from duetime.local.server import LocalServer
    from duetime.sdk.registry import load_jobs
    from duetime.settings import Settings

    settings, registry = Settings.from_environment(), load_jobs(jobs)
    _log_to_stderr(settings.log_level)
    runtime = local_runtime(registry, settings)
    server = LocalServer(_api(runtime.engine), runtime.engine.clock, port)
    wait_for_signal = _signals()
    screen = Screen(out, runtime.engine)
    runtime.on_change(screen.changed)
    sync(runtime.engine, PROJECT, registry)
    runtime.start()
    server.start()
    screen.started(server.url, PROJECT)
    threading.Thread(target=_load_api, name="warm-up", daemon=True).start()
    wait_for_signal()
    screen.stopping(runtime.running(), settings.stop_grace)
    server.close()
    report = runtime.stop()
    screen.stopped(report)
    if report.left:
        # Their threads may hold locks that an orderly end of the interpreter waits for.
        sys.stdout.flush()
        os._exit(0)


def _api(engine: Engine) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return what answers requests; the API is loaded while the scheduler works already."""

    def answer(event: Mapping[str, Any]) -> Mapping[str, Any]:
        from duetime.api.app import handle

        return handle(engine, event, local=True)

    return answer


def _load_api() -> None:
    import duetime.api.app  # noqa: F401  # the first request then finds it loaded


def _signals() -> Callable[[], None]:
    """Take over Ctrl-C and SIGTERM; answers a function that waits for the first of them. A second one ends the process."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    # Whichever thread the system gives a signal to, its number is in the pipe at once: the handlers below wait for the
    # main thread, and that one sleeps in a read which only its own signals would interrupt.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    told_before: list[int] = []

    def told(number: int, frame: FrameType | None) -> None:
        # Only what is safe between any two instructions of the main thread: no lock, no buffered stream.
        if told_before:
            os._exit(AT_ONCE)
        told_before.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, told)

    def wait() -> None:
        os.read(reader, 1)

    return wait


def _log_to_stderr(level: str) -> None:
    """Show what jobs log from the chosen level on, and warnings of all else (with DEBUG: everything)."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    logging.basicConfig(handlers=[handler], level=level if level == "DEBUG" else "WARNING")
    logging.getLogger("duetime.job").setLevel(level)
