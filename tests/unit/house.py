"""What the house rules read: the tree's text files, pinned lists, and which outside names a module uses.

Pure helpers of test_house.py, apart so that the rules there read as rules.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

# What tools leave behind (.gitignore says the same); everything else is a source and obeys the rules.
_LEFT_BEHIND = re.compile(
    r"\.git|\.venv.*|node_modules|build|dist|cdk\.out|__pycache__|.*\.egg-info"
    r"|\.(hypothesis|mypy_cache|pytest_cache|ruff_cache|import_linter_cache)"
)


def sources(folder: Path = ROOT, suffix: str = "") -> Iterator[Path]:
    """Yield the files under `folder` that belong to the project, by name."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _LEFT_BEHIND.fullmatch(name))
        yield from (Path(where, name) for name in sorted(names) if name.endswith(suffix))


def text_of(path: Path) -> str | None:
    """Return what a text file holds, None for a binary one."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


class Pin(NamedTuple):
    """One line of a pinned list: `name==version ; marker` and the hashes that its files may have."""

    name: str
    version: str
    marker: str
    hashes: frozenset[str]


_PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[^\s;]+)(?:\s*;\s*(?P<marker>.+?))?")
_HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


def pins(path: Path) -> list[Pin]:
    """Read a pinned list; a line that is anything but an exact version with hashes is an error."""
    found = []
    for line in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        requirement = _HASH.sub("", line).strip()
        match = _PIN.fullmatch(requirement)
        hashes = frozenset(_HASH.findall(line))
        if match is None or not hashes:
            raise ValueError(
                f"{path.name}: {requirement!r} is not `name==version` with hashes; run `make pins`"
            )
        found.append(Pin(match["name"], match["version"], match["marker"] or "", hashes))
    return found


def outside_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) for each name that a module imports, and for each use of one.

    >>> list(outside_names("import time as t; t.sleep(1)"))
    [(1, 'time'), (1, 'time.sleep'), (1, 'time')]
    """
    tree = ast.parse(source)
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
                first = alias.name.partition(".")[0]
                known[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and (dotted := _dotted(node, known)):
            yield node.lineno, dotted


def _dotted(node: ast.expr, known: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value, known)
        return f"{base}.{node.attr}" if base else None
    return None
