"""What a benchmark says: lines while it goes on, and aims that are met or missed, repeated at the end."""

from __future__ import annotations

import os
import platform
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import botocore


@dataclass(frozen=True)
class Aim:
    """A figure and its bound; `at_least` says on which side of the bound it should lie."""

    name: str
    figure: float
    bound: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the figure keeps its bound."""
        return self.figure >= self.bound if self.at_least else self.figure <= self.bound

    def __str__(self) -> str:
        bound = f"{'at least' if self.at_least else 'at most'} {number(self.bound)}"
        verdict = "met" if self.met else "MISSED  <<<<<<<<<<"
        return f"aim: {self.name} {bound}: {number(self.figure)}, {verdict}"


@dataclass
class Report:
    """Prints as it goes and keeps the aims."""

    aims: list[Aim] = field(default_factory=list)

    def say(self, line: str = "") -> None:
        """Print a line at once."""
        print(line, flush=True)

    def aim(self, aim: Aim) -> None:
        """Print an aim, and keep it for the end."""
        self.aims.append(aim)
        self.say(f"  {aim}")

    def close(self, seconds: float) -> None:
        """Say which aims were missed, so that nobody overlooks it."""
        missed = [aim for aim in self.aims if not aim.met]
        self.say()
        self.say(f"{len(self.aims) - len(missed)} of {len(self.aims)} aims met, in {seconds:.0f} s")
        if missed:
            self.say("!" * 100)
            for aim in missed:
                self.say(f"!!! {aim}")
            self.say("!" * 100)


def machine() -> str:
    """Return what the figures were made on, with how busy it was: other work makes them worse, never better."""
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    return (
        f"Python {platform.python_version()}, botocore {botocore.__version__}, {os.cpu_count()} cores, "
        f"load {load} (over 1, 5, 15 minutes)"
    )


def number(value: float) -> str:
    """Return a figure as people read it.

    >>> number(12345.6), number(9.0), number(1.234)
    ('12,346', '9', '1.23')
    """
    if abs(value - round(value)) < 0.005 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}"


def told(calls: Counter[str]) -> str:
    """Return calls by operation, the most frequent first."""
    by_name = ", ".join(f"{name} {count:,}" for name, count in calls.most_common())
    return f"{calls.total():,} calls ({by_name})"


def row(name: str, cells: list[Any], *, first: int = 18, width: int = 16) -> str:
    """Return one line of a table."""
    return f"  {name:<{first}}" + "".join(f"{cell:>{width}}" for cell in cells)
