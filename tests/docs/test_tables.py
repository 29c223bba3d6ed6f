"""The tables of the user's pages say what the code says: forms, policies, settings, limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, get_args

from duetime import describe, parse_schedule
from duetime.api.body import MAX_BODY_BYTES
from duetime.contracts.api_job import ResumeBody
from duetime.core import definition
from duetime.core.definition import Job, Retry, Trigger, parse_retry, parse_trigger
from duetime.core.durations import duration_text
from duetime.core.jsontext import MAX_DATA_BYTES
from duetime.core.run import MAX_RESULT_BYTES
from duetime.core.schedulejson import MAX_DELAY, MAX_EVERY, MIN_EVERY
from duetime.core.target import PythonTarget
from duetime.engine.call import MAX_AHEAD
from duetime.settings import PREFIX, Settings
from tests.docs.snippets import OWN, README, code_in, table, tables

CHECKED = {"schedules", "policies", "settings", "limits", "idle cost", "run cost"}


def test_every_marked_table_has_its_check() -> None:
    assert {name for page in OWN for name in tables(page)} == CHECKED


def test_every_form_of_a_schedule_means_what_is_said() -> None:
    for row in table("schedules"):
        (form,) = code_in(row["write"])
        assert describe(form) == row["means"]


JOB: Final = Job("any", PythonTarget("any"))
TRIGGER: Final = Trigger("any", parse_schedule("every 10m"))
POLICIES: Final[dict[str, tuple[object, Any]]] = {
    # name → its default in the code, and the type of its values or None
    "misfire": (TRIGGER.misfire, definition.Misfire),
    "overlap": (JOB.overlap, definition.Overlap),
    "retry.max_retries": (str(Retry().max_retries), None),
    "retry.backoff": (Retry().backoff, definition.Backoff),
    "retry.on": (Retry().on[0], None),
    "timeout": (duration_text(JOB.timeout), None),
    "requests_recovery": (str(JOB.requests_recovery).lower(), None),
    "priority": (str(TRIGGER.priority), None),
    "missed": (ResumeBody().missed, ResumeBody.model_fields["missed"].annotation),
}


def test_policies_have_these_values_and_defaults() -> None:
    rows = {code_in(row["policy"])[0]: row for row in table("policies")}
    assert set(rows) == set(POLICIES)
    for name, (default, values) in POLICIES.items():
        said = code_in(rows[name]["values, default first"])
        assert said[0] == default, name
        if values is not None:
            assert set(said) == set(get_args(values)), name
    assert tuple(code_in(rows["retry.on"]["values, default first"])) == Retry().on


def test_what_is_said_about_policies_in_passing() -> None:
    rows = {code_in(row["policy"])[0]: row["what it decides"] for row in table("policies")}
    assert code_in(rows["misfire"]) == ["misfire_threshold", duration_text(TRIGGER.misfire_threshold)]
    delay, one, factor, two, longest = code_in(rows["retry.backoff"])
    assert (one, two) == (duration_text(Retry().delay), f"{Retry().factor:g}")
    parse_retry({delay: one, factor: float(two), longest: "1h", "on": ["lost"], "max_retries": 100})
    assert "up to 100" in rows["retry.max_retries"]
    assert f"from {definition.EXPRESS_PRIORITY} on" in rows["priority"]
    assert [parse_trigger({"schedule": "every 10m", "priority": each}).priority for each in (1, 10)] == [
        1,
        10,
    ]


def test_settings_have_these_defaults() -> None:
    for row in table("settings"):
        (name,), (default,) = code_in(row["setting"]), code_in(row["default"])
        assert str(Settings.model_fields[name.removeprefix(PREFIX).lower()].default) == default


KIB: Final = 1024
LIMITS: Final[dict[str, Callable[[], str]]] = {
    "resolution": lambda: duration_text(MIN_EVERY),
    "interval": lambda: f"{duration_text(MIN_EVERY)} to {duration_text(MAX_EVERY)}",
    "one-time schedule": lambda: f"up to {duration_text(MAX_DELAY)} ahead",
    "triggers of a job": lambda: str(definition.MAX_TRIGGERS),
    "data of a run": lambda: f"{MAX_DATA_BYTES // KIB} KiB",
    "result or error kept": lambda: f"{MAX_RESULT_BYTES // KIB} KiB, the rest is cut with a mark",
    "request body": lambda: f"{MAX_BODY_BYTES // KIB // KIB} MiB",
    "timeout of a Python function on Lambda": lambda: f"{Settings().executor_limit} s",
    "enqueued run": lambda: f"up to {duration_text(MAX_AHEAD)} ahead",
}


def test_limits_are_those_of_the_code() -> None:
    said = {row["what"]: row["limit"].replace(" d", "d").replace(" s", "s") for row in table("limits")}
    meant = {what: limit().replace(" d", "d").replace(" s", "s") for what, limit in LIMITS.items()}
    assert said == meant


def test_the_readme_names_no_figure_of_another_page_wrongly() -> None:
    """The sample jobs and how often they run are told where somebody deploys."""
    month_s = 43_800 * 60
    runs = month_s // 10 + month_s // 60
    assert f"{runs:,} times a month" in README.read_text(encoding="utf-8")
