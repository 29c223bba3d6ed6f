"""The control plane over a whole engine in memory, driven by hand, and every answer held to the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from jsonschema import Draft202012Validator

from duetime.api.app import handle
from duetime.api.openapi import document
from duetime.api.resolver import IAM_PREFIX, operations_at
from duetime.clock import ManualClock
from duetime.core.exchange import Dispatch
from duetime.engine.context import Engine
from duetime.engine.execute import execute
from duetime.engine.stop import Stop
from duetime.engine.tick import tick
from duetime.sdk import App, Fail, RunContext
from duetime.sdk.registry import Registry
from duetime.settings import Settings
from duetime.store.memory import MemoryStore
from duetime.targets.table import target_table

NOW_MS = 1_800_000_000_000
"""2027-01-15T08:00:00Z, a Friday."""
PYTHON = {"kind": "python", "name": "report"}
SCHEDULE = {"name": "nightly", "trigger": {"cron": "0 2 * * *"}, "target": PYTHON, "inputs": {}}
JOB = {"name": "reports.nightly", "target": PYTHON, "triggers": [{"schedule": "0 2 * * *"}]}


class Inbox:
    """A run queue that keeps its messages until they are asked for."""

    def __init__(self) -> None:
        self.waiting: list[Dispatch] = []

    def send(self, dispatches: Sequence[Dispatch], *, now_ms: int) -> tuple[Dispatch, ...]:
        self.waiting += dispatches
        return ()

    def backlog(self) -> int:
        return len(self.waiting)


class WorkingClock(ManualClock):
    """A manual clock on which whoever waits lets the executor work meanwhile, as it does beside a real API."""

    def __init__(self, now_ms: int) -> None:
        super().__init__(now_ms)
        self.meanwhile: Callable[[], object] = lambda: None

    def sleep_ms(self, milliseconds: int) -> None:
        super().sleep_ms(milliseconds)
        self.meanwhile()


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as a client sees it."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def code(self) -> str:
        """The code of a problem."""
        return str(self.body["code"])


def _app() -> App:
    app = App("tests")

    @app.handler("report")
    def report(run: RunContext) -> Any:
        return {"given": run.data}

    @app.handler("broken")
    def broken(run: RunContext) -> Any:
        raise Fail("NO_PAPER", "the printer is out of paper")

    return app


@dataclass(slots=True)
class World:
    """One deployment in memory, and a client of it."""

    clock: WorkingClock = field(default_factory=lambda: WorkingClock(NOW_MS))
    queue: Inbox = field(default_factory=Inbox)
    local: bool = True

    def __post_init__(self) -> None:
        self.engine = Engine(
            store=MemoryStore(self.clock), queue=self.queue, targets=target_table(Registry.of(_app()), self.clock),
            clock=self.clock, settings=Settings.from_environment({}), instance="tests",
        )  # fmt: skip

    engine: Engine = field(init=False)

    def work(self) -> int:
        """Execute what is on the queue and due; answers how many runs that were."""
        now_s = self.clock.now_ms() // 1000
        due = [one for one in self.queue.waiting if one.start_at <= now_s]
        self.queue.waiting = [one for one in self.queue.waiting if one.start_at > now_s]
        for one in due:
            execute(self.engine, one, deadline_ms=self.clock.now_ms() + 900_000, stop=Stop())
        return len(due)

    def pass_time(self, seconds: int) -> None:
        """Let time go by in steps of a minute, with ticks and work."""
        for step in (*(60 for _ in range(seconds // 60)), seconds % 60):
            self.clock.advance_ms(step * 1000)
            tick(self.engine)
            self.work()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        raw: str | None = None,
        headers: Mapping[str, str] | None = None,
        authorizer: Mapping[str, Any] | None = None,
        encoded: bool = False,
    ) -> Reply:
        """Send one request and check its answer against the OpenAPI document; paths are relative to the project."""
        full = (
            path
            if path.startswith(("/projects", "/health", "/openapi", "/iam"))
            else f"/projects/default{path}"
        )
        text = json.dumps(body) if body is not None else raw
        event = {
            "version": "2.0", "routeKey": "$default", "rawPath": full, "rawQueryString": urlencode(query or {}),
            "headers": {**({} if text is None else {"content-type": "application/json"}), **(headers or {})},
            "queryStringParameters": dict(query or {}),
            "requestContext": {
                "http": {"method": method, "path": quote(full)}, "requestId": "request-1", "stage": "$default",
                **({} if authorizer is None else {"authorizer": authorizer}),
            },
            "body": text, "isBase64Encoded": encoded,
        }  # fmt: skip
        return checked(method, full, handle(self.engine, event, local=self.local))


def checked(method: str, path: str, response: Mapping[str, Any]) -> Reply:
    """Return a response as a client reads it, after holding it to what the OpenAPI document says of its route."""
    status, headers, text = response["statusCode"], response["headers"], response["body"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    body: Any = json.loads(text) if text else None
    template = operations_at(path.removeprefix(IAM_PREFIX)).get(method)
    if template is not None:
        answer = document()["paths"][template][method.lower()]["responses"].get(str(status))
        assert answer is not None, (
            f"{method} {template} answers {status}, which the document does not name: {body}"
        )
        if "content" in answer:
            (kind, content), *_ = answer["content"].items()
            assert headers["content-type"] == kind
            errors = [error.message for error in _validator(json.dumps(content["schema"])).iter_errors(body)]
            assert errors == []
        else:
            assert body is None
    if status >= 400:
        problem = {"$ref": "#/components/schemas/Problem"}
        assert list(_validator(json.dumps(problem)).iter_errors(body)) == []
        assert headers["content-type"] == "application/problem+json"
        assert body["status"] == status
    return Reply(status, headers, body)


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator({"components": document()["components"], **json.loads(schema)})
