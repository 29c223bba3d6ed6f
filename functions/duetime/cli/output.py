"""How commands answer: tables and lines for a person, JSON for a program. Only answers go to stdout.

On a terminal tables have colours and fit its width; in a pipe they are aligned text. Nothing that comes from outside is read as
markup or can steer the terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from duetime.cli.problems import plain

if TYPE_CHECKING:
    from rich.console import Console

STYLES: Final[Mapping[str, str]] = {
    "succeeded": "green", "running": "cyan", "failed": "red", "lost": "red", "error": "red",
    "canceled": "yellow", "skipped": "yellow", "superseded": "yellow", "paused": "yellow",
}  # fmt: skip
"""Colours of states."""


class Output:
    """Writes what one command answers."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    @cached_property
    def console(self) -> Console:
        """The terminal of stdout."""
        from rich.console import Console

        return Console(highlight=False)

    def document(self, value: Any) -> None:
        """Print a value as JSON."""
        print(json.dumps(value, ensure_ascii=False, indent=2))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print a table; a cell that is None is a dash."""
        cells = [[_text(one) for one in row] for row in rows]
        if not sys.stdout.isatty():
            _print_aligned([list(columns), *cells])
            return
        from duetime.cli.tables import fitted

        for line in fitted(columns, cells, self.console.width, _style):
            self.console.print(line, soft_wrap=True)

    def facts(self, facts: Mapping[str, object]) -> None:
        """Print names and values, one pair to a line; values that are None or empty are left out."""
        cells = [[name, _text(value)] for name, value in facts.items() if value is not None and value != ""]
        if not sys.stdout.isatty():
            _print_aligned(cells)
            return
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in cells:
            table.add_row(name, Text(value, _style(value)))
        self.console.print(table)

    def line(self, text: str) -> None:
        """Print one line."""
        print(plain(text), flush=True)

    def note(self, text: str) -> None:
        """Print what is no answer, to stderr."""
        print(plain(text), file=sys.stderr)


def _text(value: object) -> str:
    """Return a cell on one line."""
    if value is None:
        return "-"
    text = ("no", "yes")[value] if isinstance(value, bool) else str(value)
    return plain(" ".join(text.split("\n")))


def _style(text: str) -> str:
    """The style of a cell: its colour if it is a state, which may be followed by a reason."""
    return STYLES.get(text.partition(" ")[0], "")


def _print_aligned(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def local_time(text: str | None, zone: str | None = None) -> str | None:
    """Return an RFC 3339 time of an answer to the second, as a person here reads it or one in `zone`.

    >>> local_time("2026-11-30T17:00:00Z", "Europe/Berlin")
    '2026-11-30 18:00:00 CET'
    """
    if text is None:
        return None
    try:
        clock = None if zone is None else ZoneInfo(zone)
    except (
        ZoneInfoNotFoundError,
        ValueError,
    ):  # a newer control plane knows zones that this machine does not
        clock = None
    return datetime.fromisoformat(text).astimezone(clock).strftime("%Y-%m-%d %H:%M:%S %Z")


def compact(value: Any) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)
