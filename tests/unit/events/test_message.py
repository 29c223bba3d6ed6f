"""The message on the run queues: written compactly, read strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from duetime.contracts.message import message_text, read_message
from duetime.core.exchange import Dispatch
from duetime.core.faults import DataError
from tests.generators.events import message_schema
from tests.unit.events.examples import DISPATCH, id_of

EXAMPLE = Path(__file__).parents[3] / "events/messages/run.example.json"
MESSAGE = Draft202012Validator(message_schema())
names = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,127}", fullmatch=True)
dispatches = st.builds(
    Dispatch,
    project=st.from_regex(r"[a-z][a-z0-9_-]{0,62}", fullmatch=True),
    run=st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=30, max_size=30),
    job=names,
    start_at=st.integers(-62_135_596_800, 253_402_300_799),
    priority=st.integers(1, 10),
    tenant=st.none() | names,
)


@settings(deadline=None, derandomize=True)
@given(dispatches)
def test_what_is_written_is_read_and_its_schema_accepts_it(dispatch: Dispatch) -> None:
    text = message_text(dispatch)

    assert read_message(text) == dispatch
    MESSAGE.validate(json.loads(text))


def test_the_checked_in_example_is_read() -> None:
    assert read_message(EXAMPLE.read_text()) == DISPATCH


def test_an_ordinary_message_is_small_and_holds_no_defaults() -> None:
    text = message_text(Dispatch("default", id_of(), "reports.nightly", 1_800_000_000))

    assert len(text) < 150
    assert set(json.loads(text)) == {"v", "project", "run", "job", "start_at"}


def test_fields_of_a_newer_release_are_passed_over() -> None:
    document = {**json.loads(message_text(DISPATCH)), "colour": "red"}

    assert read_message(json.dumps(document)) == DISPATCH


def written(**changes: Any) -> str:
    return json.dumps({**json.loads(message_text(DISPATCH)), **changes})


@pytest.mark.parametrize(
    "text,field,problem",
    [
        (written(v=2), "v", "is a newer message format than this release reads (1 to 1)"),
        (json.dumps({"v": 2, "run": 5}), "v", "is a newer message format"),
        (written(v=0), "v", "cannot be read"),
        (written(v=True), "v", "cannot be read"),
        (written(v="1"), "v", "cannot be read"),
        ("{}", "v", "cannot be read"),
        ("", "message", "cannot be read"),
        ("nope", "message", "cannot be read"),
        ("[]", "message", "cannot be read"),
        (written(run="short"), "run", "cannot be read"),
        (written(run="0" * 30 + "\n"), "run", "cannot be read"),
        (written(project="a#b"), "project", "cannot be read"),
        (written(job="../x"), "job", "cannot be read"),
        (written(start_at=1.5), "start_at", "cannot be read"),
        (written(start_at="soon"), "start_at", "cannot be read"),
        (written(start_at=10**30), "start_at", "cannot be read"),
        (written(priority=11), "priority", "cannot be read"),
        (written(tenant="a b"), "tenant", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_one_error_that_names_the_field(text: str, field: str, problem: str) -> None:
    with pytest.raises(DataError) as refused:
        read_message(text)

    assert refused.value.field == field
    assert problem in str(refused.value)
    assert refused.value.hint


@settings(deadline=None, derandomize=True)
@given(st.text())
def test_arbitrary_text_is_refused_or_read_never_anything_else(text: str) -> None:
    with pytest.raises(DataError):
        read_message(text)
