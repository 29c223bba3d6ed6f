"""One tick measured, the real or the naive one: its calls, its units, how long it took and how long it computed."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Final

from benchmarks.aws.transport import Aws
from benchmarks.naive import dispatch, due_triggers
from benchmarks.scene import Scene, fill, make_scene
from duetime.engine.tick import tick
from tests.contract.tables import create_tables

WARM_UP: Final = 50
SAMPLE: Final = 300
"""How many the naive tick really claims of what is due: it takes one after the other, so the rest is a product."""

BLOCK: Final = 100
_ATTRIBUTES: Final = {f"attribute{number}": {"S": "x" * 16} for number in range(12)}


@dataclass(frozen=True)
class Measured:
    """What one tick did and cost. Times in seconds; `busy` is the part of `processor` that the stand-in for AWS took."""

    due: int
    calls: Counter[str]
    reads: float
    writes: float
    wall: float
    processor: float
    busy: float

    @property
    def per_second(self) -> float:
        """Dispatches a second."""
        return self.due / self.wall


class _Watch:
    """Measures a scene from its making on, and again from each `lap`."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.calls: Counter[str] = Counter()
        self._now()

    def _now(self) -> None:
        aws = self._scene.aws
        self._wall, self._processor, self._busy = time.perf_counter(), time.process_time(), aws.busy
        self._calls = aws.calls
        self._reads, self._writes = aws.dynamodb.read_units, aws.dynamodb.write_units

    def lap(self, due: int, times: float = 1) -> Measured:
        """Return what happened since the last lap, so many times, and begin the next."""
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        aws = self._scene.aws
        calls = {name: round((count - self._calls[name]) * times) for name, count in aws.calls.items()}
        found = Measured(
            due,
            +Counter(calls),
            (aws.dynamodb.read_units - self._reads) * times,
            (aws.dynamodb.write_units - self._writes) * times,
            wall * times,
            processor * times,
            (aws.busy - self._busy) * times,
        )
        self._now()
        return found


def measure(due: int, stored: int) -> Measured:
    """Measure one tick in a scene of its own."""
    scene = _scene(due, stored)
    watch = _Watch(scene)
    claimed = tick(scene.engine).claimed
    found = watch.lap(due)
    assert (claimed.runs, claimed.triggers, len(scene.aws.sqs.sent)) == (due, due, due), claimed
    return found


def measure_naive(due: int, stored: int) -> Measured:
    """Measure a naive tick in a scene of its own: the whole search, and a sample of what it finds, multiplied."""
    scene = _scene(due, stored)
    watch = _Watch(scene)
    rows = due_triggers(scene)
    found = watch.lap(due)
    assert len(rows) == due
    if not due:
        return found
    sample = rows[:SAMPLE]
    for row in sample:
        dispatch(scene, row)
    claimed = watch.lap(due, due / len(sample))
    return Measured(
        due,
        found.calls + claimed.calls,
        found.reads + claimed.reads,
        found.writes + claimed.writes,
        found.wall + claimed.wall,
        found.processor + claimed.processor,
        found.busy + claimed.busy,
    )


def plain_call() -> float:
    """Return what one PutItem of an unconfigured boto3 client computes here and now, in ms: the best of ten blocks.

    It is the yardstick for figures of different machines and hours; the stand-in's own part is not in it.
    """
    aws = Aws()
    client = aws.client("dynamodb", plain=True)
    table = create_tables(client, "plain-").runs
    best = float("inf")
    for block in range(10):
        begun, busy = time.thread_time(), aws.busy
        for number in range(BLOCK):
            key = {"pk": {"S": f"default#{block}"}, "sk": {"S": f"{number:030}"}}
            client.put_item(
                TableName=table, Item={**key, **_ATTRIBUTES}, ConditionExpression="attribute_not_exists(pk)"
            )
        best = min(best, time.thread_time() - begun - (aws.busy - busy))
    return 1000 * best / BLOCK


def _scene(due: int, stored: int) -> Scene:
    """Return a filled scene in a process that has ticked before: a function's first calls are its cold start, not its pace."""
    warm = make_scene()
    fill(warm, WARM_UP, WARM_UP)
    tick(warm.engine)
    scene = make_scene()
    fill(scene, due, stored)
    return scene
