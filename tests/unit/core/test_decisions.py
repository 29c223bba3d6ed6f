"""Misfire, overlap and retry as pure decisions: values in, values out."""

from __future__ import annotations

import pytest

from duetime.core.definition import Retry
from duetime.core.misfire import MAX_EXPANDED, Occurrence, decide
from duetime.core.overlap import Held, decide_overlap, slot_of
from duetime.core.plan import Plan, plan
from duetime.core.retry import decide_retry, delay_before
from duetime.core.run import Covers
from duetime.core.schedule import freeze, parse_schedule

T0 = 1_800_000_000


def _plan(text: str) -> Plan:
    return plan(freeze(parse_schedule(text), now=T0), anchor=T0)


def test_what_is_due_up_to_the_horizon_is_expanded_and_the_next_stays() -> None:
    claim = decide(_plan("every 30s"), due=T0 + 30, now=T0, horizon=T0 + 120)
    assert [run.nominal - T0 for run in claim.runs] == [30, 60, 90, 120]
    assert (claim.skipped, claim.next_due) == (None, T0 + 150)


def test_an_instant_exactly_at_the_threshold_is_no_misfire() -> None:
    assert decide(_plan("every 1h"), due=T0, now=T0 + 60, horizon=T0 + 180).runs == (Occurrence(T0, T0),)
    assert decide(_plan("every 1h"), due=T0, now=T0 + 61, horizon=T0 + 181).runs[0].covers == Covers(
        T0, T0, 1
    )


def test_run_once_covers_the_misses_and_goes_on_from_now() -> None:
    claim = decide(_plan("every 10s"), due=T0 + 10, now=T0 + 605, horizon=T0 + 620)
    assert claim.runs == (
        Occurrence(T0 + 10, T0 + 605, Covers(T0 + 10, T0 + 600, 60)),
        Occurrence(T0 + 610, T0 + 610),
        Occurrence(T0 + 620, T0 + 620),
    )
    assert claim.next_due == T0 + 630


def test_skip_records_the_misses_and_runs_none_late() -> None:
    claim = decide(_plan("every 15s"), due=T0, now=T0 + 42, horizon=T0 + 50, misfire="skip", threshold=1)
    assert claim.skipped == Covers(T0, T0 + 30, 3)
    assert [run.nominal - T0 for run in claim.runs] == [45]


def test_a_month_of_missed_seconds_costs_no_loop() -> None:
    month = 30 * 86_400
    claim = decide(_plan("every 1s"), due=T0 + 1, now=T0 + month, horizon=T0 + month + 5)
    assert claim.runs[0].covers == Covers(T0 + 1, T0 + month, month)
    assert len(claim.runs) == 6


def test_a_claim_is_bounded_and_the_rest_stays_due() -> None:
    claim = decide(_plan("every 1s"), due=T0 + 1, now=T0, horizon=T0 + 100_000)
    assert len(claim.runs) == MAX_EXPANDED
    assert claim.next_due == T0 + MAX_EXPANDED + 1


@pytest.mark.parametrize(
    "remaining, runs, left", [(2, 2, None), (4, 4, None), (5, 4, T0 + 150), (0, 0, None)]
)
def test_a_repeat_count_ends_the_trigger(remaining: int, runs: int, left: int | None) -> None:
    claim = decide(_plan("every 30s"), due=T0 + 30, now=T0, horizon=T0 + 120, remaining=remaining)
    assert (len(claim.runs), claim.next_due) == (runs, left)


def test_a_once_is_never_a_misfire() -> None:
    claim = decide(
        _plan("once 2027-01-15T08:00:00Z"), due=T0, now=T0 + 86_400, horizon=T0 + 86_520, forgiving=True
    )
    assert claim.runs == (Occurrence(T0, T0),)
    assert claim.next_due is None


def test_a_fixed_delay_takes_one_occurrence_and_leaves_the_next_to_its_end() -> None:
    claim = decide(_plan("every 5s delay"), due=T0 + 5, now=T0, horizon=T0 + 120, single=True)
    assert (claim.runs, claim.next_due) == ((Occurrence(T0 + 5, T0 + 5),), None)
    late = decide(
        _plan("every 5s delay"), due=T0 + 5, now=T0 + 100, horizon=T0 + 220, single=True, misfire="skip"
    )
    assert (late.runs, late.skipped, late.next_due) == ((), Covers(T0 + 5, T0 + 5, 1), T0 + 100)


@pytest.mark.parametrize(
    "holder, waits, decision",
    [
        (None, False, "start"),
        (Held("me", False, 0), False, "start"),
        (Held("other", False, 0), False, "skip"),
        (Held("other", False, 0), True, "wait"),
        (Held("other", True, 0), False, "take_over"),
        (Held("other", True, 999), False, "skip"),
        (Held("other", True, 100), True, "take_over"),
    ],
)
def test_overlap_skip_decides_by_the_holder(holder: Held | None, waits: bool, decision: str) -> None:
    assert decide_overlap("skip", run="me", waits=waits, holder=holder, now_ms=100) == decision
    assert decide_overlap("parallel", run="me", waits=waits, holder=holder, now_ms=100) == "start"


def test_only_a_job_that_forbids_overlap_has_a_slot() -> None:
    assert (slot_of("skip", "job"), slot_of("parallel", "job")) == ("job", None)


def test_backoff_never_overflows_and_stays_whole() -> None:
    """Case b-46: base 2 s, factor 2, cap 300 s, 2,000 attempts."""
    policy = Retry(max_retries=100, delay=2, backoff="exponential", max_delay=300)
    delays = [delay_before(policy, number) for number in range(1, 2001)]
    assert delays[:9] == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert set(delays[8:]) == {300}
    assert all(isinstance(delay, int) for delay in delays)


def test_jitter_of_a_retry_is_stable_and_bounded() -> None:
    policy = Retry(max_retries=9, delay=10, jitter=5)
    delays = {delay_before(policy, 1, seed=str(seed)) for seed in range(200)}
    assert delays == set(range(10, 16))
    assert delay_before(policy, 1, seed="a") == delay_before(policy, 1, seed="a")


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({}, T0 + 60),
        ({"attempt": 2}, T0 + 60),
        ({"attempt": 3}, None),
        ({"permanent": True}, None),
        ({"outcome": "lost"}, None),
        ({"outcome": "timeout"}, T0 + 60),
        ({"first_queued_ms": (T0 - 3600) * 1000}, None),
    ],
)
def test_a_retry_is_due_after_its_delay_or_given_up(changed: dict[str, object], expected: int | None) -> None:
    policy = Retry(max_retries=2, delay=60, give_up_after=600)
    given: dict[str, object] = {
        "outcome": "failed", "attempt": 1, "permanent": False, "first_queued_ms": T0 * 1000, "now_ms": T0 * 1000,
        **changed,
    }  # fmt: skip
    assert decide_retry(policy, **given) == expected  # type: ignore[arg-type]  # a table of keyword arguments
