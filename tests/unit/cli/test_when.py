"""What the options of a schedule say about when, how a change treats what was there, and where a schedule stands."""

from __future__ import annotations

import re

import pytest

from duetime.cli.problems import Trouble
from duetime.cli.whenform import When, dropped, schedule_form
from tests.unit.cli.conftest import CommandLine

BERLIN = {
    "kind": "cron",
    "cron": "0 9 * * *",
    "timezone": "Europe/Berlin",
    "dst_gap": "shift",
    "dst_fold": "first",
}


def test_every_setting_has_an_option() -> None:
    form = schedule_form(When(cron="0 9 * * *", tz="Europe/Berlin", gap="shift", fold="both", immediate=True))
    assert form == BERLIN | {"dst_fold": "both", "immediate": True}
    assert schedule_form(When(text="0 9 * * * tz=Europe/Berlin gap=shift fold=first")) == BERLIN
    assert schedule_form(When(text="every 10m x5", start="2030-01-01T00:00:00Z")) == {
        "kind": "interval", "every": "10m", "repeat_count": 5, "start_at": "2030-01-01T00:00:00Z",
    }  # fmt: skip
    assert schedule_form(When(immediate=False), BERLIN) == BERLIN


@pytest.mark.parametrize(
    "when, after, lost",
    [
        (When(cron="0 10 * * *"), BERLIN | {"cron": "0 10 * * *"}, 0),
        (When(every="5m"), {"kind": "interval", "every": "5m"}, 2),
        (
            When(every="14d calendar"),
            BERLIN | {"kind": "interval", "every": "14d", "mode": "calendar"},
            0,
        ),
        (When(at="2030-01-01T00:00:00Z"), {"kind": "once", "at": "2030-01-01T00:00:00Z"}, 2),
        (
            When(at="2030-01-01T09:00:00"),
            {"kind": "once", "at": "2030-01-01T09:00:00", "timezone": "Europe/Berlin", "dst_gap": "shift"},
            0,
        ),
        (When(text="0 10 * * *"), {"kind": "cron", "cron": "0 10 * * *"}, 2),
        (When(tz="UTC"), BERLIN | {"timezone": "UTC"}, 0),
    ],
)
def test_a_change_keeps_what_it_can_and_tells_the_rest(
    when: When, after: dict[str, object], lost: int
) -> None:
    form = schedule_form(when, BERLIN)
    assert form == {key: value for key, value in after.items() if key != "cron" or form["kind"] == "cron"}
    told = dropped(BERLIN, form, when)
    assert [one.split(" is dropped: ")[0] for one in told] == ["--tz Europe/Berlin", "--gap shift"][:lost]


@pytest.mark.parametrize(
    "when, words",
    [
        (When(cron="every 5m"), "Give it as --when 'every 5m'."),
        (When(cron="rate(5 minutes)"), "Write every 5m"),
        (When(every="rate(5 minutes)"), "Write every 5m"),
        (When(every="every 5m"), "Give it as --when 'every 5m'."),
        (When(at="at(2030-01-01T09:00:00)"), "Write once 2030-01-01T09:00:00Z"),
        (When(every="cron(0 9 * * ? *)"), "Give it with --cron"),
        (When(cron="0 9 * * * gap=shift"), "as --gap shift"),
        (When(cron="CRON_TZ=Asia/Tokyo 0 9 * * *"), "as --tz Asia/Tokyo"),
    ],
)
def test_what_is_no_value_of_its_option_is_told_where_to_go(when: When, words: str) -> None:
    with pytest.raises(Trouble) as refused:
        schedule_form(when)
    assert words in (refused.value.hint or "")
    assert (refused.value.field or "").startswith("--")


def test_a_dropped_setting_is_a_warning(cli: CommandLine) -> None:
    cli.ok("schedule", "create", "moved", "--cron", "0 9 * * *", "--tz", "Europe/Berlin", "--handler", "echo")
    warned = cli.ok("schedule", "update", "moved", "--every", "5m")
    assert "warning: --tz Europe/Berlin is dropped: an interval like this one takes none." in warned.stderr
    made = cli.ok(
        "schedule", "update", "moved", "--cron", "0 9 * * *", "--gap", "shift", "--fold", "both", "--json"
    )
    assert (made.json["trigger"]["dst_gap"], made.json["trigger"]["dst_fold"]) == ("shift", "both")


def test_each_state_has_a_word_and_a_reason(cli: CommandLine) -> None:
    def state(name: str) -> str:
        found = re.search(r"^state +(.*)$", cli.ok("schedule", "show", name).stdout, re.MULTILINE)
        assert found is not None
        return found[1]

    cli.ok("calendar", "put", "off", "--holiday-dates", "2030-01-01")
    for name, *options in (
        ("waits", "--every", "1h"),
        ("spent", "--at", "2020-01-01T00:00:00Z"),
        ("rests", "--every", "1h", "--disabled"),
        ("never", "--at", "2030-01-01T09:00:00Z", "--calendar", "off"),
    ):
        cli.ok("schedule", "create", name, *options, "--handler", "echo")
    assert (state("waits"), state("spent")) == ("waiting", "done")
    assert state("rests").startswith("paused by ")
    assert state("never") == "never due: calendar off excludes it"
    listed = cli.ok("schedule", "list").stdout
    assert re.search(r"^rests .* paused by ", listed, re.MULTILINE), listed
    only_checked = cli.ok("schedule", "create", "x", "--every", "1h", "--handler", "echo", "--dry-run").stdout
    assert "x: would be created; nothing is stored" in only_checked
    assert "state" not in only_checked


def test_problems_say_what_was_typed(cli: CommandLine) -> None:
    missing = cli("schedule", "show", "nope")
    assert (missing.exit_code, "No schedule of this name" in missing.stderr) == (3, True)
    wrong = cli("schedule", "create", "x", "--every", "1h", "--handler", "echo", "--inputs", "[1]")
    assert "--inputs: '[1]' is no JSON object." in wrong.stderr


def test_a_target_in_aws_is_a_warning_on_this_machine(cli: CommandLine) -> None:
    arn = "arn:aws:sqs:eu-west-1:123456789012:reports"
    answer = cli.ok("schedule", "create", "real", "--every", "1h", "--sqs", arn, "--dry-run")
    assert "the local server calls real AWS" in answer.stderr


def test_times_are_told_in_the_zone_of_the_schedule(cli: CommandLine) -> None:
    zone = ("--tz", "Asia/Shanghai")
    shown = cli.ok("schedule", "create", "abroad", "--cron", "0 9 1 1 *", *zone, "--handler", "echo").stdout
    assert re.search(r"^next +\d{4}-01-01 09:00:00 CST  \(\d{4}-01-01T01:00:00Z\)$", shown, re.MULTILINE), (
        shown
    )
    once = cli.ok("schedule", "create", "here", "--cron", "0 9 1 1 *", "--handler", "echo").stdout
    assert re.search(r"^next +\d{4}-01-01 09:00:00 UTC$", once, re.MULTILINE), once
