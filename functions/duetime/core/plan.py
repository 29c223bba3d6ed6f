"""The occurrences of a frozen schedule: the one place where grid, zone, window, calendar and `immediate` come together.

A `Plan` answers in UTC epoch seconds, strictly ordered, without state: which occurrence is next or was last, whether an
instant is one, and how many lie in a range. Every answer is bounded: 400 years, 10,000 excluded spans, no loop over seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from duetime.core.cron import check_cron, cron_grid
from duetime.core.errors import ScheduleError
from duetime.core.instants import earliest
from duetime.core.schedulekinds import CronSchedule, IntervalSchedule, OnceSchedule, Schedule
from duetime.core.steps import Steps
from duetime.core.wallclock import WallClock
from duetime.core.zones import EVER, instant_of, offset_at, zone

if TYPE_CHECKING:
    from duetime.core.exclusion import Exclusion

_NO_CALENDARS: Final[Mapping[str, object]] = MappingProxyType({})


class Plan:
    """The occurrences of one schedule from its anchor on; make one with `plan`."""

    __slots__ = ("_exclusion", "_extra", "_first", "_last", "_plain", "base", "schedule")

    def __init__(self, schedule: Schedule, anchor: int, calendar: Exclusion | None) -> None:
        self.schedule = schedule
        start = anchor if schedule.start_at is None else schedule.start_at
        self.base = _base(schedule, start)
        self._first = -EVER if schedule.start_at is None else schedule.start_at
        self._last = EVER if schedule.end_at is None else schedule.end_at
        self._exclusion = calendar
        self._extra = _extra(schedule, anchor, start) if schedule.immediate else None
        if self._extra is not None and (self._extra > self._last or self._excluded(self._extra)):
            self._extra = None
        self._plain = (
            calendar is None and self._extra is None and schedule.start_at is None and schedule.end_at is None
        )

    def next(self, after: int) -> int | None:
        """Return the first occurrence strictly after an instant, or None if nothing is left.

        >>> from duetime.core.schedule import freeze, parse_schedule
        >>> plan(freeze(parse_schedule("*/5 * * * *"), now=0), anchor=0).next(1_800_000_000)
        1800000300
        """
        if self._plain:
            return self.base.next(after)
        found = self._free(self.base.next(max(after, self._first - 1)))
        if self._extra is not None and after < self._extra and (found is None or self._extra < found):
            return self._extra
        return found

    def _excluded(self, instant: int) -> bool:
        return self._exclusion is not None and self._exclusion.excluded(instant)

    def _free(self, instant: int | None) -> int | None:
        """The first occurrence of the base from `instant`, one of them, that the window and the calendar leave."""
        if self._exclusion is not None:
            return self._exclusion.first_free(instant, self._last, self.base)
        return None if instant is None or instant > self._last else instant

    def after_finish(self, finished: int) -> int | None:
        """Return the occurrence that follows a run finished at an instant; for all but fixed_delay that is `next`."""
        return self.next(finished)

    def first(self, created: int) -> int | None:
        """Return the first occurrence of what is created at an instant; with `immediate` that instant itself may be one."""
        return self.next(created - 1 if self.schedule.immediate else created)

    def at_or_after(self, instant: int) -> int | None:
        """Return an instant that was due if it still is an occurrence, else the next one."""
        return self.next(instant - 1)

    def room(self, instant: int) -> int | None:
        """Return what the run of an occurrence may not be moved to by jitter: the next one, or where an exclusion begins.

        None where neither is near enough to matter.
        """
        free = None if self._exclusion is None else self._exclusion.free_until(instant)
        return earliest(self.next(instant), free)

    def previous(self, before: int) -> int | None:
        """Return the last occurrence strictly before an instant, or None. With fixed_delay the runs know, not the plan."""
        found = self._previous(before)
        if self._extra is not None and self._extra < before and (found is None or found < self._extra):
            return self._extra
        return found

    def _previous(self, before: int) -> int | None:
        before = min(before, self._last + 1)
        if self._exclusion is not None:
            return self._exclusion.last_free(before, self._first, self.base)
        found = self.base.previous(before)
        return None if found is None or found < self._first else found

    def contains(self, instant: int) -> bool:
        """Tell whether an instant is one of the occurrences."""
        if instant == self._extra:
            return True
        inside = self._first <= instant <= self._last and self.base.contains(instant)
        return inside and not self._excluded(instant)

    def count(self, first: int, last: int, limit: int | None = None) -> int:
        """Return how many occurrences lie between two instants, both counting, or `limit` if they are more.

        Costs no loop over occurrences. Under a calendar it goes through its spans: exact for ten years of two exclusions
        a day; where they are more than 7,500, or the years more than 400, it answers how many there are at least.
        """
        total = 0
        if self._extra is not None and first <= self._extra <= last:
            total += not (self._extra >= self._first and self.base.contains(self._extra))
        first, last = max(first, self._first), min(last, self._last)
        if self._exclusion is None:
            total += self.base.count(first, last)
        else:
            total += self._exclusion.count_free(first, last, self.base, limit)
        return total if limit is None else min(total, limit)


class DelayPlan(Plan):
    """A fixed delay: what is due depends on when the run before finished, so any instant from the first on may be one."""

    __slots__ = ("_every", "_start")

    def __init__(self, schedule: IntervalSchedule, anchor: int, calendar: Exclusion | None) -> None:
        super().__init__(schedule, anchor, calendar)
        self._every = schedule.every
        start = anchor if schedule.start_at is None else schedule.start_at
        self._start = start if schedule.immediate else start + schedule.every

    def next(self, after: int) -> int | None:
        """Return the occurrence after one at `after` whose run took no time; before the first, the first."""
        return self._moved(self._start if after < self._start else after + self._every)

    def after_finish(self, finished: int) -> int | None:
        """Return one interval after the end of a run, moved to the first free instant, or None if nothing is left."""
        return self._moved(max(finished + self._every, self._start))

    def first(self, created: int) -> int | None:
        return self.at_or_after(created) if self.schedule.immediate else self.next(created)

    def at_or_after(self, instant: int) -> int | None:
        """Return an instant that was due, moved to the first free one."""
        return self._moved(max(instant, self._start))

    def _moved(self, instant: int) -> int | None:
        free = instant if self._exclusion is None else self._exclusion.release(instant)
        return None if free is None or free > self._last else free

    def room(self, instant: int) -> int | None:
        return None if self._exclusion is None else self._exclusion.free_until(instant)

    def previous(self, before: int) -> int | None:
        return None

    def contains(self, instant: int) -> bool:
        return self._start <= instant <= self._last and not self._excluded(instant)

    def count(self, first: int, last: int, limit: int | None = None) -> int:
        """Return 1 if an occurrence can lie in the range, else 0: there is never more than one outstanding."""
        found = self._moved(max(first, self._start))
        return int(found is not None and found <= last and limit != 0)


def plan(schedule: Schedule, *, anchor: int, calendars: Mapping[str, object] = _NO_CALENDARS) -> Plan:
    """Return the plan of a frozen schedule. `anchor` is the instant its trigger was created or last armed anew.

    `calendars` maps names to definitions or parsed calendars. Raises ScheduleError for a zone that no longer exists, for an
    unknown calendar and for a `once` that is not frozen.
    """
    if schedule.calendar is None:
        return _plan(schedule, anchor)
    from duetime.core.exclusion import exclusion  # most schedules have no calendar

    return _made(schedule, anchor, exclusion(schedule.calendar, calendars))


@lru_cache(maxsize=1024)
def _plan(schedule: Schedule, anchor: int) -> Plan:
    return _made(schedule, anchor, None)


def _made(schedule: Schedule, anchor: int, calendar: Exclusion | None) -> Plan:
    if isinstance(schedule, IntervalSchedule) and schedule.mode == "fixed_delay":
        return DelayPlan(schedule, anchor, calendar)
    return Plan(schedule, anchor, calendar)


def _base(schedule: Schedule, start: int) -> WallClock:
    """The schedule's own grid on its clock, without window, calendar and immediate."""
    if isinstance(schedule, OnceSchedule):
        if schedule.at is None:
            raise ScheduleError("at", None, "is not fixed yet", "Freeze the schedule first.")
        return WallClock(Steps(schedule.at, 1, 0, 0), zone("UTC"))
    clock = zone(schedule.timezone or "UTC")
    shift, both = schedule.dst_gap == "shift", schedule.dst_fold == "both"
    if isinstance(schedule, CronSchedule):
        return WallClock(cron_grid(check_cron(schedule.cron)), clock, shift=shift, both=both)
    if schedule.mode == "calendar":
        wall = schedule.start_wall
        if wall is None:
            wall = start + offset_at(clock, start)
        return WallClock(Steps(wall, schedule.every, 1), clock, shift=shift, both=both)
    if schedule.mode == "aligned":
        return WallClock(Steps(0, schedule.every), zone("UTC"))
    return WallClock(Steps(start, schedule.every, 1), zone("UTC"))


def _extra(schedule: Schedule, anchor: int, start: int) -> int | None:
    """The additional first occurrence of `immediate`: the anchor of an interval, else the creation or the window's start.

    A calendar-mode anchor inside a gap does not exist under `skip`.
    """
    if isinstance(schedule, IntervalSchedule) and schedule.mode != "aligned":
        if schedule.start_wall is not None:
            return instant_of(
                zone(schedule.timezone or "UTC"), schedule.start_wall, shift=schedule.dst_gap == "shift"
            )
        return start
    return max(anchor, start)
