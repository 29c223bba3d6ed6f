"""A synthesized stack, read as plain values: what the tests of this folder ask of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aws_cdk import App
from aws_cdk import aws_lambda as lambda_

from infra.config import parse_stage
from infra.stack import DuetimeStack

ROOT = Path(__file__).resolve().parents[2]
CONTEXT = json.loads((ROOT / "infra" / "cdk.json").read_text())["context"]
# The provider of the deploy-time trigger is the CDK library's own code with its own role; only what we wrote is held to
# our promises.
LIBRARY = "AWSCDK"


@dataclass(frozen=True, slots=True)
class Made:
    """One template. `resources` leaves out what the CDK library adds for itself."""

    template: dict[str, Any]

    @property
    def resources(self) -> dict[str, dict[str, Any]]:
        """Logical id to resource."""
        return {id: row for id, row in self.template["Resources"].items() if not id.startswith(LIBRARY)}

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        """Logical id to properties of every resource of one CloudFormation type."""
        return {id: row["Properties"] for id, row in self.resources.items() if row["Type"] == kind}

    def one(self, kind: str, part: str) -> dict[str, Any]:
        """Properties of the only resource of the type whose logical id holds `part`."""
        found = [properties for id, properties in self.of(kind).items() if part in id]
        assert len(found) == 1, f"{len(found)} {kind} with {part!r} among {sorted(self.of(kind))}"
        return found[0]

    def id(self, kind: str, part: str) -> str:
        """Logical id of the only resource of the type whose logical id holds `part`."""
        found = [id for id in self.of(kind) if part in id]
        assert len(found) == 1, f"{len(found)} {kind} with {part!r} among {sorted(self.of(kind))}"
        return found[0]


def make(code: Path, **fields: Any) -> Made:
    """Synthesize a stage with `code` as the bundle; `fields` as in a stage file."""
    app = App(context=CONTEXT, analytics_reporting=False)
    stage = parse_stage({"name": "test", **fields})
    stack = DuetimeStack(app, stage=stage, code=lambda_.Code.from_asset(str(code)))
    return Made(app.synth().get_stack_by_name(stack.stack_name).template)
