"""A deployment to measure: the real engine on clients of boto3, triggers stored, some of them due before the horizon.

Half of the triggers are crons of their own, half are intervals; each due one has exactly one occurrence before the
horizon. Rows are written by the store's own functions, straight into the tables, so that filling them costs no calls.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.aws.transport import Aws
from duetime.bus.sqs import SqsRunQueue
from duetime.clock import ManualClock, SystemClock
from duetime.core.definition import parse_job
from duetime.core.plan import plan
from duetime.core.schedule import freeze, parse_schedule
from duetime.core.stored import Armed, StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.engine.context import Engine
from duetime.ports import Clock, Store
from duetime.settings import Settings
from duetime.store.dynamodb import DynamoDbStore
from duetime.store.dynamodb.jobrow import job_rows
from duetime.store.dynamodb.triggerrow import trigger_item
from duetime.sdk.app import App
from duetime.sdk.context import RunContext
from duetime.sdk.registry import Registry
from duetime.targets.table import target_table
from tests.contract.tables import create_tables

PROJECT = "default"
QUEUE = "https://sqs.eu-central-1.amazonaws.com/123456789012/duetime-"
PAUSE = 0.005
"""What is added to each call of AWS, in seconds."""
FIRST_DUE, LAST_DUE = 30, 110
"""Due triggers fall due this many seconds from now: none is late when a slow tick comes to it, all are before the horizon."""
HOUR = 3600
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


def make_scene(*, pause: float = PAUSE, clock: Clock | None = None, threads: int | None = None) -> Scene:
    """Return a scene with empty tables."""
    aws = Aws()
    dynamodb, sqs = aws.client("dynamodb"), aws.client("sqs")
    tables = create_tables(dynamodb, "duetime-")
    clock = clock or SystemClock()
    settings = Settings(
        definitions_table=tables.definitions,
        runs_table=tables.runs,
        coordination_table=tables.coordination,
        **({} if threads is None else {"claim_threads": threads}),
    )
    store: Store = DynamoDbStore(dynamodb, tables, clock, shards=settings.shards)
    queue = SqsRunQueue(sqs, QUEUE + "standard", QUEUE + "express", settings.send_lead)
    targets = target_table(Registry.of(_APP), clock)
    engine = Engine(store, queue, targets, clock, settings, "lambda-0123456789abcdef")
    aws.calls.clear()
    aws.pause = pause
    return Scene(aws, engine, sqs, dynamodb, clock.now_ms() // 1000)


def fill(scene: Scene, due: int, stored: int, **policies: Any) -> list[TriggerRow]:
    """Store so many jobs with one trigger each, `due` of them due before the horizon; answers the trigger rows.

    `policies` are of the jobs' documents, such as `overlap`. Afterwards the rows are outside the collector's view: a real
    tick's process does not hold the table.
    """
    document = {"name": "work", "target": {"kind": "python", "name": "work"}, **policies}
    job = parse_job(document)
    table = scene.aws.dynamodb.tables[scene.definitions]
    rows = []
    for number in range(stored):
        ahead = FIRST_DUE + number % (LAST_DUE - FIRST_DUE) if number < due else 600 + number % 2400
        row = _trigger(f"reports.nightly-{number:05}", scene.now_s + ahead, cron=number % 2 == 0)
        armed = {row.name: Armed(row.generation, row.anchor, row.ordinal)}
        now_ms = scene.now_s * 1000
        kept = StoredJob(PROJECT, replace(job, name=row.job), row.uid, 1, armed, now_ms, now_ms)
        table.put(job_rows(kept)[0])
        table.put(trigger_item(row, shards=scene.engine.settings.shards))
        rows.append(row)
    gc.collect()
    gc.freeze()
    return rows


def _trigger(job: str, due_at: int, *, cron: bool) -> TriggerRow:
    """Return a trigger that is due at an instant and then not for an hour, or, for an interval, for ten minutes."""
    minute, second = divmod(due_at % HOUR, 60)
    text = f"cron {second} {minute} * * * * tz=Europe/Berlin" if cron else "every 10m"
    schedule = freeze(parse_schedule(text), now=due_at - 600)
    anchor = due_at - 600
    assert plan(schedule, anchor=anchor).next(due_at - 1) == due_at
    return TriggerRow(PROJECT, job, "default", _UID, _GENERATION, schedule, anchor, due_at=due_at)
