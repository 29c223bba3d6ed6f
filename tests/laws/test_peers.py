"""Cron on the common grammar beside croniter and cronsim: the same answers, but for their known faults, each listed once."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from croniter import croniter
from cronsim import CronSim, CronSimError
from hypothesis import assume, given
from hypothesis import strategies as st

from duetime import Cron
from duetime.core.crondays import ever_matches
from duetime.core.cronparse import parse_cron
from tests.laws import oracle, strategies


@st.composite
def common(draw: st.DrawFn) -> str:
    """Five plain fields, one day field free: what all three read alike."""
    minute = draw(
        st.one_of(st.sampled_from(["*", "*/5", "0", "7,37"]), strategies.plain_field(0, 59, parts=2))
    )
    hour = draw(st.one_of(st.just("*"), strategies.plain_field(0, 23, parts=2)))
    month = draw(st.one_of(st.just("*"), strategies.plain_field(1, 12, strategies.MONTHS, parts=1)))
    day = draw(strategies.plain_field(1, 31, parts=2))
    weekday = draw(st.sampled_from(["*", "1-5", "MON", "0", "SAT", "2,4", "MON-WED"]))
    fields = [minute, hour, *draw(st.sampled_from([(day, month, "*"), ("*", month, weekday)]))]
    return " ".join(fields)


def _ours(cron: str, start: datetime, count: int, zone: str = "UTC") -> list[datetime]:
    schedule, found = Cron(cron, zone), [start]
    while len(found) <= count:
        following = schedule.next(found[-1])
        assert following is not None
        found.append(following)
    return found[1:]


@given(common(), st.integers(0, 2_500_000_000))
def test_croniter_and_cronsim_agree_in_utc(cron: str, seconds: int) -> None:
    assume(all(int(step) <= 12 for step in _steps(cron)) and ever_matches(parse_cron(cron)))
    start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    expected = _ours(cron, start, 5)
    simulated = CronSim(cron, start)
    assert [next(simulated) for _ in range(5)] == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        iterated = croniter(cron, start, max_years_between_matches=50)
        assert [iterated.get_next(datetime) for _ in range(5)] == expected


def _steps(cron: str) -> list[str]:
    """The steps of an expression; the peers refuse large ones, which is no fault."""
    return [part.partition("/")[2].split(",")[0] for part in cron.split() if "/" in part]


@given(
    common(),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Shanghai"]),
    st.integers(0, 2_000_000_000),
)
def test_cronsim_agrees_away_from_clock_changes(cron: str, zone: str, seconds: int) -> None:
    assume(ever_matches(parse_cron(cron)) and all(int(step) <= 12 for step in _steps(cron)))
    start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    expected = _ours(cron, start, 3, zone)
    last = round((expected[-1] - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    assume(
        not [
            change
            for change in oracle.transitions(zone, 1970, 2038)
            if seconds - 9_000 < change < last + 9_000
        ]
    )
    simulated = CronSim(cron, start.astimezone(oracle.zone_of(zone)))
    assert [next(simulated).astimezone(UTC) for _ in range(3)] == expected


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
    Fault("no weekend by name", "cronsim", "0 0 * * SAT-SUN", "UTC", "2025-01-01T00:00Z", ["2025-01-04T00:00:00Z"], None),
    Fault("no nearest weekday", "cronsim", "0 0 15W * *", "UTC", "2026-01-20T00:00Z", ["2026-02-16T00:00:00Z"], None),
]  # fmt: skip


def _peer(fault: Fault, start: datetime) -> list[datetime] | None:
    local = start.astimezone(oracle.zone_of(fault.zone))
    if fault.peer == "croniter":
        iterated = croniter(fault.cron, local)
        return [iterated.get_next(datetime).astimezone(UTC) for _ in fault.right]
    try:
        simulated = CronSim(fault.cron, local)
    except CronSimError:
        return None
    return [next(simulated).astimezone(UTC) for _ in fault.right]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.peer}: {fault.why}")
def test_known_faults_of_the_peers(fault: Fault) -> None:
    start = datetime.fromisoformat(fault.after)
    schedule, found = Cron(fault.cron, fault.zone, dst_gap="shift"), [start]
    for _ in fault.right:
        following = schedule.next(found[-1])
        assert following is not None
        found.append(following)
    assert found[1:] == [datetime.fromisoformat(text) for text in fault.right]
    wrong = None if fault.wrong is None else [datetime.fromisoformat(text) for text in fault.wrong]
    assert _peer(fault, start) == wrong


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
