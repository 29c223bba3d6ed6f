"""Time zones by IANA name, from the `tzdata` package alone, so that every host answers the same.

A zone is a table of spans with one offset each. The near table holds what is on file and the rule up to 2100; later
instants are looked up in a far table of two 400-year calendar cycles, because the rule repeats with the calendar.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache, lru_cache
from typing import Final

from duetime.core.errors import ScheduleError
from duetime.core.zonefile import DAY, Rule, days_to, read

CYCLE_DAYS: Final = 146_097
CYCLE: Final = CYCLE_DAYS * DAY
"""Seconds in 400 years: dates, weekdays and yearly clock changes repeat exactly."""
NEAR_END: Final = days_to(2100, 1) * DAY
EVER: Final = 1 << 60
"""An instant beyond all others; negated, one before all others."""
_FAR_FIRST, _FAR_LAST = 2089, 2912


class Spans:
    """Spans of one constant offset, in order. All lists are parallel; the last span ends at `end`.

    `starts` are instants, `opens` and `closes` the wall times at which a span begins and ends, `fresh` the first wall
    time of a span that no earlier span has shown: `fresh > opens` is a clock set back, `opens > closes[before]` a gap.
    """

    __slots__ = ("closes", "fresh", "offsets", "opens", "starts")

    def __init__(self, initial: int, changes: list[tuple[int, int]], end: int = EVER) -> None:
        starts, offsets = [-EVER], [initial]
        for instant, offset in changes:
            if offset != offsets[-1]:
                starts.append(instant)
                offsets.append(offset)
        self.starts = tuple(starts)
        self.offsets = tuple(offsets)
        self.opens = tuple(start + offset for start, offset in zip(starts, offsets, strict=True))
        ends = [*starts[1:], end]
        self.closes = tuple(end + offset for end, offset in zip(ends, offsets, strict=True))
        fresh, highest = [], -EVER * 2
        for opened, closed in zip(self.opens, self.closes, strict=True):
            highest = max(highest, opened)
            fresh.append(highest)
            highest = max(highest, closed)
        self.fresh = tuple(fresh)


class Zone:
    """One time zone. `near` is right before `near_end`; from there on ask `far()`, shifted by whole cycles."""

    __slots__ = ("_rule", "name", "near", "near_end")

    def __init__(self, name: str, data: bytes) -> None:
        initial, changes, rule = read(data)
        self.name, self._rule = name, rule
        if rule is not None:
            last = changes[-1][0] if changes else days_to(1970, 1) * DAY
            first_year = 1970 + last // (366 * DAY)
            changes = changes + [c for c in _yearly(rule, first_year, 2100) if c[0] > last]
        self.near_end = EVER if rule is None else NEAR_END
        self.near = Spans(initial, changes, self.near_end)

    def far(self) -> Spans:
        """Return the spans of 2089 to 2912, which stand for any later 400 years; only zones whose clocks change on."""
        return self.near if self._rule is None else _far(self._rule)


def _yearly(rule: Rule, first: int, last: int) -> list[tuple[int, int]]:
    """The changes a rule makes in the years `first` to `last` exclusive, in order."""
    return sorted(change for year in range(first, last) for change in rule.changes(year))


@lru_cache(maxsize=64)
def _far(rule: Rule) -> Spans:
    """Two cycles of one rule; zones that keep the same rule share them."""
    changes = _yearly(rule, _FAR_FIRST, _FAR_LAST)
    return Spans(changes[0][1], changes[1:])


@cache
def zone_names() -> frozenset[str]:
    """Return every accepted time zone name."""
    return frozenset(_resource("zones").decode("ascii").split()) - {"Factory", "localtime", "posixrules"}


def check_zone(name: object, field: str = "timezone") -> str:
    """Return `name` if it is an IANA time zone name, else raise ScheduleError with the nearest names as a hint.

    >>> check_zone("Asia/Shanghai")
    'Asia/Shanghai'
    """
    if isinstance(name, str) and name in zone_names():
        return name
    from duetime.core.zonehints import zone_hint  # only to refuse

    raise ScheduleError(field, name, "is no IANA time zone name", zone_hint(name, zone_names()))


@lru_cache(maxsize=256)
def zone(name: str) -> Zone:
    """Return the zone of an IANA name. Raises ScheduleError for any other text.

    >>> zone("Asia/Kolkata").near.offsets[-1]
    19800
    """
    return Zone(check_zone(name), _resource(f"zoneinfo/{name}"))


def span_at(where: Zone, instant: int) -> tuple[Spans, int]:
    """Return the table that holds an instant and what to subtract from instants and wall times to look them up in it."""
    if instant < where.near_end:
        return where.near, 0
    return where.far(), (instant - NEAR_END) // CYCLE * CYCLE


def offset_at(where: Zone, instant: int) -> int:
    """Return the seconds east of UTC that clocks of a zone show at an instant.

    >>> offset_at(zone("Europe/Berlin"), 1_800_000_000)
    3600
    """
    spans, shift = span_at(where, instant)
    return spans.offsets[bisect_right(spans.starts, instant - shift) - 1]


def instant_of(where: Zone, wall: int, *, shift: bool = False) -> int | None:
    """Return the first instant at which clocks of a zone show a wall time; in a gap None, or with `shift` its end.

    >>> instant_of(zone("Asia/Kolkata"), 19_800)
    0
    """
    instant = landing(where, wall)
    return instant if shift or wall == instant + offset_at(where, instant) else None


def landing(where: Zone, wall: int) -> int:
    """Return the first instant at which clocks of a zone show a wall time or, having left it out, a later one.

    >>> landing(zone("Asia/Kolkata"), 19_800)
    0
    """
    spans, cycles = where.near, 0
    if wall >= where.near_end:
        spans, cycles = where.far(), (wall - NEAR_END) // CYCLE * CYCLE
    index = bisect_right(spans.fresh, wall - cycles) - 1
    if wall - cycles < spans.closes[index]:
        return wall - spans.offsets[index]
    if index + 1 == len(spans.starts):  # the last hours of the near table, on a clock behind UTC
        return wall - spans.offsets[index]
    return spans.starts[index + 1] + cycles


def _resource(path: str) -> bytes:
    """A file of the tzdata package. Read through its loader, so that it may be inside an archive."""
    from pkgutil import get_data  # only where a zone is read: keeps `import duetime` light

    data = get_data("tzdata", path)
    if data is None:
        raise FileNotFoundError(f"the tzdata package has no {path}")
    return data
