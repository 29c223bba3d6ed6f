"""Microseconds for each next occurrence and for each parse, beside croniter and cronsim in the same run.

CPU time of this process. The libraries take turns in rounds, so that a busy machine burdens all alike; each figure is the
median of its rounds, each ratio the median of the rounds' ratios to the faster peer. Where a peer answers other instants, its
line says so.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from statistics import median
from typing import Any, Final

from croniter import croniter
from cronsim import CronSim

from benchmarks.cases import CASES, PEERS, WINTER, Case, first, parse, walk
from benchmarks.report import Aim, Report, number, row
from duetime.core.upcoming import upcoming

LIBRARIES: Final = ("duetime", *PEERS)
TIMES_FASTER: Final = 3
HOLIDAYS: Final = (
    "01-01",
    "01-06",
    "04-03",
    "05-01",
    "05-14",
    "07-14",
    "08-15",
    "10-03",
    "11-01",
    "12-24",
    "12-25",
    "12-31",
)
"""Twelve days of every year; which ones does not matter."""
HOLIDAY_CRONS: Final = ("0 9 * * MON-FRI", "*/5 * * * *")
_WIDTH: Final = 34


@dataclass(frozen=True)
class Counts:
    """How much is measured: rounds, steps of a walk (few where occurrences are years apart), parses, occurrences."""

    rounds: int = 15
    steps: int = 1_000
    rare_steps: int = 30
    parses: int = 100
    occurrences: int = 1_000


@dataclass(frozen=True)
class Compared:
    """Microseconds by library, and how many times as long the faster peer took."""

    micros: dict[str, float]
    ratio: float


Work = Callable[[], Callable[[], object]]
"""Makes ready what is to be timed, untimed."""


def compare(works: dict[str, Work], units: int, rounds: int) -> Compared:
    """Time each library's work, in turns; `units` are how many occurrences or parses one work is."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            ready = work()
            gc.collect()
            gc.disable()
            try:
                begun = time.process_time()
                ready()
                taken[name].append((time.process_time() - begun) * 1e6 / units)
            finally:
                gc.enable()
    peers = zip(*[taken[name] for name in works if name != "duetime"], strict=True)
    ratios = [min(others) / ours for ours, others in zip(taken["duetime"], peers, strict=True)]
    return Compared({name: median(found) for name, found in taken.items()}, median(ratios))


def compare_next(case: Case, counts: Counts) -> Compared:
    """Walk from occurrence to occurrence; parsing is not in it."""
    steps = counts.rare_steps if case.rare else counts.steps

    def ready(library: str) -> Callable[[], object]:
        go = walk(library, case)
        go(1)
        return lambda: go(steps)

    works: dict[str, Work] = {name: partial(ready, name) for name in takers(case)}
    return compare(works, steps, counts.rounds)


def compare_parse(
    case: Case, counts: Counts, task: Callable[[str, Case], object] = parse, *, cold: bool = True
) -> Compared:
    """Parse one expression again and again; `cold`: all that is kept of expressions is dropped before each, within the time."""

    def ready(library: str) -> Callable[[], object]:
        kept = caches(library) if cold else []

        def work() -> None:
            for _ in range(counts.parses):
                for drop in kept:
                    drop()
                task(library, case)

        return work

    works: dict[str, Work] = {name: partial(ready, name) for name in takers(case)}
    return compare(works, counts.parses, counts.rounds)


def takers(case: Case) -> list[str]:
    """The libraries that take an expression."""
    return [name for name in LIBRARIES if name == "duetime" or case.spelled(name) is not None]


def caches(library: str) -> list[Callable[[], object]]:
    """What empties each cache a library keeps of expressions."""
    prefix = "duetime.core.cron" if library == "duetime" else library
    return [
        value.cache_clear
        for name, module in list(sys.modules.items())
        if name.startswith(prefix)
        for value in vars(module).values()
        if hasattr(value, "cache_clear") and value.__module__ == name
    ]


def disagreeing(case: Case, count: int) -> list[str]:
    """The peers that come to another instant than we do after so many occurrences."""
    came = {name: walk(name, case)(count) for name in takers(case)}
    return [name for name in came if came[name] != came["duetime"]]


def holiday_dates() -> frozenset[date]:
    """The holidays of forty years."""
    return frozenset(date.fromisoformat(f"{year}-{day}") for year in range(2020, 2060) for day in HOLIDAYS)


def compare_holidays(cron: str, counts: Counts) -> Compared:
    """Take occurrences under a holiday calendar; the peers' loops leave out a set of dates."""
    dates = holiday_dates()
    calendars = {"off": {"kind": "holiday", "dates": sorted(map(str, dates))}}

    def ours() -> list[datetime]:
        form = {"kind": "cron", "cron": cron, "calendar": "off"}
        return upcoming(form, after=WINTER, count=counts.occurrences, calendars=calendars)

    def filtered(occurrences: Iterable[Any]) -> list[datetime]:
        found: list[datetime] = []
        for moment in occurrences:
            if moment.date() not in dates:
                found.append(moment)
                if len(found) == counts.occurrences:
                    break
        return found

    tasks: dict[str, Callable[[], list[datetime]]] = {
        "duetime": ours,
        "croniter": lambda: filtered(croniter(cron, WINTER, ret_type=datetime)),
        "cronsim": lambda: filtered(CronSim(cron, WINTER)),
    }
    answers = [task() for task in tasks.values()]
    assert answers[0] == answers[1] == answers[2]
    works: dict[str, Work] = {name: partial(_as_it_is, task) for name, task in tasks.items()}
    return compare(works, counts.occurrences, counts.rounds)


def _as_it_is(task: Callable[[], object]) -> Callable[[], object]:
    """A task that needs nothing made ready."""
    return task


def run(report: Report, counts: Counts | None = None) -> None:
    """Print the tables, and the aim of each row."""
    counts = counts or Counts()
    _table(
        report, f"Microseconds a next occurrence, each asked with the one before ({counts.steps:,} in a row)"
    )
    aims = [_say(report, "next", case, compare_next(case, counts)) for case in CASES]
    for cron in HOLIDAY_CRONS:
        found = compare_holidays(cron, counts)
        _line(report, f"{cron}, but for holidays", found)
        aims.append(_aim(f"next of {cron} under a holiday calendar", found))
    report.say("  (under the calendar: parsing it and all else included; the peers leave out a set of dates)")
    _table(report, "Microseconds a parse, cold: caches of ours are emptied before each, at our expense")
    aims += [_say(report, "parse", case, compare_parse(case, counts)) for case in CASES]
    report.say("  (the peers keep nothing of expressions, so all their parses are cold)")
    _table(report, "Microseconds a parse and its first occurrence, cold")
    for case in CASES:
        _say(report, "first", case, compare_parse(case, counts, first))
    _table(report, "Microseconds a parse of an expression that was seen before")
    for case in CASES:
        _say(report, "warm", case, compare_parse(case, counts, cold=False))
    for aim in aims:
        report.aim(aim)


def _table(report: Report, title: str) -> None:
    report.say(title)
    report.say(row("", [*LIBRARIES, "ratio"], first=_WIDTH, width=12))


def _say(report: Report, what: str, case: Case, found: Compared) -> Aim:
    others = disagreeing(case, 12)
    note = f"   ({', '.join(others)}: other instants)" if others else ""
    _line(report, case.name, found, case.missing, note)
    return _aim(f"{what} of {case.name}", found)


def _line(report: Report, name: str, found: Compared, missing: str = "", note: str = "") -> None:
    cells = [number(found.micros[one]) if one in found.micros else missing for one in LIBRARIES]
    report.say(row(name, [*cells, f"{found.ratio:.1f}"], first=_WIDTH, width=12) + note)


def _aim(name: str, found: Compared) -> Aim:
    return Aim(f"times as fast as the faster peer, {name}", found.ratio, TIMES_FASTER, at_least=True)
