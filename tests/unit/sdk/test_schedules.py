"""The builders give the JSON form that the core takes, and leave judging it to the core."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from duetime import cron, every, once, parse_schedule, trigger
from duetime.core.errors import ScheduleError


@pytest.mark.parametrize(
    "built, text",
    [
        (every("10m"), "every 10m"),
        (every(timedelta(minutes=10)), "every 10m"),
        (every("10m", repeat_count=5), "every 10m x5"),
        (every("10m", mode="fixed_delay"), "every 10m delay"),
        (every("5m", mode="aligned"), "every 5m aligned"),
        (every("10s", start_at=datetime(2026, 11, 1, tzinfo=UTC)), "every 10s start=2026-11-01T00:00:00Z"),
        (cron("0 2 * * *", tz="Asia/Shanghai"), "cron 0 2 * * * tz=Asia/Shanghai"),
        (once("2026-11-01T00:00:00Z"), "once 2026-11-01T00:00:00Z"),
        (once(datetime(2026, 11, 1, 8, tzinfo=UTC)), "once 2026-11-01T08:00:00Z"),
    ],
)
def test_a_builder_says_the_same_as_the_text(built: dict[str, Any], text: str) -> None:
    assert parse_schedule(built) == parse_schedule(text)


def test_cron_takes_both_clock_policies() -> None:
    schedule = parse_schedule(cron("*/5 * * * *", tz="Europe/Berlin", dst_gap="shift", dst_fold="both"))
    assert schedule == parse_schedule(
        {"cron": "*/5 * * * *", "timezone": "Europe/Berlin", "dst_gap": "shift", "dst_fold": "both"}
    )


def test_a_local_once_has_its_zone() -> None:
    assert once(datetime(2026, 11, 1, 9), tz="Europe/Berlin") == {
        "kind": "once",
        "at": "2026-11-01T09:00:00",
        "timezone": "Europe/Berlin",
    }


def test_an_interval_of_no_whole_second_is_refused_by_the_core() -> None:
    with pytest.raises(ScheduleError, match="every"):
        parse_schedule(every(timedelta(milliseconds=1500)))


def test_a_trigger_holds_what_was_given_and_nothing_else() -> None:
    built = trigger(
        "weekend", "0 9 * * SAT", data={"full": True}, misfire="skip", jitter="30s", enabled=False
    )
    assert built.document == {
        "name": "weekend",
        "schedule": "0 9 * * SAT",
        "data": {"full": True},
        "misfire": "skip",
        "jitter": "30s",
        "enabled": False,
    }
