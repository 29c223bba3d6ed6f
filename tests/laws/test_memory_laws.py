"""What was asked before changes no answer, and the two ways an expression is read give the same: quick ways are only quick."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duetime import Cron, ScheduleError
from duetime.core.calendars import parse_calendar
from duetime.core.cron import CronGrid
from duetime.core.crondays import ever_matches
from duetime.core.cronmasks import Masks, masks_of, read_masks
from duetime.core.cronparse import parse_cron
from duetime.core.exclusion import exclusion
from duetime.core.plan import Plan
from duetime.core.schedule import parse_schedule, settle
from duetime.core.wallclock import WallClock
from duetime.core.zones import zone
from tests.laws import oracle, strategies

DAY = 86_400
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _or_refusal(read: Any, text: str) -> Masks | tuple[str, str]:
    try:
        found: Masks = read(text)
    except ScheduleError as error:
        return error.field, str(error)
    return found


@settings(max_examples=5 * settings().max_examples)
@given(
    strategies.expressions(seconds=True),
    st.sampled_from(["", " *", " 2030", " 2026-2050/3,2060", " ?", " 1969"]),
    st.booleans(),
)
def test_tables_and_grammar_read_the_same_with_years(cron: str, year: str, lower: bool) -> None:
    text = (cron.lower() if lower else cron) + year
    assert _or_refusal(read_masks, text) == _or_refusal(lambda text: masks_of(parse_cron(text)), text)


@given(
    st.data(), strategies.expressions(seconds=True), st.sampled_from(strategies.RESTLESS), st.booleans(), st.booleans()
)  # fmt: skip
def test_a_clock_remembers_nothing_that_matters(
    data: st.DataObject, cron: str, name: str, shift: bool, both: bool
) -> None:
    assume(ever_matches(parse_cron(cron)))
    change = data.draw(st.sampled_from(oracle.transitions(name, 1970, 2038)))
    near = st.integers(-8_000, 8_000).map(change.__add__)
    moments = data.draw(
        st.lists(st.one_of(near, near, st.integers(0, 2_000_000_000)), min_size=2, max_size=25)
    )

    def made() -> WallClock:
        return WallClock(CronGrid(read_masks(cron)), zone(name), shift=shift, both=both)

    asked, instant = made(), change - 8_000
    for moment in moments:
        assert asked.next(moment) == made().next(moment)
        assert asked.previous(moment) == made().previous(moment)
        assert asked.contains(moment) == made().contains(moment)
        assert asked.count(moment, moment + 9_000) == made().count(moment, moment + 9_000)
    for _ in range(60):  # and onwards, one after the other, as schedules are asked
        following = asked.next(instant)
        assert following == made().next(instant)
        assert following is not None
        instant = following if following < change + 30_000 else following - 29_000


@given(st.data(), strategies.expressions(), st.sampled_from(strategies.RESTLESS))
def test_a_library_cron_remembers_nothing_that_matters(data: st.DataObject, cron: str, name: str) -> None:
    assume(ever_matches(parse_cron(cron)))
    shared = Cron(cron, name)
    change = data.draw(st.sampled_from(oracle.transitions(name, 1970, 2038)))
    moment: datetime | None = EPOCH + timedelta(
        seconds=change - 7_000, microseconds=data.draw(st.integers(0, 999_999))
    )
    for jump in data.draw(st.lists(st.integers(-9_000, 9_000), min_size=10, max_size=40)):
        assert moment is not None
        found = shared.next(moment)
        assert found == Cron(cron, name).next(moment)
        moment = found if jump % 3 else moment + timedelta(seconds=jump)


@given(st.data(), st.integers(100_000_000, 2_000_000_000))
def test_a_shared_exclusion_remembers_nothing_that_matters(data: st.DataObject, now: int) -> None:
    members = {name: parse_calendar(data.draw(strategies.calendars(now))) for name in ("a", "b")}
    calendars: dict[str, object] = {**members, "c": {"kind": "composite", "calendars": ["a", "b"]}}
    form = data.draw(
        st.sampled_from(["*/7 * * * * calendar=c", "every 41m calendar=c", "0 */5 * * * calendar=c"])
    )
    schedule = settle(parse_schedule(form), now=now)
    shared = exclusion("c", calendars)
    plan = Plan(schedule, now, shared)
    for moment in data.draw(st.lists(st.integers(now - 5 * DAY, now + 5 * DAY), min_size=3, max_size=15)):
        fresh = Plan(schedule, now, exclusion("c", calendars))
        assert plan.next(moment) == fresh.next(moment)
        assert plan.count(moment, moment + DAY) == fresh.count(moment, moment + DAY)
        assert plan.previous(moment) == fresh.previous(moment)
        assert shared.release(moment) == exclusion("c", calendars).release(moment)
