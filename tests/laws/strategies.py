"""Random schedules, zones, calendars and moments for the laws."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from duetime.core.zones import zone_names
from tests.laws import oracle

MONTHS = ["JAN", "feb", "Mar", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
WEEKDAYS = ["SUN", "mon", "Tue", "WED", "THU", "FRI", "SAT"]
ZONES = sorted(zone_names())
RESTLESS = [
    "Africa/Cairo", "Africa/Casablanca", "America/Havana", "America/New_York", "America/Santiago", "America/St_Johns",
    "Antarctica/Troll", "Asia/Beirut", "Asia/Gaza", "Asia/Tehran", "Atlantic/Azores", "Australia/Lord_Howe", "Europe/Berlin",
    "Europe/Dublin", "Pacific/Apia", "Pacific/Chatham",
]  # fmt: skip
"""Zones whose clocks change in ways of their own, or still do."""

zones = st.one_of(st.sampled_from(RESTLESS), st.sampled_from(ZONES))
gaps = st.sampled_from(["skip", "shift"])
folds = st.sampled_from(["first", "both"])


@st.composite
def plain_field(draw: st.DrawFn, low: int, high: int, names: list[str] | None = None, parts: int = 3) -> str:
    """A field of values, ranges and steps; sometimes by name."""

    def value(number: int) -> str:
        return (
            names[number - low]
            if names and number - low < len(names) and draw(st.booleans())
            else str(number)
        )

    def item() -> str:
        first = draw(st.integers(low, high))
        last = draw(st.integers(first, high))
        step = draw(st.integers(1, high - low + 2))
        shape = draw(st.sampled_from(["value", "range", "star step", "open step", "range step"]))
        return {
            "value": value(first),
            "range": f"{value(first)}-{value(last)}",
            "star step": f"*/{step}",
            "open step": f"{value(first)}/{step}",
            "range step": f"{value(first)}-{value(last)}/{step}",
        }[shape]

    if draw(st.integers(0, 3)) == 0:
        return "*"
    return ",".join(item() for _ in range(draw(st.integers(1, parts))))


@st.composite
def day_field(draw: st.DrawFn) -> str:
    """A day of month, with L, L-n, nW and LW among its items."""
    special = st.one_of(
        st.just("L"),
        st.just("LW"),
        st.integers(1, 30).map("L-{}".format),
        st.integers(1, 31).map("{}W".format),
    )
    if draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(["*", "?"]))
    return ",".join(draw(st.lists(st.one_of(special, plain_field(1, 31, parts=1)), min_size=1, max_size=3)))


@st.composite
def weekday_field(draw: st.DrawFn) -> str:
    """A day of week, with nL and n#k among its items."""
    names = st.one_of(st.sampled_from(WEEKDAYS), st.integers(0, 7).map(str))
    special = st.one_of(
        names.map("{}L".format), st.tuples(names, st.integers(1, 5)).map(lambda pair: f"{pair[0]}#{pair[1]}")
    )
    plain = plain_field(0, 6, WEEKDAYS, parts=1)
    if draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(["*", "?"]))
    return ",".join(draw(st.lists(st.one_of(special, plain), min_size=1, max_size=3)))


@st.composite
def expressions(draw: st.DrawFn, *, seconds: bool = False) -> str:
    """A legal expression, dense in time more often than not; some of them can match no date."""
    dense = st.sampled_from(["*", "*/5", "*/15", "0", "30", "1-59/2"])
    minute = draw(st.one_of(dense, plain_field(0, 59)))
    hour = draw(st.one_of(st.just("*"), st.just("*/2"), plain_field(0, 23)))
    month = draw(st.one_of(st.just("*"), st.just("*"), plain_field(1, 12, MONTHS)))
    fields = [minute, hour, draw(day_field()), month, draw(weekday_field())]
    return " ".join([draw(st.one_of(dense, plain_field(0, 59))), *fields] if seconds else fields)


@st.composite
def near_changes(draw: st.DrawFn, name: str, reach: int) -> int:
    """A moment: mostly in the `reach` seconds before a change of a zone's clock or the hour after, else 1970 to 2037."""
    known: list[int] = oracle.transitions(name, 1970, 2038)
    near = draw(st.integers(0, 4)) > 0
    if known and near:
        return draw(st.sampled_from(known)) + draw(st.integers(-reach, 3_600))
    return draw(st.integers(0, 2_145_916_800))


instants = st.integers(-1_000_000_000, 8_000_000_000)
times_of_day = st.integers(0, 86_399).map(lambda s: f"{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}")


@st.composite
def calendars(draw: st.DrawFn, near: int) -> dict[str, Any]:
    """A calendar that excludes something in the days after a moment."""
    kind = draw(st.sampled_from(["holiday", "weekly", "daily", "cron"]))
    found: dict[str, Any] = {"kind": kind, "timezone": draw(zones)}
    if kind == "holiday":
        days = draw(st.lists(st.integers(-2, 6), min_size=1, max_size=4))
        found["dates"] = [oracle.local(near + day * 86_400, "UTC").date().isoformat() for day in days]
    elif kind == "weekly":
        found["days"] = draw(
            st.lists(st.sampled_from([day.upper() for day in WEEKDAYS]), min_size=1, max_size=5)
        )
    elif kind == "daily":
        found["from"], found["to"] = draw(st.lists(times_of_day, min_size=2, max_size=2, unique=True))
    else:
        second, minute = (
            draw(st.sampled_from(["*", "0", "*/2", "0-29", "1-58"])),
            draw(plain_field(0, 59, parts=2)),
        )
        weekday = draw(st.sampled_from(["*", "*", "MON-FRI", "SAT,SUN#1"]))
        found["cron"] = draw(
            st.one_of(
                st.sampled_from(
                    ["* * 0-7 * * *", "* 12-13 * * *", "* */10 * * * *", "0-29 * * * * *", "* * * 1-15 * *"]
                ),
                plain_field(0, 23, parts=2).map(lambda hour: f"{second} {minute} {hour} ? * {weekday}"),
            )
        )
    return found
