"""Clock changes are only named to a schedule that has an occurrence to lose: not under its calendar, not after its end."""

from __future__ import annotations

import pytest

from duetime.core.preview import preview

NOW = 1_790_000_000
"""2026-09-21T14:13:20Z."""
SKIPPED = (
    "02:00 to 03:00 do not exist in Europe/Berlin on 2027-03-28: the occurrence at 02:30 is skipped; "
    "dst_gap shift would run once at 03:00."
)
DOUBLED = (
    "02:00 to 03:00 come twice in Europe/Berlin on 2026-10-25: 3 occurrences from 02:30 to 02:50 are doubled; "
    "dst_fold first would run the first pass only."
)


def _warnings(form: str, calendars: dict[str, dict[str, object]] | None = None) -> list[str]:
    return list(preview(form, after=NOW, calendars=calendars).warnings)


def _daily(start: str, end: str) -> dict[str, object]:
    return {"kind": "daily", "from": start, "to": end, "timezone": "Europe/Berlin"}


def _weekly(*days: str) -> dict[str, object]:
    return {"kind": "weekly", "days": list(days), "timezone": "Europe/Berlin"}


@pytest.mark.parametrize(
    "form, calendar, warnings",
    [
        ("30 2 * * *", _daily("02:00", "03:00"), ["Calendar c excludes every occurrence: it never comes due."]),
        ("30 2 * * *", _weekly("SAT", "SUN"), []),
        ("30 2 * * *", _weekly("SAT"), [SKIPPED]),
        ("30 2 * * *", _weekly("SAT", "MON"), [SKIPPED]),
        ("30 2 * * SUN", _weekly("MON", "TUE", "WED", "THU", "FRI", "SAT"), [SKIPPED]),
        ("30 2 * * * gap=shift", _weekly("SUN"), []),
        ("30 2,14 * * *", _daily("00:00", "03:00"), []),
        ("30 2,14 * * *", _daily("02:00", "03:00"), []),
        ("30 2,14 * * *", _daily("03:00", "06:00"), [SKIPPED.split(";")[0] + "."]),
        ("30 2,14 * * *", _daily("03:30", "06:00"), [SKIPPED]),
        ("20,30 2,14 * * *", _daily("00:00", "02:30"), [SKIPPED]),
        ("* 2,14 * * *", _weekly("SUN"), []),
        ("* * 2,14 * * *", _weekly("SUN"), []),
        ("*/5 * * * *", _daily("00:00", "06:00"), []),
        ("*/5 * * * *", _daily("03:00", "06:00"), []),
        ("*/5 * * * *", _daily("00:00", "03:00"), []),
        ("*/5 * * * *", _weekly("SUN"), []),
        ("*/5 * * * *", _weekly("MON"), [
            ("02:00 to 03:00 come twice in Europe/Berlin on 2026-10-25: no run for 1h5m after 02:55; "
            "dst_fold both would go on through it."),
        ]),
        ("*/10 2,14 * * * fold=both gap=shift", _weekly("SUN"), []),
    ],
)  # fmt: skip
def test_what_a_calendar_excludes_has_no_clock_changes(
    form: str, calendar: dict[str, object], warnings: list[str]
) -> None:
    assert _warnings(f"{form} tz=Europe/Berlin calendar=c", calendars={"c": calendar}) == warnings


def test_a_gap_at_midnight_belongs_to_its_date() -> None:
    for day, noticed in (("FRI", False), ("THU", True)):
        calendar: dict[str, object] = {"kind": "weekly", "days": [day], "timezone": "Africa/Cairo"}
        told = _warnings("30 0 * * * tz=Africa/Cairo calendar=c", {"c": calendar})
        assert any("do not exist in Africa/Cairo on 2027-04-30" in text for text in told) is noticed


def test_the_run_at_creation_is_one_of_those_before_a_change() -> None:
    creation = 1_806_024_600  # 02:30 in Berlin, two days before
    for count, noticed in ((2, False), (3, True)):
        form = f"every 1d calendar x{count} immediate tz=Europe/Berlin"
        told = preview(form, after=creation).warnings
        assert any("do not exist" in text for text in told) is noticed


def test_only_what_a_calendar_leaves_is_doubled() -> None:
    form = "*/10 2,14 * * * tz=Europe/Berlin fold=both calendar=c end=2026-12-01T00:00:00Z"
    assert _warnings(form, calendars={"c": _daily("00:00", "02:30")}) == [DOUBLED]


@pytest.mark.parametrize(
    "form, noticed",
    [
        ("every 1d calendar x3 tz=Europe/Berlin start=2027-01-01T02:30:00", False),
        ("every 1d calendar x3 tz=Europe/Berlin start=2027-03-24T02:30:00", False),  # 25, 26, 27 March
        ("every 1d calendar x4 tz=Europe/Berlin start=2027-03-24T02:30:00", True),
        ("every 1d calendar x4 gap=shift tz=Europe/Berlin start=2027-03-24T02:30:00", True),
        ("every 1d calendar x3 immediate tz=Europe/Berlin start=2027-03-25T02:30:00", False),
        ("every 1d calendar x4 immediate tz=Europe/Berlin start=2027-03-25T02:30:00", True),
        ("30 2 * * * tz=Europe/Berlin start=2027-03-28T01:00:00Z", False),
        ("30 2 * * * tz=Europe/Berlin start=2027-03-28T00:59:59Z", True),
        ("30 2 * * * tz=Europe/Berlin start=2027-03-01T00:00:00Z end=2027-03-28T00:59:59Z", False),
    ],
)
def test_a_change_beyond_the_window_or_the_last_counted_run_is_not_named(form: str, noticed: bool) -> None:
    assert any("do not exist in Europe/Berlin on 2027-03-28" in text for text in _warnings(form)) is noticed


def test_no_silence_where_the_window_ends_within_it() -> None:
    for end, noticed in (("2026-10-25T02:00:00Z", True), ("2026-10-25T01:59:59Z", False)):
        told = _warnings(f"*/5 * * * * tz=Europe/Berlin end={end}")
        assert any("come twice" in text for text in told) is noticed
