"""Every change of every clock, 1970 to 2037: each zone of the tzdata package, each transition, each policy, beside the oracle.

The expressions rotate, so that over all changes each meets gaps and folds of every kind; nothing is drawn at random.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from zoneinfo import available_timezones

import pytest

from duetime import ScheduleError
from duetime.core.plan import plan
from duetime.core.schedule import settle
from duetime.core.schedulekinds import CronSchedule, IntervalSchedule, OnceSchedule
from duetime.core.zones import instant_of, zone, zone_names
from tests.laws import oracle
from tests.laws.around import POLICIES, Around, agree

PARTS = 24
DAY = 86_400


def test_the_zones_are_those_of_the_package() -> None:
    """`available_timezones` may list files of the host besides; what is no zone of IANA's list is not taken."""
    assert zone_names() == available_timezones() - {"Factory", "localtime", "posixrules"}
    assert len(zone_names()) > 590


def test_no_two_changes_of_a_clock_are_too_near_for_the_oracle() -> None:
    for name in zone_names():
        starts = zone(name).near.starts
        assert all(later - earlier > oracle.LOOKS * DAY for earlier, later in pairwise(starts)), name


@cache
def _clocks() -> list[list[str]]:
    """The names of all zones, those together that the package gives the same clock: the first stands for the others."""
    found: dict[bytes, list[str]] = {}
    for name in sorted(zone_names()):
        found.setdefault(oracle.file_of(name), []).append(name)
    return list(found.values())


def test_links_are_the_zones_they_stand_for() -> None:
    for first, *others in _clocks():
        table = zone(first).near
        for name in others:
            other = zone(name).near
            assert (other.starts, other.offsets, zone(name).near_end) == (
                table.starts, table.offsets, zone(first).near_end,
            )  # fmt: skip


@pytest.mark.parametrize("part", range(PARTS))
def test_every_change_of_every_zone(part: int) -> None:
    turn, met = part, {"landed": 0, "doubled": 0}
    for name, *_ in _clocks()[part::PARTS]:
        changes = oracle.transitions(name, 1970, 2038)
        assert changes == [one for one in zone(name).near.starts if 0 <= one < 2_145_916_800]
        for change in changes:
            turn += 1
            around = Around(change, name)
            cron = around.cron(turn)
            expected = around.expected(oracle.Cron(cron).matches)
            for gap, fold in POLICIES:
                occurrences = plan(CronSchedule(cron, name, gap, fold), anchor=0)
                try:
                    agree(occurrences, expected[gap, fold], around.first, around.last)
                except AssertionError as error:
                    raise AssertionError(f"{cron} {name} {gap} {fold} at {change}: {error}") from error
            met["landed"] += expected["shift", "first"] != expected["skip", "first"]
            met["doubled"] += expected["skip", "both"] != expected["skip", "first"]
            _whole_days(around, turn)
            _local_time(around)
            _edges(around)
    # No part passes because its expressions keep away from the changes.
    assert min(met.values()) > (turn - part) // 6, met


def _whole_days(around: Around, turn: int) -> None:
    """Mode calendar, anchored some days earlier at a time that the change hides or repeats."""
    days, middle, (gap, fold) = turn % 13 + 1, around.middle, POLICIES[turn % 4]

    def due(now: datetime) -> bool:
        on_time = (now.hour, now.minute) == (middle.hour, middle.minute)
        return on_time and (now.toordinal() - middle.toordinal()) % days == 0

    start = oracle.seconds_of(middle.replace(tzinfo=UTC)) - 3 * days * DAY
    schedule = IntervalSchedule(
        days * DAY, "calendar", timezone=around.zone, dst_gap=gap, dst_fold=fold, start_wall=start
    )
    occurrences = plan(settle(schedule, now=0), anchor=0)
    agree(occurrences, around.expected(due)[gap, fold], around.first, around.last)


def _edges(around: Around) -> None:
    """Every second counts: what is due each second rests from the change to the end of what it repeats, or not at all."""
    change, over = around.change, around.change + max(0, around.before - around.after)

    def again(instant: int) -> bool:
        return bool(oracle.local(instant, around.zone).fold)

    for fold in ("first", "both"):
        seconds = plan(CronSchedule("* * * * * *", around.zone, "skip", fold), anchor=0)
        for instant in {edge + step for edge in (change, over) for step in (-2, -1, 0, 1, 29)}:
            resting = fold == "first" and again(instant)
            assert seconds.contains(instant) != resting
            assert seconds.next(instant - 1) == (over if resting else instant)
            assert seconds.previous(instant + 1) == (change - 1 if resting else instant)
        assert seconds.count(change - 9, over + 9) == 19 + (over - change if fold == "both" else 0)


def _local_time(around: Around) -> None:
    """A once at a local time that the change hides or repeats: the gap's end or nothing, and the first of two."""
    wall, clock = oracle.seconds_of(around.middle.replace(tzinfo=UTC)), zone(around.zone)
    shown = [one.instant for one in around.looks if one.wall.replace(tzinfo=None, fold=0) == around.middle]
    at = shown[0] if shown else around.change
    assert instant_of(clock, wall) == (at if shown else None)
    assert instant_of(clock, wall, shift=True) == at
    once = OnceSchedule(at_wall=wall, timezone=around.zone, dst_gap="shift")
    assert settle(once, now=0) == OnceSchedule(at=at, timezone=around.zone)
    strict = replace(once, dst_gap="skip")
    if shown:
        assert settle(strict, now=0) == OnceSchedule(at=at, timezone=around.zone)
    else:
        with pytest.raises(ScheduleError, match="does not exist in"):
            settle(strict, now=0)
