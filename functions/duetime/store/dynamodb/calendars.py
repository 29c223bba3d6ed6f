"""Calendars: read consistently, changed in one transaction with the rows that note their users, listed by name.

A user that joins raises the calendar's revision in its own transaction, and a deletion is guarded by the revision: whichever
comes first, the other is lost, and no use row ever stands at a calendar that is gone.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, Final

from duetime.core.exchange import CalendarChange, CalendarUser, Page
from duetime.core.faults import Unreadable
from duetime.core.stored import StoredCalendar
from duetime.store.dynamodb.attributes import n, s
from duetime.store.dynamodb.base import DynamoDbBase
from duetime.store.dynamodb.calendarrow import calendar_item, read_calendar, read_use, use_item
from duetime.store.dynamodb.calls import batch_get, call, query, transact
from duetime.store.dynamodb.catalog import catalog_page
from duetime.store.dynamodb.conditions import ABSENT, Guard, Sum, condition, update
from duetime.store.dynamodb.keys import CALENDAR, USE, Item, calendar_catalog, calendar_key, use_key
from duetime.store.uses import Uses, check_calendar_change, member_uses, resolved_of

_log = logging.getLogger(__name__)

# A calendar made again under an old name starts its revisions anew: the moment it was made tells the two apart.
REVISION: Final = Guard("change_calendar", (), ("revision", "created_ms"))
VERSION: Final = Guard("change_job", (), ("version", "marks", "created_ms"))
_THERE: Final = Guard("change_job", (), ())
_RAISED: Final = {"revision": Sum("revision", n(1))}

_Action = dict[str, dict[str, Any]]


class DynamoDbCalendars(DynamoDbBase):
    """A duetime.ports.CalendarStore."""

    def get_calendars(self, project: str, names: Collection[str]) -> Mapping[str, StoredCalendar]:
        """Return the calendars of these names that exist, by name, read consistently; Unavailable for an unreadable one."""
        keys = [calendar_key(project, name) for name in dict.fromkeys(names)]
        if len(keys) > 1:
            items = list(batch_get(self._client, self._tables.definitions, keys, self._clock).values())
        else:
            items = [item for item in map(self._item, keys) if item is not None]
        return {one.name: one for one in map(read_calendar, items)}

    def change_calendar(self, change: CalendarChange) -> bool:
        """Apply a change whole or not at all; False when the calendar or a resolved one is no longer as it was read."""
        check_calendar_change(change)
        either = change.after or change.before
        if either is None:
            return False
        table, uses, resolved = self._tables.definitions, member_uses(change), resolved_of(change)
        actions = [self._own_action(change.before, change.after)]
        actions += use_actions(table, either.project, uses, CalendarUser("calendar", either.name))
        actions += read_actions(table, either.project, uses, resolved, guard=REVISION)
        return transact(self._client, actions, self._clock)

    def calendar_users(
        self, project: str, name: str, *, limit: int, cursor: str | None
    ) -> Page[CalendarUser]:
        """Return what uses a calendar directly, read consistently: composite calendars, then jobs, each by name."""
        pk = calendar_key(project, name)["pk"]
        request: dict[str, Any] = {
            "TableName": self._tables.definitions,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :use)",
            "ExpressionAttributeValues": {":pk": pk, ":use": s(USE)},
            "ConsistentRead": True,
            "Limit": limit,
        }
        if cursor is not None:
            request["ExclusiveStartKey"] = {"pk": pk, "sk": s(USE + cursor)}
        answer = call(self._client.query, request)
        last = answer.get("LastEvaluatedKey")
        users = tuple(map(read_use, answer["Items"]))
        return Page(users, None if last is None else last["sk"]["S"].removeprefix(USE))

    def list_calendars(
        self, project: str, *, prefix: str, limit: int, cursor: str | None
    ) -> Page[StoredCalendar]:
        """Return calendars by name, from an index that may lag; the cursor is the last name of the page before."""
        items, following = catalog_page(
            self._client, self._tables.definitions, calendar_catalog(project),
            prefix=prefix, limit=limit, cursor=cursor, key=partial(calendar_key, project),
        )  # fmt: skip
        return Page(tuple(_readable(items)), following)

    def changed_calendars(self, *, limit: int) -> tuple[StoredCalendar, ...]:
        """Return calendars whose users wait to be armed anew, longest first; an unreadable one does not stop others."""
        request = {
            "TableName": self._tables.definitions,
            "IndexName": "due",
            "KeyConditionExpression": "#due_shard = :calendars",
            "ExpressionAttributeNames": {"#due_shard": "due_shard"},
            "ExpressionAttributeValues": {":calendars": s(CALENDAR)},
            "Limit": limit,
        }
        return tuple(islice(_readable(query(self._client, request)), limit))

    def _item(self, key: Item) -> Item | None:
        request = {"TableName": self._tables.definitions, "Key": key, "ConsistentRead": True}
        item: Item | None = call(self._client.get_item, request).get("Item")
        return item

    def _own_action(self, before: StoredCalendar | None, after: StoredCalendar | None) -> _Action:
        table = {"TableName": self._tables.definitions}
        guard: dict[str, Any] = {"ConditionExpression": ABSENT}
        if before is not None:
            guard = condition(REVISION, _was(before))
            if after is None:
                return {"Delete": {**table, "Key": calendar_key(before.project, before.name), **guard}}
        if after is None:
            raise ValueError("a calendar is neither there before nor after")
        return {"Put": {**table, "Item": calendar_item(after), **guard}}


def use_actions(table: str, project: str, uses: Uses, user: CalendarUser) -> list[_Action]:
    """Return what notes a user at the calendars it joins and takes it off those it leaves."""
    puts: list[_Action] = [
        {"Put": {"TableName": table, "Item": use_item(project, name, user)}} for name in uses.joined
    ]
    return puts + [
        {"Delete": {"TableName": table, "Key": use_key(project, name, user.kind, user.name)}}
        for name in uses.left
    ]


def read_actions(
    table: str, project: str, uses: Uses, read: Mapping[str, StoredCalendar], *, guard: Guard
) -> list[_Action]:
    """Return what holds calendars to how they were read, and raises the revision of those that are joined.

    One action for each row, as a transaction wants it. A calendar that is joined unread must be there, nothing more.
    """
    actions: list[_Action] = []
    for name in dict.fromkeys((*uses.joined, *read)):
        key = calendar_key(project, name)
        held, was = (guard, _was(read[name])) if name in read else (_THERE, {})
        if name in uses.joined:
            actions.append({"Update": update(table, key, held, was, _RAISED)})
        else:
            actions.append({"ConditionCheck": {"TableName": table, "Key": key, **condition(held, was)}})
    return actions


def _was(stored: StoredCalendar) -> Item:
    names = ("revision", "version", "marks", "created_ms")
    return {name: n(getattr(stored, name)) for name in names}


def _readable(items: Iterable[Item]) -> Iterator[StoredCalendar]:
    for item in items:
        try:
            yield read_calendar(item)
        except Unreadable as error:
            _log.error("a calendar is left out of a list: %s", error)
