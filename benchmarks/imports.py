"""What it costs to import Duetime's schedules: CPU of fresh processes, beyond the modules of the standard library they need.

Bytecode is there, as where a package is installed: the first process writes it into a folder of its own and is not counted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Final

from benchmarks.report import Aim, Report, number

RUNS: Final = 15
MOST_MS: Final = 15
IMPORTS: Final = (
    "from duetime import Cron, describe, parse_duration, parse_schedule, upcoming\n"
    "from duetime.core.preview import preview"
)
_NEEDED: Final = f"""
import sys
before = set(sys.modules)
{IMPORTS}
new = sorted(set(sys.modules) - before)
print(*[name for name in new if name.partition(".")[0] in sys.stdlib_module_names and not name.startswith("__")])
"""
_MEASURED: Final = f"""
import time
{{standard}}
begun = time.process_time()
{IMPORTS}
print(time.process_time() - begun)
"""


def import_ms(runs: int = RUNS) -> list[float]:
    """Return the milliseconds of CPU that the import took in each of some fresh processes, in order."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        standard = _python(_NEEDED, environment).split()
        code = _MEASURED.format(standard="\n".join(f"import {name}" for name in standard))
        _python(code, environment)
        return sorted(1000 * float(_python(code, environment)) for _ in range(runs))


def _python(code: str, environment: Mapping[str, str]) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout  # noqa: S603 - our own


def run(report: Report, runs: int = RUNS) -> None:
    """Print the figure and its aim."""
    found = import_ms(runs)
    median = found[len(found) // 2]
    report.say(
        f"Import of the schedules (Cron, upcoming, parse_schedule, describe, preview) in {runs} fresh processes"
    )
    report.say(f"  CPU beyond its standard library: median {number(median)} ms, best {number(found[0])} ms")
    report.aim(Aim("ms of CPU to import the schedules", median, MOST_MS))
