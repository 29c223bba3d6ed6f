"""Bootstrap, deploy and destroy with the unmodified CDK command, and what the deployed stack answers with.

Every command has a time limit and runs in a process group of its own: one that hangs is ended whole, its output shown.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.emulator import ACCOUNT, REGION, ROOT, Emulator

CDK = ROOT / "infra" / "node_modules" / ".bin" / "cdk"


class CommandFailed(RuntimeError):
    """A command ended with an error or ran out of time; the text holds the end of its output."""


@dataclass(slots=True)
class Deployment:
    """One stage on one emulator. `outputs` are the stack's; `seconds` how long each step took."""

    emulator: Emulator
    stage_file: Path
    stack: str
    outputs: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def prepare(cls, emulator: Emulator, *, name: str = "e2e", **fields: Any) -> Deployment:
        """Write the stage: the emulator runs functions in this interpreter, so their packages are built for it."""
        stage = {
            "name": name,
            "deletion_protection": False,
            "removal": "destroy",
            "wheels": "host",
            "python": f"3.{sys.version_info.minor}",
            "architecture": "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64",
            "log_days": 1,
            **fields,
        }
        stage_file = emulator.folder / f"{name}.json"
        stage_file.write_text(json.dumps(stage, indent=2))
        return cls(emulator, stage_file, f"duetime-{name}")

    @property
    def assembly(self) -> Path:
        """Where the synthesized templates and assets are."""
        return self.emulator.folder / "cdk.out"

    def bootstrap(self, *, timeout: float = 120) -> None:
        """Make what CDK itself needs in the account."""
        self._cdk("bootstrap", f"aws://{ACCOUNT}/{REGION}", timeout=timeout)

    def synth(self, *, timeout: float = 180) -> None:
        """Synthesize with the project's own app, from this interpreter's packages."""
        app = f"cd {ROOT} && {sys.executable} -m infra.app"
        context = ("--context", f"stage={self.stage_file}")
        self._cdk("synth", "--quiet", "--app", app, "--output", str(self.assembly), *context, timeout=timeout)

    def deploy(self, *, timeout: float = 180) -> dict[str, str]:
        """Deploy what was synthesized; returns the stack's outputs."""
        outputs = self.emulator.folder / "outputs.json"
        options = ("--require-approval", "never", "--outputs-file", str(outputs))
        self._cdk("deploy", self.stack, "--app", str(self.assembly), *options, timeout=timeout)
        self.outputs = json.loads(outputs.read_text())[self.stack]
        return self.outputs

    def destroy(self, *, timeout: float = 120) -> None:
        """Take the stack away."""
        self._cdk("destroy", self.stack, "--force", "--app", str(self.assembly), timeout=timeout)

    def resources(self, kind: str) -> dict[str, str]:
        """Physical ids of the stack's resources of one CloudFormation type, by logical id."""
        pages = self.emulator.client("cloudformation").get_paginator("list_stack_resources")
        found = [
            row for page in pages.paginate(StackName=self.stack) for row in page["StackResourceSummaries"]
        ]
        return {
            row["LogicalResourceId"]: row["PhysicalResourceId"]
            for row in found
            if row["ResourceType"] == kind
        }

    def _cdk(self, verb: str, *words: str, timeout: float) -> None:
        environment = {
            **self.emulator.environment(),
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION": "1",
            "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20",
        }
        began = time.monotonic()
        command = [str(CDK), verb, *words, "--no-notices", "--ci"]
        # Only synth reads the app's cdk.json; elsewhere CDK would run the app a second time.
        where = ROOT / "infra" if verb == "synth" else self.emulator.folder
        run(command, environment, where, timeout=timeout)
        self.seconds[verb] = time.monotonic() - began


def run(command: list[str], environment: Mapping[str, str], folder: Path, *, timeout: float) -> str:
    """Run a command in `folder` and return its output; raises `CommandFailed`, and never leaves a process behind."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                raise CommandFailed(
                    f"{_words(command)} took over {timeout:.0f} s:\n{output[-4000:]}"
                ) from None
            raise
    if process.returncode:
        raise CommandFailed(f"{_words(command)} exited {process.returncode}:\n{output[-6000:]}")
    return output


def _words(command: list[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])
