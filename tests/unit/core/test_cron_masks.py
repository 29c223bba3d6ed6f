"""The tables of usual field texts read what the grammar reads, and refuse nothing and take nothing on their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.core.cronmasks import masks_of, read_masks
from duetime.core.cronparse import parse_cron
from duetime.core.errors import ScheduleError
from tests.laws import strategies

SIXTY = [*map(str, range(61)), *(f"{n:02d}" for n in range(10)), *(f"*/{n}" for n in range(62))]
HOURS = [*map(str, range(26)), *(f"*/{n}" for n in range(26))]
DAYS = [
    *map(str, range(34)), *(f"L-{n}" for n in range(33)), *(f"{n}W" for n in range(33)), "L", "LW", "WL", "?", "W",
    *(f"*/{n}" for n in range(33)),
]  # fmt: skip
MONTHS = [
    *map(str, range(14)),
    *["JAN", "feb", "Mar", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC", "FOO"],
    "*/2",
    "*/12",
    "*/13",
]
_NAMES = ["SUN", "mon", "Tue", "WED", "THU", "FRI", "SAT", "FOO", *map(str, range(9)), "05"]
WEEKDAYS = [
    *_NAMES, "?", "L", "*/2", "*/6", "*/7", *(f"{name}L" for name in _NAMES),
    *(f"{name}#{place}" for name in _NAMES for place in range(7)),
]  # fmt: skip
ODD = [
    "",
    "-",
    "/",
    "1-",
    "-1",
    "1/",
    "/1",
    "1//2",
    "1-2-3",
    "1-2/0",
    "0/0",
    "5/00002",
    "*-5",
    "5-*",
    "*/*",
    "?/2",
    "1,?",
    "*,1",
]
FIELDS = (SIXTY, SIXTY, HOURS, DAYS, MONTHS, WEEKDAYS)


def _agree(text: str) -> None:
    """Hold the two readings of an expression to each other: the same masks or the same refusal."""
    try:
        wanted: object = masks_of(parse_cron(text))
    except ScheduleError as error:
        wanted = str(error)
    try:
        found: object = read_masks(text)
    except ScheduleError as error:
        found = str(error)
    assert found == wanted, text


@pytest.mark.parametrize("place", range(6))
def test_every_word_of_every_field_means_what_the_grammar_says(place: int) -> None:
    for word in (*FIELDS[place], *ODD):
        fields = ["*"] * 6
        fields[place] = word
        _agree(" ".join(fields))
        _agree(" ".join(fields[1:]))


@pytest.mark.parametrize("place", range(6))
def test_ranges_and_steps_between_all_values_mean_what_the_grammar_says(place: int) -> None:
    words = [*[word for word in FIELDS[place] if word.isalnum()][::3], "0", "7", "SUN", "SAT", "L"]
    for first in words:
        for text in (f"{first}/2", f"{first}/70", *(f"{first}-{last}" for last in words)):
            for part in (text, f"{text}/3", f"{text},{first}"):
                fields = ["*"] * 6
                fields[place] = part
                _agree(" ".join(fields))


@given(strategies.expressions(seconds=True), st.booleans())
def test_any_expression_means_what_the_grammar_says(cron: str, lower: bool) -> None:
    _agree(cron.lower() if lower else cron)


@given(st.lists(st.text("0123456789*/,-LW#?SUNMOFRI", max_size=6), min_size=5, max_size=6))
def test_any_text_is_taken_or_refused_as_the_grammar_says(fields: list[str]) -> None:
    _agree(" ".join(fields))
