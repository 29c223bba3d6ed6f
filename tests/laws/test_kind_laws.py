"""Every kind of schedule under a window, a calendar, `immediate` and jitter: plain lists, filtered, say the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from duetime.core.exclusion import exclusion
from duetime.core.instants import instant_text
from duetime.core.jitter import jittered
from duetime.core.plan import Plan, plan
from duetime.core.schedule import parse_schedule, settle
from tests.laws import oracle, strategies

DAY = 86_400
LONGEST = 400
"""Occurrences that one example looks at."""


def _plan(document: dict[str, Any], now: int, calendars: dict[str, Any] | None = None) -> Plan:
    return plan(settle(parse_schedule(document), now=now), anchor=now, calendars=calendars or {})


def _walk(occurrences: Plan, after: int, last: int) -> list[int]:
    found, instant = list[int](), occurrences.next(after)
    while instant is not None and instant <= last and len(found) < 4 * LONGEST:
        found.append(instant)
        instant = occurrences.next(instant)
    return found


@st.composite
def grids(draw: st.DrawFn, now: int) -> tuple[dict[str, Any], int]:
    """A schedule of any kind with instants of its own, about as dense as its step, in seconds, says."""
    kind, zone = (
        draw(st.sampled_from(["cron", "fixed_rate", "aligned", "calendar", "once"])),
        draw(strategies.zones),
    )
    clock = {"timezone": zone, "dst_gap": draw(strategies.gaps), "dst_fold": draw(strategies.folds)}
    if kind == "cron":
        minute, hour = (
            draw(st.sampled_from(["0", "*/20", "7,37", "59"])),
            draw(st.sampled_from(["*", "*/3", "1,2", "0,23"])),
        )
        return {"cron": f"{minute} {hour} * * *", **clock}, 3_600
    if kind == "calendar":
        return {"every": f"{draw(st.integers(1, 5))}d", "mode": kind, **clock}, DAY
    if kind == "once":
        return {"at": instant_text(now + draw(st.integers(-5 * DAY, 5 * DAY)))}, DAY
    every = draw(st.integers(600, 2 * DAY))
    return {"every": every * 1_000, "mode": kind}, every


@given(st.data(), st.integers(100_000_000, 2_000_000_000), st.booleans())
def test_window_calendar_and_immediate_on_every_kind(data: st.DataObject, now: int, immediate: bool) -> None:
    document, step = data.draw(grids(now))
    definition = data.draw(strategies.calendars(now))
    members = {"a": definition, "b": data.draw(strategies.calendars(now))}
    both = {"kind": "composite", "calendars": ["a", "b"]}
    calendars = {"c": both, **members} if data.draw(st.booleans()) else {"c": definition}
    excluders = [excluder(one) for one in calendars.values() if one is not both]
    start, end = sorted(now + data.draw(st.integers(-100 * step, 100 * step)) for _ in range(2))

    # The anchor of an interval is its start; elsewhere the window only cuts.
    anchored = document.get("mode") in ("fixed_rate", "calendar")
    plain = _plan(document | ({"start_at": instant_text(start)} if anchored else {}), now)
    bare = _walk(plain, start - 1, end)
    if data.draw(st.booleans()) and bare:  # let the window end, and where it may begin, at an occurrence
        end = bare[-1]
        start = start if anchored else bare[0]
    expected = {one for one in bare if start <= one <= end}
    if immediate:
        expected.add(start if anchored else max(now, start))
    expected = {one for one in expected if one <= end and not any(excluded(one) for excluded in excluders)}

    document |= {
        "start_at": instant_text(start),
        "end_at": instant_text(end),
        "calendar": "c",
        "immediate": immediate,
    }
    fenced = _plan(document, now, calendars)
    found = _walk(fenced, start - 3 * DAY, end + 3 * DAY)
    assert found == sorted(expected)
    assert fenced.count(start - DAY, end + DAY) == len(found)
    assert fenced.count(start - DAY, end + DAY, 3) == min(3, len(found))
    steps = list(pairwise([start - 1, *found, end + 1]))
    for earlier, later in data.draw(st.permutations(steps)):  # what was asked before must not matter
        assert fenced.next(earlier) == (later if later in expected else None)
        assert fenced.previous(later) == (earlier if earlier in expected else None)
    for probe in (*found[:40], *bare[:40], start - 1, start, start + 1, end - 1, end, end + 1, now):
        assert fenced.contains(probe) == (probe in expected)


@given(st.data(), st.integers(100_000_000, 2_000_000_000), st.integers(1, 2 * DAY), st.booleans())
def test_a_fixed_delay_waits_for_the_first_free_instant(
    data: st.DataObject, now: int, every: int, immediate: bool
) -> None:
    definition = data.draw(strategies.calendars(now))
    excluded = excluder(definition)
    document = {"every": every * 1_000, "mode": "fixed_delay", "calendar": "c", "immediate": immediate}
    occurrences = _plan(document, now, {"c": definition})
    finished = now + data.draw(st.integers(0, 2 * DAY))
    earliest = max(finished + every, now if immediate else now + every)
    due = occurrences.after_finish(finished)
    if due is None:  # only where every second of every day is excluded
        assert definition["cron"].startswith("* * * ?")
        assert all(map(excluded, range(earliest, earliest + 8 * DAY, 997)))
        return
    assert due >= earliest
    assert not excluded(due)
    if due > earliest:
        assert excluded(earliest)
        assert all(map(excluded, range(earliest, due, max(1, (due - earliest) // 500))))
        assert excluded(due - 1)
    assert occurrences.contains(due)
    assert occurrences.after_finish(due - every) == due


@given(st.data(), st.sampled_from(strategies.RESTLESS))
def test_what_is_said_of_an_exclusion_holds_from_its_beginning_to_its_end(
    data: st.DataObject, zone: str
) -> None:
    now = data.draw(st.sampled_from(oracle.transitions(zone, 1970, 2038)))
    definition = data.draw(strategies.calendars(now)) | {"timezone": zone}
    closed, excluded = exclusion("c", {"c": definition}), excluder(definition)
    for instant in data.draw(st.lists(st.integers(now - 2 * DAY, now + 2 * DAY), min_size=4, max_size=12)):
        free, since = closed.release(instant), closed.since(instant)
        assert closed.excluded(instant) == excluded(instant) == (since is not None) == (free != instant)
        # All of what is said to be excluded is, up to the bounds; and the end of it is free.
        first = instant if since is None else max(since, instant - 3 * DAY)
        last = instant + 3 * DAY if free is None else min(free, instant + 3 * DAY)
        for probe in (
            {first, *range(first, last, max(1, (last - first) // 200)), last - 1} if first < last else ()
        ):
            assert excluded(probe)
        assert free is None or not excluded(free)


@given(st.data(), st.integers(100_000_000, 2_000_000_000), st.integers(0, 5 * DAY), st.text(max_size=12))
def test_jitter_keeps_the_order_and_the_window(data: st.DataObject, now: int, jitter: int, seed: str) -> None:
    document, step = data.draw(grids(now))
    end = now + data.draw(st.integers(1, 60 * step))
    occurrences = _plan(document | {"end_at": instant_text(end)}, now)
    nominal = _walk(occurrences, now, end)
    assume(nominal)
    moved = [
        jittered(one, seed=seed, jitter=jitter, next_nominal=occurrences.next(one), end_at=end)
        for one in nominal
    ]
    assert moved == sorted(set(moved))
    assert moved[-1] <= end
    for one, shifted, following in zip(nominal, moved, [*nominal[1:], end + 1], strict=True):
        assert one <= shifted <= one + jitter
        assert shifted < following


def excluder(definition: dict[str, Any]) -> Callable[[int], bool]:
    """A calendar as a plain question about one instant."""
    zone = definition["timezone"]

    def excluded(instant: int) -> bool:
        wall = oracle.local(instant, zone)
        match definition["kind"]:
            case "holiday":
                return wall.date().isoformat() in definition["dates"]
            case "weekly":
                return wall.strftime("%a").upper() in definition["days"]
            case "daily":
                start, end, time = definition["from"], definition["to"], wall.strftime("%H:%M:%S")
                return bool(start <= time < end if start < end else time >= start or time < end)
        return asked(wall)

    asked = oracle.Cron(definition["cron"]).matches if definition["kind"] == "cron" else bool
    return excluded
