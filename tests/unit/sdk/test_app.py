"""Registering jobs and handlers: what becomes of a decorator, and what is refused at import, with the job named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from duetime import App, cron, every, once, parse_schedule, trigger
from duetime.core.definition import Job, Retry, parse_job
from duetime.core.faults import DefinitionError, DuetimeError
from duetime.core.target import PythonTarget
from duetime.sdk.app import Policies


def work() -> None:
    """A handler that does nothing."""


def test_a_decorator_registers_the_job_and_returns_the_function_unchanged() -> None:
    app = App("reports")
    nightly = app.job(
        "reports.nightly",
        cron("0 2 * * *", tz="Asia/Shanghai"),
        overlap="skip",
        timeout="10m",
        retry={"max_retries": 2, "delay": "1m"},
    )(work)
    job = app.jobs["reports.nightly"]
    assert nightly is work
    assert app.handlers["reports.nightly"].function is work
    assert job.target == PythonTarget("reports.nightly")
    assert [one.name for one in job.triggers] == ["default"]
    assert job.triggers[0].schedule == parse_schedule("cron 0 2 * * * tz=Asia/Shanghai")
    assert (job.timeout, job.retry) == (600, Retry(max_retries=2, delay=60))


def test_every_policy_of_a_job_can_be_given_in_code() -> None:
    app = App("all")
    app.job(
        "all",
        data={"a": 1},
        description="All of them.",
        tags=["x", "y"],
        tenant="acme",
        overlap=True,
        retry={"max_retries": 1},
        timeout="1m",
        priority="high",
        requests_recovery=True,
        keep_history=3,
    )(work)
    assert app.jobs["all"] == parse_job(
        {
            "name": "all",
            "target": {"kind": "python", "name": "all"},
            "data": {"a": 1},
            "description": "All of them.",
            "tags": ["x", "y"],
            "tenant": "acme",
            "overlap": "parallel",
            "retry": {"max_retries": 1},
            "timeout": "1m",
            "priority": 9,
            "requests_recovery": True,
            "keep_history": 3,
        }
    )


def test_the_typed_policies_are_those_of_a_job() -> None:
    assert set(Policies.__annotations__) == {one.name for one in fields(Job)} - {"name", "target", "triggers"}


def test_a_job_has_as_many_triggers_as_it_names() -> None:
    app = App("many")
    app.job(
        "many",
        every("10m"),
        trigger("weekend", "0 9 * * SAT", data={"full": True}, priority="low"),
        trigger("once", once("2030-01-01T00:00:00Z")),
    )(work)
    triggers = {one.name: one for one in app.jobs["many"].triggers}
    assert list(triggers) == ["default", "weekend", "once"]
    assert (triggers["weekend"].data, triggers["weekend"].priority) == ({"full": True}, 2)


def test_a_job_without_a_schedule_and_a_parsed_schedule_are_taken() -> None:
    app = App("manual")
    app.job("manual")(work)
    app.job("parsed", parse_schedule("every 10m"))(work)
    assert app.jobs["manual"].triggers == ()
    assert app.jobs["parsed"].triggers[0].schedule == parse_schedule("every 10m")


def test_a_handler_has_a_key_and_no_job() -> None:
    app = App("handlers")
    app.handler("Reports/Nightly")(work)
    assert list(app.handlers) == ["Reports/Nightly"]
    assert app.jobs == {}


def test_one_function_may_serve_several_jobs() -> None:
    app = App("shared")
    app.job("first", "every 1m")(app.job("second", "every 2m")(work))
    assert app.handlers["first"].function is app.handlers["second"].function


@pytest.mark.parametrize(
    "register, said",
    [
        (lambda app: app.job("Nightly"), ["job: 'Nightly' is no legal name"]),
        (lambda app: app.job("nightly", "every 10x"), ["job nightly.triggers[0].schedule.every", "10x"]),
        (lambda app: app.job("nightly", "0 25 * * *"), ["job nightly.triggers[0].schedule.cron.hour", "25"]),
        (lambda app: app.job("nightly", every("10m"), every("20m")), ["job nightly.triggers", "has no name"]),
        (lambda app: app.job("nightly", 600), ["job nightly.triggers: '600' is no schedule"]),
        (
            lambda app: app.job("nightly", trigger("a", "every 1m"), trigger("a", "every 2m")),
            ["job nightly.triggers[1].name: 'a' occurs twice"],
        ),
        (lambda app: app.job("nightly", timeout="0s"), ["job nightly.timeout"]),
        (
            lambda app: app.job("nightly", retry={"max_retry": 2}),
            ["job nightly.retry.max_retry", "max_retries"],
        ),
        (lambda app: app.job("nightly", retries=2), ["job nightly.retries", "Known:"]),
        (lambda app: app.job("nightly", overlap="sometimes"), ["job nightly.overlap", "parallel, skip"]),
        (lambda app: app.job("nightly", data=[1]), ["job nightly.data", "no JSON object"]),
        (lambda app: app.handler("no spaces"), ["handler no spaces.name", "no spaces"]),
        (lambda app: App("Big"), ["app: 'Big' is no legal name"]),
    ],
)
def test_what_is_wrong_is_refused_at_import_and_names_the_job(
    register: Callable[[App], Any], said: list[str]
) -> None:
    app = App("wrong")
    with pytest.raises(DuetimeError) as caught:
        register(app)
    for text in said:
        assert text in str(caught.value)
    assert (app.jobs, app.handlers) == ({}, {})


@pytest.mark.parametrize(
    "again", [lambda app: app.job("nightly", "every 1m"), lambda app: app.handler("nightly")]
)
def test_a_name_is_registered_once(again: Callable[[App], Any]) -> None:
    app = App("twice")
    app.job("nightly", "every 10m")(work)
    with pytest.raises(DefinitionError, match=r"'nightly' is registered twice, by .*work and .*work"):
        again(app)(work)
    assert app.jobs["nightly"].triggers[0].schedule == parse_schedule("every 10m")
