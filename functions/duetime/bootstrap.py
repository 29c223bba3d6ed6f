"""The composition root: the only place that names concrete adapters and puts them together.

`aws()` is what the deployed functions run on, made once a process from the environment; `local()` is the same engine on
the embedded store. Nothing is made before it is asked for, because every millisecond here is a cold start's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from duetime.clock import SystemClock
from duetime.core.exchange import Change
from duetime.core.faults import SettingsError
from duetime.core.ids import new_uid
from duetime.engine.context import Engine
from duetime.ports import Clock, EventBus, RunQueue
from duetime.sdk.registry import Registry, load_jobs
from duetime.settings import PREFIX, Settings
from duetime.targets.table import target_table

if TYPE_CHECKING:
    from botocore.config import Config

    from duetime.bus.memory import MemoryBus
    from duetime.store.memory import MemoryStore

_DEPLOYED = (
    "definitions_table", "runs_table", "coordination_table", "standard_queue_url", "express_queue_url",
)  # fmt: skip


def client_config() -> Config:
    """Return how AWS is called: bounded waits, standard retries, connections for a claim's threads.

    Requests are made by our own hand-checked code and counted by tests, so the client does not validate them again.
    """
    from botocore.config import Config

    return Config(
        connect_timeout=3,
        read_timeout=10,
        retries={"mode": "standard", "total_max_attempts": 4},
        max_pool_connections=64,
        parameter_validation=False,
        # Who calls, as the account's trail shows it; a fixed text also spares making one anew for each request.
        user_agent="duetime",
    )


@cache
def settings() -> Settings:
    """Return this process's settings; sets the level of its logs."""
    import logging

    found = Settings.from_environment()
    logging.getLogger().setLevel(found.log_level)
    return found


@cache
def aws() -> Engine:
    """Return the engine of a deployed function: DynamoDB, SQS, and the targets of its jobs package."""
    import boto3

    from duetime.bus.sqs import SqsRunQueue
    from duetime.store.dynamodb import DynamoDbStore, Tables
    from duetime.store.dynamodb.wire import dynamodb_client

    chosen = settings()
    for name in _DEPLOYED:
        if not getattr(chosen, name):
            raise SettingsError(
                PREFIX + name.upper(), "", "is not set", "Deploy with the stack in infra/, which sets it."
            )
    clock, config, session = SystemClock(), client_config(), boto3.Session()
    tables = Tables(chosen.definitions_table, chosen.runs_table, chosen.coordination_table)
    return Engine(
        store=DynamoDbStore(dynamodb_client(session, config, clock), tables, clock, shards=chosen.shards),
        queue=SqsRunQueue(
            session.client("sqs", config=config),
            chosen.standard_queue_url,
            chosen.express_queue_url,
            chosen.send_lead,
        ),
        targets=target_table(load_jobs(), clock),
        clock=clock,
        settings=chosen,
        instance=f"lambda-{new_uid()}",
    )


@cache
def bus() -> EventBus:
    """Return the event bus of a deployed function."""
    import boto3

    from duetime.bus.eventbridge import EventBridgeBus

    return EventBridgeBus(boto3.client("events", config=client_config()), settings().event_bus)


def change_of(record: Mapping[str, Any]) -> Change | None:
    """Return the change a record of a table's stream tells, or None where it tells none."""
    from duetime.store.dynamodb import decode

    return decode(record)


def local(
    *, queue: RunQueue, clock: Clock, registry: Registry | None = None, chosen: Settings | None = None
) -> tuple[Engine, MemoryStore]:
    """Return an engine on the embedded store, and that store (whose `subscribe` tells every change)."""
    from duetime.store.memory import MemoryStore

    chosen = chosen if chosen is not None else Settings.from_environment()
    store = MemoryStore(clock, shards=chosen.shards)
    engine = Engine(
        store=store,
        queue=queue,
        targets=target_table(registry if registry is not None else load_jobs(), clock),
        clock=clock,
        settings=chosen,
        instance=f"local-{new_uid()}",
    )
    return engine, store


def local_bus() -> MemoryBus:
    """Return an event bus inside this process, whose `subscribe` tells every event."""
    from duetime.bus.memory import MemoryBus

    return MemoryBus()
