"""The public way to ask for occurrences with Python's own datetimes: `upcoming` for any schedule, `Cron` for expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final, get_args

from duetime.core.cron import cron_grid
from duetime.core.cronmasks import normal_text
from duetime.core.errors import ScheduleError
from duetime.core.instants import FIRST_INSTANT, LAST_INSTANT, from_datetime, to_datetime
from duetime.core.plan import plan
from duetime.core.schedule import IntervalSchedule, parse_schedule, settle
from duetime.core.schedulekinds import Fold, Gap, Schedule
from duetime.core.wallclock import WallClock
from duetime.core.zones import check_zone, zone

MAX_COUNT: Final = 10_000
_GAPS: Final[tuple[str, ...]] = get_args(Gap)
_FOLDS: Final[tuple[str, ...]] = get_args(Fold)
_Answer = tuple[datetime, int, int, timedelta | None]
_NO_ANSWER: Final[_Answer] = (datetime(1, 1, 1), 0, 0, None)
"""An answer, its instant, how far it was from what was asked, and that distance as a timedelta once it came twice."""


def upcoming(
    schedule: object, *, after: datetime, count: int = 5, calendars: Mapping[str, object] | None = None
) -> list[datetime]:
    """Return the next occurrences strictly after a moment, as aware datetimes in UTC; fewer or none where none are left.

    `schedule` is taken in any form `parse_schedule` takes; what depends on its creation counts from `after`. `calendars` maps
    names to calendar definitions. At most `count` (0 to 10,000; 0 only checks what is given and answers an empty list), and
    no more than `repeat_count`, of which the run of `immediate` at the creation itself is one.

    Raises ScheduleError for a schedule or calendar that cannot be taken, a naive `after` and a `count` out of range.

    >>> from datetime import UTC
    >>> upcoming("0 9 * * MON-FRI tz=Asia/Shanghai", after=datetime(2026, 10, 16, 12, tzinfo=UTC), count=1)
    [datetime.datetime(2026, 10, 19, 1, 0, tzinfo=datetime.timezone.utc)]
    """
    if type(count) is not int or not 0 <= count <= MAX_COUNT:
        raise ScheduleError("count", count, "is out of range", f"Use 0 to {MAX_COUNT}.")
    start = from_datetime(after, "after")
    settled = settle(parse_schedule(schedule), now=start)
    known = {} if calendars is None else calendars
    return [to_datetime(instant) for instant in instants(settled, start, count, known)]


def instants(schedule: Schedule, after: int, count: int, calendars: Mapping[str, object]) -> list[int]:
    """Return the next occurrences of a settled schedule that is created at the instant `after`, as `upcoming` does."""
    occurrences, found = plan(schedule, anchor=after, calendars=calendars), list[int]()
    following = occurrences.first(after)
    left = schedule.repeat_count if isinstance(schedule, IntervalSchedule) else None
    if following is not None and following <= after:  # it runs at the creation: not told, but counted
        left = None if left is None else left - 1
        following = occurrences.next(following)
    count = count if left is None else min(count, left)
    while len(found) < count and following is not None and following <= LAST_INSTANT:
        found.append(following)
        following = occurrences.next(following)
    return found


class Cron:
    """A cron expression in a time zone, as a library: no scheduler, no store, only the arithmetic.

    Raises ScheduleError for an expression, zone or policy that cannot be taken.

    >>> from datetime import UTC
    >>> Cron("30 9 * * mon-fri", "Asia/Shanghai").next(datetime(2026, 10, 16, 12, tzinfo=UTC))
    datetime.datetime(2026, 10, 19, 1, 30, tzinfo=datetime.timezone.utc)
    """

    __slots__ = ("_grid", "_last", "_search", "dst_fold", "dst_gap", "expression", "tz")

    def __init__(self, expr: str, tz: str = "UTC", dst_gap: str = "skip", dst_fold: str = "first") -> None:
        gap: object = dst_gap
        fold: object = dst_fold  # untyped callers pass anything
        if not isinstance(gap, str) or gap not in _GAPS:
            raise ScheduleError("dst_gap", dst_gap, "is no dst_gap", f"Use {' or '.join(_GAPS)}.")
        if not isinstance(fold, str) or fold not in _FOLDS:
            raise ScheduleError("dst_fold", dst_fold, "is no dst_fold", f"Use {' or '.join(_FOLDS)}.")
        self.expression = normal_text(expr)
        self._grid = cron_grid(self.expression)
        self.tz, self.dst_gap, self.dst_fold = check_zone(tz), dst_gap, dst_fold
        self._search: Callable[[int], int | None] | None = None
        self._last: _Answer = _NO_ANSWER

    def next(self, after: datetime) -> datetime | None:
        """Return the first match strictly after an aware datetime, in UTC, or None if there is none before the year 10000.

        Raises ScheduleError for a naive datetime.
        """
        search = self._search or self._begin()
        # Most ask for the one after the answer before: its instant is known, and its distance often the same.
        told, instant, distance, step = self._last
        if after is told:
            found = search(instant)
            if found is not None and found - instant == distance and found <= LAST_INSTANT:
                step = step or timedelta(seconds=distance)
                answer = after + step
                self._last = answer, found, distance, step
                return answer
        else:
            instant = from_datetime(after, "after")
            found = search(instant)
        if found is None or not FIRST_INSTANT <= found <= LAST_INSTANT:
            return None
        answer = to_datetime(found)
        self._last = answer, found, found - instant, None
        return answer

    def _begin(self) -> Callable[[int], int | None]:
        """Make what only a search needs: an expression is often only checked."""
        shift, both = self.dst_gap == "shift", self.dst_fold == "both"
        self._search = WallClock(self._grid, zone(self.tz), shift=shift, both=both).next
        return self._search

    def __repr__(self) -> str:
        return f"Cron({self.expression!r}, {self.tz!r})"
