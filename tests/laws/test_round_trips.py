"""Every combination of fields, of every kind and mode, is written as text and as JSON so that reading gives the same again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime import parse_schedule
from duetime.core.calendars import calendar_json, parse_calendar
from duetime.core.cronparse import MACROS
from duetime.core.schedule import freeze, schedule_json, schedule_text, settle
from duetime.core.schedulejson import KEYS
from tests.laws import strategies

NOW = 1_790_000_000
LEFT_OUT = object()

WINDOW: dict[str, list[Any]] = {
    "start_at": [LEFT_OUT, "2026-12-01T09:00:00Z"],
    "end_at": [LEFT_OUT, "2027-12-01T09:00:00Z"],
    "calendar": [LEFT_OUT, "bank-holidays.2"],
    "immediate": [LEFT_OUT, True],
}
CLOCK: dict[str, list[Any]] = {
    "timezone": [LEFT_OUT, "Europe/Berlin"],
    "dst_gap": [LEFT_OUT, "skip", "shift"],
    "dst_fold": [LEFT_OUT, "first", "both"],
}
ONCE: dict[str, list[Any]] = {key: CLOCK[key] for key in ("timezone", "dst_gap")}
EVERY: dict[str, list[Any]] = {"kind": ["interval"], "repeat_count": [LEFT_OUT, 1, 1_000_000_000]}
FORMS: dict[str, dict[str, list[Any]]] = {
    "cron": {
        "kind": ["cron"],
        "cron": [
            "*/5 * * * *", "0 9 ? * MON-FRI", "0 0 L-2,15W,LW 1-12/3 FRI#2,SUNL", "30 0 0 29 2 *", "0 0 0 1 1 ? 2030-2032/2",
            *MACROS, "1/5 0-23 * jan,DEC 7", "* * * * * *",
        ],
        **CLOCK, **WINDOW,
    },
    "fixed_rate": {**EVERY, "every": ["1s", "1m30s", "366d"], "mode": [LEFT_OUT, "fixed_rate"], **WINDOW},
    "fixed_delay": {**EVERY, "every_secs": [1, 90, 31_622_400], "mode": ["fixed_delay"], **WINDOW},
    "aligned": {**EVERY, "every": ["1s", "7m", "1d2h3m4s"], "mode": ["aligned"], **WINDOW},
    "calendar": {
        **EVERY, "every": ["1d", "366d"], "mode": ["calendar"], **CLOCK, **WINDOW,
        "start_at": [LEFT_OUT, "2026-12-01T09:00:00Z", "2026-12-01T09:00:00", "2027-03-28T02:30:00", "2027-10-31T02:30:00"],
    },
    "once": {
        "kind": ["once"], "at": ["2027-03-01T00:00:00Z", "2027-03-28T02:30:00", "2027-10-31T02:30:00"], **ONCE, **WINDOW,
    },
    "once in": {"kind": ["once"], "in": ["1s", "1h30m", "3653d"], **ONCE, **WINDOW},
}  # fmt: skip


def _documents(form: str) -> Iterator[dict[str, Any]]:
    values = FORMS[form]
    for chosen in product(*values.values()):
        yield {key: value for key, value in zip(values, chosen, strict=True) if value is not LEFT_OUT}


def test_every_field_of_every_kind_is_varied() -> None:
    for kind, keys in KEYS.items():
        varied = {key for values in FORMS.values() if kind in values["kind"] for key in values}
        assert varied == {*keys}


@pytest.mark.parametrize("form", FORMS)
def test_text_and_json_read_back(form: str) -> None:
    seen = 0
    for document in _documents(form):
        schedule = parse_schedule(document)
        written, text = schedule_json(schedule), schedule_text(schedule)
        assert parse_schedule(json.loads(json.dumps(written))) == schedule
        assert parse_schedule(text) == schedule
        assert schedule_text(parse_schedule(text)) == text
        said = {**written, "mode": written.get("mode", "fixed_rate")}
        for key, value in document.items():
            if key != "every_secs":
                assert said[key] == value
        assert written.keys() <= {*document, "mode", "every"}
        # Null means left out, and the order of the fields nothing.
        blank = {key: None for key in KEYS[document["kind"]] if key not in document}
        assert parse_schedule({**blank, **dict(reversed(document.items()))}) == schedule
        seen += 1
    assert seen >= 48


@pytest.mark.parametrize("form", FORMS)
def test_what_is_settled_reads_back_and_is_settled_for_good(form: str) -> None:
    for document in _documents(form):
        schedule = parse_schedule(document)
        for gap in ("skip", "shift"):
            if document.get("at") == "2027-03-28T02:30:00" and document.get("dst_gap", gap) == "skip":
                continue  # does not exist: refused, see tests/unit/core/test_schedule_forms.py
            settled = settle(schedule, now=NOW, timezone="Europe/Berlin", dst_gap=gap, dst_fold="both")
            assert parse_schedule(schedule_text(settled)) == settled
            assert parse_schedule(json.loads(json.dumps(schedule_json(settled)))) == settled
            assert settle(settled, now=NOW + 99, timezone="Asia/Tokyo") == settled
    frozen = freeze(
        parse_schedule("every 7d calendar start=2026-12-01T09:00"), now=NOW, timezone="Asia/Tokyo"
    )
    assert freeze(parse_schedule(schedule_text(frozen)), now=NOW + 99) == frozen


CALENDARS: list[dict[str, list[Any]]] = [
    {"kind": ["holiday"], "dates": [["2026-12-25"], ["0001-01-01", "2026-12-25", "9999-12-31"]]},
    {
        "kind": ["weekly"],
        "days": [["SUN"], ["SUN", "SAT"], ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]],
    },
    {"kind": ["daily"], "from": ["00:00:00", "22:00:00", "23:59:59"], "to": ["00:00:01", "06:30:00"]},
    {"kind": ["cron"], "cron": ["* * 0-7 * * *", "0 12 L * ?", "@daily"]},
]


def test_calendars_read_back_whatever_they_hold() -> None:
    for values in CALENDARS:
        full = {**values, "timezone": ["UTC", "Asia/Kathmandu"]}
        for chosen in product(*full.values()):
            document = dict(zip(full, chosen, strict=True))
            calendar = parse_calendar(document)
            assert calendar_json(calendar) == document
            assert parse_calendar(json.loads(json.dumps(calendar_json(calendar)))) == calendar
    for members in (["a"], [f"m{number}" for number in range(32)]):
        document = {"kind": "composite", "calendars": members}
        assert calendar_json(parse_calendar(document)) == document


@given(st.data(), st.integers(0, 4_000_000_000))
def test_any_calendar_reads_back(data: st.DataObject, near: int) -> None:
    calendar = parse_calendar(data.draw(strategies.calendars(near)))
    assert parse_calendar(calendar_json(calendar)) == calendar
