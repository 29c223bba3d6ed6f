"""Says in one sentence, in English or Chinese, what a schedule does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from duetime.core.cron import read_cron
from duetime.core.describeen import English
from duetime.core.describezh import Chinese
from duetime.core.errors import ScheduleError
from duetime.core.instants import instant_text, local_text, wall_text
from duetime.core.schedule import parse_schedule
from duetime.core.schedulekinds import CronSchedule, IntervalSchedule, OnceSchedule, Schedule, has_fixed_delay
from duetime.core.zones import offset_at, zone, zone_names

if TYPE_CHECKING:
    from duetime.core.cronparse import Expression


class Language(Protocol):
    """What a language has to say; every method answers a part of a sentence without its full stop."""

    def cron(self, expression: Expression) -> str:
        """Say when an expression matches."""

    def interval(self, every: int, mode: str) -> str:
        """Say how often an interval comes, `every` in seconds."""

    def repeats(self, count: int) -> str:
        """Say how many runs there are in all."""

    def once(self, when: str) -> str:
        """Say that there is one run at a time."""

    def delayed(self, delay: int) -> str:
        """Say that there is one run, so many seconds after creation."""

    def in_zone(self, timezone: str) -> str:
        """Say on whose clock."""

    def policies(self, gap: str | None, fold: str | None) -> list[str]:
        """Say what changes of the clock do, where it is not the usual."""

    def window(self, start: str | None, end: str | None) -> str:
        """Say between which bounds."""

    def calendar(self, name: str, kind: str) -> str:
        """Say that a calendar excludes occurrences, which are then "passed", "moved" to its end or "dropped"."""

    def immediate(self, first: bool, started: bool) -> str:
        """Say that one more run, or the `first` of all, comes at creation, or where a window has `started` it."""

    def sentence(self, parts: list[str]) -> str:
        """Join the parts into a sentence."""


_LANGUAGES: Final[dict[str, Language]] = {"en": English(), "zh": Chinese()}


def describe(schedule: object, language: str = "en") -> str:
    """Return one sentence that says what a schedule, in any accepted form, does. Languages are "en" and "zh".

    Raises ScheduleError for a schedule that cannot be taken and an unknown language.

    >>> describe("0 9 * * MON-FRI tz=Asia/Shanghai")
    'At 09:00, Monday to Friday, Asia/Shanghai time.'
    >>> describe("every 10m x5")
    'Every 10 minutes, 5 runs in all.'
    """
    wanted: object = language  # untyped callers pass anything
    words = _LANGUAGES.get(wanted) if isinstance(wanted, str) else None
    if words is None:
        raise ScheduleError("language", language, "is no language of descriptions", "Use en or zh.")
    parsed = parse_schedule(schedule)
    parts = _kind(parsed, words)
    start_wall = parsed.start_wall if isinstance(parsed, IntervalSchedule) else None
    start = wall_text(start_wall) if start_wall is not None else _instant(parsed.start_at)
    if start or parsed.end_at is not None:
        parts.append(words.window(start, _instant(parsed.end_at)))
    if parsed.calendar is not None:
        moved = "moved" if has_fixed_delay(parsed) else "passed"
        kind = "dropped" if isinstance(parsed, OnceSchedule) else moved
        parts.append(words.calendar(parsed.calendar, kind))
    if parsed.immediate:
        anchored = isinstance(parsed, IntervalSchedule) and parsed.mode != "aligned"
        parts.append(words.immediate(anchored, start is not None))
    return words.sentence(parts)


def _instant(instant: int | None) -> str | None:
    return None if instant is None else instant_text(instant)


def _kind(schedule: Schedule, words: Language) -> list[str]:
    """The parts that differ by kind."""
    if isinstance(schedule, CronSchedule):
        return [
            words.cron(read_cron(schedule.cron)),
            words.in_zone(schedule.timezone or "UTC"),
            *words.policies(schedule.dst_gap, schedule.dst_fold),
        ]
    if isinstance(schedule, OnceSchedule):
        return _once(schedule, words)
    parts = [words.interval(schedule.every, schedule.mode)]
    if schedule.mode == "calendar":
        parts.append(words.in_zone(schedule.timezone or "UTC"))
        parts += words.policies(schedule.dst_gap, schedule.dst_fold)
    if schedule.repeat_count is not None:
        parts.append(words.repeats(schedule.repeat_count))
    return parts


def _once(schedule: OnceSchedule, words: Language) -> list[str]:
    if schedule.delay is not None:
        return [words.delayed(schedule.delay)]
    if schedule.at is None:
        return [
            words.once(wall_text(schedule.at_wall or 0)),
            words.in_zone(schedule.timezone or "UTC"),
            *words.policies(schedule.dst_gap, None),
        ]
    if schedule.timezone is None or schedule.timezone not in zone_names():  # a stored zone may be gone
        return [words.once(instant_text(schedule.at))]
    offset = offset_at(zone(schedule.timezone), schedule.at)
    return [words.once(local_text(schedule.at, offset)), words.in_zone(schedule.timezone)]
