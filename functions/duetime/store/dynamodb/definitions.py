"""Jobs: read consistently, changed whole with their triggers in one transaction, listed by name."""

from __future__ import annotations

import logging
from typing import Any, Final

from duetime.core.faults import Unavailable
from duetime.core.stored import StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.ports import JobChange, Page
from duetime.store.checks import check_change, touched
from duetime.store.dynamodb.attributes import Unreadable, n, s
from duetime.store.dynamodb.base import DynamoDbBase
from duetime.store.dynamodb.calls import call, query, transact
from duetime.store.dynamodb.conditions import ABSENT, Guard, condition
from duetime.store.dynamodb.jobrow import belongs, has_data_item, job_rows, read_job
from duetime.store.dynamodb.keys import DATA, TRIGGER, Item, definition_key, trigger_key
from duetime.store.dynamodb.triggerrow import NO_SCHEDULE, read_any_trigger, trigger_item

_log = logging.getLogger(__name__)

_JOB_AS_READ: Final = Guard("change_job", (), ("uid", "version"))
_TRIGGER_AS_READ: Final = Guard("change_job", (), ("uid", "revision"))
_READS: Final = 5
"""How often a job is read whose data item changes under the reader."""

_Action = dict[str, dict[str, Any]]


class DynamoDbDefinitions(DynamoDbBase):
    """The part of duetime.ports.DefinitionStore about jobs."""

    def get_job(self, project: str, job: str) -> StoredJob | None:
        """Return the job, read consistently; raises Unavailable when its row cannot be read."""
        for _ in range(_READS):
            item = self._get(definition_key(project, job))
            if item is None or "data_item" not in item:
                return None if item is None else read_job(item)
            data = self._get(definition_key(project, job, DATA))
            if data is not None and belongs(item, data):
                return read_job(item, data)
        raise Unavailable("job", job, "is changed all the time", "Try again.")

    def get_triggers(self, project: str, job: str) -> tuple[TriggerRow, ...]:
        """Return all trigger rows of a job, read consistently, by name; one that is unreadable is in `error`."""
        request = {
            "TableName": self._tables.definitions,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :trigger)",
            "ExpressionAttributeValues": {":pk": definition_key(project, job)["pk"], ":trigger": s(TRIGGER)},
            "ConsistentRead": True,
        }
        return tuple(read_any_trigger(item) for item in query(self._client, request))

    def change_job(self, change: JobChange) -> bool:
        """Apply a change whole or not at all; False when the job or a trigger is no longer as it was read."""
        check_change(change)
        actions = self._job_actions(change)
        for before, after in touched(change):
            actions.append(self._trigger_action(before, after))
        return transact(self._client, actions, self._clock)

    def list_jobs(self, project: str, *, prefix: str, limit: int, cursor: str | None) -> Page[StoredJob]:
        """Return jobs by name; the cursor is the last name of the page before. Data over 256 bytes is left out."""
        request: dict[str, Any] = {
            "TableName": self._tables.definitions,
            "IndexName": "catalog",
            "KeyConditionExpression": "#catalog = :project",
            "ExpressionAttributeNames": {"#catalog": "catalog"},
            "ExpressionAttributeValues": {":project": s(project)},
            "Limit": limit,
        }
        if prefix:
            request["KeyConditionExpression"] += " AND begins_with(#name, :prefix)"
            request["ExpressionAttributeNames"]["#name"] = "name"
            request["ExpressionAttributeValues"][":prefix"] = s(prefix)
        if cursor is not None:
            start = {"catalog": s(project), "name": s(cursor), **definition_key(project, cursor)}
            request["ExclusiveStartKey"] = start
        answer = call(self._client.query, request)
        last = answer.get("LastEvaluatedKey")
        return Page(tuple(_readable(answer["Items"])), None if last is None else last["name"]["S"])

    def _get(self, key: Item) -> Item | None:
        request = {"TableName": self._tables.definitions, "Key": key, "ConsistentRead": True}
        item: Item | None = call(self._client.get_item, request).get("Item")
        return item

    def _job_actions(self, change: JobChange) -> list[_Action]:
        before, after = change.before, change.after
        guard: dict[str, Any] = {"ConditionExpression": ABSENT}
        if before is not None:
            guard = condition(_JOB_AS_READ, {"uid": s(before.uid), "version": n(before.version)})
        if after is None:
            return self._delete_job(before, guard) if before is not None else []
        table = {"TableName": self._tables.definitions}
        key = definition_key(after.project, after.job.name)
        if before == after:
            return [{"ConditionCheck": {**table, "Key": key, **guard}}]
        row, data = job_rows(after)
        actions: list[_Action] = [{"Put": {**table, "Item": row, **guard}}]
        if data is not None:
            actions.append({"Put": {**table, "Item": data}})
        elif before is not None and has_data_item(before.job):
            actions.append({"Delete": {**table, "Key": definition_key(after.project, after.job.name, DATA)}})
        return actions

    def _delete_job(self, before: StoredJob, guard: dict[str, Any]) -> list[_Action]:
        table = {"TableName": self._tables.definitions}
        name = before.job.name
        actions: list[_Action] = [{"Delete": {**table, "Key": definition_key(before.project, name), **guard}}]
        if has_data_item(before.job):
            actions.append({"Delete": {**table, "Key": definition_key(before.project, name, DATA)}})
        return actions

    def _trigger_action(self, before: TriggerRow | None, after: TriggerRow | None) -> _Action:
        row = after or before
        if row is None:
            raise ValueError("a trigger is neither there before nor after")
        table = {"TableName": self._tables.definitions}
        key = trigger_key(row.project, row.job, row.name)
        guard: dict[str, Any] = {"ConditionExpression": ABSENT}
        if before is not None:
            guard = condition(_TRIGGER_AS_READ, {"uid": s(before.uid), "revision": n(before.revision)})
        if after is None:
            return {"Delete": {**table, "Key": key, **guard}}
        if before == after:
            return {"ConditionCheck": {**table, "Key": key, **guard}}
        if after.schedule == NO_SCHEDULE and after.state != "error":
            hint = "Put the job again, or delete it."
            raise Unavailable("trigger", after.name, "has a schedule that cannot be read", hint)
        return {"Put": {**table, "Item": trigger_item(after, shards=self.shards), **guard}}


def _readable(items: list[Item]) -> list[StoredJob]:
    found: list[StoredJob] = []
    for item in items:
        try:
            found.append(read_job(item))
        except Unreadable as error:
            _log.error("a job is left out of a list: %s", error)
    return found
