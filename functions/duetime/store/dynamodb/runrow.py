"""A run as a row: what never changes about it as one JSON text, its state as attributes, long texts as payload items.

A text of up to 256 bytes stays in the row (`S`). A longer one is an item of its own, keyed by its digest, and the row keeps
the digest (`B`). So state writes stay small, and whoever loses a race has written under another key than the winner.
"""

from __future__ import annotations

import json
from dataclasses import fields
from hashlib import blake2b
from typing import Any, Final, NamedTuple, cast

from duetime.core.jsontext import dumps
from duetime.core.machine import RunState
from duetime.core.run import Covers, Run, RunError
from duetime.store.dynamodb.attributes import (
    flag,
    n,
    need_number,
    need_text,
    number,
    numbers,
    reading,
    s,
    text,
    texts,
)
from duetime.store.dynamodb.keys import FORMAT, Item, Value, feed_pk, payload_key, run_key, run_shard

MAX_INLINE_BYTES: Final = 256
DAY_SECONDS: Final = 86_400
FOR_EVER: Final = 10**11
"""Seconds that a run with keep_days 0 is kept: three thousand years."""
UNENDED_DAYS: Final = 90
"""How much longer than its run's history a payload is kept that is written before the end of the run is known."""

ORIGIN: Final = (
    "job", "uid", "kind", "scheduled_at", "start_at", "queued_ms", "trigger", "nominal", "ordinal", "attempt",
    "retry_of", "first_queued_ms", "priority", "tenant", "waits", "keep_days",
)  # fmt: skip
"""What never changes about a run; its covers join them."""
_DEFAULTS: Final = {one.name: one.default for one in fields(Run)}

PAYLOADS: Final = {"call": "call_json", "base": "base_json", "result": "result_json", "error": "error"}
"""The attributes that may live in a payload item, and the field of a run each of them is."""


class Payload(NamedTuple):
    """A text too long for its row: the attribute it stands for, its digest, the text."""

    field: str
    digest: bytes
    text: str


class Row(NamedTuple):
    """A run as its row tells it, without its payloads; `marks` are their digests by attribute."""

    run: Run
    marks: dict[str, bytes]


def payload_of(field: str, value: str | None) -> tuple[Value | None, Payload | None]:
    """Return the attribute that stands for a text, and the payload to be written before it, if there is one.

    >>> payload_of("call", "{}")
    ({'S': '{}'}, None)
    """
    if value is None:
        return None, None
    raw = value.encode()
    if len(raw) <= MAX_INLINE_BYTES:
        return {"S": value}, None
    digest = digest_of(raw)
    return {"B": digest}, Payload(field, digest, value)


def digest_of(raw: bytes) -> bytes:
    """Return what a payload is known by inside its run."""
    return blake2b(raw, digest_size=12).digest()


def payload_item(project: str, run: str, payload: Payload, expires_at: int | None) -> Item:
    """Return a payload's item; `expires_at` is UTC epoch seconds, None keeps it."""
    item = payload_key(project, run, payload.field, payload.digest)
    item |= {"row": s("payload"), "v": n(FORMAT), "text": s(payload.text), **numbers(expires_at=expires_at)}
    return item


def keep_for(run: Run) -> int:
    """Return how long a run is kept after its end, in seconds."""
    return run.keep_days * DAY_SECONDS if run.keep_days else FOR_EVER


def new_row(run: Run, *, shards: int, write_id: str) -> tuple[Item, list[Payload]]:
    """Return the row of a run that is new, and the payloads to be written before it."""
    shard = run_shard(run.id, shards)
    item = run_key(run.project, run.id)
    item |= {
        "row": s("run"),
        "v": n(FORMAT),
        "feed": feed_pk(run.project, shard),
        "origin": s(_origin(run)),
        "state": s(run.state),
        "revision": n(run.revision),
        "fence": n(run.fence),
        "keep_for": n(keep_for(run)),
        "write_id": s(write_id),
    }
    item |= texts(reason=run.reason)
    if run.watch_at is not None:
        item |= {"watch_shard": s(shard), "watch_at": n(run.watch_at)}
    if run.finished_ms is not None:
        item |= {"finished_ms": n(run.finished_ms), "expires_at": n(run.finished_ms // 1000 + keep_for(run))}
    payloads: list[Payload] = []
    for field, value in (("call", run.call_json), ("base", run.base_json)):
        attribute, payload = payload_of(field, value)
        if attribute is not None:
            item[field] = attribute
        if payload is not None:
            payloads.append(payload)
    return item, payloads


def _origin(run: Run) -> str:
    known = {name: getattr(run, name) for name in ORIGIN}
    told = {name: value for name, value in known.items() if value != _DEFAULTS[name]}
    if run.covers is not None:
        told["covers"] = [run.covers.first, run.covers.last, run.covers.count]
    return dumps(told)


def read_run(item: Item) -> Row:
    """Return the run of a row; raises Unreadable. Texts that live in payload items are None and marked."""
    with reading(item):
        told: dict[str, Any] = json.loads(need_text(item, "origin"))
        covers = told.pop("covers", None)
        marks = {name: bytes(item[name]["B"]) for name in PAYLOADS if name in item and "B" in item[name]}
        inline = {name: text(item, name) for name in PAYLOADS if name not in marks}
        code = text(item, "error_code")
        run = Run(
            id=need_text(item, "sk"),
            project=need_text(item, "pk").split("#")[0],
            covers=None if covers is None else Covers(*covers),
            call_json=inline.get("call"),
            state=cast(RunState, need_text(item, "state")),
            reason=text(item, "reason"),
            revision=need_number(item, "revision"),
            fence=need_number(item, "fence"),
            resends=number(item, "resends") or 0,
            watch_at=number(item, "watch_at"),
            instance=text(item, "instance"),
            slot=text(item, "slot"),
            lease_ms=number(item, "lease_ms"),
            started_ms=number(item, "started_ms"),
            finished_ms=number(item, "finished_ms"),
            base_json=inline.get("base"),
            result_json=inline.get("result"),
            error=None if code is None else RunError(code, inline.get("error") or ""),
            follow_up=flag(item, "follow_up"),
            **told,
        )
        return Row(run, marks)


def expired(item: Item, now_ms: int) -> bool:
    """Whether a row is only still there because the tables delete late."""
    expires_at = number(item, "expires_at")
    return expires_at is not None and expires_at * 1000 <= now_ms
