"""Changes to events are additive only: what the first release published is still valid, and nothing of it is gone.

first_release.json is never written anew. A type of event that a later release adds joins it when that is released.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from duetime.contracts.event import TYPES, schema_of

OUTBOUND = Path(__file__).resolve().parents[3] / "events/outbound"
FIRST: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "first_release.json").read_text())


def shape(value: Any) -> Any:
    """Return the names and JSON types of a value; null says nothing about a type."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return type(value).__name__


def missing(old: Any, new: Any, path: str = "") -> list[str]:
    """Return the paths of what `old` has and `new` lacks or has as another type."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [f"{path}.{key}" for key in old if key not in new]
        kept = [key for key in old if key in new]
        return gone + [found for key in kept for found in missing(old[key], new[key], f"{path}.{key}")]
    unknown = "NoneType" in (old, new)
    return [] if unknown or old == new else [path]


def test_no_type_of_the_first_release_is_gone() -> None:
    assert set(FIRST) <= set(TYPES)


@pytest.mark.parametrize("kind", FIRST)
def test_what_the_first_release_published_is_still_valid(kind: str) -> None:
    checked_in = json.loads((OUTBOUND / f"{kind}.schema.json").read_text())

    for schema in (checked_in, schema_of(kind)):
        Draft202012Validator(schema).validate(FIRST[kind])


@pytest.mark.parametrize("kind", FIRST)
def test_what_readers_of_the_first_release_use_is_still_there(kind: str) -> None:
    today = json.loads((OUTBOUND / f"{kind}.example.json").read_text())

    assert missing(shape(FIRST[kind]), shape(today)) == []


@pytest.mark.parametrize("kind", FIRST)
def test_a_field_that_a_newer_release_adds_does_not_make_an_event_invalid(kind: str) -> None:
    newer = {**FIRST[kind], "colour": "red", "data": {**FIRST[kind]["data"], "colour": "red"}}

    Draft202012Validator(schema_of(kind)).validate(newer)


@pytest.mark.parametrize(
    "path,change",
    [
        (".data.job", {"data": {"task": "x"}}),
        (".data.attempt", {"data": {"attempt": "1"}}),
        (".sequence", {"sequence": 1}),
    ],
)
def test_a_renamed_field_or_another_type_would_be_noticed(path: str, change: dict[str, Any]) -> None:
    first = {"sequence": "1", "data": {"job": "x", "attempt": 1}}
    changed = {**first, **change}

    assert path in missing(shape(first), shape(changed))
