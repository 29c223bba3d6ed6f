"""Runs read back: by id, by what the sweep watches, and newest first. Expired ones are never shown."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import Final

from duetime.core.exchange import Page
from duetime.core.faults import NotFound
from duetime.core.run import Run
from duetime.store.bounds import id_range
from duetime.store.dynamodb.calls import batch_get, call, query
from duetime.store.dynamodb.keys import Item, feed_pk, run_key, runs_pk
from duetime.store.dynamodb.payloads import DynamoDbPayloads
from duetime.store.dynamodb.runrow import expired

_HISTORY: Final = "pk = :pk AND sk BETWEEN :low AND :high"
_FEED: Final = "#feed = :pk AND sk BETWEEN :low AND :high"
_WATCHED: Final = "#watch_shard = :shard AND #watch_at <= :until"


class DynamoDbHistory(DynamoDbPayloads):
    """The reads of duetime.ports.RunStore."""

    def get_run(self, project: str, run: str) -> Run | None:
        """Return a run, read consistently; None if there is none in this project or its history has expired."""
        try:
            key = run_key(project, run)
        except NotFound:
            return None
        request = {"TableName": self._tables.runs, "Key": key, "ConsistentRead": True}
        item = call(self._client.get_item, request).get("Item")
        if item is None or expired(item, self._clock.now_ms()):
            return None
        return self._whole(item)

    def watched_runs(self, shard: int, *, until: int, limit: int, cursor: str | None) -> Page[Run]:
        """Return the runs of one shard with watch_at <= until, rows read consistently, earliest first."""
        request = {
            "TableName": self._tables.runs,
            "IndexName": "watch",
            "KeyConditionExpression": _WATCHED,
            "ExpressionAttributeNames": {"#watch_shard": "watch_shard", "#watch_at": "watch_at"},
            "ExpressionAttributeValues": {":shard": {"S": str(shard)}, ":until": {"N": str(until)}},
            "Limit": limit,
            **_resume(shard, cursor),
        }
        answer = call(self._client.query, request)
        last = answer.get("LastEvaluatedKey")
        next = None if last is None else "|".join((last["watch_at"]["N"], last["pk"]["S"], last["sk"]["S"]))
        rows = self._readable(self._rows(answer["Items"]))
        due = [row for row in rows if row.run.watch_at is not None and row.run.watch_at <= until]
        return Page(tuple(self._all_whole(due)), next)

    def list_job_runs(
        self,
        project: str,
        job: str,
        *,
        limit: int,
        cursor: str | None,
        since: int | None = None,
        until: int | None = None,
    ) -> Page[Run]:
        """Return a job's runs, newest nominal instant first; the cursor is the last id of the page before."""
        bounds = id_range(since, until, cursor)
        if bounds is None:
            return Page(())
        request = {
            "TableName": self._tables.runs,
            "KeyConditionExpression": _HISTORY,
            "ExpressionAttributeValues": _span(runs_pk(project, job), bounds),
            "ScanIndexForward": False,
            "ConsistentRead": True,
            "Limit": limit + 1,
        }
        items = list(islice(query(self._client, request), limit + 1))
        return self._page(items, limit)

    def list_runs(
        self,
        project: str,
        *,
        limit: int,
        cursor: str | None,
        since: int | None = None,
        until: int | None = None,
    ) -> Page[Run]:
        """Return a project's runs, newest nominal instant first; the cursor is the last id of the page before."""
        bounds = id_range(since, until, cursor)
        if bounds is None:
            return Page(())
        # Each shard is read a little at a time and only as far as the merge takes from it.
        portion = max(5, -(-limit * 5 // (self.shards * 4)))
        shards = [self._shard(project, number, bounds, portion) for number in range(self.shards)]
        keys = list(islice(merge(*shards, key=_id_of, reverse=True), limit + 1))
        page = self._page(list(self._rows(keys[:limit])), limit)
        return Page(page.items, keys[limit - 1]["sk"]["S"] if len(keys) > limit else None)

    def _shard(self, project: str, number: int, bounds: tuple[str, str], portion: int) -> Iterator[Item]:
        request = {
            "TableName": self._tables.runs,
            "IndexName": "feed",
            "KeyConditionExpression": _FEED,
            "ExpressionAttributeNames": {"#feed": "feed"},
            "ExpressionAttributeValues": _span(feed_pk(project, number)["S"], bounds),
            "ScanIndexForward": False,
            "Limit": portion,
        }
        return query(self._client, request)

    def _rows(self, keys: list[Item]) -> Iterator[Item]:
        """Return the rows behind index entries, read consistently, in the order of the entries."""
        wanted = [{"pk": key["pk"], "sk": key["sk"]} for key in keys]
        found = batch_get(self._client, self._tables.runs, wanted, self._clock) if wanted else {}
        places = ((key["pk"]["S"], key["sk"]["S"]) for key in wanted)
        return (found[place] for place in places if place in found)

    def _page(self, items: list[Item], limit: int) -> Page[Run]:
        now_ms = self._clock.now_ms()
        shown = self._readable(item for item in items[:limit] if not expired(item, now_ms))
        return Page(tuple(row.run for row in shown), _id_of(items[limit - 1]) if len(items) > limit else None)


def _span(pk: str, bounds: tuple[str, str]) -> Item:
    return {":pk": {"S": pk}, ":low": {"S": bounds[0]}, ":high": {"S": bounds[1]}}


def _id_of(item: Item) -> str:
    found: str = item["sk"]["S"]
    return found


def _resume(shard: int, cursor: str | None) -> dict[str, Item]:
    if cursor is None:
        return {}
    watch_at, pk, sk = cursor.split("|")
    start = {"watch_shard": {"S": str(shard)}, "watch_at": {"N": watch_at}, "pk": {"S": pk}, "sk": {"S": sk}}
    return {"ExclusiveStartKey": start}
