"""Forms of schedules and durations: whatever can be read is written so that reading it gives the same again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from duetime import ScheduleError, parse_duration, parse_schedule
from duetime.core.crondays import ever_matches
from duetime.core.cronparse import parse_cron
from duetime.core.durations import duration_text
from duetime.core.instants import instant_text, parse_moment, wall_text
from duetime.core.plan import plan
from duetime.core.schedule import schedule_json, schedule_text, settle
from tests.laws import strategies

moments = st.integers(0, 4_000_000_000)
_optional = st.booleans()


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A legal schedule in JSON, of any kind, with any of its options."""
    kind = draw(st.sampled_from(["cron", "interval", "calendar", "once", "local once", "once in"]))
    found: dict[str, Any] = {"kind": _KINDS.get(kind, "once")}
    if kind in ("cron", "calendar"):
        found |= {
            "timezone": draw(strategies.zones),
            "dst_gap": draw(strategies.gaps),
            "dst_fold": draw(strategies.folds),
        }
    if kind == "cron":
        found["cron"] = draw(strategies.expressions(seconds=draw(_optional)))
    elif kind == "interval":
        found["every"] = draw(st.integers(1, 366 * 86_400)) * 1000
        found["mode"] = draw(st.sampled_from(["fixed_rate", "fixed_delay", "aligned"]))
    elif kind == "calendar":
        found |= {"every": f"{draw(st.integers(1, 366))}d", "mode": "calendar"}
    elif kind == "once":
        found["at"] = instant_text(draw(moments))
    elif kind == "local once":
        found |= {"at": wall_text(draw(moments)), "timezone": draw(strategies.zones), "dst_gap": "shift"}
    else:
        found["in"] = draw(st.integers(1, 3653 * 86_400)) * 1000
    if found["kind"] == "interval" and draw(_optional):
        found["repeat_count"] = draw(st.integers(1, 10**9))
    if draw(_optional):
        start = draw(moments)
        found["start_at"] = (
            wall_text(start) if kind == "calendar" and draw(_optional) else instant_text(start)
        )
        found["end_at"] = instant_text(start + draw(st.integers(100_000, 10**9)))
    if draw(_optional):
        found["calendar"] = draw(st.from_regex(r"[a-z0-9][a-z0-9._-]{0,30}", fullmatch=True))
    if draw(_optional):
        found["immediate"] = True
    # A local time may fall into a gap, where it exists under `shift` only.
    needed = _NEEDED | ({"dst_gap"} if kind == "local once" else set())
    return {key: value for key, value in found.items() if draw(st.integers(0, 5)) or key in needed}


_KINDS = {"cron": "cron", "interval": "interval", "calendar": "interval"}
_NEEDED = {"kind", "cron", "every", "mode", "at", "in"}


@given(documents(), moments)
def test_every_form_of_a_schedule_reads_back_as_the_same(document: dict[str, Any], now: int) -> None:
    assume(document["kind"] != "cron" or ever_matches(parse_cron(document["cron"])))
    schedule = parse_schedule(document)
    for one in (schedule, settle(schedule, now=now, timezone="Europe/Berlin", dst_gap="shift")):
        assert parse_schedule(schedule_text(one)) == one
        assert parse_schedule(json.loads(json.dumps(schedule_json(one)))) == one
        assert parse_schedule(one) is one
        assert schedule_text(parse_schedule(schedule_text(one))) == schedule_text(one)
    settled = settle(schedule, now=now)
    assert settle(settled, now=now + 1, timezone="Asia/Tokyo", dst_fold="both") == settled
    if settled.calendar is None:
        again = settle(parse_schedule(schedule_text(settled)), now=now)
        assert plan(again, anchor=now).next(now) == plan(settled, anchor=now).next(now)


@given(st.integers(1, 999_999_999 * 86_400))
def test_every_whole_number_of_seconds_has_a_text(seconds: int) -> None:
    assert parse_duration(duration_text(seconds)).total_seconds() == seconds
    assert parse_duration(f"{seconds}s") == parse_duration(duration_text(seconds))
    assert parse_duration(seconds * 1000) == parse_duration(f"PT{seconds}S")


@given(
    st.integers(0, 1000), st.integers(1, 6), st.integers(0, 999_999), st.sampled_from(["ms", "s", "m", "h", "d", "w"])
)  # fmt: skip
def test_fractions_are_exact(whole: int, places: int, fraction: int, unit: str) -> None:
    size = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}[unit]
    fraction %= 10**places
    exact, rest = divmod((whole * 10**places + fraction) * size, 1_000 * 10**places)
    text = f"{whole}.{fraction:0{places}d}{unit}"
    if rest or not exact:
        with pytest.raises(ScheduleError):
            parse_duration(text)
    else:
        assert parse_duration(text).total_seconds() == exact


@pytest.mark.parametrize(
    "text", ["1.0001s", "PT1.0004S", "1000.5ms", "0.00001h", "1.0000000001d", "PT0.9999999999H"]
)
def test_what_is_left_over_is_never_dropped(text: str) -> None:
    with pytest.raises(ScheduleError, match="whole number of seconds"):
        parse_duration(text)


@given(st.integers(-60_000_000_000, 250_000_000_000))
def test_instants_read_back(instant: int) -> None:
    assert parse_moment(instant_text(instant), "at").instant == instant
    assert parse_moment(wall_text(instant), "at").wall == instant
