"""Guards and updates as DynamoDB expressions, made once from the state machine's table and kept.

A guard names the state a transition starts from (from duetime.core.machine) and the attributes that must still be as they
were read. An update is planned once for each shape (which attributes it sets, adds to and removes), so that a transition only
fills in values. Every name is an alias, so no attribute can meet a reserved word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from duetime.core.machine import sources_of
from duetime.store.dynamodb.keys import Item, Value

ABSENT: Final = "attribute_not_exists(pk)"
"""The guard of a new row: none has its key."""
_EXISTS: Final = "attribute_exists(pk)"


class Sum(NamedTuple):
    """A new value that is another attribute's, plus a number."""

    attribute: str
    amount: Value


@dataclass(frozen=True, slots=True)
class Guard:
    """What a row must still be: in one of `sources` (none: whatever its state), and `same` in these attributes.

    With neither it must be there, nothing more.
    """

    transition: str
    sources: tuple[str, ...]
    same: tuple[str, ...]

    def expression(self) -> str:
        """Return the condition; the attributes that must be the same are compared with `:was_<attribute>`."""
        states = [f":from{place}" for place in range(len(self.sources))]
        parts = [f"#state IN ({', '.join(states)})"] if states else []
        return " AND ".join(parts + [f"#{name} = :was_{name}" for name in self.same]) or _EXISTS

    def names(self) -> set[str]:
        """Return the attributes the condition speaks of."""
        return {*self.same, *(("state",) if self.sources else ())}

    def values(self, was: Item) -> Item:
        """Return the condition's values; `was` holds the attributes as they were read."""
        states = {f":from{place}": {"S": state} for place, state in enumerate(self.sources)}
        return {**states, **{f":was_{name}": was[name] for name in self.same}}


def guard(transition: str, *same: str) -> Guard:
    """Return the guard of a transition: its source states from the machine's table, and what must be as it was read.

    >>> guard("lose_run", "fence").expression()
    '#state IN (:from0) AND #fence = :was_fence'
    """
    return Guard(transition, sources_of(transition), same)


class _Plan(NamedTuple):
    update: str
    condition: str
    names: dict[str, str]


@lru_cache(maxsize=256)
def _plan(held: Guard, sets: tuple[tuple[str, str | None], ...], removes: tuple[str, ...]) -> _Plan:
    assignments = [
        f"#{name} = :{name}" if source is None else f"#{name} = #{source} + :{name}" for name, source in sets
    ]
    names = {*removes, *held.names()}
    for name, source in sets:
        names |= {name, source or name}
    update = "SET " + ", ".join(assignments)
    if removes:
        update += " REMOVE " + ", ".join(f"#{name}" for name in removes)
    return _Plan(update, held.expression(), {f"#{name}": name for name in sorted(names)})


def update(
    table: str,
    key: Item,
    held: Guard,
    was: Item,
    sets: Mapping[str, Value | Sum],
    removes: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return an UpdateItem request: under the guard, set and remove these attributes."""
    shape = tuple((name, value.attribute if isinstance(value, Sum) else None) for name, value in sets.items())
    plan = _plan(held, shape, removes)
    values = held.values(was)
    for name, value in sets.items():
        values[f":{name}"] = value.amount if isinstance(value, Sum) else value
    return {
        "TableName": table,
        "Key": key,
        "UpdateExpression": plan.update,
        "ConditionExpression": plan.condition,
        "ExpressionAttributeNames": plan.names,
        "ExpressionAttributeValues": values,
    }


def condition(held: Guard, was: Item) -> dict[str, Any]:
    """Return the condition part of a put, delete or check under a guard."""
    return {
        "ConditionExpression": held.expression(),
        "ExpressionAttributeNames": {f"#{name}": name for name in sorted(held.names())},
        "ExpressionAttributeValues": held.values(was),
    }
