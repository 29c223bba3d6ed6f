"""The models say the same as the core: every field, every bound. Who adds one in the core is told here."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.api.openapi import document
from duetime.core import calendars, definition, schedulejson
from duetime.core.faults import DuetimeError
from tests.unit.api.plane import JOB

SCHEMAS = document()["components"]["schemas"]
NAMED = ("name", "description")


@pytest.mark.parametrize(
    "model, known",
    [
        ("JobBody", set(definition._JOB)),
        ("TriggerBody", set(definition._TRIGGER)),
        ("RetryBody", set(definition._RETRY)),
        ("CronForm", set(schedulejson.KEYS["cron"])),
        ("IntervalForm", set(schedulejson.KEYS["interval"])),
        ("OnceForm", set(schedulejson.KEYS["once"])),
        ("HolidayForm", {*calendars._KEYS["holiday"], *NAMED}),
        ("WeeklyForm", {*calendars._KEYS["weekly"], *NAMED}),
        ("DailyForm", {*calendars._KEYS["daily"], *NAMED}),
        ("CronCalendarForm", {*calendars._KEYS["cron"], *NAMED}),
        ("CompositeForm", {*calendars._KEYS["composite"], *NAMED}),
    ],
)
def test_a_model_has_the_fields_the_core_reads(model: str, known: set[str]) -> None:
    assert set(SCHEMAS[model]["properties"]) == known


def test_a_calendar_is_of_the_kinds_the_core_reads() -> None:
    for model in ("CalendarBody", "CalendarAnswer"):
        assert set(SCHEMAS[model]["discriminator"]["mapping"]) == set(calendars._KEYS)


def accepts(change: dict[str, Any]) -> bool:
    """Whether the core takes a job with this change."""
    try:
        definition.parse_job({**JOB, **change})
    except DuetimeError:
        return False
    return True


def bounds(model: str, field: str) -> tuple[int, int]:
    """Return the least and greatest number a field takes by the document."""
    kinds = SCHEMAS[model]["properties"][field]["anyOf"]
    number = next(kind for kind in kinds if kind["type"] in ("integer", "number"))
    return number["minimum"], number["maximum"]


def test_bounds_in_the_document_are_those_of_the_core() -> None:
    for field in ("max_retries", "factor"):
        low, high = bounds("RetryBody", field)
        assert [accepts({"retry": {field: value}}) for value in (low - 1, low, high, high + 1)] == [
            False,
            True,
            True,
            False,
        ]
    low, high = bounds("JobBody", "priority")
    assert [accepts({"priority": value}) for value in (low - 1, low, high, high + 1)] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "model, field, change",
    [
        ("JobBody", "overlap", lambda value: {"overlap": value}),
        ("JobBody", "priority", lambda value: {"priority": value}),
        ("RetryBody", "backoff", lambda value: {"retry": {"backoff": value}}),
        ("TriggerBody", "misfire", lambda value: {"triggers": [{"schedule": "every 1m", "misfire": value}]}),
    ],
)
def test_words_in_the_document_are_those_of_the_core(model: str, field: str, change: Any) -> None:
    schema = SCHEMAS[model]["properties"][field]
    words = [word for kind in schema.get("anyOf", [schema]) for word in kind.get("enum", [])]
    assert words
    assert all(accepts(change(word)) for word in words)
    assert not accepts(change("whatever"))
