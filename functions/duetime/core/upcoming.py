"""The public way to ask for occurrences with Python's own datetimes: `upcoming` for any schedule, `Cron` for expressions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, get_args

from duetime.core.cron import check_cron, cron_grid
from duetime.core.errors import ScheduleError
from duetime.core.instants import FIRST_INSTANT, LAST_INSTANT, from_datetime, to_datetime
from duetime.core.plan import plan
from duetime.core.schedule import IntervalSchedule, parse_schedule, settle
from duetime.core.schedulekinds import Fold, Gap, Schedule
from duetime.core.wallclock import WallClock
from duetime.core.zones import check_zone, zone

MAX_COUNT: Final = 10_000


def upcoming(
    schedule: object, *, after: datetime, count: int = 5, calendars: Mapping[str, object] | None = None
) -> list[datetime]:
    """Return the next occurrences strictly after a moment, as aware datetimes in UTC; fewer or none where none are left.

    `schedule` is taken in any form `parse_schedule` takes; what depends on its creation counts from `after`. `calendars` maps
    names to calendar definitions. At most `count` (up to 10,000), and no more than `repeat_count`.

    Raises ScheduleError for a schedule or calendar that cannot be taken, a naive `after` and a `count` out of range.

    >>> from datetime import UTC
    >>> upcoming("0 9 * * MON-FRI tz=Asia/Shanghai", after=datetime(2026, 10, 16, 12, tzinfo=UTC), count=1)
    [datetime.datetime(2026, 10, 19, 1, 0, tzinfo=datetime.timezone.utc)]
    """
    if type(count) is not int or not 0 <= count <= MAX_COUNT:
        raise ScheduleError("count", count, "is out of range", f"Use 0 to {MAX_COUNT}.")
    start = from_datetime(after, "after")
    settled = settle(parse_schedule(schedule), now=start)
    return [to_datetime(instant) for instant in instants(settled, start, count, calendars or {})]


def instants(schedule: Schedule, after: int, count: int, calendars: Mapping[str, object]) -> list[int]:
    """Return the next occurrences of a settled schedule that is created at the instant `after`, as `upcoming` does."""
    if isinstance(schedule, IntervalSchedule) and schedule.repeat_count is not None:
        count = min(count, schedule.repeat_count)
    occurrences, found, instant = plan(schedule, anchor=after, calendars=calendars), list[int](), after
    while len(found) < count:
        following = occurrences.next(instant)
        if following is None or following > LAST_INSTANT:
            break
        instant = following
        found.append(instant)
    return found


class Cron:
    """A cron expression in a time zone, as a library: no scheduler, no store, only the arithmetic.

    Raises ScheduleError for an expression, zone or policy that cannot be taken.

    >>> from datetime import UTC
    >>> Cron("30 9 * * mon-fri", "Asia/Shanghai").next(datetime(2026, 10, 16, 12, tzinfo=UTC))
    datetime.datetime(2026, 10, 19, 1, 30, tzinfo=datetime.timezone.utc)
    """

    __slots__ = ("_next", "dst_fold", "dst_gap", "expression", "tz")

    def __init__(self, expr: str, tz: str = "UTC", dst_gap: str = "skip", dst_fold: str = "first") -> None:
        for field, value, choices in (
            ("dst_gap", dst_gap, get_args(Gap)),
            ("dst_fold", dst_fold, get_args(Fold)),
        ):
            if value not in choices:
                raise ScheduleError(field, value, f"is no {field}", f"Use {' or '.join(choices)}.")
        self.expression, self.tz, self.dst_gap, self.dst_fold = (
            check_cron(expr),
            check_zone(tz),
            dst_gap,
            dst_fold,
        )
        clock = WallClock(
            cron_grid(self.expression), zone(tz), shift=dst_gap == "shift", both=dst_fold == "both"
        )
        self._next = clock.next

    def next(self, after: datetime) -> datetime | None:
        """Return the first match strictly after an aware datetime, in UTC, or None if there is none before the year 10000.

        Raises ScheduleError for a naive datetime.
        """
        found = self._next(from_datetime(after, "after"))
        return None if found is None or not FIRST_INSTANT <= found <= LAST_INSTANT else to_datetime(found)

    def __repr__(self) -> str:
        return f"Cron({self.expression!r}, {self.tz!r})"
