"""What the README says about the whole and no other test does: what the stack holds, what a missing tick or message changes."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.snippets import README, ROOT, of_mode
from tests.world import World

TEXT = README.read_text(encoding="utf-8")
NUMBERS = {"one": 1, "an": 1, "a": 1, "two": 2, "three": 3, "six": 6}


STACK = {
    r"(six) Lambda functions": "AWS::Lambda::Function",
    r"(six) functions": "AWS::Lambda::Function",
    r"(three) DynamoDB tables": "AWS::DynamoDB::Table",
    r"(three) tables": "AWS::DynamoDB::Table",
    r"(an) event bus": "AWS::Events::EventBus",
    r"(an) HTTP API": "AWS::ApiGatewayV2::Api",
    r"(\d+) alarms": "AWS::CloudWatch::Alarm",
    r"(\d+) at \$0\.10": "AWS::CloudWatch::Alarm",
    r"(a) dashboard": "AWS::CloudWatch::Dashboard",
}
"""What the README counts of a stage that says nothing but its name."""


def test_the_stack_holds_what_is_said(tmp_path: Path) -> None:
    # The CDK library's engine tells at every start that this Node.js is old; it is loaded at the first import.
    os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")
    from tests.infra.made import make

    (tmp_path / "handlers.py").write_text("")
    made = make(tmp_path)
    counted = Counter(row["Type"] for row in made.resources.values())
    for words, kind in STACK.items():
        said = re.search(words, TEXT)
        assert said is not None, words
        assert counted[kind] == (int(said[1]) if said[1].isdigit() else NUMBERS[said[1]]), words
    assert re.search(r"two run\s+queues, three dead-letter queues", TEXT)
    assert counted["AWS::SQS::Queue"] == 2 + 3
    outputs = re.findall(r"output\s+`(\w+)`", TEXT)
    assert set(outputs) >= {"ApiUrl", "ApiArn", "EventBusName"}
    assert set(outputs) <= set(made.template["Outputs"])


def test_one_missing_tick_delays_nothing() -> None:
    world = World()
    world.put(schedule="*/5 * * * * *", overlap="parallel")
    world.run_for(61)
    world.ticking = False
    world.run_for(60)
    world.ticking = True
    world.run_for(120)
    assert world.starts() == list(range(5, 241, 5))
    assert set(world.states()) == {"succeeded", "queued"}


def test_a_run_that_never_starts_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    # Every message of it is taken and lost.
    monkeypatch.setattr(world.manual_queue, "send", lambda dispatches, *, now_ms: ())
    world.put(schedule="once in 100s")
    world.run_for(1500)
    (run,) = world.runs()
    assert (run.state, run.reason, world.calls) == ("lost", "never_started", [])
    assert run.finished_ms is not None
    assert 17 <= (run.finished_ms // 1000 - run.start_at) / 60 < 19


def test_the_diagram_shows_every_deployed_function() -> None:
    diagram = TEXT.partition("```mermaid\n")[2].partition("```")[0]
    handlers = {path.stem for path in (ROOT / "functions" / "handlers").glob("[a-z]*.py")}
    assert handlers <= set(re.findall(r"\w+", diagram))


def test_snippets_stand_for_no_machine_of_ours() -> None:
    """Accounts and addresses in snippets are those of the AWS examples."""
    text = "".join(each.text for each in of_mode("deploy", "deployed", "signed", "stage", "targets", "token"))
    assert set(re.findall(r"\b\d{12}\b", text)) == {"111122223333"}
    assert {Path(each).name for each in re.findall(r"https://[^/\s\"]+", text)} == {
        "a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com",
        "login.example.com",
    }
