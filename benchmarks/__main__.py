"""`python -m benchmarks [schedules] [imports] [units] ...`: prints figures and aims; a missed aim is loud but no failure."""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from typing import Final

from benchmarks import imports, schedules, ticks, units
from benchmarks.report import Report, machine

BENCHMARKS: Final[dict[str, Callable[[Report], None]]] = {
    "schedules": schedules.run,
    "imports": imports.run,
    "units": units.run,
    "idle": ticks.run_idle,
    "ticks": ticks.run,
}


def main() -> None:
    """Run the benchmarks that are named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", choices=[[], *BENCHMARKS], help="which to run (default: all)")
    chosen = parser.parse_args().name or list(BENCHMARKS)
    logging.basicConfig(level=logging.WARNING)
    report = Report()
    begun = time.perf_counter()
    report.say(machine())
    for name in chosen:
        report.say()
        BENCHMARKS[name](report)
    report.close(time.perf_counter() - begun)


if __name__ == "__main__":
    main()
