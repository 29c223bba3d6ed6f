"""A deployment as its functions see it: tables, queues, bus and environment, answered by moto in this process."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from moto import mock_aws

from duetime import bootstrap
from duetime.contracts.message import read_message
from duetime.core.definition import parse_job
from duetime.core.exchange import Dispatch, JobChange
from duetime.core.run import Run
from duetime.core.stored import StoredJob
from duetime.engine.context import Engine
from tests.contract.tables import create_tables
from tests.unit.bus.aws import REGION, client
from tests.unit.bus.subscriber import Subscriber

INBOUND = Path(__file__).resolve().parents[3] / "events/inbound"
TABLES = "duetime-"
HANDLERS = '''"""Handlers for envelopes: `meet` returns only if three runs are in it at once."""

import threading

from duetime import App

app = App("envelopes")
barrier = threading.Barrier(3, timeout=20)


@app.handler("meet")
def meet(run):
    return {"arrived": barrier.wait() >= 0}


@app.handler("work")
def work(run):
    return {"run": run.id}
'''


def envelope(function: str, case: str) -> dict[str, Any]:
    """Return what AWS sends to a function."""
    found: dict[str, Any] = json.loads((INBOUND / function / f"{case}.json").read_text())
    return found


class Context(LambdaContext):
    """The context of an invocation with 15 minutes left."""

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        return 900_000


class Deployed:
    """What a test asks of the deployment around a function."""

    def __init__(self, urls: list[str], subscriber: Subscriber) -> None:
        self._sqs, self._urls, self._subscriber = client("sqs"), urls, subscriber
        self._tables = False

    @property
    def engine(self) -> Engine:
        """The engine the functions run on; its tables are made when first needed."""
        if not self._tables:
            create_tables(client("dynamodb"), TABLES)
            self._tables = True
        return bootstrap.aws()

    def put_job(self, name: str, handler: str, **fields: Any) -> StoredJob:
        """Store a job without triggers."""
        job = parse_job({"name": name, "target": {"kind": "python", "name": handler}, **fields})
        now_ms = self.engine.clock.now_ms()
        stored = StoredJob("default", job, "7q3zt0c9m1x8kd52", 1, {}, now_ms, now_ms)
        assert self.engine.store.change_job(JobChange(None, stored))
        return stored

    def put_run(self, dispatch: Dispatch, uid: str, **fields: Any) -> Run:
        """Put the queued run that a message is about, as a manual one that was due when the message says."""
        given: dict[str, Any] = {"start_at": dispatch.start_at, "watch_at": dispatch.start_at + 120, **fields}
        run = Run(
            id=dispatch.run,
            project=dispatch.project,
            job=dispatch.job,
            uid=uid,
            kind="manual",
            scheduled_at=given["start_at"],
            queued_ms=self.engine.clock.now_ms(),
            tenant=dispatch.tenant,
            **given,
        )
        assert self.engine.store.enqueue_run(run) is None
        return run

    def sent(self) -> list[Dispatch]:
        """Return the messages that are on the run queues, and not delayed."""
        found = []
        for url in self._urls:
            while batch := self._sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get(
                "Messages", []
            ):
                found += [read_message(one["Body"]) for one in batch]
        return found

    def told(self) -> list[str]:
        """Return the types of the events published since the last call."""
        return [event["type"] for event in self._subscriber.details()]


@contextmanager
def deployed(monkeypatch: pytest.MonkeyPatch, jobs: Path) -> Iterator[Deployed]:
    """Deploy into moto, with a jobs package of the test in the folder `jobs`."""
    (jobs / "jobs").mkdir()
    (jobs / "jobs/__init__.py").write_text(HANDLERS)
    for name in [name for name in sys.modules if name.split(".")[0] == "jobs"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(jobs))
    level = logging.getLogger().level
    with mock_aws():
        urls = [client("sqs").create_queue(QueueName=name)["QueueUrl"] for name in ("standard", "express")]
        environment = {
            "AWS_DEFAULT_REGION": REGION,
            "DUETIME_DEFINITIONS_TABLE": f"{TABLES}definitions",
            "DUETIME_RUNS_TABLE": f"{TABLES}runs",
            "DUETIME_COORDINATION_TABLE": f"{TABLES}coordination",
            "DUETIME_STANDARD_QUEUE_URL": urls[0],
            "DUETIME_EXPRESS_QUEUE_URL": urls[1],
            "DUETIME_EVENT_BUS": "transitions",
        }
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        made = (bootstrap.aws, bootstrap.bus, bootstrap.settings)
        for one in made:
            one.cache_clear()
        try:
            yield Deployed(urls, Subscriber("transitions"))
        finally:
            for one in made:
                one.cache_clear()
            sys.modules.pop("jobs", None)
            logging.getLogger().setLevel(level)
