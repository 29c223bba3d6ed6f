"""Cron beside croniter and cronsim: the same answers, but for their known faults, each listed once with the right value.

They differ from each other as well, and from release to release: a fault that they mend has to leave the list.
"""

from __future__ import annotations

import json
import warnings
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from croniter import croniter
from croniter.croniter import CroniterError
from cronsim import CronSim, CronSimError
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duetime import Cron
from duetime.core.crondays import ever_matches
from duetime.core.cronparse import parse_cron
from tests.laws import oracle, strategies

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "next_times.jsonl"


@st.composite
def common(draw: st.DrawFn) -> str:
    """Five fields in the grammar that all three read: values, names, ranges, steps, lists, both day fields, L and #."""
    minute = draw(
        st.one_of(st.sampled_from(["*", "*/5", "0", "7,37"]), strategies.plain_field(0, 59, parts=2))
    )
    hour = draw(st.one_of(st.just("*"), strategies.plain_field(0, 23, parts=2)))
    month = draw(st.one_of(st.just("*"), strategies.plain_field(1, 12, strategies.MONTHS, parts=1)))
    day = draw(
        st.one_of(st.just("*"), st.sampled_from(["L", "L,15", "1-7"]), strategies.plain_field(1, 31, parts=2))
    )
    nth = st.tuples(st.integers(0, 6), st.integers(1, 5)).map(lambda pair: f"{pair[0]}#{pair[1]}")
    weekday = draw(
        st.one_of(
            st.sampled_from(["*", "1-5", "MON", "0", "7", "5-7", "0-7", "2,4", "MON-WED"]),
            strategies.plain_field(0, 6, strategies.WEEKDAYS, parts=2),
            nth,
        )
    )
    return f"{minute} {hour} {day} {month} {weekday}"


def _known(peer: str, cron: str) -> bool:
    """Whether an expression falls under one of the faults listed below."""
    fields = cron.split()
    day, weekday = fields[2], fields[4]
    restricted = day != "*" and weekday != "*"
    single = [part for field in fields for part in field.split(",") if _one_value(part.partition("/")[0])]
    if peer == "croniter":
        names_all = restricted and (_every_day(f"0 0 {day} * *") or _every_day(f"0 0 * * {weekday}"))
        return bool(single) or names_all or ("#" in weekday and (restricted or "," in weekday))
    starred = restricted and (day.startswith("*") or weekday.startswith("*"))
    from_on = any(part[0] != "*" and "-" not in part and "/" in part for part in weekday.split(","))
    to_sunday = any(part.partition("/")[0].upper().endswith("-SUN") for part in weekday.split(","))
    return starred or from_on or to_sunday or any("/" in part for part in single)


def _every_day(cron: str) -> bool:
    """Whether an expression names each day, though not by a star alone."""
    return all(oracle.Cron(cron).on(date(2027, 1, day)) for day in range(1, 32))


def _one_value(span: str) -> bool:
    """Whether a span is a range from a value to itself, such as 5-5 or 5-FRI."""
    first, dash, last = span.upper().partition("-")
    names = {name.upper(): str(number) for name, number in (oracle.MONTHS | oracle.DAYS).items()}
    return bool(dash) and names.get(first, first) == names.get(last, last)


def _ours(cron: str, start: datetime, count: int, zone: str = "UTC", **policy: str) -> list[datetime]:
    schedule, found = Cron(cron, zone, **policy), [start]
    while len(found) <= count and (following := schedule.next(found[-1])):
        found.append(following)
    return found[1:]


def _theirs(peer: str, cron: str, start: datetime, count: int) -> list[datetime] | None:
    """What a peer answers in UTC, None where it refuses the expression or finds nothing."""
    try:
        if peer == "cronsim":
            simulated = CronSim(cron, start)
            return [next(simulated).astimezone(UTC) for _ in range(count)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seconds_first = len(cron.split()) > 5
            iterated = croniter(cron, start, max_years_between_matches=50, second_at_beginning=seconds_first)
            return [iterated.get_next(datetime).astimezone(UTC) for _ in range(count)]
    except (CroniterError, CronSimError, StopIteration):
        return None


@pytest.mark.parametrize("peer", ["croniter", "cronsim"])
@settings(max_examples=2 * settings().max_examples)
@given(cron=common(), seconds=st.integers(0, 2_500_000_000))
def test_the_peers_agree_in_utc(peer: str, cron: str, seconds: int) -> None:
    assume(ever_matches(parse_cron(cron)) and not _known(peer, cron))
    start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert _theirs(peer, cron, start, 4) == _ours(cron, start, 4)


@given(
    common(),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Shanghai"]),
    st.integers(0, 2_000_000_000),
)
def test_cronsim_agrees_away_from_clock_changes(cron: str, zone: str, seconds: int) -> None:
    assume(ever_matches(parse_cron(cron)) and not _known("cronsim", cron))
    start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    expected = _ours(cron, start, 3, zone)
    last = round((expected[-1] - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    changes = oracle.transitions(zone, 1970, 2038)
    assume(last < 2_145_000_000 and not [one for one in changes if seconds - 9_000 < one < last + 9_000])
    assert _theirs("cronsim", cron, start.astimezone(oracle.zone_of(zone)), 3) == expected


def _rows() -> list[dict[str, Any]]:
    """The known-right cases in UTC, which no policy for clock changes touches."""
    rows = map(json.loads, VECTORS.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["schedule"].get("timezone") == "UTC" and "cron" in row["schedule"]]


WRONG = {"croniter": {"nt-198"}, "cronsim": {"nt-200", "nt-201"}}
"""The cases at which a peer fails; what they refuse (L-3, FRIL, ? and macros, years) is not counted as a failure."""


@pytest.mark.parametrize("peer", ["croniter", "cronsim"])
def test_what_the_peers_make_of_the_known_right_cases(peer: str) -> None:
    wrong, agreed = set(), 0
    for row in _rows():
        schedule, start = row["schedule"], datetime.fromisoformat(row["after"])
        if row["expect"] and not {"start_at", "end_at", "calendar"} & (schedule.keys() | row.keys()):
            expected = [datetime.fromisoformat(text) for text in row["expect"]]
            found = _theirs(peer, schedule["cron"], start, len(expected))
            agreed += found == expected
            if found != expected and (found is not None or "#" in schedule["cron"]):
                wrong.add(row["id"])
    assert wrong == WRONG[peer]
    assert agreed > 40


class Fault(NamedTuple):
    """A case in which a peer is wrong: what is right, and what it answers instead (None: it refuses the expression)."""

    why: str
    peer: str
    cron: str
    zone: str
    after: str
    right: list[str]
    wrong: list[str] | None


FAULTS = [
    Fault(
        "a fixed time of a repeated hour runs twice", "croniter", "30 1 * * *", "America/New_York", "2025-11-02T04:00Z",
        ["2025-11-02T05:30:00Z", "2025-11-03T06:30:00Z"], ["2025-11-02T05:30:00Z", "2025-11-02T06:30:00Z"],
    ),
    Fault(
        "a fixed time of a repeated half hour runs twice", "croniter", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00Z",
        ["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"], ["2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"],
    ),
    Fault(
        "a gap that ends on a half minute is left 30 s late", "croniter", "20 0 7 1 *", "Africa/Monrovia", "1971-12-01T00:00Z",
        ["1972-01-07T00:44:30Z"], ["1972-01-07T00:45:00Z"],
    ),
    Fault(
        "a gap that ends on a half minute is left 30 s late", "cronsim", "20 0 7 1 *", "Africa/Monrovia", "1971-12-01T00:00Z",
        ["1972-01-07T00:44:30Z"], ["1972-01-07T00:45:00Z"],
    ),
    Fault(
        "a star with a step does not count as a day that is given", "cronsim", "0 0 */2 * 1", "UTC", "2025-01-01T00:00Z",
        ["2025-01-03T00:00:00Z", "2025-01-05T00:00:00Z"], ["2025-01-13T00:00:00Z", "2025-01-27T00:00:00Z"],
    ),
    Fault(
        "a week that ends with Sunday as well as beginning with it", "cronsim", "0 0 * * 5/2", "UTC", "2025-01-01T00:00Z",
        ["2025-01-03T00:00:00Z", "2025-01-10T00:00:00Z"], ["2025-01-03T00:00:00Z", "2025-01-05T00:00:00Z"],
    ),
    Fault(
        "a range from a value to itself is the whole field", "croniter", "0 0 * * 6-6", "UTC", "2026-01-01T00:00Z",
        ["2026-01-03T00:00:00Z", "2026-01-10T00:00:00Z"], ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"],
    ),
    Fault(
        "a star with a step of one does not count as a day that is given", "croniter", "0 0 */1 * */3", "UTC",
        "2026-01-01T00:00Z", ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"], ["2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z"],
    ),
    Fault(
        "an nth weekday beside a day has to fall on it", "croniter", "0 0 L * 6#5", "UTC", "2020-04-05T00:00Z",
        ["2020-04-30T00:00:00Z", "2020-05-30T00:00:00Z"], ["2020-05-30T00:00:00Z", "2020-08-29T00:00:00Z"],
    ),
    Fault(
        "an nth weekday beside a day it can never fall on finds nothing", "croniter", "0 0 10 * MON#1", "UTC",
        "2026-01-01T00:00Z", ["2026-01-05T00:00:00Z", "2026-01-10T00:00:00Z"], None,
    ),
    Fault(
        "an nth weekday in no list with plain ones", "croniter", "0 0 * * 5,1#3", "UTC", "2026-01-01T00:00Z",
        ["2026-01-02T00:00:00Z"], None,
    ),
    Fault("no day before the last", "croniter", "0 0 L-3 * *", "UTC", "2026-01-01T00:00Z", ["2026-01-28T00:00:00Z"], None),
    Fault("no last weekday by name", "croniter", "0 0 * * FRIL", "UTC", "2026-01-01T00:00Z", ["2026-01-30T00:00:00Z"], None),
    Fault(
        "asked in the hour before a missing midnight, it loses the day, here a year", "cronsim", "0 0 1 4 11 *",
        "America/Sao_Paulo", "2018-11-04T02:00Z", ["2018-11-04T03:00:00Z"], ["2019-11-04T04:00:00Z"],
    ),
    Fault(
        "a day that begins at one o'clock is left out", "cronsim", "*/20 1 9 * *", "America/Havana", "2031-03-08T15:15Z",
        ["2031-03-09T05:00:00Z"], ["2031-04-09T05:00:00Z"],
    ),
    Fault(
        "a jump over months keeps the old offset", "cronsim", "* 9 1 10 *", "Australia/Lord_Howe", "2023-06-27T12:00Z",
        ["2023-09-30T22:00:00Z"], ["2023-09-30T22:30:00Z"],
    ),
    Fault(
        "in the second pass the answer lies before the question", "cronsim", "30 23 7 * *", "Africa/Casablanca",
        "2010-08-07T23:02:16Z", ["2010-09-07T23:30:00Z"], ["2010-08-07T22:30:00Z"],
    ),
    Fault(
        "a range of one value with a step goes on to the end of the field", "cronsim", "0 0 1-1/10 * *", "UTC",
        "2026-01-02T00:00Z", ["2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"], ["2026-01-11T00:00:00Z", "2026-01-21T00:00:00Z"],
    ),
    Fault(
        "a step from 7 on does not count from Sunday on", "cronsim", "0 0 * * 7/3", "UTC", "2026-01-01T00:00Z",
        ["2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z"], ["2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z"],
    ),
    Fault("no ? in a day field", "cronsim", "0 0 ? * MON", "UTC", "2026-01-01T00:00Z", ["2026-01-05T00:00:00Z"], None),
    Fault("no macros", "cronsim", "@daily", "UTC", "2026-01-01T00:00Z", ["2026-01-02T00:00:00Z"], None),
    Fault("no years", "cronsim", "0 0 0 1 1 * 2030", "UTC", "2026-01-01T00:00Z", ["2030-01-01T00:00:00Z"], None),
    Fault("no day before the last", "cronsim", "0 0 L-3 * *", "UTC", "2026-01-01T00:00Z", ["2026-01-28T00:00:00Z"], None),
    Fault("no last weekday by name", "cronsim", "0 0 * * FRIL", "UTC", "2026-01-01T00:00Z", ["2026-01-30T00:00:00Z"], None),
    Fault("no weekend by name", "cronsim", "0 0 * * SAT-SUN", "UTC", "2025-01-01T00:00Z", ["2025-01-04T00:00:00Z"], None),
    Fault("no nearest weekday", "cronsim", "0 0 15W * *", "UTC", "2026-01-20T00:00Z", ["2026-02-16T00:00:00Z"], None),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.peer}: {fault.why}")
def test_known_faults_of_the_peers(fault: Fault) -> None:
    start = datetime.fromisoformat(fault.after)
    right = [datetime.fromisoformat(text) for text in fault.right]
    wrong = None if fault.wrong is None else [datetime.fromisoformat(text) for text in fault.wrong]
    assert _ours(fault.cron, start, len(right), fault.zone, dst_gap="shift") == right
    assert _theirs(fault.peer, fault.cron, start.astimezone(oracle.zone_of(fault.zone)), len(right)) == wrong


@pytest.mark.parametrize(
    "zone", ["America/New_York", "America/Havana", "Pacific/Apia", "Pacific/Chatham", "Europe/Dublin"]
)
@pytest.mark.parametrize("cron", ["30 2 * * *", "0 0 * * *", "0 3 * * *", "0 12 * * FRI"])
def test_cronsim_agrees_on_fixed_times_through_clock_changes_when_gaps_shift(cron: str, zone: str) -> None:
    for change in oracle.transitions(zone, 2009, 2026):
        start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=change - 100_000)
        simulated, schedule = (
            CronSim(cron, start.astimezone(oracle.zone_of(zone))),
            Cron(cron, zone, dst_gap="shift"),
        )
        instant: datetime | None = start
        for _ in range(4):
            assert instant is not None
            instant = schedule.next(instant)
            assert next(simulated).astimezone(UTC) == instant
