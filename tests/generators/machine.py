"""The state machines in docs/design.md, drawn from the table that drives the stores."""

from __future__ import annotations

from collections.abc import Iterator

from duetime.core.machine import RUN_TRANSITIONS, TRIGGER_TRANSITIONS, diagram
from tests.generators import Generated


def generated() -> Iterator[Generated]:
    """Yield the two diagrams."""
    for section, table in (("run machine", RUN_TRANSITIONS), ("trigger machine", TRIGGER_TRANSITIONS)):
        yield Generated("docs/design.md", f"```mermaid\n{diagram(table)}\n```", section)
