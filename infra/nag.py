"""cdk-nag's rules on every synth, and the findings we accept, each with its reason. Any other stops the synth."""

from __future__ import annotations

from aws_cdk import Acknowledgment, App, Validations
from cdk_nag import AwsSolutionsChecks
from constructs import IConstruct

from infra.components.http_api import OPEN_ROUTES
from infra.stack import DuetimeStack

_OPEN_ROUTE = "Tells that the service is up, or its public description; holds no data and calls nothing."
_DEAD_LETTERS = "Is itself where the relay's stream mappings send what they give up; an alarm watches it."
_RUNTIME = (
    "The stage chooses the Python version; the default is the newest that the whole test suite runs on."
)


def add_nag(app: App, stack: DuetimeStack) -> None:
    """Check the whole app; a finding that is not accepted here makes synth fail."""
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    duetime = stack.duetime
    _accept(duetime.queues.relay_dead, "SQS3", _DEAD_LETTERS)
    for function in duetime.functions.values():
        _accept(function.function, "L1", _RUNTIME)
    for path in OPEN_ROUTES:
        _accept(duetime.api.api.node.find_child(f"GET{path.replace('/', '--')}"), "APIG4", _OPEN_ROUTE)


def _accept(on: IConstruct, rule: str, reason: str) -> None:
    Validations.of(on).acknowledge(Acknowledgment(id=f"AwsSolutions::AwsSolutions-{rule}", reason=reason))
