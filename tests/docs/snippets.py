"""The snippets and tables of the user's pages, as data.

A fenced block says how it is run in an HTML comment right above it, which no reader sees: `<!-- run: MODE, OPTION -->`. A
block without one that directly follows another is what that one prints. A table that is held to the code has
`<!-- check: NAME -->` above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = (README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "events" / "README.md")
"""What users read."""
OWN = (README, ROOT / "docs" / "guarantees.md", ROOT / "docs" / "differences.md")
"""The pages whose every snippet is run from here; each other page has a test of its own."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HOW = re.compile(r"<!-- run: ([^>]+) -->\n\Z")
_CHECK = re.compile(r"<!-- check: ([^>]+) -->\n((?:\|.*\n)+)")


@dataclass(frozen=True, slots=True)
class Snippet:
    """One block: where it stands, how it is run (`mode` and its options), and what it prints (None: not shown)."""

    page: Path
    line: int
    language: str
    mode: str
    options: tuple[str, ...]
    text: str
    output: str | None = None

    @property
    def where(self) -> str:
        """Page and line, for messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def option(self, name: str) -> str | None:
        """Return what follows `name` in the option that begins with it (`exit 1`), or None."""
        return next((one.removeprefix(name).strip() for one in self.options if one.startswith(name)), None)


def snippets(page: Path) -> list[Snippet]:
    """Return the blocks of a page, each with its output; a block that nobody runs has the mode `""`."""
    text = page.read_text(encoding="utf-8")
    found: list[Snippet] = []
    end = -1
    for match in _FENCE.finditer(text):
        how = _HOW.search(text[: match.start()])
        follows = text[end : match.start()].strip() == "" and found and found[-1].output is None
        if how is None and follows and match[1] != "mermaid":
            found[-1] = _with_output(found[-1], match[2])
        else:
            words = [word.strip() for word in how[1].split(",")] if how else [""]
            line = text.count("\n", 0, match.start()) + 1
            found.append(Snippet(page, line, match[1], words[0], tuple(words[1:]), match[2]))
        end = match.end()
    return found


def of_mode(*modes: str) -> list[Snippet]:
    """Return the blocks of our own pages that are run in one of these modes, in their order."""
    return [
        one
        for page in OWN
        for one in snippets(page)
        if one.mode.split()[0:1] and one.mode.split()[0] in modes
    ]


def only(mode: str) -> Snippet:
    """Return the one block of this mode."""
    (found,) = of_mode(mode)
    return found


def table(name: str, page: Path = README) -> list[dict[str, str]]:
    """Return the rows of a checked table, cells by column head."""
    found = dict(_CHECK.findall(page.read_text(encoding="utf-8")))
    head, _, *rows = (list(_cells(line)) for line in found[name].splitlines())
    return [dict(zip(head, row, strict=True)) for row in rows]


def tables(page: Path) -> list[str]:
    """Return the names of the checked tables of a page."""
    return [name for name, _ in _CHECK.findall(page.read_text(encoding="utf-8"))]


def code_in(cell: str) -> Sequence[str]:
    """Return what a cell says in code type.

    >>> code_in("`skip`, `parallel`")
    ['skip', 'parallel']
    """
    return re.findall(r"`([^`]+)`", cell)


def _with_output(snippet: Snippet, output: str) -> Snippet:
    return Snippet(
        snippet.page, snippet.line, snippet.language, snippet.mode, snippet.options, snippet.text, output
    )


def _cells(line: str) -> Iterator[str]:
    return (cell.strip() for cell in line.strip().strip("|").split("|"))
