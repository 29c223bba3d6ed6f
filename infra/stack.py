"""What is deployed and who may touch what: composition and grants, nothing else.

`Duetime` is a construct to place in any stack; `DuetimeStack` is the stack that `cdk deploy` makes of it. Grants are
spelled out action by action and resource by resource: no function can do more than its lines below say, and no line
holds a wildcard.
"""

from __future__ import annotations

from aws_cdk import CfnOutput, Duration, Environment, Stack, triggers
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.functions import Function, Shape
from infra.components.http_api import ControlPlane
from infra.components.queues import Queues
from infra.components.sources import run_messages, transitions
from infra.components.tables import Tables
from infra.components.watch import Watch
from infra.config import Stage

EXECUTE_SECONDS = 900

# A job and its triggers change together: a transaction of writes and checks.
_REDEFINE = ("dynamodb:ConditionCheckItem", "dynamodb:PutItem")
# A trigger moves on by itself; a job is read with its triggers, a calendar with its members.
_FOLLOW = ("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:UpdateItem")
# A run is put, and read with the texts that are too long for its row.
_MOVE_RUNS = ("dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:UpdateItem")


class Duetime(Construct):
    """A whole Duetime: tables, queues, functions, API, bus, alarms.

    `code` is the bundle of functions/ (infra/components/bundle.py); the stage says how large, how strict and how long
    things are kept. Public parts: `api`, `bus`, `tables`, `queues`, `functions`.
    """

    def __init__(self, scope: Construct, id: str, *, stage: Stage, code: lambda_.Code) -> None:
        super().__init__(scope, id)
        self.stage = stage
        self.tables = Tables(self, "Tables", stage=stage)
        self.queues = Queues(self, "Queues", handled_within=Duration.seconds(EXECUTE_SECONDS))
        self.bus = events.EventBus(self, "Bus", description=f"Every transition of Duetime ({stage.name})")
        if stage.archive_days is not None:
            everything = events.EventPattern(source=events.Match.prefix("/duetime/"))
            self.bus.archive("Archive", event_pattern=everything, retention=Duration.days(stage.archive_days))
        environment = self._environment()
        self.functions = {
            shape.module: Function(
                self, shape.module.capitalize(), shape=shape, stage=stage, code=code, environment=environment
            )
            for shape in _shapes(stage)
        }
        self._grant_clockwork()
        self._grant_execute()
        self._grant_control_plane()
        self._connect()
        self.api = ControlPlane(self, "ControlPlane", handler=self.functions["api"].function, stage=stage)
        lambdas = {name: each.function for name, each in self.functions.items()}
        run_queues = {"Standard": self.queues.standard, "Express": self.queues.express}
        Watch(self, "Watch", stage=stage, functions=lambdas, queues=run_queues, dead=self.queues.dead)

    def _environment(self) -> dict[str, str]:
        """What every function is told; ids that are generated travel by environment only."""
        return {
            "DUETIME_DEFINITIONS_TABLE": self.tables.definitions.table_name,
            "DUETIME_RUNS_TABLE": self.tables.runs.table_name,
            "DUETIME_COORDINATION_TABLE": self.tables.coordination.table_name,
            "DUETIME_STANDARD_QUEUE_URL": self.queues.standard.queue_url,
            "DUETIME_EXPRESS_QUEUE_URL": self.queues.express.queue_url,
            "DUETIME_EVENT_BUS": self.bus.event_bus_name,
            "DUETIME_LOG_LEVEL": self.stage.log_level,
            "POWERTOOLS_LOG_LEVEL": self.stage.log_level,
            **{f"DUETIME_{name.upper()}": str(value) for name, value in self.stage.settings.items()},
        }

    def _send_runs(self, name: str, *more: str) -> None:
        for queue in (self.queues.standard, self.queues.express):
            self.functions[name].grant("sqs:SendMessage", *more, on=queue.queue_arn)

    def _grant_clockwork(self) -> None:
        """Tick: what is due becomes runs. Sweep: what is stuck is sent again or given up. Each under its lease."""
        definitions, runs = self.tables.definitions.table_arn, self.tables.runs.table_arn
        coordination = self.tables.coordination.table_arn
        tick, sweep = self.functions["tick"], self.functions["sweep"]
        tick.grant("dynamodb:Query", on=f"{definitions}/index/due")
        tick.grant(*_FOLLOW, *_REDEFINE, on=definitions)  # it arms users of changed calendars anew
        tick.grant(*_MOVE_RUNS, "dynamodb:Query", on=runs)
        tick.grant("dynamodb:UpdateItem", on=coordination)
        self._send_runs("tick")
        sweep.grant("dynamodb:Query", on=f"{runs}/index/watch")
        sweep.grant(*_MOVE_RUNS, on=runs)
        sweep.grant(*_FOLLOW, on=definitions)
        sweep.grant("dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:DeleteItem", on=coordination)
        self._send_runs("sweep", "sqs:GetQueueAttributes")

    def _grant_execute(self) -> None:
        """Execute: one run from its slot to its settlement, and the calls that the stage allows it to make."""
        execute = self.functions["execute"]
        execute.grant(*_FOLLOW, *_REDEFINE, on=self.tables.definitions.table_arn)
        execute.grant(*_MOVE_RUNS, on=self.tables.runs.table_arn)
        slots = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem")
        execute.grant(*slots, on=self.tables.coordination.table_arn)
        self._send_runs("execute")
        for arn in self.stage.allowed_targets:
            execute.grant("lambda:InvokeFunction" if ":lambda:" in arn else "sqs:SendMessage", on=arn)

    def _grant_control_plane(self) -> None:
        """Api: definitions and their runs. Sync: the code's jobs into definitions. Relay: transitions to the bus."""
        definitions, runs = self.tables.definitions.table_arn, self.tables.runs.table_arn
        for name in ("api", "sync"):
            function = self.functions[name]
            function.grant(*_FOLLOW, *_REDEFINE, "dynamodb:DeleteItem", on=definitions)
            function.grant("dynamodb:Query", on=f"{definitions}/index/catalog")
            function.grant(*_MOVE_RUNS, on=runs)
            self._send_runs(name)
        api = self.functions["api"]
        api.grant("dynamodb:Query", on=runs)
        api.grant("dynamodb:Query", on=f"{runs}/index/feed")
        api.grant("dynamodb:GetItem", on=self.tables.coordination.table_arn)
        self.functions["relay"].grant("events:PutEvents", on=self.bus.event_bus_arn)

    def _connect(self) -> None:
        """What starts each function (the API's routes aside)."""
        self.functions["tick"].every_minute()
        self.functions["sweep"].every_minute()
        for queue in (self.queues.standard, self.queues.express):
            run_messages(self.functions["execute"], queue, self.stage.execute)
        for name, table in (("Definitions", self.tables.definitions), ("Runs", self.tables.runs)):
            transitions(self.functions["relay"], name, table, self.queues.relay_dead)
        # Runs whenever the code changed (without a change there is nothing to sync), and last: a job must not be due
        # before the executor has the code that runs it.
        triggers.Trigger(
            self,
            "SyncAtDeploy",
            handler=self.functions["sync"].function,
            execute_after=[self.tables, self.queues, *self.functions.values()],
            timeout=Duration.minutes(2),
        )


def _shapes(stage: Stage) -> tuple[Shape, ...]:
    return (
        Shape("tick", timeout=60, memory_mb=1024),
        Shape("execute", timeout=EXECUTE_SECONDS, memory_mb=stage.execute.memory_mb),
        Shape("sweep", timeout=60),
        Shape("relay", timeout=60),
        Shape("api", timeout=30, memory_mb=1024),
        Shape("sync", timeout=60),
    )


class DuetimeStack(Stack):
    """One deployment as a stack of its own, named `duetime-<stage>`; its outputs are what a caller needs to know."""

    def __init__(self, scope: Construct, *, stage: Stage, code: lambda_.Code) -> None:
        super().__init__(
            scope,
            stage.stack_name,
            description="Duetime: jobs that run on time",
            env=Environment(account=stage.account, region=stage.region),
            termination_protection=stage.deletion_protection,
        )
        self.duetime = Duetime(self, "Duetime", stage=stage, code=code)
        api = self.duetime.api
        CfnOutput(self, "ApiId", value=api.api.http_api_id)
        CfnOutput(self, "ApiUrl", value=api.default_stage.url)
        CfnOutput(
            self,
            "ApiArn",
            value=api.callers_resource,
            description="Grant IAM callers execute-api:Invoke on it",
        )
        CfnOutput(self, "EventBusName", value=self.duetime.bus.event_bus_name)
