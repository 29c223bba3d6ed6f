"""`duetime schedule` against a running local server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.unit.cli.conftest import CommandLine


def test_a_schedule_is_created_shown_listed_and_deleted(cli: CommandLine) -> None:
    created = cli.ok(
        "schedule", "create", "nightly", "--cron", "0 2 * * *", "--tz", "Europe/Berlin", "--handler", "echo"
    )
    assert "schedule nightly: created" in created.stdout
    assert "cron 0 2 * * * tz=Europe/Berlin" in created.stdout
    shown = cli.ok("schedule", "show", "nightly", "--json").json
    assert (shown["name"], shown["enabled"], shown["target"]) == (
        "nightly",
        True,
        {"kind": "python", "name": "echo"},
    )
    assert [
        one["name"] for one in cli.ok("schedule", "list", "--prefix", "night", "--json").json["items"]
    ] == ["nightly"]
    header, row = cli.ok("schedule", "list", "--prefix", "night").stdout.splitlines()
    assert header.split() == ["name", "when", "calls", "state", "next", "last"]
    assert row.startswith("nightly  cron 0 2 * * * tz=Europe/Berlin")
    assert cli.ok("schedule", "delete", "nightly").stdout == "schedule nightly: deleted\n"
    assert cli("schedule", "show", "nightly").exit_code == 3


def test_every_option_reaches_the_schedule(cli: CommandLine, tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.json"
    inputs.write_text('{"big": 12345678901234567890, "small": 0.1}')
    made = cli.ok(
        "schedule", "create", "whole", "--every", "5m aligned x9", "--script", "echo", "--inputs", f"@{inputs}",
        "--overlap", "parallel", "--max-attempts", "4", "--backoff", "7", "--no-catch-up", "--disabled",
        "--start", "2030-01-01T00:00:00Z", "--end", "2031-01-01T00:00:00Z", "--json",
    ).json  # fmt: skip
    assert made["trigger"] == {
        "kind": "interval", "every": "5m", "mode": "aligned", "repeat_count": 9,
        "start_at": "2030-01-01T00:00:00Z", "end_at": "2031-01-01T00:00:00Z",
    }  # fmt: skip
    assert made["inputs"] == {"big": 12345678901234567890, "small": 0.1}
    assert (made["on_overlap"], made["max_attempts"], made["retry_backoff_secs"]) == ("parallel", 4, 7)
    assert (made["catch_up"], made["enabled"]) == (False, False)


def test_aws_targets_are_taken(cli: CommandLine) -> None:
    for option, kind, arn in (
        ("--lambda", "lambda", "arn:aws:lambda:eu-west-1:123456789012:function:report"),
        ("--sqs", "sqs", "arn:aws:sqs:eu-west-1:123456789012:reports"),
    ):
        made = cli.ok(
            "schedule", "create", f"to-{kind}", "--every", "1h", option, arn, "--dry-run", "--json"
        ).json
        assert made["target"] == {"kind": kind, "arn": arn}
    assert cli("schedule", "show", "to-sqs").exit_code == 3  # a dry run writes nothing


def test_a_once_ahead_runs(cli: CommandLine) -> None:
    cli.ok("schedule", "create", "soon", "--in", "1s", "--handler", "echo", "--inputs", '{"a": 1}')
    assert cli.runtime is not None
    clock = cli.runtime.engine.clock
    until_ms = clock.now_ms() + 15_000
    while not (
        runs := cli.ok("runs", "list", "--job", "soon", "--state", "succeeded", "--json").json["items"]
    ):
        assert clock.now_ms() < until_ms
        clock.sleep_ms(50)
    assert runs[0]["result"] == {"a": 1}


def test_an_update_changes_what_it_names_and_nothing_else(cli: CommandLine) -> None:
    before = cli.ok(
        "schedule", "create", "kept", "--cron", "0 9 * * *", "--tz", "Asia/Shanghai", "--handler", "echo",
        "--inputs", '{"a": 1.5}', "--max-attempts", "3", "--overlap", "parallel", "--no-catch-up", "--json",
    ).json  # fmt: skip
    after = cli.ok("schedule", "update", "kept", "--cron", "30 9 * * *", "--json").json
    assert after["trigger"] == before["trigger"] | {"cron": "30 9 * * *"}
    same = (
        "id",
        "inputs",
        "target",
        "enabled",
        "on_overlap",
        "max_attempts",
        "retry_backoff_secs",
        "catch_up",
    )
    assert [after[key] for key in same] == [before[key] for key in same]
    other = cli.ok("schedule", "update", "kept", "--every", "10m", "--backoff", "5", "--json").json
    assert other["trigger"] == {"kind": "interval", "every": "10m", "mode": "fixed_rate"}
    assert (other["max_attempts"], other["retry_backoff_secs"]) == (3, 5)
    assert cli("schedule", "update", "nobody", "--every", "10m").exit_code == 3


def test_an_update_leaves_a_pause_and_can_make_one(cli: CommandLine) -> None:
    cli.ok("schedule", "create", "rests", "--every", "1h", "--handler", "echo", "--disabled")
    assert cli.ok("schedule", "update", "rests", "--every", "2h", "--json").json["enabled"] is False
    assert cli.ok("schedule", "update", "rests", "--enabled", "--json").json["enabled"] is True
    assert cli.ok("schedule", "update", "rests", "--disabled", "--json").json["enabled"] is False


def test_a_spent_once_is_given_a_new_time(cli: CommandLine) -> None:
    """It shows as not enabled, but nobody paused it: the new time counts."""
    cli.ok("schedule", "create", "again", "--at", "2020-01-01T00:00:00Z", "--handler", "echo")
    assert cli.ok("schedule", "show", "again", "--json").json["enabled"] is False
    moved = cli.ok("schedule", "update", "again", "--at", "2035-01-01T00:00:00Z", "--json").json
    assert (moved["enabled"], moved["next_due_at"]) == (True, "2035-01-01T00:00:00Z")


def test_pause_and_resume(cli: CommandLine) -> None:
    cli.ok("schedule", "create", "paused", "--every", "1h", "--handler", "echo")
    said = cli.ok("schedule", "pause", "paused", "--note", "moving house").stdout
    assert re.search(r"^state +paused by \S+: moving house$", said, re.MULTILINE), said
    assert cli.ok("job", "show", "paused", "--json").json["paused_note"] == "moving house"
    assert re.search(r"^state +waiting$", cli.ok("schedule", "resume", "paused").stdout, re.MULTILINE)


def test_a_trigger_prints_the_id_of_its_run(cli: CommandLine) -> None:
    cli.ok(
        "schedule", "create", "called", "--every", "1h", "--handler", "echo", "--inputs", '{"a": 1, "b": 1}'
    )
    run = cli.ok("schedule", "trigger", "called", "--inputs", '{"b": 2}', "--json").json["request_id"]
    assert cli.ok("runs", "show", run, "--json").json["kind"] == "manual"
    assert "run " in cli.ok("schedule", "trigger", "called").stdout


def test_a_schedule_that_exists_is_a_conflict(cli: CommandLine) -> None:
    cli.ok("schedule", "create", "twice", "--every", "1h", "--handler", "echo")
    answer = cli("schedule", "create", "twice", "--every", "1h", "--handler", "echo")
    assert (answer.exit_code, answer.stdout) == (4, "")
    assert "'twice' exists already" in answer.stderr


@pytest.mark.parametrize(
    "options, field, exit_code",
    [
        (("--cron", "61 * * * *", "--handler", "echo"), "--cron (minute)", 1),
        (("--cron", "0 9 * * *", "--tz", "Mars/Base", "--handler", "echo"), "--tz", 1),
        (("--every", "1h", "--handler", "nobody"), "--handler", 1),
        (("--every", "1h", "--handler", "echo", "--overlap", "never"), "--overlap", 1),
        (("--every", "soon", "--handler", "echo"), "--every", 1),
        (("--every", "1h delayed", "--handler", "echo"), "--every", 1),
        (("--handler", "echo"), "schedule", 2),
        (("--every", "1h", "--in", "1h", "--handler", "echo"), "--in", 2),
        (("--every", "1h"), "target", 2),
        (("--every", "1h", "--handler", "echo", "--sqs", "arn:x"), "target", 2),
        (("--every", "1h", "--handler", "echo", "--inputs", "[1]"), "--inputs", 2),
        (("--every", "1h", "--handler", "echo", "--inputs", "{"), "--inputs", 2),
        (("--every", "1h", "--handler", "echo", "--inputs", '{"a": NaN}'), "--inputs", 2),
        (("--every", "1h", "--handler", "echo", "--inputs", "@nowhere.json"), "--inputs", 2),
    ],
)
def test_a_refusal_is_one_problem_on_stderr(
    cli: CommandLine, options: tuple[str, ...], field: str, exit_code: int
) -> None:
    answer = cli("schedule", "create", "refused", *options)
    assert (answer.exit_code, answer.stdout) == (exit_code, ""), answer.stderr
    first, second, *rest = answer.stderr.splitlines()
    assert first.startswith("duetime: ")
    assert second.startswith(f"  {field}"), answer.stderr
    assert len(rest) == 1
    told = cli("schedule", "create", "refused", *options, "--json")
    assert (told.exit_code, told.stdout) == (exit_code, "")
    problem = json.loads(told.stderr)
    assert (problem["field"], problem["exit"]) == (field.partition(" (")[0], exit_code)
    assert problem["hint"]
    assert cli("schedule", "show", "refused").exit_code == 3  # nothing was written


def test_an_unknown_option_is_a_usage_error(cli: CommandLine) -> None:
    answer = cli("schedule", "create", "x", "--crno", "0 9 * * *")
    assert answer.exit_code == 2
    assert "--crno" in answer.stderr


def test_an_unknown_project_is_not_found(cli: CommandLine) -> None:
    assert cli("schedule", "list", "--project", "elsewhere").exit_code == 3
    assert cli("schedule", "list", DUETIME_PROJECT="elsewhere").exit_code == 3
