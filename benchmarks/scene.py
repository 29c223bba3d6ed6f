"""A deployment to measure: the real engine on clients of boto3, triggers stored, some of them due before the horizon.

Half of the triggers are crons of their own, half are intervals; each due one has exactly one occurrence before the
horizon. Rows are written by the store's own functions, straight into the tables, so that filling them costs no calls.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any

from benchmarks.aws.expressions import Item
from benchmarks.aws.transport import Aws
from duetime.bus.sqs import SqsRunQueue
from duetime.clock import SystemClock
from duetime.core.definition import Job, parse_job
from duetime.core.schedule import freeze, parse_schedule
from duetime.core.stored import Armed, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.engine.context import Engine
from duetime.ports import Clock, Store
from duetime.sdk.app import App
from duetime.sdk.context import RunContext
from duetime.sdk.registry import Registry
from duetime.settings import Settings
from duetime.store.dynamodb import DynamoDbStore
from duetime.store.dynamodb.jobrow import job_rows
from duetime.store.dynamodb.triggerrow import trigger_item
from duetime.targets.table import target_table
from tests.contract.tables import create_tables

PROJECT = "default"
QUEUE = "https://sqs.eu-central-1.amazonaws.com/123456789012/duetime-"
PAUSE = 0.005
"""What is added to each call of AWS, in seconds."""
FIRST_DUE, LAST_DUE = 30, 110
"""Due triggers fall due this many seconds from now: none is late when a slow tick comes to it, all are before the horizon."""
HOUR = 3600
_INSTANCES = count(1)
_UID, _GENERATION = "0123456789abcdef", "fedcba9876543210"


_APP = App("benchmark")


@_APP.handler("work")
def _work(run: RunContext) -> dict[str, Any]:
    """What every job here calls; its result is a small one."""
    return {"rows": run.attempt}


@dataclass
class Scene:
    """The stand-in for AWS, the engine on it, and a second client of SQS for who sends by himself."""

    aws: Aws
    engine: Engine
    sqs: Any
    dynamodb: Any
    now_s: int

    @property
    def definitions(self) -> str:
        """The name of the definitions table."""
        return self.engine.settings.definitions_table


def make_scene(
    *, pause: float = PAUSE, clock: Clock | None = None, threads: int | None = None, plain: bool = False
) -> Scene:
    """Return a scene with empty tables; `plain`: its client of DynamoDB is boto3's alone."""
    aws = Aws()
    dynamodb, sqs = aws.client("dynamodb", plain=plain), aws.client("sqs")
    tables = create_tables(dynamodb, "duetime-")
    clock = clock or SystemClock()
    settings = Settings(
        standard_queue_url=QUEUE + "standard",
        express_queue_url=QUEUE + "express",
        definitions_table=tables.definitions,
        runs_table=tables.runs,
        coordination_table=tables.coordination,
    )
    if threads is not None:
        settings = settings.model_copy(update={"claim_threads": threads})
    store: Store = DynamoDbStore(dynamodb, tables, clock, shards=settings.shards)
    queue = SqsRunQueue(sqs, settings.standard_queue_url, settings.express_queue_url, settings.send_lead)
    targets = target_table(Registry.of(_APP), clock)
    engine = Engine(store, queue, targets, clock, settings, f"lambda-{next(_INSTANCES):016}")
    aws.forget()
    aws.pause = pause
    return Scene(aws, engine, sqs, dynamodb, clock.now_ms() // 1000)


def fill(scene: Scene, due: int, stored: int, **policies: Any) -> None:
    """Store so many jobs with one trigger each, `due` of them due before the horizon.

    `policies` are of the due jobs' documents, such as `overlap`. Afterwards the rows are outside the collector's view: a
    real tick's process does not hold the table.
    """
    table = scene.aws.dynamodb.tables[scene.definitions]
    job = _job(**policies)
    for number in range(stored):
        if number < due:
            due_at = scene.now_s + FIRST_DUE + number % (LAST_DUE - FIRST_DUE)
            items = _items(number, due_at, job)
        else:
            items = _later(number, scene.now_s // HOUR)
        for item in items:
            table.put(item)
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@cache
def _later(number: int, hour: int) -> tuple[Item, Item]:
    """Return the rows of a trigger that is due half an hour to two and a half from now; the same in every scene."""
    return _items(number, (hour + 1) * HOUR + HOUR // 2 + number * 7 % HOUR, _job())


@cache
def _job(**policies: Any) -> Job:
    target = {"kind": "python", "name": "work"}
    return parse_job({"name": "work", "target": target, "triggers": [{"schedule": "every 10m"}], **policies})


def _items(number: int, due_at: int, job: Job) -> tuple[Item, Item]:
    """Return a job's row and its trigger's, due at an instant and then not for an hour, or, for an interval, ten minutes."""
    minute, second = divmod(due_at % HOUR, 60)
    text = "every 10m" if number % 2 else f"cron {second} {minute} * * * * tz=Europe/Berlin"
    schedule, anchor = freeze(parse_schedule(text), now=due_at - 600), due_at - 600
    name = f"reports.nightly-{number:05}"
    row = TriggerRow(PROJECT, name, "default", _UID, _GENERATION, schedule, anchor, due_at=due_at)
    whole = replace(job, name=name, triggers=(replace(job.triggers[0], schedule=schedule),))
    armed = {row.name: Armed(row.generation, row.anchor, row.ordinal)}
    stored = StoredJob(PROJECT, whole, row.uid, 1, armed, anchor * 1000, anchor * 1000)
    return job_rows(stored)[0], trigger_item(row, shards=Settings().shards)
