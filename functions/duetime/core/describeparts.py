"""What both languages of descriptions ask of a cron expression: which values, which runs of them, which clock times?

Fields are looked at by what they match, not by how they were written: `1,2,3` and `1-3` are the same, and `0,15,30,45` is
every 15 minutes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from duetime.core.cronfields import Field
    from duetime.core.cronparse import Expression


MAX_TIMES: Final = 6
LEAST_STEPS: Final = 4
"""Fewer evenly spaced values than these are named one by one."""
SIZES: Final = {"second": 60, "minute": 60, "hour": 24}


class Piece(NamedTuple):
    """A value (`first` is `last`), a range (`step` 1), or evenly spaced values; both ends match."""

    first: int
    last: int
    step: int = 1

    @property
    def single(self) -> bool:
        """Whether it is one value."""
        return self.first == self.last


def values(field: Field) -> list[int]:
    """Return the plain values of a field in order."""
    return [value for value in range(field.mask.bit_length()) if field.mask >> value & 1]


def pieces(found: list[int]) -> list[Piece]:
    """Return ordered values as ranges and single values, or as one piece where they are evenly spaced.

    >>> pieces([1, 2, 3, 7]), pieces([0, 7, 14, 21])
    ([Piece(first=1, last=3, step=1), Piece(first=7, last=7, step=1)], [Piece(first=0, last=21, step=7)])
    """
    gaps = {after - before for before, after in pairwise(found)}
    if len(found) >= LEAST_STEPS and len(gaps) == 1 and gaps != {1}:
        return [Piece(found[0], found[-1], gaps.pop())]
    runs: list[Piece] = []
    for value in found:
        if runs and runs[-1].last == value - 1:
            runs[-1] = Piece(runs[-1].first, value)
        else:
            runs.append(Piece(value, value))
    split: list[Piece] = []
    for run in runs:
        pair = run.last - run.first == 1  # two neighbours are named one by one
        split += [Piece(run.first, run.first), Piece(run.last, run.last)] if pair else [run]
    return split


def weekday_pieces(field: Field) -> list[Piece]:
    """Return the plain days of the week, Monday (1) first; one run around the weekend (`SUN-THU`) stays whole."""
    days = [day for day in (*range(1, 7), 0) if field.mask >> day & 1]
    starts = [day for day in days if (day - 1) % 7 not in days]
    if len(days) > 2 and len(starts) == 1:
        first = starts[0] or 7
        return [Piece(first, first + len(days) - 1)]
    return [piece for piece in pieces([day or 7 for day in days]) if piece.step == 1] or [
        Piece(day or 7, day or 7) for day in days
    ]


def regular(found: list[int], unit: str) -> int | None:
    """Return n where values mean every n units without a break at the field's end, such as */5 minutes, else None."""
    size = SIZES[unit]
    step = size if len(found) < 2 else found[1]
    return step if size % step == 0 and step < size and found == list(range(0, size, step)) else None


def clock_times(expression: Expression) -> list[str]:
    """Return the times of day of an expression that names few of them, else nothing."""
    hours, minutes, seconds = map(values, (expression.hour, expression.minute, expression.second))
    if len(hours) * len(minutes) * len(seconds) > MAX_TIMES:
        return []
    plain = seconds == [0]
    return [
        clock(hour, minute, None if plain else second)
        for hour in hours
        for minute in minutes
        for second in seconds
    ]


def clock(hour: int, minute: int, second: int | None = None) -> str:
    """Return a time of day.

    >>> clock(9, 5), clock(9, 5, 0)
    ('09:05', '09:05:00')
    """
    return f"{hour:02d}:{minute:02d}" + ("" if second is None else f":{second:02d}")


class Stretch(NamedTuple):
    """One stretch of every day, `first` to `last` by the clock, in which a run comes every `step` of `unit`."""

    step: int
    unit: str
    first: str
    last: str


def stretch(expression: Expression) -> Stretch | None:
    """Return the one stretch of the day that an expression fills evenly, or None: all day, several, or uneven.

    >>> from duetime.core.cronparse import parse_cron
    >>> stretch(parse_cron("*/15 9-17 * * *"))
    Stretch(step=15, unit='minute', first='09:00', last='17:45')
    """
    hours, minutes, seconds = map(values, (expression.hour, expression.minute, expression.second))
    whole, hour_runs, minute_runs = len(hours) == 24, pieces(hours), pieces(minutes)
    if seconds != [0]:
        step, end = regular(seconds, "second"), seconds[-1]
        if step is None or whole or len(hour_runs) > 1 or hour_runs[0].step > 1:
            return None
        if len(minutes) == 60:
            return Stretch(step, "second", clock(hours[0], 0, 0), clock(hours[-1], 59, end))
        if len(hours) == len(minute_runs) == 1 and minute_runs[0].step == 1:
            return Stretch(step, "second", clock(hours[0], minutes[0], 0), clock(hours[0], minutes[-1], end))
        return None
    if len(minutes) == 1:
        if len(hour_runs) > 1 or hour_runs[0].single or (whole and hour_runs[0].step == 1):
            return None
        return Stretch(hour_runs[0].step, "hour", clock(hours[0], minutes[0]), clock(hours[-1], minutes[0]))
    step = regular(minutes, "minute")
    if step is not None and not whole and len(hour_runs) == 1 and hour_runs[0].step == 1:
        return Stretch(step, "minute", clock(hours[0], 0), clock(hours[-1], minutes[-1]))
    if len(hours) == len(minute_runs) == 1:
        return Stretch(
            minute_runs[0].step, "minute", clock(hours[0], minutes[0]), clock(hours[0], minutes[-1])
        )
    return None


def every_day(expression: Expression) -> bool:
    """Tell whether the two day fields leave no day out."""
    days, weekdays = expression.day.mask == 0xFFFF_FFFE, expression.weekday.mask == 0x7F
    return days or weekdays if expression.either_day else days and weekdays


def span(seconds: int) -> list[tuple[int, str]]:
    """Return a duration as counts and units: one unit where fewer than 100 of it are exact, else the largest first.

    >>> span(90), span(5_400), span(3_661)
    ([(90, 'second')], [(90, 'minute')], [(1, 'hour'), (1, 'minute'), (1, 'second')])
    """
    units = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
    for size, unit in units:
        if seconds % size == 0 and (seconds // size < 100 or unit == "day"):
            return [(seconds // size, unit)]
    found = []
    for size, unit in units:
        count, seconds = divmod(seconds, size)
        if count:
            found.append((count, unit))
    return found
