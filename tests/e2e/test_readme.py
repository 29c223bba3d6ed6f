"""What the README says about a deployment, run as it stands against this one.

Replaced are only the account, the region, the address of the API, the name of the bus and the stage file: those of the
README are invented. `make setup cdk-setup` has been run by `make e2e` already.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.docs.shown import match
from tests.docs.snippets import Snippet, of_mode, only
from tests.docs.test_snippets import API
from tests.e2e.caller import Caller, make_user
from tests.e2e.deploy import Deployment
from tests.e2e.emulator import ACCOUNT, REGION, ROOT, Emulator
from tests.e2e.scenario import HOME, must

BUS = "duetime-prod-bus"


def real(text: str, deployment: Deployment) -> str:
    """Return a snippet with what is invented in it replaced by what is there."""
    api = f"{deployment.emulator.endpoint}/_aws/execute-api/{deployment.outputs['ApiId']}/$default"
    known = {
        API: shlex.quote(api),
        BUS: deployment.outputs["EventBusName"],
        "111122223333": ACCOUNT,
        "eu-west-1": REGION,
        "stage=prod": f"stage={deployment.stage_file}",
    }
    for said, found in known.items():
        text = text.replace(said, found)
    return text


def bash(text: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text], cwd=ROOT, env=environment, text=True, timeout=240,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{text}\nexited {done.returncode}:\n{done.stdout}"
    return done.stdout


def test_the_commands_that_deploy(deployment: Deployment, emulator: Emulator) -> None:
    """The real command takes them; what it would deploy is there already, so it changes nothing."""
    words = re.sub(r"^make .+\n", "", only("deploy").text, flags=re.MULTILINE)
    assert [line.split()[:2] for line in words.splitlines()] == [
        ["cd", "infra"],
        ["npx", "cdk"],
        ["npx", "cdk"],
    ]
    environment = {
        **emulator.environment(),
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20",
        "npm_config_update_notifier": "false",
    }
    printed = bash(real(words, deployment), environment)
    assert "no changes" in printed


@pytest.mark.parametrize("snippet", of_mode("deployed"), ids=lambda one: one.where)
def test_the_commands_that_call_it(snippet: Snippet, deployment: Deployment, emulator: Emulator) -> None:
    keys = make_user(emulator, f"reader-{snippet.line}", {"execute-api:Invoke": deployment.outputs["ApiArn"]})
    environment = {
        **emulator.environment(keys),
        "SSL_CERT_FILE": str(emulator.certificate),
        "CURL_CA_BUNDLE": str(emulator.certificate),
    }
    printed = bash(real(snippet.text, deployment), environment)
    if snippet.output is not None:
        assert match(snippet.output, printed) is not None, printed
    else:
        assert "heartbeat" in printed


@pytest.fixture
def subscribed(deployment: Deployment, emulator: Emulator) -> Iterator[dict[str, Any]]:
    """The names of the subscriber's snippet after it has run; its rule is taken away again."""
    environment = emulator.environment()
    text = real(only("subscriber").text, deployment) + "\nprint(json.dumps([queue, NAME]))\n"
    done = subprocess.run(
        [sys.executable, "-c", text], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    queue, name = json.loads(done.stdout)
    yield {"queue": queue}
    events = emulator.client("events")
    bus = deployment.outputs["EventBusName"]
    events.remove_targets(Rule=name, EventBusName=bus, Ids=["queue"])
    events.delete_rule(Name=name, EventBusName=bus)


def test_the_first_subscriber(subscribed: dict[str, Any], operator: Caller, emulator: Emulator) -> None:
    run = must(operator("POST", f"{HOME}/jobs/minute-report/trigger", {"data": {"failures": 1}}), 200)
    assert run["status"] == "failed"
    sqs = emulator.client("sqs")
    found: list[dict[str, Any]] = []
    for _ in range(10):
        answer = sqs.receive_message(QueueUrl=subscribed["queue"], MaxNumberOfMessages=10, WaitTimeSeconds=2)
        found += [json.loads(message["Body"])["detail"] for message in answer.get("Messages", [])]
        if found:
            break
    assert {(event["type"], event["subject"]) for event in found} == {("duetime.run.failed", run["id"])}
    assert set(found[0]["data"]) == set(json.loads(only("event").text)["data"])
