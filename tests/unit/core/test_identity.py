"""Run ids, names, the error tree and the state machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.core.faults import CODES, DefinitionError, DuetimeError, NotFound
from duetime.core.ids import (
    JOB_KEY_LENGTH,
    RUN_ID_LENGTH,
    TIME_LENGTH,
    job_key,
    key_of_run,
    new_uid,
    run_id,
    shard,
)
from duetime.core.machine import ENDED, RUN_TRANSITIONS, TRIGGER_TRANSITIONS, diagram
from duetime.core.names import check_name, check_slug

BASE = {"trigger": "t", "nominal": 1_800_000_000, "kind": "schedule", "ordinal": "0", "attempt": 1}


def _id(project: str = "p", job: str = "j", uid: str = "u", **changed: object) -> str:
    return run_id(project, job, uid, **{**BASE, **changed})  # type: ignore[arg-type]  # a table of keyword arguments


def test_an_id_depends_on_everything_a_run_is() -> None:
    others = {
        _id(), _id("q"), _id(job="k"), _id(uid="v"), _id(trigger="x"), _id(nominal=1_800_000_001), _id(kind="retry"),
        _id(ordinal="1"), _id(attempt=2),
    }  # fmt: skip
    assert len(others) == 9
    assert _id() == _id()
    assert all(len(one) == RUN_ID_LENGTH for one in others)


@given(st.integers(0, 2**34), st.integers(0, 2**34))
def test_ids_sort_by_nominal_instant(first: int, second: int) -> None:
    a, b = _id(nominal=first), _id(nominal=second)
    assert (a[:TIME_LENGTH] < b[:TIME_LENGTH]) == (first < second)


def test_an_id_carries_the_key_of_its_job() -> None:
    assert key_of_run(_id("default", "nightly")) == job_key("default", "nightly")
    assert len(job_key("default", "nightly")) == JOB_KEY_LENGTH
    assert job_key("default", "nightly") != job_key("other", "nightly")


@pytest.mark.parametrize(
    "text", ["", "x" * 30 + "#", "../../etc/passwd", "0" * 29, "0" * 29 + "U", "0" * 29 + "\n"]
)
def test_what_is_no_run_id_is_not_found(text: str) -> None:
    with pytest.raises(NotFound) as caught:
        key_of_run(text)
    assert caught.value.status == 404


def test_shards_are_even_and_uids_differ() -> None:
    counts = [0] * 8
    for number in range(8000):
        counts[shard(f"project#job-{number}#default", 8)] += 1
    assert min(counts) > 850
    assert len({new_uid() for _ in range(1000)}) == 1000


def test_every_name_of_the_vectors_is_refused() -> None:
    rows = [
        json.loads(line)
        for line in (Path(__file__).parents[2] / "vectors" / "invalid.jsonl").read_text("utf-8").splitlines()
    ]
    names = [row["value"] for row in rows if row["kind"] == "name"]
    assert len(names) > 10
    for name in names:
        for check in (check_name, check_slug):
            with pytest.raises(DefinitionError) as caught:
                check(name, "name")
            assert str(caught.value).isprintable()


def _subclasses(root: type[DuetimeError]) -> set[type[DuetimeError]]:
    return {root} | {leaf for child in root.__subclasses__() for leaf in _subclasses(child)}


def test_every_error_has_a_code_with_a_status_and_two_languages() -> None:
    for error in _subclasses(DuetimeError):
        assert error.code in CODES, error
    for code, meaning in CODES.items():
        assert code.isupper()
        assert 400 <= meaning.status < 600
        assert meaning.english.endswith(".")
        assert meaning.chinese.endswith("。")


def test_nothing_leaves_an_ended_state_and_every_state_can_be_reached() -> None:
    for transitions in (RUN_TRANSITIONS, TRIGGER_TRANSITIONS):
        reached = {one.target for one in transitions}
        left = {state for one in transitions for state in one.sources}
        assert left <= reached
        assert "[*] -->" in diagram(transitions)
    assert {one.target for one in RUN_TRANSITIONS} - {
        s for one in RUN_TRANSITIONS for s in one.sources
    } == ENDED
