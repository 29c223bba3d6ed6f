"""Lists on a terminal: nothing is lost or broken, however narrow it is."""

from __future__ import annotations

import io
import re
import shlex
import sys

import pytest

from duetime.cli.main import app
from duetime.cli.tables import fitted
from tests.unit.cli.conftest import CommandLine

RUN = "1ngtw4cmp6n59yvb9g6rn4fv8tqpvs"


class Terminal(io.StringIO):
    """A stdout that a person looks at."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def drawn(columns: tuple[str, ...], rows: list[tuple[str, ...]], width: int) -> list[str]:
    return [line.plain for line in fitted(columns, rows, width, lambda text: "")]


def test_a_table_that_fits_has_columns() -> None:
    lines = drawn(("name", "when"), [("a", "every 1h"), ("long-name", "every 10m")], 80)
    assert lines == ["name       when", "─" * 20, "a          every 1h", "long-name  every 10m"]


def test_long_texts_take_several_lines_before_columns_are_given_up() -> None:
    lines = drawn(("name", "when", "next"), [("nightly", "cron 0 2 * * * tz=Europe/Berlin", "2026")], 40)
    assert lines[2:] == ["nightly  cron 0 2 * * *             2026", "         tz=Europe/Berlin"]


def test_without_room_each_row_stands_by_itself_and_whole() -> None:
    columns = ("id", "job", "status", "scheduled", "result")
    row = (RUN, "minute-report", "succeeded", "2026-11-30 12:48:12 UTC", "word " * 20 + "end")
    lines = drawn(columns, [row], 60)
    assert lines[0].startswith(f"{RUN}  job minute-report")
    assert all(len(line) <= 60 for line in lines)
    text = " ".join(" ".join(lines).split())
    assert f"status succeeded scheduled 2026-11-30 12:48:12 UTC result {' '.join(['word'] * 20)} end" in text


def test_wide_characters_count_twice() -> None:
    lines = drawn(("name", "description"), [("a", "报告" * 12)], 30)
    assert len(lines) == 4
    assert "".join(line.split()[-1] for line in lines[2:]) == "报告" * 12


@pytest.fixture(scope="module")
def filled(cli: CommandLine) -> CommandLine:
    """A server that has one of everything, with long names."""
    for line in (
        (
            "calendar put public-holidays-of-bavaria --holiday-dates 2030-12-25,2030-12-26 --tz Europe/Berlin "
            "--description 'Nobody is in the office.'"
        ),
        (
            "schedule create nightly-report-of-all-orders --cron '0 2 * * MON-FRI' --tz Europe/Berlin --gap shift "
            "--calendar public-holidays-of-bavaria --handler echo"
        ),
    ):
        cli.ok(*shlex.split(line))
    cli.ok("job", "trigger", "nightly-report-of-all-orders", "--data", '{"text": "a result of some length"}')
    return cli


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize(
    "command, whole",
    [
        ("schedule list", ("nightly-report-of-all-orders", "waiting")),
        ("job list", ("nightly-report-of-all-orders", "runtime", "active")),
        ("calendar list", ("public-holidays-of-bavaria", "holiday")),
        ("runs list", ("nightly-report-of-all-orders", "succeeded", "manual")),
        ("schedule show nightly-report-of-all-orders", ("nightly-report-of-all-orders", "waiting")),
    ],
)
def test_lists_are_whole_on_a_narrow_terminal(
    filled: CommandLine, monkeypatch: pytest.MonkeyPatch, command: str, whole: tuple[str, ...], width: int
) -> None:
    for name, value in (("COLUMNS", str(width)), ("TERM", "xterm"), ("DUETIME_URL", filled.url)):
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", terminal)
        app(command.split(), standalone_mode=False)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).splitlines()
    assert all(len(line) <= width for line in lines), lines
    words = {word for line in lines for word in line.split()}
    assert set(whole) <= words, lines
    if command == "runs list":
        assert any(re.match("[0-9a-hjkmnp-tv-z]{30}( |$)", line) for line in lines), lines
        assert "result of some length" in " ".join(" ".join(lines).split())
