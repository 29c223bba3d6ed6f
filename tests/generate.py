"""Writes every generated file anew, or says what differs: `python -m tests.generate [--check]`.

What is generated, and from what, is in tests/generators. tests/unit/test_generated.py runs the check.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

from tests import generators
from tests.generators import Generated

ROOT = Path(__file__).resolve().parent.parent
END = "<!-- end -->"


def topics() -> list[str]:
    """Return the names of the modules in tests/generators."""
    return sorted(module.name for module in pkgutil.iter_modules(generators.__path__))


def everything() -> Iterator[Generated]:
    """Yield all that is generated."""
    for topic in topics():
        yield from importlib.import_module(f"tests.generators.{topic}").generated()


def is_text(one: Generated) -> str:
    """Return what the file holds now, empty when it is not there."""
    path = ROOT / one.path
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def should_text(one: Generated) -> str:
    """Return what the file should hold; raises ValueError when the marks of a section are missing."""
    if one.section is None:
        return one.text.rstrip("\n") + "\n"
    start = f"<!-- generated: {one.section} -->"
    before, mark, rest = is_text(one).partition(start)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise ValueError(
            f"{one.path}: the section {one.section!r} is missing; put {start} and {END} where it belongs"
        )
    return f"{before}{start}\n{one.text.strip()}\n{END}{after}"


def difference(one: Generated) -> str:
    """Return the unified diff between what the file holds and what it should, empty when they are the same."""
    lines = difflib.unified_diff(
        is_text(one).splitlines(keepends=True),
        should_text(one).splitlines(keepends=True),
        f"{one.path} (checked in)",
        f"{one.path} (from the code)",
    )
    return "".join(lines)


def write(one: Generated) -> bool:
    """Write the file if it differs; answers whether it did."""
    text = should_text(one)
    if is_text(one) == text:
        return False
    path = ROOT / one.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True


def main(arguments: list[str]) -> int:
    """Write, or with `--check` compare; answers the exit code."""
    if arguments not in ([], ["--check"]):
        print(f"{' '.join(arguments)}: is no option here. Use --check to compare, or nothing to write.")
        return 2
    if arguments:
        differing = [found for found in map(difference, everything()) if found]
        print("\n".join(differing) if differing else "generated files: as the code makes them")
        return 1 if differing else 0
    written = [one.path for one in everything() if write(one)]
    print("\n".join(f"written: {path}" for path in written) or "generated files: nothing to write")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
