"""The benchmarks of schedules, small: all libraries are asked the same, cold is cold, and ratios are those of the rounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

import pytest
from cronsim import CronSimError

from benchmarks import imports, schedules
from benchmarks.cases import CASES, PEERS, Case, first, parse, walk
from benchmarks.report import Report
from benchmarks.schedules import Counts, caches, compare, compare_holidays, compare_parse, disagreeing, takers
from duetime.core.cron import cron_grid, read_cron

TINY = Counts(rounds=1, steps=3, rare_steps=2, parses=2, occurrences=5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_libraries_come_to_the_same_instants(case: Case) -> None:
    assert disagreeing(case, 30) == []
    found = {name: first(name, case) for name in takers(case)}
    assert len({moment for moment in found.values() if isinstance(moment, datetime)}) == 1


def test_a_peer_that_cannot_take_an_expression_is_left_out_with_a_reason() -> None:
    without = [case for case in CASES if len(takers(case)) < 1 + len(PEERS)]
    assert [case.missing for case in without] == ["no W"]
    for case in without:
        refused = Case(case.cron.replace("?", "*"))
        with pytest.raises(CronSimError, match="day-of-month"):
            parse("cronsim", refused)


def test_a_walk_over_a_change_of_the_clocks_is_one() -> None:
    for case in CASES:
        if case.zone != "UTC":
            go = walk("duetime", case)
            came = [go(100) for _ in range(10)]
            offsets = {moment.astimezone(case.clock).utcoffset() for moment in came if moment is not None}
            assert len(offsets) == 2


def test_cold_means_that_nothing_of_an_expression_is_kept() -> None:
    case = CASES[0]
    parse("duetime", case)
    read_cron(case.cron)
    assert cron_grid.cache_info().currsize
    for drop in caches("duetime"):
        drop()
    assert cron_grid.cache_info().currsize == read_cron.cache_info().currsize == 0
    misses = cron_grid.cache_info().misses
    compare_parse(case, TINY)
    # Emptying sets the count of misses back to 0: of the two cold parses only the last one is still counted.
    assert (misses, cron_grid.cache_info().misses, cron_grid.cache_info().hits) == (0, 1, 0)
    compare_parse(case, TINY, cold=False)
    assert cron_grid.cache_info().hits == 2


def test_the_peers_keep_nothing_that_would_have_to_be_emptied() -> None:
    assert [caches(peer) for peer in PEERS] == [[], []]


def test_a_ratio_is_that_to_the_faster_peer() -> None:
    def work(size: int) -> Callable[[], Callable[[], object]]:
        return lambda: lambda: sum(range(size))

    found = compare({"duetime": work(20_000), "slow": work(2_000_000), "fast": work(400_000)}, 10, 5)
    assert found.micros["duetime"] < found.micros["fast"] < found.micros["slow"]
    assert 4 < found.ratio < 100
    assert found.ratio == pytest.approx(found.micros["fast"] / found.micros["duetime"], rel=0.9)


@pytest.mark.parametrize("cron", schedules.HOLIDAY_CRONS)
def test_a_holiday_calendar_leaves_all_libraries_the_same(cron: str) -> None:
    found = compare_holidays(cron, Counts(rounds=1, occurrences=1_000))
    assert set(found.micros) == {"duetime", *PEERS}


def test_each_row_is_printed_and_has_its_aims(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    schedules.run(report, TINY)
    said = capsys.readouterr().out
    for case in CASES:
        assert len(re.findall(rf"^  {re.escape(case.name)}  ", said, re.MULTILINE)) == 4
    assert said.count("no W") == 4
    assert "other instants" not in said
    assert len(report.aims) == 2 * len(CASES) + len(schedules.HOLIDAY_CRONS)
    assert all(aim.at_least and aim.bound == schedules.TIMES_FASTER for aim in report.aims)


def test_an_import_is_measured_in_a_process_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    imports.run(report, runs=1)
    assert 1 < report.aims[0].figure < 500
    assert "in 1 fresh processes" in capsys.readouterr().out
