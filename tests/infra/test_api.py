"""Promises about who gets in, and about what an operator is told."""

from __future__ import annotations

import json

import pytest

from infra.components.http_api import OPEN_ROUTES
from tests.infra.made import Made

ROUTE, ALARM = "AWS::ApiGatewayV2::Route", "AWS::CloudWatch::Alarm"
FUNCTIONS = ("Tick", "Execute", "Sweep", "Relay", "Api", "Sync")
VISIBLE = "ApproximateNumberOfMessagesVisible"


def routes(made: Made) -> dict[str, str]:
    return {each["RouteKey"]: each.get("AuthorizationType", "NONE") for each in made.of(ROUTE).values()}


def test_only_health_and_openapi_need_no_caller(made: Made) -> None:
    assert routes(made) == {
        "GET /health": "NONE",
        "GET /openapi.json": "NONE",
        "ANY /iam/{proxy+}": "AWS_IAM",
    }
    assert {f"GET {path}" for path in OPEN_ROUTES} == {
        key for key, kind in routes(made).items() if kind == "NONE"
    }


def test_an_issuer_opens_the_root_to_its_tokens(full: Made) -> None:
    assert routes(full) == {**routes(full), "ANY /{proxy+}": "JWT", "ANY /iam/{proxy+}": "AWS_IAM"}
    assert len(routes(full)) == 4
    [authorizer] = full.of("AWS::ApiGatewayV2::Authorizer").values()
    assert authorizer["JwtConfiguration"] == {"Issuer": "https://login.example.com/", "Audience": ["duetime"]}
    [token_route] = [each for each in full.of(ROUTE).values() if each["RouteKey"] == "ANY /{proxy+}"]
    assert token_route["AuthorizerId"] == {"Ref": next(iter(full.of("AWS::ApiGatewayV2::Authorizer")))}


def test_the_api_is_logged_and_throttled(made: Made, full: Made) -> None:
    for stack, rate, burst in ((made, 100, 200), (full, 5, 9)):
        [stage] = stack.of("AWS::ApiGatewayV2::Stage").values()
        assert stage["StageName"] == "$default"
        limits = stage["DefaultRouteSettings"]
        assert (limits["ThrottlingRateLimit"], limits["ThrottlingBurstLimit"]) == (rate, burst)
        line = json.loads(stage["AccessLogSettings"]["Format"])
        assert {"$context.requestId", "$context.identity.userArn", "$context.status"} <= set(line.values())
        group = stage["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0]
        assert "Access" in group
        assert group in stack.of("AWS::Logs::LogGroup")


@pytest.mark.parametrize("name", ["Tick", "Sweep"])
def test_silence_of_the_clockwork_is_an_alarm(made: Made, name: str) -> None:
    alarm = made.one(ALARM, f"{name}Missing")
    assert alarm["TreatMissingData"] == "breaching"
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/Lambda", "Invocations")
    assert alarm["Dimensions"][0]["Value"] == {"Ref": made.id("AWS::Lambda::Function", f"{name}Function")}


@pytest.mark.parametrize(
    "part, metric, of",
    [
        *((f"{name}Errors", "Errors", f"{name}Function") for name in FUNCTIONS),
        *((f"{name}Throttles", "Throttles", f"{name}Function") for name in FUNCTIONS),
        *((f"{name}Age", "ApproximateAgeOfOldestMessage", name) for name in ("Standard", "Express")),
        *((f"{name}DeadNotEmpty", VISIBLE, f"{name}Dead") for name in ("Standard", "Express", "Relay")),
        ("RelayBehind", "IteratorAge", "RelayFunction"),
    ],
)
def test_what_goes_wrong_is_an_alarm_on_the_right_thing(made: Made, part: str, metric: str, of: str) -> None:
    alarm = made.one(ALARM, part)
    assert alarm["MetricName"] == metric
    assert alarm["TreatMissingData"] == "notBreaching"
    assert alarm["AlarmDescription"]
    assert of in json.dumps(alarm["Dimensions"])


def test_alarms_notify_the_topic_of_the_stage(made: Made, full: Made) -> None:
    assert not any("AlarmActions" in alarm for alarm in made.of(ALARM).values())
    pager = ["arn:aws:sns:eu-west-1:111122223333:pager"]
    assert [alarm["AlarmActions"] for alarm in full.of(ALARM).values()] == [pager] * len(full.of(ALARM))


def test_the_dashboard_shows_every_alarm(made: Made) -> None:
    [dashboard] = made.of("AWS::CloudWatch::Dashboard").values()
    body = json.dumps(dashboard["DashboardBody"])
    assert [id for id in made.of(ALARM) if id not in body] == []


def test_the_bus_is_archived_only_if_the_stage_asks(made: Made, full: Made) -> None:
    assert len(made.of("AWS::Events::EventBus")) == 1
    assert made.of("AWS::Events::Archive") == {}
    [archive] = full.of("AWS::Events::Archive").values()
    assert archive["RetentionDays"] == 30
    assert archive["EventPattern"]["source"] == [{"prefix": "/duetime/"}]


def test_outputs_are_what_a_caller_needs(made: Made) -> None:
    assert set(made.template["Outputs"]) == {"ApiId", "ApiUrl", "ApiArn", "EventBusName"}
