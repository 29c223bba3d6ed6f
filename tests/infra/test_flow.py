"""Promises about how work travels: queues, what starts each function, and what happens to what cannot be handled."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.infra.made import Made

QUEUE, FUNCTION, MAPPING = "AWS::SQS::Queue", "AWS::Lambda::Function", "AWS::Lambda::EventSourceMapping"
TIMEOUTS = {"Tick": 60, "Execute": 900, "Sweep": 60, "Relay": 60, "Api": 30, "Sync": 60}


def mappings(made: Made, function: str) -> list[dict[str, Any]]:
    target = made.id(FUNCTION, f"{function}Function")
    return [each for each in made.of(MAPPING).values() if each["FunctionName"] == {"Ref": target}]


def run_queues(made: Made) -> dict[str, dict[str, Any]]:
    return {id: each for id, each in made.of(QUEUE).items() if "Dead" not in id}


def test_a_message_stays_hidden_longer_than_its_executor_may_run(made: Made) -> None:
    timeout = made.one(FUNCTION, "ExecuteFunction")["Timeout"]
    hidden = [queue["VisibilityTimeout"] for queue in run_queues(made).values()]
    assert hidden == [timeout + 60] * 2


def test_every_run_queue_gives_up_to_its_own_dead_letter_queue(made: Made) -> None:
    policies = [queue["RedrivePolicy"] for queue in run_queues(made).values()]
    assert [policy["maxReceiveCount"] for policy in policies] == [5, 5]
    targets = {policy["deadLetterTargetArn"]["Fn::GetAtt"][0] for policy in policies}
    assert targets == {id for id in made.of(QUEUE) if "Dead" in id and "Relay" not in id}


def test_dead_letters_are_kept_for_two_weeks_and_longer_than_runs(made: Made) -> None:
    dead = [queue for id, queue in made.of(QUEUE).items() if "Dead" in id]
    assert [queue["MessageRetentionPeriod"] for queue in dead] == [14 * 86_400] * 3
    assert all(queue["MessageRetentionPeriod"] < 14 * 86_400 for queue in run_queues(made).values())


def test_every_queue_is_encrypted_and_refuses_plain_http(made: Made) -> None:
    assert all(queue["SqsManagedSseEnabled"] is True for queue in made.of(QUEUE).values())
    refusing: set[str] = set()
    for policy in made.of("AWS::SQS::QueuePolicy").values():
        [statement] = policy["PolicyDocument"]["Statement"]
        assert statement["Effect"] == "Deny"
        assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        refusing.update(queue["Ref"] for queue in policy["Queues"])
    assert refusing == set(made.of(QUEUE))


def test_the_executor_takes_batches_from_both_queues_and_returns_only_failures(
    made: Made, full: Made
) -> None:
    for stack, batch, most in ((made, 10, 50), (full, 3, 7)):
        found = mappings(stack, "Execute")
        assert {each["EventSourceArn"]["Fn::GetAtt"][0] for each in found} == set(run_queues(stack))
        for each in found:
            assert each["BatchSize"] == batch
            assert each["ScalingConfig"] == {"MaximumConcurrency": most}
            assert each["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_the_relay_reads_both_streams_and_keeps_what_it_gives_up(made: Made) -> None:
    found = mappings(made, "Relay")
    dead = made.id(QUEUE, "RelayDead")
    assert {each["EventSourceArn"]["Fn::GetAtt"][0] for each in found} == {
        made.id("AWS::DynamoDB::Table", "Definitions"),
        made.id("AWS::DynamoDB::Table", "Runs"),
    }
    for each in found:
        assert each["StartingPosition"] == "TRIM_HORIZON"
        assert each["BatchSize"] == 100
        assert each["BisectBatchOnFunctionError"] is True
        assert each["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert each["MaximumRecordAgeInSeconds"] == 6 * 3600
        assert each["MaximumRetryAttempts"] == 10_000
        assert each["DestinationConfig"] == {"OnFailure": {"Destination": {"Fn::GetAtt": [dead, "Arn"]}}}


def test_the_relay_is_called_for_rows_with_transitions_and_deleted_definitions_only(made: Made) -> None:
    for each in mappings(made, "Relay"):
        written, deleted = (json.loads(filter_["Pattern"]) for filter_ in each["FilterCriteria"]["Filters"])
        assert written == {
            "eventName": ["INSERT", "MODIFY"],
            "dynamodb": {"NewImage": {"row": {"S": ["job", "trigger", "run"]}}},
        }
        assert deleted == {
            "eventName": ["REMOVE"],
            "dynamodb": {"OldImage": {"row": {"S": ["job", "trigger"]}}},
        }


@pytest.mark.parametrize("name", ["Tick", "Sweep"])
def test_tick_and_sweep_fire_every_minute_and_never_pile_up(made: Made, name: str) -> None:
    rule = made.one("AWS::Events::Rule", name)
    assert (rule["ScheduleExpression"], rule["State"]) == ("rate(1 minute)", "ENABLED")
    [target] = rule["Targets"]
    function = made.id(FUNCTION, f"{name}Function")
    assert target["Arn"] == {"Fn::GetAtt": [function, "Arn"]}
    assert target["RetryPolicy"] == {"MaximumEventAgeInSeconds": 60, "MaximumRetryAttempts": 0}
    invoke = made.one("AWS::Lambda::EventInvokeConfig", name)
    assert (invoke["MaximumEventAgeInSeconds"], invoke["MaximumRetryAttempts"]) == (60, 0)


@pytest.mark.parametrize("name", TIMEOUTS)
def test_functions(made: Made, full: Made, name: str) -> None:
    function = made.one(FUNCTION, f"{name}Function")
    assert function["Handler"] == f"handlers.{name.lower()}.handler"
    assert function["Timeout"] == TIMEOUTS[name]
    assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"])
    other = full.one(FUNCTION, f"{name}Function")
    assert (other["Runtime"], other["Architectures"]) == ("python3.12", ["x86_64"])


def test_no_function_has_the_role_the_logs_or_the_bundle_of_another(made: Made) -> None:
    functions = made.of(FUNCTION).values()
    assert len(functions) == len(TIMEOUTS)
    assert len({json.dumps(each["Role"]) for each in functions}) == len(TIMEOUTS)
    assert len({json.dumps(each["LoggingConfig"]["LogGroup"]) for each in functions}) == len(TIMEOUTS)
    assert len({json.dumps(each["Code"]) for each in functions}) == 1


def test_every_log_group_forgets(made: Made, full: Made) -> None:
    for stack, days in ((made, 30), (full, 7)):
        groups = stack.of("AWS::Logs::LogGroup")
        assert len(groups) == len(TIMEOUTS) + 1
        assert {each["RetentionInDays"] for each in groups.values()} == {days}


def test_code_jobs_are_synced_at_deploy_after_everything_else_stands(made: Made) -> None:
    [trigger] = [row for row in made.resources.values() if row["Type"] == "Custom::Trigger"]
    version = made.of("AWS::Lambda::Version")[trigger["Properties"]["HandlerArn"]["Ref"]]
    assert version["FunctionName"] == {"Ref": made.id(FUNCTION, "SyncFunction")}
    assert trigger["Properties"]["InvocationType"] == "RequestResponse"
    assert trigger["Properties"]["ExecuteOnHandlerChange"] is True
    waited_for = set(trigger["DependsOn"])
    assert waited_for >= {*made.of(FUNCTION), *made.of("AWS::DynamoDB::Table"), *run_queues(made)}


def test_every_function_is_told_its_tables_queues_bus_and_settings(full: Made) -> None:
    tables = {
        name: {"Ref": full.id("AWS::DynamoDB::Table", name)}
        for name in ("Definitions", "Runs", "Coordination")
    }
    queues = {
        name: {"Ref": next(id for id in run_queues(full) if name in id)} for name in ("Standard", "Express")
    }
    for name in TIMEOUTS:
        assert full.one(FUNCTION, f"{name}Function")["Environment"]["Variables"] == {
            "DUETIME_DEFINITIONS_TABLE": tables["Definitions"],
            "DUETIME_RUNS_TABLE": tables["Runs"],
            "DUETIME_COORDINATION_TABLE": tables["Coordination"],
            "DUETIME_STANDARD_QUEUE_URL": queues["Standard"],
            "DUETIME_EXPRESS_QUEUE_URL": queues["Express"],
            "DUETIME_EVENT_BUS": {"Ref": next(iter(full.of("AWS::Events::EventBus")))},
            "DUETIME_LOG_LEVEL": "DEBUG",
            "DUETIME_HISTORY_DAYS": "30",
            "DUETIME_DEFAULT_ZONE": "Europe/Berlin",
            "POWERTOOLS_LOG_LEVEL": "DEBUG",
            "POWERTOOLS_SERVICE_NAME": f"duetime-{name.lower()}",
        }
