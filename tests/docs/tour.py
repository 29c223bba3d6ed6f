"""A copy of what a reader has at hand: a folder with the jobs, a local server on a free port, and a shell in it.

The pages speak of port 8787; whatever they run goes to the server's own port, and what comes back is told as if it were
8787.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.docs.snippets import ROOT, Snippet

SHOWN_URL: Final = "http://127.0.0.1:8787"
BIN: Final = Path(sys.executable).parent
STARTED: Final = re.compile(r"API: (http://127\.0\.0\.1:\d+)")


class Printed:
    """What a process has printed so far, stdout and stderr as a terminal shows them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._lines: list[str] = []
        self._stream = process.stdout
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._stream is not None
        for line in self._stream:
            self._lines.append(line)

    def close(self) -> None:
        """Read to the end."""
        self._reader.join(10)

    @property
    def text(self) -> str:
        """All lines so far."""
        return "".join(self._lines)


class Tour:
    """The folder of a tour (`functions/jobs` and what snippets put there), and at most one server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = SHOWN_URL
        self._process: subprocess.Popen[str] | None = None
        self._printed: Printed | None = None
        self._ids: dict[str, str] = {}
        shutil.copytree(
            ROOT / "functions" / "jobs",
            folder / "functions" / "jobs",
            ignore=shutil.ignore_patterns("__pycache__"),
        )

    def save(self, snippet: Snippet) -> Path:
        """Save a snippet of mode `file NAME` under its name."""
        path = self.folder / snippet.mode.split()[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(snippet.text, encoding="utf-8")
        return path

    def start(self, command: Sequence[str]) -> None:
        """Start a server in the folder and wait until it says where it listens."""
        self._process = subprocess.Popen(
            command, cwd=self.folder, env=self.environment(), text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._printed = Printed(self._process)
        until = time.monotonic() + 30
        while (found := STARTED.search(self._printed.text)) is None:
            assert self._process.poll() is None, self._printed.text
            assert time.monotonic() < until, "the server never said where it listens"
            time.sleep(0.02)
        self.url = found[1]

    def stop(self) -> str:
        """End the server as Ctrl-C does and return all it printed; it must end well."""
        assert self._process is not None
        assert self._printed is not None
        self._process.send_signal(signal.SIGINT)
        assert self._process.wait(15) == 0, self._printed.text
        printed = self.printed
        self._printed.close()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None
        return printed

    def kill(self) -> None:
        """End the server at once, if it still runs."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    @property
    def printed(self) -> str:
        """What the server has printed so far, told with the port of the pages."""
        assert self._printed is not None
        return self._shown(self._printed.text)

    def shell(self, text: str, **environment: str) -> tuple[str, int]:
        """Run a snippet in bash; returns what it printed, told as the pages do, and its exit code."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self._real(text)], cwd=self.folder, text=True, timeout=60,
            env={**self.environment(), "DUETIME_URL": self.url, **environment}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        return self._shown(done.stdout), done.returncode

    def learn(self, ids: Mapping[str, str]) -> None:
        """Remember which real run a shown id stands for, so that a later snippet can name it."""
        self._ids.update(ids)

    def environment(self) -> dict[str, str]:
        """Return what a reader's shell has: the tools, the folder's jobs first, no settings of whoever runs the tests."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DUETIME_", "AWS_", "COLUMNS"))
        }
        return {
            **kept, "PATH": f"{BIN}:{os.environ['PATH']}", "PYTHONPATH": str(self.folder / "functions"),
            "PYTHONUNBUFFERED": "1", "TZ": "UTC",
        }  # fmt: skip

    def _real(self, text: str) -> str:
        for shown, real in self._ids.items():
            text = text.replace(shown, real)
        return text.replace(SHOWN_URL, self.url)

    def _shown(self, text: str) -> str:
        return text.replace(self.url, SHOWN_URL)
