"""A second opinion on schedules, written for nothing but being obviously right: it looks at every second or minute in turn.

It shares no code with the product: its own reading of cron fields, the zones of `zoneinfo` (from the same tzdata package), and
local times by `datetime`. It is slow, so the laws ask it about short windows only.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib.resources import files
from io import BytesIO
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MONTHS = {name: number for number, name in enumerate(calendar.month_abbr) if name}
DAYS = {name: number for number, name in enumerate(["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"])}


def file_of(name: str) -> bytes:
    """The compiled file of a zone in the tzdata package."""
    return files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


@cache
def zone_of(name: str) -> ZoneInfo:
    """A zone of the tzdata package, whatever the host has."""
    return ZoneInfo.from_file(BytesIO(file_of(name)), key=name)


def seconds_of(moment: datetime) -> int:
    """The epoch second of an aware time."""
    return (moment - EPOCH) // timedelta(seconds=1)


def local(instant: int, zone: str) -> datetime:
    """The local time of an instant, with its fold."""
    return (EPOCH + timedelta(seconds=instant)).astimezone(zone_of(zone))


def wall_of(wall: int) -> datetime:
    """A wall time, given in seconds since 1970-01-01T00:00 on that clock."""
    return EPOCH.replace(tzinfo=None) + timedelta(seconds=wall)


def offset(instant: int, zone: str) -> int:
    """Seconds east of UTC at an instant."""
    found = local(instant, zone).utcoffset()
    assert found is not None
    return round(found.total_seconds())


LOOKS = 6
"""Days between two looks at a zone's offset; a test makes sure that no two changes are nearer to each other."""


@cache
def _looks(decade: int) -> list[datetime]:
    """Noon of every `LOOKS`-th UTC day of ten years, and of the first day after them."""
    start, end = (datetime(year, 1, 1, 12, tzinfo=UTC) for year in (decade, decade + 10))
    return [*(start + timedelta(days=day) for day in range(0, (end - start).days, LOOKS)), end]


@cache
def _changes(zone: str, decade: int) -> list[int]:
    """The instants of ten years, from noon of their first day, at which a zone's offset changes."""
    found: list[int] = []
    clock, looks = zone_of(zone), _looks(decade)
    earlier = looks[0]
    for later in looks[1:]:
        before = earlier.astimezone(clock).utcoffset()
        if later.astimezone(clock).utcoffset() != before:
            low, high = seconds_of(earlier), seconds_of(later)
            while high - low > 1:
                middle = (low + high) // 2
                same = (EPOCH + timedelta(seconds=middle)).astimezone(clock).utcoffset() == before
                low, high = (middle, high) if same else (low, middle)
            found.append(high)
        earlier = later
    return found


@cache
def transitions(zone: str, first: int, last: int) -> list[int]:
    """The instants of the years `first` to `last`, the last excluded, at which a zone's offset changes."""
    start, end = (seconds_of(datetime(year, 1, 1, tzinfo=UTC)) for year in (first, last))
    decades = range((first - 1) // 10 * 10, last + 1, 10)
    return [change for decade in decades for change in _changes(zone, decade) if start <= change < end]


def _numbers(text: str, low: int, high: int, names: dict[str, int]) -> set[int]:
    """The values of one plain field."""
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        if span in ("*", "?"):
            first, last = low, high
        else:
            bounds = [
                names[bound.capitalize()] if bound.isalpha() else int(bound) for bound in span.split("-")
            ]
            first, last = bounds[0], bounds[-1]
            if len(bounds) == 1 and names is DAYS:
                first, last = first % 7, last % 7
            if len(bounds) == 2 and names is DAYS and span.upper().endswith("-SUN"):
                last = 7
            if len(bounds) == 1 and step:
                last = high
        found.update(range(first, last + 1, int(step or 1)))
    return found


def _last_day(day: date) -> int:
    return calendar.monthrange(day.year, day.month)[1]


def _nearest(day: date, wanted: int) -> int | None:
    """The weekday nearest to a day of a month, inside the month."""
    if wanted > _last_day(day):
        return None
    candidates = [
        (abs(other - wanted), other < wanted, other)
        for other in range(1, _last_day(day) + 1)
        if day.replace(day=other).weekday() < 5
    ]
    best = min(distance for distance, _, _ in candidates)
    close = [other for distance, _, other in candidates if distance == best]
    # A Sunday goes on to Monday, a Saturday back to Friday; both are one day away from only one weekday.
    return close[0]


def _day_matches(day: date, text: str) -> bool:
    for part in text.upper().split(","):
        if part == "L":
            hit = day.day == _last_day(day)
        elif part == "LW":
            hit = day.day == _nearest(day, _last_day(day))
        elif part.startswith("L-"):
            hit = day.day == _last_day(day) - int(part[2:])
        elif part.endswith("W"):
            hit = day.day == _nearest(day, int(part[:-1]))
        else:
            hit = day.day in _numbers(part, 1, 31, {})
        if hit:
            return True
    return False


def _weekday_matches(day: date, text: str) -> bool:
    today = day.isoweekday() % 7
    for part in text.upper().split(","):
        if part.endswith("L"):
            name = part[:-1]
            wanted = DAYS[name.capitalize()] if name.isalpha() else int(name) % 7
            hit = today == wanted and day.day + 7 > _last_day(day)
        elif "#" in part:
            name, _, number = part.partition("#")
            wanted = DAYS[name.capitalize()] if name.isalpha() else int(name) % 7
            hit = today == wanted and (day.day - 1) // 7 + 1 == int(number)
        else:
            numbers = _numbers(part, 0, 6, DAYS)
            hit = today in numbers or (today == 0 and 7 in numbers)
        if hit:
            return True
    return False


class Cron:
    """A cron expression as a question about one wall time."""

    def __init__(self, text: str) -> None:
        fields = text.split()
        if len(fields) == 5:
            fields = ["0", *fields]
        self.seconds = _numbers(fields[0], 0, 59, {})
        self.minutes = _numbers(fields[1], 0, 59, {})
        self.hours = _numbers(fields[2], 0, 23, {})
        self.day, self.weekday = fields[3], fields[5]
        self.months = _numbers(fields[4], 1, 12, MONTHS)
        self.years = None if len(fields) == 6 or fields[6] == "*" else _numbers(fields[6], 1970, 2099, {})
        self.on = cache(self._on)

    def _on(self, day: date) -> bool:
        if day.month not in self.months or (self.years is not None and day.year not in self.years):
            return False
        of_month, of_week = _day_matches(day, self.day), _weekday_matches(day, self.weekday)
        if self.day in ("*", "?"):
            return of_week
        return of_month if self.weekday in ("*", "?") else of_month or of_week

    def matches(self, wall: datetime) -> bool:
        """Tell whether a wall time matches."""
        time = wall.second in self.seconds and wall.minute in self.minutes and wall.hour in self.hours
        return time and self.on(wall.date())


def occurrences(
    matches: Callable[[datetime], bool],
    zone: str,
    first: int,
    last: int,
    *,
    shift: bool,
    both: bool,
    step: int,
) -> Iterator[int]:
    """Yield the instants from `first` to `last` at which a schedule of wall times is due, looking every `step` seconds.

    Wall times that match have to lie on multiples of `step`.
    """
    changes = [one for one in transitions(zone, 1969, 2045) if first <= one <= last]
    looked = sorted({*range(first + -(first + offset(first, zone)) % step, last + 1, step), *changes})
    # A zone whose offset is no multiple of the step moves the grid at a change: look at every second around one.
    if any((offset(one, zone) - offset(one - 1, zone)) % step for one in changes):
        looked = list(range(first, last + 1))
    for instant in looked:
        wall = local(instant, zone)
        due = matches(wall) and (both or wall.fold == 0)
        if due or (shift and instant in changes and gap_matches(matches, zone, instant)):
            yield instant


def gap_matches(matches: Callable[[datetime], bool], zone: str, change: int) -> bool:
    """Tell whether any wall time left out by a change matches."""
    before, after = offset(change - 1, zone), offset(change, zone)
    start = EPOCH.replace(tzinfo=None) + timedelta(seconds=change + before)
    return any(matches(start + timedelta(seconds=second)) for second in range(after - before))
