"""Ticks over N due among M stored triggers, with the naive tick beside each; and ticks that have nothing to do."""

from __future__ import annotations

from typing import Final

from benchmarks.measure import SAMPLE, Measured, measure, measure_naive, plain_call
from benchmarks.report import Aim, Report, number, told

SIZES: Final = ((100, 1_000), (1_000, 1_000), (100, 20_000), (1_000, 20_000), (10_000, 20_000))
STORED: Final = (1_000, 20_000)
REPEATS: Final = 3
LEAST_PER_SECOND: Final = 700
MOST_IDLE_CALLS: Final = 25


def run(report: Report) -> None:
    """Print each size, and the aim for the largest."""
    report.say(f"Ticks over N due among M stored, 5 ms added to each call, best of {REPEATS}")
    report.say(
        f"(the naive tick claims at most {SAMPLE} of what is due, one by one; its figures are multiplied)"
    )
    before = plain_call()
    best = {size: _compare(report, *size) for size in SIZES}
    report.say(
        f"  yardstick: one PutItem of a plain boto3 client computes {before:.2f} ms here before, {plain_call():.2f} ms after"
    )
    due, stored = SIZES[-1]
    aimed = f"dispatches a second in one process, N {due:,} of {stored:,}"
    report.aim(Aim(aimed, best[due, stored].per_second, LEAST_PER_SECOND, at_least=True))


def _compare(report: Report, due: int, stored: int) -> Measured:
    every = [measure(due, stored) for _ in range(REPEATS)]
    best, naive = max(every, key=lambda one: one.per_second), measure_naive(due, stored)
    report.say(f"  N {due:,} due among M {stored:,} stored")
    _print(report, "tick ", best, f" (all: {', '.join(number(one.per_second) for one in every)})")
    _print(report, "naive", naive)
    report.say(
        f"    ratio  {best.per_second / naive.per_second:.1f} times as fast, "
        f"{naive.calls.total() / best.calls.total():.1f} times fewer calls, "
        f"{naive.reads / best.reads:.1f} times fewer read units"
    )
    return best


def _print(report: Report, name: str, found: Measured, every: str = "") -> None:
    due = found.due
    report.say(f"    {name}  {number(found.per_second)} dispatches/s{every}; {told(found.calls)}")
    report.say(
        f"           {number(found.writes / due)} write units a run, {number(found.reads)} read units; "
        f"processor {1000 * found.processor / due:.2f} ms a dispatch, "
        f"{1000 * found.busy / due:.2f} of it the stand-in for AWS"
    )


def run_idle(report: Report) -> None:
    """Print what a tick costs that has nothing to do."""
    report.say("Ticks with nothing due")
    for stored in STORED:
        real = measure(0, stored)
        report.say(f"  M {stored:,} stored")
        for name, found in (("tick ", real), ("naive", measure_naive(0, stored))):
            report.say(
                f"    {name}  {told(found.calls)}, {number(found.reads)} read units, {1000 * found.wall:,.0f} ms"
            )
        report.aim(Aim(f"calls with nothing due among {stored:,}", real.calls.total(), MOST_IDLE_CALLS))
