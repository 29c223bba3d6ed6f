"""Time zones: every one of the tzdata package, at every change and far beyond, beside Python's own reading of it."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest

from duetime import ScheduleError
from duetime.core.zonefile import days_to, read
from duetime.core.zonehints import CITIES, SHORT, WINDOWS
from duetime.core.zones import CYCLE, check_zone, instant_of, landing, offset_at, zone, zone_names

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _zoneinfo(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


@pytest.mark.parametrize("region", sorted({name.partition("/")[0] for name in zone_names()}))
def test_every_zone_agrees_with_zoneinfo(region: str) -> None:
    chance = random.Random(region)
    for name in sorted(name for name in zone_names() if name.partition("/")[0] == region):
        clock, other = zone(name), _zoneinfo(name)
        changes = [one for one in clock.near.starts[1:] if one < 4_000_000_000][-80:]
        probes = [chance.randrange(-5_000_000_000, 20_000_000_000) for _ in range(40)]
        for instant in probes + [change + step for change in changes for step in (-1, 0)]:
            expected = (EPOCH + timedelta(seconds=instant)).astimezone(other).utcoffset()
            assert expected is not None
            assert offset_at(clock, instant) == expected.total_seconds(), (name, instant)


def test_clock_changes_are_plain_gaps_and_folds() -> None:
    """The search relies on it: no change reaches back, or on, over the change before."""
    for name in zone_names():
        spans = zone(name).near
        for index in range(1, len(spans.starts)):
            assert spans.fresh[index] == max(spans.opens[index], spans.closes[index - 1])
            assert spans.fresh[index - 1] <= spans.opens[index]
            assert spans.fresh[index] < spans.closes[index]


def test_offsets_repeat_every_400_years() -> None:
    for name in ("America/New_York", "Africa/Cairo", "Europe/Dublin", "Asia/Kolkata"):
        for instant in range(4_102_444_800, 4_102_444_800 + CYCLE, 40_000_003):
            assert offset_at(zone(name), instant) == offset_at(zone(name), instant + 5 * CYCLE)


def test_wall_times_become_instants() -> None:
    berlin = zone("Europe/Berlin")
    winter, gap, fold = (round((moment - datetime(1970, 1, 1)).total_seconds()) for moment in (
        datetime(2026, 1, 1, 12), datetime(2026, 3, 29, 2, 30), datetime(2026, 10, 25, 2, 30)))  # fmt: skip
    assert instant_of(berlin, winter) == winter - 3_600
    assert instant_of(berlin, gap) is None
    assert instant_of(berlin, gap, shift=True) == landing(berlin, gap) == gap - 1_800 - 3_600
    assert instant_of(berlin, fold) == fold - 7_200
    far = winter + 20 * CYCLE
    assert instant_of(berlin, far) == far - 3_600


@pytest.mark.parametrize(
    "name, hint",
    [
        ("europe/berlin", "Write Europe/Berlin, exactly so."),
        ("Shanghai", "Did you mean Asia/Shanghai?"),
        ("Asia/Shangai", "Did you mean Asia/Shanghai?"),
        ("America/NewYork", "Did you mean America/New_York?"),
        ("China Standard Time", "Windows names are not taken: write Asia/Shanghai."),
        ("W. Europe Daylight Time", "write Europe/Berlin."),
        ("Moon Standard Time", "Windows names are not taken."),
        ("Asia/Beijing", "Beijing has no zone of its own: write Asia/Shanghai."),
        ("San Francisco", "write America/Los_Angeles."),
        ("utc", "Write UTC."),
        ("Z", "Write UTC."),
        ("+08:00", "Etc/GMT-8 for +08:00 all year"),
        ("GMT-5", "Etc/GMT+5 for -05:00 all year"),
        ("+05:30", "a zone, not an offset."),
        ("+25:00", "a zone, not an offset."),
        ("CST", "write America/Chicago or, for China, Asia/Shanghai."),
        ("New York", "Did you mean America/New_York?"),
        ("Europe/Berln", "Did you mean Europe/Berlin"),
        ("UTC+2", "Etc/GMT-2"),
        ("+02:00", "Etc/GMT-2"),
        ("Local", "That depends on the machine. Write one such as Europe/Berlin"),
        ("", "Write one such as"),
        ("A" * 5_000, "Write one such as"),
        ("Europe/Berlin\0", "Europe/Berlin"),
        ("../../etc/passwd", "Write one such as"),
        ("Factory", "Write one such as"),
        (None, "Write one such as"),
        (["UTC"], "Write one such as"),
    ],
)  # fmt: skip
def test_near_misses_get_a_hint(name: object, hint: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        check_zone(name)
    assert caught.value.field == "timezone"
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "name", ["EST5EDT", "US/Pacific", "Europe/Kyiv", "Europe/Kiev", "Asia/Calcutta", "PRC", "Etc/UTC"]
)
def test_old_names_are_names(name: str) -> None:
    assert check_zone(name) == name


def test_hints_name_zones() -> None:
    for table in (SHORT, CITIES, WINDOWS):
        for words in table.values():
            named = re.findall(r"[A-Z]\w+/[\w/]+", words)
            assert named
            assert set(named) <= zone_names()


def test_a_broken_file_is_an_error_not_a_zone() -> None:
    with pytest.raises(ValueError, match="not a compiled time zone"):
        read(b"TZif1" + b"\0" * 60)


def test_days_are_counted_from_1970() -> None:
    for year, month in ((1970, 1), (1969, 12), (2000, 2), (2000, 3), (1600, 3), (2100, 3), (9999, 12)):
        assert days_to(year, month) == (datetime(year, month, 1) - datetime(1970, 1, 1)).days
