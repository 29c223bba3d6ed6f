"""`duetime job` and `duetime runs` against a running local server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import CommandLine


def put(cli: CommandLine, folder: Path, name: str, **more: Any) -> dict[str, Any]:
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"name": name, "target": {"kind": "python", "name": "echo"}, **more}))
    found: dict[str, Any] = cli.ok("job", "put", str(path), "--json").json
    return found


def test_a_job_is_put_shown_listed_and_deleted(cli: CommandLine, tmp_path: Path) -> None:
    triggers = [{"name": "early", "schedule": "0 6 * * *"}, {"name": "late", "schedule": "every 1h"}]
    made = put(
        cli, tmp_path, "reports.daily", triggers=triggers, data={"a": 1}, description="Sums up.", tags=["x"]
    )
    assert (made["created_at"], [one["name"] for one in made["triggers"]]) == (
        made["created_at"],
        ["early", "late"],
    )
    shown = cli.ok("job", "show", "reports.daily").stdout
    assert "Sums up." in shown
    assert "cron 0 6 * * * tz=UTC" in shown
    listed = cli.ok("job", "list", "--prefix", "reports.").stdout.splitlines()
    assert len(listed) == 2
    assert listed[1].startswith("reports.daily")
    assert cli.ok("job", "delete", "reports.daily", "--json").json == {"deleted": "reports.daily"}
    assert cli("job", "delete", "reports.daily").exit_code == 3


def test_a_job_can_come_from_stdin_and_be_tried_only(cli: CommandLine) -> None:
    document = json.dumps({"name": "piped", "target": {"kind": "python", "name": "echo"}})
    assert "would be put" in cli.ok("job", "put", "-", "--dry-run", stdin=document).stdout
    assert cli("job", "show", "piped").exit_code == 3
    assert "job piped: put" in cli.ok("job", "put", "-", stdin=document).stdout


@pytest.mark.parametrize(
    "text, field",
    [
        ("[]", "FILE"),
        ("{", "FILE"),
        ('{"a": 1, "a": 2}', "FILE"),
        ('{"target": {}}', "name"),
        ('{"name": 5}', "name"),
    ],
)
def test_a_file_that_holds_no_job_is_a_usage_error(
    cli: CommandLine, tmp_path: Path, text: str, field: str
) -> None:
    path = tmp_path / "job.json"
    path.write_text(text)
    answer = cli("job", "put", str(path))
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr.splitlines()[1].startswith(f"  {field}")


def test_what_only_the_scheduler_knows_is_refused_by_it(cli: CommandLine) -> None:
    document = json.dumps({"name": "x", "target": {"kind": "python", "name": "echo"}, "timeuot": "5m"})
    answer = cli("job", "put", "-", stdin=document)
    assert answer.exit_code == 1
    assert "timeuot" in answer.stderr


def test_pause_and_resume_whole_and_by_trigger(cli: CommandLine, tmp_path: Path) -> None:
    put(cli, tmp_path, "parts", triggers=[{"name": "a", "schedule": "1h"}, {"name": "b", "schedule": "2h"}])
    assert cli.ok("job", "pause", "parts", "--note", "why not", "--json").json["paused_note"] == "why not"
    assert cli.ok("job", "resume", "parts", "--json").json["paused"] is False
    paused = cli.ok("job", "pause", "parts", "--trigger", "b", "--json").json
    assert [one["paused"] for one in paused["triggers"]] == [False, True]
    resumed = cli.ok("job", "resume", "parts", "--trigger", "b", "--missed", "misfire", "--json").json
    assert [one["paused"] for one in resumed["triggers"]] == [False, False]
    assert cli("job", "resume", "parts", "--missed", "never").exit_code == 1
    assert cli("job", "pause", "parts", "--trigger", "c").exit_code == 3
    assert cli("job", "pause", "parts", "--trigger", "a", "--note", "x").exit_code == 2


def test_a_trigger_waits_for_the_result(cli: CommandLine, tmp_path: Path) -> None:
    put(cli, tmp_path, "waits", data={"a": 1, "b": 1})
    run = cli.ok("job", "trigger", "waits", "--data", '{"b": 2}', "--tenant", "acme", "--json").json
    assert (run["status"], run["result"], run["tenant"]) == ("succeeded", {"a": 1, "b": 2}, "acme")
    shown = cli.ok("job", "trigger", "waits").stdout
    assert "succeeded" in shown


def test_a_triggered_run_that_fails_is_exit_code_1(cli: CommandLine, tmp_path: Path) -> None:
    put(cli, tmp_path, "fails", data={"fail": True})
    answer = cli("job", "trigger", "fails")
    assert answer.exit_code == 1
    assert "ON_PURPOSE" in answer.stdout


def test_a_held_slot_is_a_conflict(cli: CommandLine, tmp_path: Path) -> None:
    put(cli, tmp_path, "slow", data={"seconds": 1.2})
    first = cli.ok("job", "enqueue", "slow", "--json").json
    assert cli.runtime is not None
    while cli.ok("runs", "show", first["id"], "--json").json["status"] == "queued":
        cli.runtime.engine.clock.sleep_ms(20)
    answer = cli("job", "trigger", "slow")
    assert (answer.exit_code, answer.stdout) == (4, "")
    assert first["id"] in answer.stderr


def test_an_enqueued_run_can_wait_for_its_time(cli: CommandLine, tmp_path: Path) -> None:
    put(cli, tmp_path, "later")
    run = cli.ok("job", "enqueue", "later", "--delay", "1h", "--json").json
    assert (run["status"], run["kind"]) == ("queued", "manual")
    both = cli("job", "enqueue", "later", "--delay", "1h", "--at", "2035-01-01T00:00:00Z")
    assert (both.exit_code, "--delay: '1h' stands beside --at" in both.stderr) == (2, True)
    far = cli("job", "enqueue", "later", "--delay", "9000d")
    assert (far.exit_code, "--delay: '9000d'" in far.stderr) == (1, True)
    assert cli.ok("runs", "list", "--job", "later", "--json").json["items"] == []
    ahead = cli.ok("runs", "list", "--job", "later", "--ahead", "--json").json["items"]
    assert [one["id"] for one in ahead] == [run["id"]]


def test_runs_are_listed_newest_first_and_shown_whole(cli: CommandLine, tmp_path: Path) -> None:
    put(cli, tmp_path, "history")
    runs = [
        cli.ok("job", "trigger", "history", "--data", json.dumps({"n": n}), "--json").json for n in range(3)
    ]
    failed = cli("job", "trigger", "history", "--data", '{"fail": true}', "--json").json
    listed = cli.ok("runs", "list", "--job", "history", "--json").json["items"]
    assert {one["id"] for one in listed} == {one["id"] for one in [*runs, failed]}
    assert [one["scheduled_at"] for one in listed] == sorted(
        (one["scheduled_at"] for one in listed), reverse=True
    )
    assert len(cli.ok("runs", "list", "--job", "history", "--limit", "2", "--json").json["items"]) == 2
    only = cli.ok("runs", "list", "--job", "history", "--state", "failed", "--state", "lost", "--json").json[
        "items"
    ]
    assert [one["id"] for one in only] == [failed["id"]]
    table = cli.ok("runs", "list", "--job", "history").stdout.splitlines()
    assert table[0].split()[:4] == ["id", "job", "kind", "status"]
    assert len(table) == 5
    shown = cli.ok("runs", "show", failed["id"]).stdout
    assert "ON_PURPOSE" in shown


def test_what_a_handler_says_cannot_steer_the_terminal(cli: CommandLine, tmp_path: Path) -> None:
    put(cli, tmp_path, "escapes", data={"fail": True})
    shown = cli("job", "trigger", "escapes").stdout + cli.ok("runs", "list", "--job", "escapes").stdout
    assert "\\x1b[31mred" in shown
    assert "\x1b" not in shown
    assert "second line" in shown


def test_unknown_things_are_exit_code_3_and_unknown_filters_1(cli: CommandLine) -> None:
    assert cli("job", "show", "nobody").exit_code == 3
    assert cli("job", "trigger", "nobody").exit_code == 3
    assert cli("runs", "show", "0" * 30).exit_code == 3
    assert cli("runs", "list", "--state", "asleep").exit_code == 1
    assert cli("runs", "list", "--limit", "0").exit_code == 2


def test_runs_of_a_job_that_never_was_are_not_found(cli: CommandLine, tmp_path: Path) -> None:
    assert cli("runs", "list", "--job", "nope").exit_code == 3
    put(cli, tmp_path, "idle")
    assert cli.ok("runs", "list", "--job", "idle", "--json").json["items"] == []
    put(cli, tmp_path, "gone")
    cli.ok("job", "trigger", "gone")
    cli.ok("job", "delete", "gone")
    assert len(cli.ok("runs", "list", "--job", "gone", "--json").json["items"]) == 1
