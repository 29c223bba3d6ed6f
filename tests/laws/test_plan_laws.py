"""Intervals, windows, calendars and jitter: what a plan answers is what plain counting and filtering would."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from duetime.core.calendars import calendar_json, parse_calendar
from duetime.core.exclusion import exclusion
from duetime.core.jitter import jittered
from duetime.core.plan import Plan, plan
from duetime.core.schedule import freeze, parse_schedule, settle
from duetime.core.schedulekinds import Schedule
from tests.laws import oracle, strategies

DAY = 86_400
starts = st.integers(0, 2_000_000_000)


def _made(document: dict[str, Any], now: int) -> Schedule:
    return settle(
        parse_schedule({key: value for key, value in document.items() if value is not None}), now=now
    )


def _walk(occurrences: Plan, after: int, last: int, most: int = 400) -> list[int]:
    found: list[int] = []
    instant = occurrences.next(after)
    while instant is not None and instant <= last and len(found) < most:
        found.append(instant)
        instant = occurrences.next(instant)
    return found


def _text(instant: int) -> str:
    return oracle.local(instant, "UTC").strftime("%Y-%m-%dT%H:%M:%SZ")


@given(starts, st.integers(1, 5 * DAY), st.booleans(), st.booleans(), st.integers(-100_000, 1_000_000))
def test_a_fixed_rate_is_its_anchor_plus_multiples(
    start: int, every: int, immediate: bool, windowed: bool, ahead: int
) -> None:
    document = {"every": every * 1000, "immediate": immediate, "start_at": _text(start) if windowed else None}
    occurrences, after = plan(_made(document, start), anchor=start), start + ahead
    first = 0 if immediate else 1
    expected = [start + n * every for n in range(first, first + 3)]
    if after < start + first * every:
        assert _walk(occurrences, after, expected[2]) == expected
    else:
        following = occurrences.next(after)
        assert following is not None
        assert (following - start) % every == 0
        assert after < following <= after + every
        assert occurrences.previous(following) == max(following - every, start) or following == start + every
    assert occurrences.count(start, start + every * 1_000_000) == 1_000_000 + immediate
    assert occurrences.contains(start) == immediate
    assert occurrences.contains(start + every)
    assert not occurrences.contains(start - every)


@given(st.integers(1, 366 * DAY), strategies.instants)
def test_aligned_is_the_multiples_since_1970(every: int, after: int) -> None:
    occurrences = plan(_made({"every": every * 1000, "mode": "aligned"}, after), anchor=after)
    following = occurrences.next(after)
    assert following is not None
    assert following % every == 0
    assert after < following <= after + every


@given(starts, st.integers(1, 5 * DAY), st.booleans(), st.integers(-5 * DAY, 50 * DAY))
def test_a_fixed_delay_counts_from_the_end_of_the_run_before(
    start: int, every: int, immediate: bool, finished: int
) -> None:
    document = {"every": every * 1000, "mode": "fixed_delay", "immediate": immediate}
    occurrences = plan(_made(document, start), anchor=start)
    first = start if immediate else start + every
    assert occurrences.next(start - 1) == first
    due = occurrences.after_finish(start + finished)
    assert due == max(first, start + finished + every)
    assert due is not None
    assert occurrences.contains(due)
    assert occurrences.count(due, due + 100 * every) == 1


@given(
    st.data(), strategies.zones, strategies.gaps, strategies.folds, st.integers(1, 40), st.integers(0, 86_399), st.booleans()
)  # fmt: skip
def test_whole_days_keep_their_local_time(
    data: st.DataObject, zone: str, gap: str, fold: str, days: int, time: int, immediate: bool
) -> None:
    near = data.draw(strategies.near_changes(zone, 40 * DAY))
    begin = oracle.local(near, zone).date()
    clock = f"{time // 3600:02d}:{time // 60 % 60:02d}:{time % 60:02d}"
    document: dict[str, Any] = {
        "every": f"{days}d",
        "mode": "calendar",
        "timezone": zone,
        "dst_gap": gap,
        "dst_fold": fold,
    }
    document |= {"start_at": f"{begin.isoformat()}T{clock}", "immediate": immediate}
    schedule = _made(document, near)
    occurrences = plan(schedule, anchor=near)

    def due(day: date) -> bool:
        steps, rest = divmod((day - begin).days, days)
        return rest == 0 and steps >= (0 if immediate else 1)

    def matches(wall: datetime) -> bool:
        return wall.hour * 3600 + wall.minute * 60 + wall.second == time and due(wall.date())

    # Look closely at the days that are due only, one minute more than the grid step on both sides.
    for number in range(0, 90, days):
        middle = near + number * DAY
        first, last = middle - DAY, middle + DAY
        seconds = _instants_of(zone, first, last, time, gap == "shift", matches)
        expected = [s for s in seconds if fold == "both" or oracle.local(s, zone).fold == 0]
        if immediate:  # the anchor itself comes once, at its first pass
            expected = [
                s for s in expected if s == schedule.start_at or oracle.local(s, zone).date() != begin
            ]
        assert _walk(occurrences, first - 1, last) == expected


def _instants_of(zone: str, first: int, last: int, time: int, shift: bool, matches: Any) -> list[int]:
    """The instants of a range that show a time of day, and with `shift` the ends of gaps that hide it."""
    found = set()
    for offset in {
        oracle.offset(first, zone),
        oracle.offset(last, zone),
        oracle.offset((first + last) // 2, zone),
    }:
        for day in range((first + offset) // DAY, (last + offset) // DAY + 1):
            instant = day * DAY + time - offset
            if (
                first <= instant <= last
                and oracle.offset(instant, zone) == offset
                and matches(oracle.local(instant, zone))
            ):
                found.add(instant)
    for change in oracle.transitions(zone, 1969, 2045):
        if shift and first <= change <= last and oracle.gap_matches(matches, zone, change):
            found.add(change)
    return sorted(found)


@given(
    st.data(), strategies.expressions(), strategies.zones, strategies.gaps,
    st.integers(-2 * DAY, 2 * DAY), st.integers(0, 3 * DAY), st.booleans(),
)  # fmt: skip
def test_windows_and_calendars_only_take_away(
    data: st.DataObject, cron: str, zone: str, gap: str, start: int, length: int, immediate: bool
) -> None:
    now = data.draw(strategies.near_changes(zone, 2 * DAY))
    definition = data.draw(strategies.calendars(now))
    if data.draw(st.booleans()):
        definition["timezone"] = zone
    document: dict[str, Any] = {"cron": f"{cron.split()[0]} * * * *", "timezone": zone, "dst_gap": gap}
    plain = plan(_made(document, now), anchor=now)
    if data.draw(st.booleans()):  # let the window begin and end at occurrences
        start = (plain.next(now + start) or now) - now
        length = (plain.next(now + start + length) or now) - now - start
    document |= {"start_at": _text(now + start), "end_at": _text(now + start + length), "calendar": "c"}
    document["immediate"] = immediate
    fenced = plan(_made(document, now), anchor=now, calendars={"c": definition})
    first, last = now + start, now + start + length
    excluded = _excluder(definition)
    expected = {s for s in _walk(plain, first - 1, last, 10_000) if not excluded(s)}
    extra = max(now, first)
    if immediate and extra <= last and not excluded(extra):
        expected.add(extra)
    found = _walk(fenced, first - 5 * DAY, last + 5 * DAY, 10_000)
    assert found == sorted(expected)
    assert fenced.count(first - DAY, last + DAY) == len(expected)
    backwards, instant = [], fenced.previous(last + 5 * DAY)
    while instant is not None:
        backwards.append(instant)
        instant = fenced.previous(instant)
    assert backwards[::-1] == found
    for probe in (*found[:50], first, last, now):
        assert fenced.contains(probe) == (probe in expected)


def _excluder(definition: dict[str, Any]) -> Any:
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
        return oracle.Cron(definition["cron"]).matches(wall)

    return excluded


@given(st.data(), st.sampled_from(strategies.RESTLESS))
def test_exclusions_end_where_the_first_free_second_is(data: st.DataObject, zone: str) -> None:
    now = data.draw(st.sampled_from(oracle.transitions(zone, 1970, 2038)))
    names = {name: data.draw(strategies.calendars(now)) | {"timezone": zone} for name in ("a", "b")}
    both = exclusion("both", {**names, "both": {"kind": "composite", "calendars": ["a", "b"]}})
    questions = [_excluder(definition) for definition in names.values()]
    for instant in data.draw(st.lists(st.integers(now - DAY, now + DAY), min_size=5, max_size=20)):
        expected = any(question(instant) for question in questions)
        assert both.excluded(instant) == expected
        free, since = both.release(instant), both.since(instant)
        assert (since is not None) == expected
        if free is not None and expected:
            assert not any(question(free) for question in questions)
            assert any(question(free - 1) for question in questions)
        if not expected:
            assert free == instant
    for definition in names.values():
        assert parse_calendar(calendar_json(parse_calendar(definition))) == parse_calendar(definition)


@given(
    st.text(max_size=20),
    strategies.instants,
    st.integers(0, 90_000),
    st.integers(1, 100_000),
    st.integers(0, 100_000),
)
def test_jitter_stays_below_the_next_occurrence_and_inside_the_window(
    seed: str, nominal: int, jitter: int, gap: int, left: int
) -> None:
    moved = jittered(nominal, seed=seed, jitter=jitter, next_nominal=nominal + gap, end_at=nominal + left)
    assert nominal <= moved <= min(nominal + jitter, nominal + gap - 1, nominal + left)
    assert moved == jittered(
        nominal, seed=seed, jitter=jitter, next_nominal=nominal + gap, end_at=nominal + left
    )


@given(starts, st.integers(1, 9_000_000))
def test_a_frozen_once_is_one_instant(now: int, delay: int) -> None:
    schedule = freeze(parse_schedule({"in": delay * 1000}), now=now)
    occurrences = plan(schedule, anchor=now)
    assert _walk(occurrences, now, now + 10**9) == [now + delay]
    assert occurrences.previous(now + delay + 1) == now + delay
    assert occurrences.previous(now + delay) is None
    assert occurrences.count(now, now + 10**9) == 1
