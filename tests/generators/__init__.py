"""What is generated from the code, one module a topic: its `generated()` yields a `Generated` for each file.

A new topic is a new module here; `python -m tests.generate` finds it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Generated:
    """Text made from the code: a whole file, or (with `section`) what stands between two marks of a file.

    `path` is relative to the tree. The marks are `<!-- generated: {section} -->` and the next `<!-- end -->`.
    """

    path: str
    text: str
    section: str | None = None
