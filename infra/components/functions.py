"""One shape for every function: its own role that starts with nothing but its own log group, its own log group that is
not kept for ever, and the shared code bundle. What a function may touch is granted in infra/stack.py alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as event_targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.logs import log_group
from infra.config import Stage

_ARCHITECTURES = {"arm64": lambda_.Architecture.ARM_64, "x86_64": lambda_.Architecture.X86_64}


@dataclass(frozen=True, slots=True)
class Shape:
    """What differs from function to function: `module` is the file in functions/handlers, times in seconds."""

    module: str
    timeout: int
    memory_mb: int = 512


class Function(Construct):
    """A Lambda function (`function`) with its own role (`role`) and log group."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        shape: Shape,
        stage: Stage,
        code: lambda_.Code,
        environment: Mapping[str, str],
    ) -> None:
        super().__init__(scope, id)
        logs = log_group(self, "Logs", days=stage.log_days)
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        logs.grant_write(self.role)
        self.function = lambda_.Function(
            self,
            "Function",
            description=f"Duetime {shape.module} ({stage.name})",
            code=code,
            handler=f"handlers.{shape.module}.handler",
            runtime=lambda_.Runtime(f"python{stage.python}", lambda_.RuntimeFamily.PYTHON),
            architecture=_ARCHITECTURES[stage.architecture],
            timeout=Duration.seconds(shape.timeout),
            memory_size=shape.memory_mb,
            environment={**environment, "POWERTOOLS_SERVICE_NAME": f"duetime-{shape.module}"},
            role=self.role,
            log_group=logs,
        )

    def grant(self, *actions: str, on: str) -> None:
        """Allow the actions on exactly one resource, named by its ARN."""
        self.role.add_to_policy(iam.PolicyStatement(actions=list(actions), resources=[on]))

    def every_minute(self) -> None:
        """Invoke once a minute. A late or failed one is dropped: the next does its work, and two at once do no more."""
        minute = Duration.minutes(1)
        self.function.configure_async_invoke(retry_attempts=0, max_event_age=minute)
        target = event_targets.LambdaFunction(self.function, retry_attempts=0, max_event_age=minute)
        events.Rule(self, "EveryMinute", schedule=events.Schedule.rate(minute), targets=[target])
