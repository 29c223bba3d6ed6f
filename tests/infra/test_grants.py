"""Promises about who may touch what: every role's statements, written out here a second time on purpose.

A grant that is added must be added here too, so that it is seen; one that is not needed any more fails as well.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from tests.infra.made import Made

LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
FOLLOW = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:UpdateItem"}
REDEFINE = {"dynamodb:ConditionCheckItem", "dynamodb:PutItem"}
MOVE_RUNS = {"dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:UpdateItem"}
SEND = {"sqs:SendMessage"}
CONSUME = {
    "sqs:ReceiveMessage",
    "sqs:ChangeMessageVisibility",
    "sqs:GetQueueUrl",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
}
STREAM = {
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
}

# The longer name first where one holds another.
NAMES = (
    *("Definitions", "Runs", "Coordination"),
    *("StandardDead", "ExpressDead", "RelayDead", "Standard", "Express", "Bus"),
)

GRANTS: dict[str, dict[str, set[str]]] = {
    "Tick": {
        "Definitions": FOLLOW | REDEFINE,
        "Definitions/index/due": {"dynamodb:Query"},
        "Runs": MOVE_RUNS | {"dynamodb:Query"},
        "Coordination": {"dynamodb:UpdateItem"},
        "Standard": SEND,
        "Express": SEND,
    },
    "Execute": {
        "Definitions": FOLLOW | REDEFINE,
        "Runs": MOVE_RUNS,
        "Coordination": {f"dynamodb:{one}Item" for one in ("Get", "Put", "Update", "Delete")},
        "Standard": SEND | CONSUME,
        "Express": SEND | CONSUME,
    },
    "Sweep": {
        "Definitions": FOLLOW,
        "Runs": MOVE_RUNS,
        "Runs/index/watch": {"dynamodb:Query"},
        "Coordination": {"dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"},
        "Standard": SEND | {"sqs:GetQueueAttributes"},
        "Express": SEND | {"sqs:GetQueueAttributes"},
    },
    "Relay": {
        "Definitions stream": STREAM,
        "Runs stream": STREAM,
        "RelayDead": SEND | {"sqs:GetQueueAttributes", "sqs:GetQueueUrl"},
        "Bus": {"events:PutEvents"},
    },
    "Api": {
        "Definitions": FOLLOW | REDEFINE | {"dynamodb:DeleteItem"},
        "Definitions/index/catalog": {"dynamodb:Query"},
        "Runs": MOVE_RUNS | {"dynamodb:Query"},
        "Runs/index/feed": {"dynamodb:Query"},
        "Coordination": {"dynamodb:GetItem"},
        "Standard": SEND,
        "Express": SEND,
    },
    "Sync": {
        "Definitions": FOLLOW | REDEFINE | {"dynamodb:DeleteItem"},
        "Definitions/index/catalog": {"dynamodb:Query"},
        "Runs": MOVE_RUNS,
        "Standard": SEND,
        "Express": SEND,
    },
}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(made: Made, role: str | None = None) -> list[dict[str, Any]]:
    """Every statement of the roles' policies, or of one role's."""
    wanted = None if role is None else {"Ref": made.id("AWS::IAM::Role", f"{role}Role")}
    return [
        statement
        for policy in made.of("AWS::IAM::Policy").values()
        if wanted is None or wanted in policy["Roles"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def name_of(made: Made, resource: Any) -> str:
    """A resource of a policy in short: `Runs`, `Runs/index/feed`, `Runs stream`, `Standard`, `RelayDead`, `Bus`."""
    if isinstance(resource, str):
        return resource
    if "Fn::Join" in resource:
        base, suffix = resource["Fn::Join"][1]
        return name_of(made, base) + str(suffix)
    id, attribute = resource["Fn::GetAtt"]
    kind = made.resources[id]["Type"]
    if kind == "AWS::Logs::LogGroup":
        return "logs"
    short = next(name for name in NAMES if name in id)
    return f"{short} stream" if attribute == "StreamArn" else short


@pytest.mark.parametrize("function", GRANTS)
def test_a_function_may_do_exactly_this(made: Made, function: str) -> None:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for statement in statements(made, function):
        assert statement["Effect"] == "Allow"
        for resource in listed(statement["Resource"]):
            found[name_of(made, resource)].update(listed(statement["Action"]))
    assert found.pop("logs") == LOGS
    assert dict(found) == GRANTS[function]


def test_the_executor_may_also_call_the_targets_of_the_stage_and_nobody_else_may(full: Made) -> None:
    targets = {
        "arn:aws:lambda:eu-west-1:111122223333:function:report": ["lambda:InvokeFunction"],
        "arn:aws:sqs:eu-west-1:111122223333:orders": ["sqs:SendMessage"],
    }
    for function in GRANTS:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for statement in statements(full, function):
            for resource in listed(statement["Resource"]):
                if isinstance(resource, str):
                    found[resource] += listed(statement["Action"])
        assert dict(found) == (targets if function == "Execute" else {})


def test_nothing_is_granted_with_a_wildcard(made: Made, full: Made) -> None:
    for stack in (made, full):
        found = statements(stack)
        assert len(found) > len(GRANTS)
        assert [each for each in found if "*" in str(each["Action"]) or "*" in str(each["Resource"])] == []


def test_roles_hold_nothing_but_these_policies_and_serve_lambda_alone(made: Made) -> None:
    roles = made.of("AWS::IAM::Role")
    assert len(roles) == len(GRANTS)
    for role in roles.values():
        assert set(role) == {"AssumeRolePolicyDocument"}
        [statement] = role["AssumeRolePolicyDocument"]["Statement"]
        assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}


def test_only_the_rules_and_the_api_may_call_our_functions(made: Made) -> None:
    permissions = made.of("AWS::Lambda::Permission").values()
    callers = {(each["FunctionName"]["Fn::GetAtt"][0], each["Principal"]) for each in permissions}
    function = "AWS::Lambda::Function"
    assert callers == {
        (made.id(function, "TickFunction"), "events.amazonaws.com"),
        (made.id(function, "SweepFunction"), "events.amazonaws.com"),
        (made.id(function, "ApiFunction"), "apigateway.amazonaws.com"),
    }
    assert all("SourceArn" in each for each in permissions)
