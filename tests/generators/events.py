"""events/outbound, events/messages and the index of events/README.md, from the models and from one example of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duetime.contracts.event import TYPES, schema_of
from duetime.contracts.message import RunMessage, message_text
from tests.generators import Generated
from tests.unit.events.examples import DISPATCH, event_examples

ROOT = Path(__file__).resolve().parents[2]


def generated() -> Iterator[Generated]:
    """Yield a schema and an example for each type of event and for the queue message, and their index."""
    examples = event_examples()
    for kind in TYPES:
        yield Generated(f"events/outbound/{kind}.schema.json", _pretty(schema_of(kind)))
        yield Generated(f"events/outbound/{kind}.example.json", _pretty(examples[kind]))
    yield Generated("events/messages/run.schema.json", _pretty(message_schema()))
    yield Generated("events/messages/run.example.json", _pretty(json.loads(message_text(DISPATCH))))
    yield Generated("events/README.md", _index(), "events")
    yield Generated("events/README.md", _inbound(), "inbound")


def message_schema() -> dict[str, Any]:
    """Return the JSON Schema of the queue message."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "run.schema.json",
        **RunMessage.model_json_schema(),
    }


def _index() -> str:
    rows = [
        f"| `{kind}` | {entry.when} | [schema](outbound/{kind}.schema.json), [example](outbound/{kind}.example.json) |"
        for kind, entry in TYPES.items()
    ]
    return "\n".join(["| type | when | shape |", "|---|---|---|", *rows])


def _inbound() -> str:
    folders = sorted(path for path in (ROOT / "events/inbound").iterdir() if path.is_dir())
    rows = []
    for folder in folders:
        cases = ", ".join(
            f"[{path.stem}](inbound/{folder.name}/{path.name})" for path in sorted(folder.glob("*.json"))
        )
        rows.append(f"| `{folder.name}` | {cases} |")
    return "\n".join(["| function | cases |", "|---|---|", *rows])


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
