"""The expressions that are measured, and how each library is asked for them: Duetime, croniter, cronsim.

Each gets the spelling it takes; a library that cannot take an expression has None and a reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim

from duetime.core.upcoming import Cron

Walk = Callable[[int], datetime | None]
"""Goes so many occurrences further, and answers where it came to."""
PEERS: Final = ("croniter", "cronsim")
WINTER: Final = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE_CHANGE: Final = datetime(2026, 3, 6, tzinfo=UTC)
"""Two days before clocks are set forward in New York."""


@dataclass(frozen=True)
class Case:
    """An expression as Duetime takes it, as its peers do (`missing` says why one does not), and where to start."""

    cron: str
    croniter: str | None = None
    cronsim: str | None = None
    zone: str = "UTC"
    start: datetime = WINTER
    rare: bool = False
    """Occurrences are years apart: a walk of many would leave the calendar."""
    missing: str = ""

    @property
    def name(self) -> str:
        """The expression, with its zone where that is not UTC."""
        return self.cron if self.zone == "UTC" else f"{self.cron} {self.zone}"

    def spelled(self, peer: str) -> str | None:
        """The expression as a peer takes it, or None."""
        text: str | None = getattr(self, peer)
        return None if text == "" else text or self.cron

    @property
    def clock(self) -> tzinfo:
        """The zone as the peers want it."""
        return UTC if self.zone == "UTC" else ZoneInfo(self.zone)


CASES: Final = (
    Case("* * * * *"),
    Case("*/5 * * * *"),
    Case("*/10 * * * * *"),
    Case("0 9 * * MON-FRI"),
    Case("0 0 1 1 *", rare=True),
    Case("0 0 29 2 *", rare=True),
    Case("0 22 L * ?", cronsim="0 22 L * *"),
    Case("0 0 * * FRI#2"),
    Case("0 12 15W * ?", cronsim="", missing="no W"),
    Case("0 9 * * *", zone="America/New_York", start=BEFORE_CHANGE),
    Case("*/15 * * * *", zone="America/New_York", start=BEFORE_CHANGE),
)
"""Clocks change under the walks through New York."""


def parse(library: str, case: Case) -> Any:
    """Return what a library makes of an expression, ready to be asked."""
    if library == "duetime":
        return Cron(case.cron, case.zone)
    text, start = case.spelled(library), case.start.astimezone(case.clock)
    assert text is not None
    if library == "cronsim":
        return CronSim(text, start)
    return croniter(text, start, second_at_beginning=True, max_years_between_matches=50)


def first(library: str, case: Case) -> datetime | None:
    """Parse an expression and return its first occurrence."""
    found = parse(library, case)
    if library == "duetime":
        answer: datetime | None = found.next(case.start)
        return answer
    return found.get_next(datetime) if library == "croniter" else next(found)  # type: ignore[no-any-return]  # untyped


def walk(library: str, case: Case) -> Walk:
    """Return what goes from occurrence to occurrence, each asked with the answer before."""
    found = parse(library, case)
    if library == "duetime":
        return _walk_ours(found, case.start)
    return _walk_peer((lambda: found.get_next(datetime)) if library == "croniter" else found.__next__)


def _walk_ours(cron: Cron, start: datetime) -> Walk:
    at: list[datetime] = [start]

    def go(count: int) -> datetime | None:
        following, moment = cron.next, at[0]
        for _ in range(count):
            found = following(moment)
            assert found is not None
            moment = found
        at[0] = moment
        return moment

    return go


def _walk_peer(following: Callable[[], datetime]) -> Walk:
    def go(count: int) -> datetime | None:
        found: datetime | None = None
        for _ in range(count):
            found = following()
        return None if found is None else found.astimezone(UTC)

    return go
