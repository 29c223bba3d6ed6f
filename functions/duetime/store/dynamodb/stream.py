"""What a table's stream tells, as changes of jobs, triggers and runs.

A record holds a row before and after one write, in the same typed attributes as the rows themselves. Data and payload
items are told by nothing but the rows they belong to, so values told here come without them.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

from duetime.core.exchange import Change
from duetime.core.run import Run
from duetime.core.stored import StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.store.dynamodb.jobrow import read_job
from duetime.store.dynamodb.keys import Item
from duetime.store.dynamodb.runrow import PAYLOADS, read_run
from duetime.store.dynamodb.triggerrow import read_any_trigger

_TOLD: Final = frozenset({"job", "trigger", "run"})


def decode(record: Mapping[str, Any]) -> Change | None:
    """Return the change one stream record tells, or None where it tells none.

    It tells none about rows that belong to others (data, payloads) and about runs that leave the table, because only
    time takes them out. Raises Unreadable for a row this release cannot read.
    """
    told = record["dynamodb"]
    old, new = told.get("OldImage"), told.get("NewImage")
    kind = ((new or old or {}).get("row") or {}).get("S")
    if kind not in _TOLD or (kind == "run" and new is None):
        return None
    at_ms = int(float(told.get("ApproximateCreationDateTime", 0)) * 1000)
    return Change(_row(old), _row(new), at_ms)


def _row(image: Item | None) -> StoredJob | TriggerRow | Run | None:
    if not image:
        return None
    match image["row"]["S"]:
        case "job":
            return read_job(image)
        case "trigger":
            return read_any_trigger(image)
        case "run":
            return read_run(_binary(image)).run
        case _:
            return None


def _binary(image: Item) -> Item:
    """Return a run's image with its payload marks as bytes; inside an event they are base 64."""
    marks = {name: {"B": b64decode(image[name]["B"])} for name in PAYLOADS if "B" in image.get(name, {})}
    return {**image, **marks} if marks else image
