"""What a refusal says to write instead is taken, and means what was meant."""

from __future__ import annotations

import re

import pytest

from duetime.core.cron import read_cron
from duetime.core.errors import ScheduleError
from duetime.core.schedule import parse_schedule

REVERSED = {
    "0 0 * * 7-2": "0 0 * * 0-2",
    "0 0 * * SAT-MON": "0 0 * * 6,0,1",
    "0 0 * * FRI-MON/2": "0 0 * * 5,0",
    "0 0 * * 6-0": "0 0 * * 6,0",
    "0 22-2 * * *": "0 22,23,0,1,2 * * *",
    "0 22-2/2 * * *": "0 22,0,2 * * *",
    "50-10/20 * * * *": "50,10 * * * *",
    "0 0 25-5/5 * *": "0 0 25,30,4 * *",
    "0 0 1 NOV-FEB *": "0 0 1 11,12,1,2 *",
    "0 0 0 1 1 ? 2030-2027": "0 0 0 1 1 ? 2027-2030",
}


@pytest.mark.parametrize("written, meant", REVERSED.items())
def test_a_reversed_range_is_offered_the_way_round_it_was_meant(written: str, meant: str) -> None:
    with pytest.raises(ScheduleError, match="is a reversed range") as refused:
        parse_schedule(written)
    offered = refused.value.hint.removeprefix("Write ").rstrip(".")
    mended = read_cron(written.replace(refused.value.value, offered))
    assert [field and field.mask for field in mended[1:8]] == [
        field and field.mask for field in read_cron(meant)[1:8]
    ]


@pytest.mark.parametrize(
    "written",
    [
        "@every 90s", "@every 5m", "rate(5 minutes)", "rate(1 hour)", "1,5h", "1:00:00", "daily", "7 days", "every every 10m",
        "every 10m immediate x3", "at(2027-02-28T09:00:00)", "@every 500d", "@every 0s", "rate(1000 days)",
    ],
)  # fmt: skip
def test_what_is_offered_is_taken(written: str) -> None:
    with pytest.raises(ScheduleError) as refused:
        parse_schedule(written)
    hint = refused.value.hint
    offered = re.findall(
        r"(?:Write|: |such as) ?((?:every |once )?[@0-9][^ ;,]*(?: (?:x[0-9]+|immediate))*)", hint
    )
    assert offered, hint
    for one in offered:
        parse_schedule(one.rstrip("."))


@pytest.mark.parametrize(
    "written, words",
    [
        ("1h30", "has '30' without a unit"),
        ("+5m", "has '\\+' in it"),
        (".5h", "has '\\.' in it"),
        ("10m x-1", "has 'x-1' in it"),
        ("5M", "lower case: m"),
        ("0 9 * * * x5", "Only an interval has one"),
        ("at(2027-02-30T09:00:00)", "has no day 30"),
    ],
)
def test_what_is_wrong_is_what_is_told(written: str, words: str) -> None:
    with pytest.raises(ScheduleError, match=words):
        parse_schedule(written)
