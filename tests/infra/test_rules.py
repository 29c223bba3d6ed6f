"""Other people's rules: cdk-nag finds nothing that has no reason, cfn-lint nothing, and both would find something."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from cfnlint.api import ManualArgs, lint  # type: ignore[import-untyped]  # it publishes no types

from infra.config import parse_stage
from infra.nag import add_nag
from infra.stack import DuetimeStack
from tests.infra.made import CONTEXT, ROOT, Made

ACCEPTED = {
    ("SQS3", "Queues/RelayDead"),
    *(("L1", f"{name}/Function") for name in ("Tick", "Execute", "Sweep", "Relay", "Api", "Sync")),
    *(("APIG4", f"ControlPlane/Api/GET--{path}") for path in ("health", "openapi.json")),
}


def app_with_nag(code: Path) -> tuple[App, DuetimeStack]:
    app = App(context=CONTEXT)
    stack = DuetimeStack(app, stage=parse_stage({"name": "test"}), code=lambda_.Code.from_asset(str(code)))
    add_nag(app, stack)
    return app, stack


def test_nag_finds_only_what_is_accepted_with_a_reason(code: Path) -> None:
    app, stack = app_with_nag(code)
    report = json.loads(Path(app.synth().directory, "validation-report.json").read_text())
    [nag] = report["pluginReports"]
    assert (nag["conclusion"], nag["violations"]) == ("success", [])
    accepted: set[tuple[str, str]] = set()
    for finding in nag["suppressedViolations"]:
        path = finding["violatingConstructs"][0]["constructPath"]
        inside = path.removeprefix(f"{stack.stack_name}/Duetime/").removesuffix("/Resource")
        accepted.add((finding["ruleName"].removeprefix("AwsSolutions-"), inside))
        assert len(finding["reason"]) > 30
    assert accepted == ACCEPTED


def test_nag_stops_the_synth_on_anything_else(code: Path) -> None:
    app, stack = app_with_nag(code)
    sqs.Queue(stack, "Loose")
    with pytest.raises(RuntimeError, match="AwsSolutions-SQS3"):
        app.synth()


def findings(template: dict[str, Any]) -> list[str]:
    # W3005: the CDK library writes down dependencies that a reference already implies.
    options = ManualArgs(ignore_checks=["W3005"])
    return [
        f"{each.rule.id} {each.path}: {each.message}" for each in lint(json.dumps(template), config=options)
    ]


@pytest.mark.parametrize("stage", ["made", "full"])
def test_cfn_lint_finds_nothing(request: pytest.FixtureRequest, stage: str) -> None:
    stack: Made = request.getfixturevalue(stage)
    assert findings(stack.template) == []


def test_cfn_lint_would_find_something() -> None:
    wrong = {"Resources": {"Queue": {"Type": "AWS::SQS::Queue", "Properties": {"DelaySeconds": 901}}}}
    assert [each.split()[0] for each in findings(wrong)] == ["E3034"]


def test_a_wrong_stage_ends_the_synth_with_one_line() -> None:
    context = json.dumps({"stage": "nowhere"})
    done = subprocess.run(
        [sys.executable, "-m", "infra.app"],
        cwd=ROOT,
        env={**os.environ, "CDK_CONTEXT_JSON": context},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("stage: 'nowhere': no file ")
