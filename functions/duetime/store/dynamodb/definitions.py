"""Jobs: read consistently, changed whole with their triggers in one transaction, listed by name."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any, Final

from duetime.core.exchange import CalendarUser, JobChange, Page
from duetime.core.faults import Unavailable, Unreadable
from duetime.core.stored import StoredJob
from duetime.core.triggerrow import TriggerRow
from duetime.store.checks import check_change, touched
from duetime.store.dynamodb.attributes import n, s
from duetime.store.dynamodb.base import DynamoDbBase
from duetime.store.dynamodb.calendars import VERSION, read_actions, use_actions
from duetime.store.dynamodb.calls import call, query, transact
from duetime.store.dynamodb.catalog import catalog_page
from duetime.store.dynamodb.conditions import ABSENT, Guard, condition
from duetime.store.dynamodb.jobrow import belongs, has_data_item, job_rows, read_job
from duetime.store.dynamodb.keys import DATA, TRIGGER, Item, definition_key, trigger_key
from duetime.store.dynamodb.triggerrow import NO_SCHEDULE, read_any_trigger, trigger_item
from duetime.store.uses import decided_under, job_uses

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
        """Apply a change whole or not at all; False when something is not as read or a new calendar is not there."""
        check_change(change)
        actions = self._job_actions(change)
        for before, after in touched(change):
            actions.append(self._trigger_action(before, after))
        either = change.after or change.before
        if either is not None:
            table, project, uses = self._tables.definitions, either.project, job_uses(change)
            actions += use_actions(table, project, uses, CalendarUser("job", either.job.name))
            actions += read_actions(table, project, uses, decided_under(change), guard=VERSION)
        return transact(self._client, actions, self._clock)

    def list_jobs(self, project: str, *, prefix: str, limit: int, cursor: str | None) -> Page[StoredJob]:
        """Return jobs by name; the cursor is the last name of the page before. Data over 256 bytes is left out."""
        items, following = catalog_page(
            self._client, self._tables.definitions, project,
            prefix=prefix, limit=limit, cursor=cursor, key=partial(definition_key, project),
        )  # fmt: skip
        return Page(tuple(_readable(items)), following)

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
