"""JSON keeps every number or is refused (cases b-74 to b-77)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.core.faults import DataError
from duetime.core.jsontext import check_data, dumps, loads_exact, merge_data


def test_numbers_survive() -> None:
    """Case b-74."""
    text = '{"rate":30.4,"n":1e3,"big":12345678901234567890,"neg":-0.0,"small":1e-300}'
    value = loads_exact(text)
    assert value == {"rate": 30.4, "n": 1000, "big": 12345678901234567890, "neg": 0, "small": 1e-300}
    assert json.loads(dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"x": NaN}', '{"x": Infinity}', '{"x": -Infinity}', '{"x": 1e999}', '{"x": 0.' + "1" * 40 + "}",
        '{"x": ' + "9" * 500 + "}", '{"a": 1, "a": 2}', "{", "", "[" * 100_000, '{"x": ' * 40 + "1" + "}" * 40,
        '{"x": "\\ud800"}', '{"\\ud800": 1}',
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused(text: str) -> None:
    """Cases b-75 and b-76."""
    with pytest.raises(DataError) as caught:
        loads_exact(text)
    assert caught.value.hint
    assert caught.value.status == 400


def test_bytes_are_taken_and_must_be_utf_8() -> None:
    assert loads_exact(b'{"a": "\xc3\xa9"}') == {"a": "é"}
    with pytest.raises(DataError):
        loads_exact(b'{"a": "\xff"}')


def test_size_counts_bytes_not_characters() -> None:
    """Case b-77."""
    with pytest.raises(DataError) as caught:
        check_data({"a": "é" * 70_000}, "data")
    assert (caught.value.code, caught.value.status) == ("TOO_LARGE", 413)
    assert check_data({"a": "e" * 70_000}, "data")


def test_a_later_layer_wins_key_by_key() -> None:
    assert merge_data({"a": 1, "b": {"x": 1}}, {"b": {"y": 2}}, {}, {"c": 3}) == {
        "a": 1,
        "b": {"y": 2},
        "c": 3,
    }


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**60), 10**60) | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
        max_leaves=20,
    )
)  # fmt: skip
def test_whatever_is_taken_comes_back(value: object) -> None:
    assert loads_exact(dumps(value)) == value
