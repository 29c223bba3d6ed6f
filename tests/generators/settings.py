"""docs/settings.md, from the model of the settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from duetime.settings import PREFIX, Settings
from tests.generators import Generated

INTRO = """# Settings

Each is an environment variable of the functions and of `duetime local`; in a stage file they stand under `settings`,
without the prefix and in lower case. A wrong value is refused at start, with the variable, the value and what to write
instead. Durations are in seconds. Generated from `duetime.settings.Settings`.

| variable | default | accepted | meaning |
|---|---|---|---|
"""


def generated() -> Iterator[Generated]:
    """Yield the page."""
    properties = Settings.model_json_schema()["properties"]
    rows = [_row(f"{PREFIX}{name.upper()}", each) for name, each in properties.items()]
    yield Generated("docs/settings.md", INTRO + "\n".join(rows))


def _row(variable: str, field: dict[str, Any]) -> str:
    default = f"`{field['default']}`" if field["default"] != "" else "–"
    return f"| `{variable}` | {default} | {_accepted(field)} | {field['description'].replace('|', chr(92) + '|')} |"


def _accepted(field: dict[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if field["type"] == "integer":
        return f"{field['minimum']:,} to {field['maximum']:,}"
    return "text"
