"""The matching of outputs: it takes what differs from run to run, and nothing else."""

from __future__ import annotations

import pytest

from tests.docs.shown import holds, match

ONE, OTHER = "1ngtw4cmp6n59yvb9g6rn4fv8tqpvs", "1ngtxegs2q2wq3v4527sd69m18tstt"


@pytest.mark.parametrize(
    "shown, printed",
    [
        (
            "next  2026-12-01 01:00:00 UTC  (2026-12-01T01:00:00Z)",
            "next 2027-03-28 23:59:59 UTC (2027-03-28T23:59:59Z)",
        ),
        ("12:47:40.003  a  1 ms late", "00:00:00.999  a  57 ms late"),
        ("job  Mon 12:47:40  2026-11-30T12:47:40Z", "job  Tue 00:00:00  2026-12-01T00:00:00Z"),
        ("instance   local-61vdzm6p1cn0mhc6", "instance local-0000000000000000"),
        ("a\n…\nd", "a\nb\nc\nd"),
        ("a\n…\nd", "a\nd"),
        ("a\n…", "a\nb\nc"),
        ('{"id":"…","name":"a",…}', '{"id":"5","name":"a","b":1}'),
        ("a   b", "a b   "),
    ],
)
def test_what_differs_from_run_to_run_is_taken(shown: str, printed: str) -> None:
    assert match(shown, printed) == {}


@pytest.mark.parametrize(
    "shown, printed",
    [
        ("enabled   yes", "enabled   no"),
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("a\n…\nd", "a\nb\nc"),
        ("at 2026-12-01T01:00:00Z", "at noon"),
        ("at 2026-12-01T01:00:00Z", "at 2026-12-01 01:00:00 UTC"),
        ("took 3 ms", "took 3 s"),
        ("…x", "a\nx"),
        (ONE, ONE[:-1]),
        ("a.c", "abc"),
    ],
)
def test_what_is_another_output_is_not(shown: str, printed: str) -> None:
    assert match(shown, printed) is None


def test_a_shown_run_stands_for_the_one_that_was_printed() -> None:
    assert match(f"run {ONE} begins", f"run {OTHER} begins") == {ONE: OTHER}


def test_times_count_where_the_output_is_meant_exactly() -> None:
    assert match("2027-01-29T08:00:00Z", "2027-01-29T08:00:01Z", exact=True) is None
    assert match("2027-01-29T08:00:00Z  …", "2027-01-29T08:00:00Z  a", exact=True) == {}


def test_a_log_holds_lines_in_their_order() -> None:
    assert holds("a\n…\nc 1 ms\n", "a\nb\nc 25 ms\nd\n")
    assert not holds("c\na\n", "a\nb\nc\n")
