"""Definitions: what is taken, what is refused, and that the JSON form gives the same job back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.core.definition import Job, job_document, parse_job
from duetime.core.faults import DuetimeError
from duetime.core.target import LambdaTarget, PythonTarget, SqsTarget, parse_target

TARGET = {"kind": "python", "name": "reports.nightly"}
FULL: dict[str, Any] = {
    "name": "reports.nightly",
    "target": TARGET,
    "description": "The nightly report",
    "tags": ["finance", "daily"],
    "data": {"format": "pdf", "big": 12345678901234567890},
    "tenant": "acme",
    "overlap": "parallel",
    "retry": {"max_retries": 3, "delay": "1m", "backoff": "exponential", "max_delay": "30m", "on": ["failed", "lost"]},
    "timeout": "10m",
    "priority": "high",
    "requests_recovery": True,
    "keep_history": 30,
    "triggers": [
        {"name": "workdays", "schedule": "cron 0 0 6 * * MON-FRI tz=Asia/Shanghai", "misfire": "skip"},
        {"name": "month-end", "schedule": {"cron": "0 0 22 L * ?"}, "data": {"format": "xlsx"}, "priority": 8,
         "misfire_threshold": "5m", "jitter": "30s", "description": "at the end", "enabled": False},
    ],
}  # fmt: skip


def test_a_whole_job_comes_back_from_its_document() -> None:
    job = parse_job(FULL)
    assert (job.priority, job.timeout, job.retry.max_delay) == (9, 600, 1800)
    assert job.trigger("month-end") is not None
    assert parse_job(job_document(job)) == job


def test_defaults_are_those_of_the_contract() -> None:
    job = parse_job({"target": TARGET, "triggers": [{"schedule": "every 10m"}]}, name="a")
    trigger = job.triggers[0]
    assert (job.overlap, job.timeout, job.retry.max_retries, job.retry.delay, job.retry.backoff) == (
        "skip", 300, 0, 60, "fixed",
    )  # fmt: skip
    assert (trigger.name, trigger.priority, trigger.misfire, trigger.misfire_threshold, trigger.enabled) == (
        "default", 5, "run_once", 60, True,
    )  # fmt: skip


@pytest.mark.parametrize("given_as, kept", [(True, "parallel"), (False, "skip"), ("skip", "skip")])
def test_overlap_is_taken_as_a_boolean_too(given_as: object, kept: str) -> None:
    assert parse_job({"target": TARGET, "overlap": given_as}, name="a").overlap == kept


@pytest.mark.parametrize(
    "target, expected",
    [
        (TARGET, PythonTarget("reports.nightly")),
        ({"kind": "script", "name": "reports/nightly"}, PythonTarget("reports/nightly")),
        ({"kind": "lambda", "arn": "arn:aws:lambda:eu-west-1:111122223333:function:report"},
         LambdaTarget("arn:aws:lambda:eu-west-1:111122223333:function:report")),
        ({"kind": "sqs", "arn": "arn:aws:sqs:eu-west-1:111122223333:jobs.fifo"},
         SqsTarget("arn:aws:sqs:eu-west-1:111122223333:jobs.fifo")),
    ],
)  # fmt: skip
def test_targets(target: dict[str, str], expected: object) -> None:
    assert parse_job({"target": target}, name="a").target == expected


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"target": None}, "target"),
    ({"target": {"kind": "smtp"}}, "target.kind"),
    ({"target": {"kind": "python"}}, "target.name"),
    ({"target": {"kind": "python", "name": "a", "command": "rm"}}, "target.command"),
    ({"target": {"kind": "lambda", "arn": "report"}}, "target.arn"),
    ({"target": {"kind": "sqs", "arn": "arn:aws:sqs:eu-west-1:1:jobs"}}, "target.arn"),
    ({"name": "A"}, "name"),
    ({"name": "x" * 129}, "name"),
    ({"name": "TENANT#other"}, "name"),
    ({"nmae": "a"}, "nmae"),
    ({"overlap": "sometimes"}, "overlap"),
    ({"overlap": "queue"}, "overlap"),
    ({"queue_cap": 0}, "queue_cap"),
    ({"queue_cap": 5}, "queue_cap"),
    ({"pause_on_failure": "often"}, "pause_on_failure"),
    ({"runs_on": "No Such"}, "runs_on"),
    ({"alert_after": "5m"}, "alert_after"),
    ({"run_on_every_instance": True}, "run_on_every_instance"),
    ({"timeout": "0s"}, "timeout"),
    ({"timeout": "31d"}, "timeout"),
    ({"timeout": 300}, "timeout"),
    ({"timeout": True}, "timeout"),
    ({"priority": 11}, "priority"),
    ({"priority": "urgent"}, "priority"),
    ({"keep_history": -1}, "keep_history"),
    ({"requests_recovery": "yes"}, "requests_recovery"),
    ({"tags": "finance"}, "tags"),
    ({"tags": ["a", "a"]}, "tags"),
    ({"tags": [f"t{n}" for n in range(21)]}, "tags"),
    ({"description": "a\x1b[31m"}, "description"),
    ({"data": [1]}, "data"),
    ({"data": {"x": float("nan")}}, "data.x"),
    ({"data": {"x": "y" * 200_000}}, "data"),
    ({"retry": {"max_retries": 101}}, "retry.max_retries"),
    ({"retry": {"delay": "31d"}}, "retry.delay"),
    ({"retry": {"delay": "0s"}}, "retry.delay"),
    ({"retry": {"backoff": "fibonacci"}}, "retry.backoff"),
    ({"retry": {"on": ["canceled"]}}, "retry.on[0]"),
    ({"retry": {"factor": 0.5}}, "retry.factor"),
    ({"triggers": {"schedule": "every 1m"}}, "triggers"),
    ({"triggers": [{"name": "a"}]}, "triggers[0].schedule"),
    ({"triggers": [{"schedule": "every 1m"}, {"schedule": "every 2m"}]}, "triggers[1].name"),
    ({"triggers": [{"schedule": "0 0 30 2 *"}]}, "triggers[0].schedule.cron"),
    ({"triggers": [{"schedule": "every 1m", "misfire": "run_twice"}]}, "triggers[0].misfire"),
    ({"triggers": [{"schedule": "every 1m", "priority": 0}]}, "triggers[0].priority"),
    ({"triggers": [{"name": f"t{n}", "schedule": "every 1m"} for n in range(41)]}, "triggers"),
]


@pytest.mark.parametrize(
    "fields, field", REFUSED, ids=[f"{field}-{n}" for n, (_, field) in enumerate(REFUSED)]
)
def test_every_refusal_names_its_field_and_a_way_out(fields: dict[str, Any], field: str) -> None:
    document = {"name": "a", "target": TARGET, **fields}
    with pytest.raises(DuetimeError) as caught:
        parse_job(document)
    assert caught.value.field.startswith(field)
    assert caught.value.hint.strip()
    assert 400 <= caught.value.status < 500
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


def test_what_comes_later_is_named_as_such_and_its_default_is_taken() -> None:
    with pytest.raises(DuetimeError) as caught:
        parse_job({"target": TARGET, "concurrency_key": "{tenant}"}, name="a")
    assert "does not run" in str(caught.value)
    assert (
        parse_job({"target": TARGET, "delete_after_completion": False, "queue_cap": None}, name="a").name
        == "a"
    )


def test_a_name_in_the_path_must_agree() -> None:
    with pytest.raises(DuetimeError) as caught:
        parse_job({"name": "b", "target": TARGET}, name="a")
    assert caught.value.field == "name"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from([*FULL, "other"]), _JSON, max_size=6))
def test_arbitrary_documents_are_taken_or_refused_clearly(fields: dict[str, Any]) -> None:
    try:
        job = parse_job({"name": "a", "target": TARGET, **fields})
    except DuetimeError as error:
        assert error.hint  # noqa: PT017  # the property is about every refusal hypothesis finds
    else:
        assert isinstance(job, Job)
        assert parse_job(job_document(job)) == job


def test_a_job_uses_at_most_twenty_calendars() -> None:
    def under(count: int) -> dict[str, Any]:
        triggers = [{"name": f"t{n}", "schedule": f"every 10m calendar=c{n % count}"} for n in range(40)]
        return {"name": "a", "target": TARGET, "triggers": triggers}

    assert len(parse_job(under(20)).triggers) == 40
    with pytest.raises(DuetimeError, match="triggers: '21' are too many different calendars") as refused:
        parse_job(under(21))
    assert (refused.value.field, refused.value.code) == ("triggers", "VALIDATION_DEFINITION")


@pytest.mark.parametrize(
    "target, message",
    [
        (None, "target.kind: 'None' is no kind of target. Use one of python, lambda, sqs."),
        ({}, "target.kind: is missing. Use one of python, lambda, sqs."),
        ({"kind": "smtp"}, "target.kind: 'smtp' is no kind of target."),
        ({"kind": "python"}, "target.name: is missing. Use {"),
        ({"kind": "lambda", "arn": "report"}, "target.arn: 'report' is malformed. Use {"),
    ],
)
def test_what_is_missing_is_told_without_a_value(target: object, message: str) -> None:
    with pytest.raises(DuetimeError) as caught:
        parse_target(target)
    assert str(caught.value).startswith(message)
    assert str(caught.value.within("job a")).startswith(f"job a.{message}")
