"""Every error leaves as a problem document of its own code and status."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetime.api.family import _MEANINGS
from duetime.api.problems import problem_response
from duetime.contracts.api_problem import Problem
from duetime.core import errors, faults
from duetime.core.faults import CODES, DuetimeError

ROOT = Path(__file__).resolve().parents[3]


def subclasses(kind: type[DuetimeError]) -> Iterator[type[DuetimeError]]:
    """Return a class of errors and all below it."""
    yield kind
    for below in kind.__subclasses__():
        yield from subclasses(below)


def problem(error: Exception) -> Problem:
    """Return the problem document of an error."""
    response = problem_response(error, request_id="request-1")
    assert response.headers["Content-Type"] == "application/problem+json"
    found = Problem.model_validate(json.loads(str(response.body)))
    assert response.status_code == found.status
    return found


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_its_status_and_sentence(code: str) -> None:
    found = problem(DuetimeError("timeout", "5", "has no unit", "Write 5s.", code=code))
    assert (found.code, found.status, found.title) == (code, CODES[code].status, CODES[code].english)
    assert (found.detail, found.field, found.hint) == ("timeout: '5' has no unit.", "timeout", "Write 5s.")
    assert (found.type, found.instance) == (f"urn:duetime:problem:{code}", "request-1")


def test_every_kind_of_error_has_a_code_of_the_table() -> None:
    assert errors.ScheduleError in subclasses(DuetimeError)
    assert {kind.code for kind in subclasses(DuetimeError)} <= set(CODES)
    assert faults.DefinitionError in subclasses(DuetimeError)


@pytest.mark.parametrize(
    "error", [ValueError("hush"), KeyError("hush"), RecursionError("hush"), MemoryError("hush")]
)
def test_what_nobody_foresaw_says_nothing_of_itself(error: Exception) -> None:
    found = problem(error)
    assert (found.code, found.status, found.field, found.hint) == ("UNEXPECTED", 500, None, None)
    assert "hush" not in found.model_dump_json()


def test_what_is_not_there_is_404_where_the_path_names_it_and_422_where_a_body_does() -> None:
    given = ("calendar", "holidays", "does not exist", "Check the name.")
    assert problem(faults.NotFound(*given, code="NOT_FOUND_CALENDAR")).status == 404
    assert problem(faults.DefinitionError(*given, code="NOT_FOUND_CALENDAR")).status == 422
    assert problem(faults.NotFound(*given, code="NOT_FOUND_HANDLER")).status == 422


def test_the_value_is_cut_and_printable() -> None:
    found = problem(DuetimeError("name", "\x1b[31m" + "x" * 10_000, "is no name", "Use another."))
    assert len(found.detail) < 150
    assert found.detail.isprintable()


def test_a_caller_is_told_when_to_come_again() -> None:
    response = problem_response(
        DuetimeError("store", "-", "is away", "Try again.", code="UNAVAILABLE_STORE"), request_id="r"
    )
    assert (response.status_code, response.headers["retry-after"]) == (503, "1")


def test_statuses_have_a_meaning_in_the_openapi_document() -> None:
    answered_by_runs_alone = {"TIMEOUT_RUN"}
    told = {code.status for name, code in CODES.items() if name not in answered_by_runs_alone} - {405}
    assert told <= set(_MEANINGS)


def test_the_page_of_errors_names_every_code() -> None:
    page = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
    for name, code in CODES.items():
        assert f"| `{name}` | {code.status} | {code.english} | {code.chinese} |" in page
