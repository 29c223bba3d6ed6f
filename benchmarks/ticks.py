"""Ticks over N due among M stored triggers: calls, read units, dispatches a second, with the naive tick beside each."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Final

from benchmarks.naive import dispatch, due_triggers
from benchmarks.report import Aim, Report, number, told
from benchmarks.scene import Scene, fill, make_scene
from duetime.engine.tick import tick

SIZES: Final = ((100, 1_000), (1_000, 1_000), (100, 20_000), (1_000, 20_000), (10_000, 20_000))
STORED: Final = (1_000, 20_000)
REPEATS: Final = 3
WARM_UP: Final = 50
SAMPLE: Final = 300
"""How many the naive tick really claims of what is due: it takes one after the other, so the rest is a product."""
LEAST_PER_SECOND: Final = 700
MOST_IDLE_CALLS: Final = 25


@dataclass(frozen=True)
class Measured:
    """One tick: what it called and read, how long it took and how long it computed (seconds); `aws` is the stand-in's part."""

    runs: int
    calls: Counter[str]
    reads: float
    wall: float
    processor: float
    aws: float

    @property
    def per_second(self) -> float:
        """Dispatches a second."""
        return self.runs / self.wall


def measure(due: int, stored: int) -> Measured:
    """Measure one tick in a scene of its own."""
    scene = _scene(due, stored)
    wall, processor = time.perf_counter(), time.process_time()
    claimed = tick(scene.engine).claimed
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    assert (claimed.runs, claimed.triggers) == (due, due), claimed
    assert len(scene.aws.sqs.sent) == due
    return _measured(scene, due, wall, processor)


def measure_naive(due: int, stored: int) -> tuple[Measured, int]:
    """Measure a naive tick, and answer how many of what is due it really claimed; the figures are for all."""
    scene = _scene(due, stored)
    sample = min(due, SAMPLE)
    begun, processor = time.perf_counter(), time.process_time()
    rows = due_triggers(scene)
    found, found_processor = time.perf_counter() - begun, time.process_time() - processor
    reads = Counter(scene.aws.calls)
    for row in rows[:sample]:
        dispatch(scene, row)
    claiming = time.perf_counter() - begun - found
    claiming_processor = time.process_time() - processor - found_processor
    assert len(rows) == due
    times = due / sample
    calls = Counter({name: round((count - reads[name]) * times) for name, count in scene.aws.calls.items()})
    whole = _measured(scene, due, found + claiming * times, found_processor + claiming_processor * times)
    return Measured(due, calls + reads, whole.reads, whole.wall, whole.processor, whole.aws), sample


def _scene(due: int, stored: int) -> Scene:
    """Return a filled scene whose clients have been used: a function's first calls are its cold start, not its pace."""
    warm = make_scene()
    fill(warm, WARM_UP, WARM_UP)
    tick(warm.engine)
    scene = make_scene()
    fill(scene, due, stored)
    return scene


def _measured(scene: Scene, due: int, wall: float, processor: float) -> Measured:
    aws = scene.aws
    return Measured(due, Counter(aws.calls), aws.dynamodb.read_units, wall, processor, aws.busy)


def run(report: Report) -> None:
    """Print each size and the aim for the largest."""
    report.say(
        f"Ticks over N due among M stored, 5 ms added to each call, best of {REPEATS} (all are printed)"
    )
    best = {size: _compare(report, *size) for size in SIZES}
    largest = max(best)
    report.aim(
        Aim(
            f"dispatches a second in one process, N {largest[0]:,} of {largest[1]:,}",
            best[largest].per_second,
            LEAST_PER_SECOND,
            at_least=True,
        )
    )


def _compare(report: Report, due: int, stored: int) -> Measured:
    every = [measure(due, stored) for _ in range(REPEATS)]
    best = max(every, key=lambda one: one.per_second)
    naive, sample = measure_naive(due, stored)
    report.say(f"  N {due:,} due among M {stored:,} stored")
    report.say(f"    tick   {told(best.calls)}, {number(best.reads)} read units")
    report.say(
        f"           {best.per_second:,.0f} dispatches/s (all: {', '.join(f'{one.per_second:,.0f}' for one in every)}); "
        f"processor {1000 * best.processor / due:.2f} ms a dispatch, "
        f"{1000 * best.aws / due:.2f} of it the stand-in for AWS"
    )
    report.say(f"    naive  {told(naive.calls)}, {number(naive.reads)} read units")
    how = "" if sample == due else f" (measured on {sample:,} of them, and multiplied)"
    report.say(f"           {naive.per_second:,.0f} dispatches/s{how}")
    report.say(
        f"    ratio  {best.per_second / naive.per_second:.1f} times as fast, "
        f"{naive.calls.total() / best.calls.total():.1f} times fewer calls, "
        f"{naive.reads / best.reads:.1f} times fewer read units"
    )
    return best


def run_idle(report: Report) -> None:
    """Print what a tick costs that has nothing to do."""
    report.say("Ticks with nothing due")
    for stored in STORED:
        one, (naive, _) = measure(0, stored), measure_naive_idle(stored)
        report.say(f"  M {stored:,} stored")
        for name, said in (("tick ", one), ("naive", naive)):
            report.say(
                f"    {name}  {told(said.calls)}, {number(said.reads)} read units, {1000 * said.wall:,.0f} ms"
            )
        report.aim(Aim(f"calls with nothing due among {stored:,}", one.calls.total(), MOST_IDLE_CALLS))


def measure_naive_idle(stored: int) -> tuple[Measured, int]:
    """Measure a naive tick that finds nothing."""
    scene = _scene(0, stored)
    begun, processor = time.perf_counter(), time.process_time()
    assert not due_triggers(scene)
    return _measured(scene, 0, time.perf_counter() - begun, time.process_time() - processor), 0
