"""The texts of runs that are too long for their rows: written before the row that speaks of them, read after it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from duetime.core.faults import Unreadable
from duetime.core.run import Run, RunError
from duetime.store.dynamodb.attributes import need_text
from duetime.store.dynamodb.base import DynamoDbBase
from duetime.store.dynamodb.calls import batch_get, call
from duetime.store.dynamodb.keys import Item, payload_key
from duetime.store.dynamodb.runrow import (
    PAYLOADS,
    Payload,
    Row,
    digest_of,
    payload_item,
    read_run,
)

_log = logging.getLogger(__name__)


class DynamoDbPayloads(DynamoDbBase):
    """How rows of runs and their payload items become whole runs, and back."""

    def _put_payloads(
        self, project: str, run: str, payloads: Iterable[Payload], expires_at: int | None
    ) -> None:
        """Write payload items; writing one again is harmless, for its key holds its digest."""
        for payload in payloads:
            item = payload_item(project, run, payload, expires_at)
            call(self._client.put_item, {"TableName": self._tables.runs, "Item": item})

    def _whole(self, item: Item, known: Run | None = None) -> Run:
        """Return the run of a row with its payloads: taken from `known` where they are the same, else read."""
        row = read_run(item)
        if not row.marks:
            return row.run
        texts = self._known(row, known)
        return self._filled(row, texts, self._missing([row], [texts]))

    def _all_whole(self, rows: Sequence[Row]) -> list[Run]:
        """Return runs with their payloads, read together; one whose payload is gone is logged and left out."""
        read = self._missing(rows, [{} for _ in rows])
        whole: list[Run] = []
        for row in rows:
            try:
                whole.append(self._filled(row, {}, read))
            except Unreadable as error:
                _log.error("a run is left out of a list: %s", error)
        return whole

    def _missing(
        self, rows: Sequence[Row], known: Sequence[dict[str, str]]
    ) -> Mapping[tuple[str, str], Item]:
        """Read the payload items that rows speak of and whose texts are not known already."""
        keys = [
            payload_key(row.run.project, row.run.id, field, digest)
            for row, texts in zip(rows, known, strict=True)
            for field, digest in row.marks.items()
            if field not in texts
        ]
        return batch_get(self._client, self._tables.runs, keys, self._clock) if keys else {}

    @staticmethod
    def _known(row: Row, known: Run | None) -> dict[str, str]:
        if known is None:
            return {}
        told = {field: getattr(known, name) for field, name in PAYLOADS.items()}
        told["error"] = None if known.error is None else known.error.message
        return {
            field: told[field]
            for field, digest in row.marks.items()
            if told[field] is not None and digest_of(told[field].encode()) == digest
        }

    @staticmethod
    def _filled(row: Row, texts: dict[str, str], read: Mapping[tuple[str, str], Item]) -> Run:
        run = row.run
        for field, digest in row.marks.items():
            if field not in texts:
                key = payload_key(run.project, run.id, field, digest)
                item = read.get((key["pk"]["S"], key["sk"]["S"]))
                if item is None:
                    hint = "Its history was cut off; the run itself stands."
                    raise Unreadable("row", f"{run.project} {run.id}", f"has lost its {field}", hint)
                texts[field] = need_text(item, "text")
        error = run.error
        if error is not None and "error" in texts:
            error = RunError(error.code, texts["error"])
        return replace(
            run,
            call_json=texts.get("call", run.call_json),
            base_json=texts.get("base", run.base_json),
            result_json=texts.get("result", run.result_json),
            error=error,
        )

    def _readable(self, items: Iterable[Item]) -> list[Row]:
        """Return the runs of rows without their payloads; one that cannot be read is logged and left out."""
        rows: list[Row] = []
        for item in items:
            try:
                rows.append(read_run(item))
            except Unreadable as error:
                _log.error("a run is left out of a list: %s", error)
        return rows
