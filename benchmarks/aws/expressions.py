"""DynamoDB's expressions, as far as Duetime writes them: parsed once, then evaluated against a row.

Conditions, filters and key conditions know comparisons, IN, BETWEEN, begins_with, attribute_exists, attribute_not_exists,
AND, OR, NOT and brackets; updates know SET (with + and -), REMOVE and ADD. Whatever else an expression says is an `Unknown`:
a figure is never printed for a request that was only half understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

Value = dict[str, Any]
Item = Mapping[str, Value]
Node = tuple[Any, ...]
"""A parsed expression: its kind, then its operands, nodes themselves."""

_TOKEN: Final = re.compile(r"\s*([#:]?[A-Za-z_][A-Za-z0-9_.]*|<=|>=|<>|[=<>(),+-])")
_COMPARED: Final = ("=", "<", "<=", ">", ">=")
_EXISTS: Final = ("attribute_exists", "attribute_not_exists")


class Unknown(Exception):
    """A request that this stand-in does not know; teach it, or the benchmark is of no use."""


class Missing(Exception):
    """An update reads an attribute that the row does not have: DynamoDB refuses such a request."""


class _Words:
    """The tokens of one expression, taken one after the other."""

    def __init__(self, text: str) -> None:
        self._text, self._left = text, _TOKEN.findall(text)
        if "".join(self._left) != re.sub(r"\s+", "", text):
            raise Unknown(f"expression {text!r}")
        self._left.reverse()

    def peek(self) -> str:
        return self._left[-1].upper() if self._left else ""

    def take(self, *wanted: str) -> str:
        """Take the next token, which is one of `wanted` if any are named."""
        if not self._left or (wanted and self.peek() not in wanted):
            raise Unknown(f"expression {self._text!r}: {' or '.join(wanted)} wanted, {self.peek()!r} found")
        return str(self._left.pop())

    def took(self, word: str) -> bool:
        """Take the next token if it is this one."""
        if self.peek() == word:
            self._left.pop()
            return True
        return False


@lru_cache(maxsize=1024)
def condition(text: str) -> Node:
    """Return a condition, filter or key condition as nodes.

    >>> condition("#a = :b AND attribute_exists(pk)")
    ('and', ('=', ('path', '#a'), ('value', ':b')), ('attribute_exists', ('path', 'pk')))
    """
    words = _Words(text)
    node = _any_of(words)
    if words.peek():
        raise Unknown(f"expression {text!r}: {words.peek()!r} is left over")
    return node


def _any_of(words: _Words) -> Node:
    parts = [_all_of(words)]
    while words.took("OR"):
        parts.append(_all_of(words))
    return parts[0] if len(parts) == 1 else ("or", *parts)


def _all_of(words: _Words) -> Node:
    parts = [_one(words)]
    while words.took("AND"):
        parts.append(_one(words))
    return parts[0] if len(parts) == 1 else ("and", *parts)


def _one(words: _Words) -> Node:
    if words.took("NOT"):
        return ("not", _one(words))
    if words.took("("):
        node = _any_of(words)
        words.take(")")
        return node
    first = words.take()
    if first in (*_EXISTS, "begins_with"):
        words.take("(")
        node = (first, _operand(words.take()))
        if first == "begins_with":
            words.take(",")
            node = (*node, _operand(words.take()))
        words.take(")")
        return node
    compared = words.take(*_COMPARED, "IN", "BETWEEN").upper()
    if compared == "IN":
        return ("in", _operand(first), *_listed(words))
    if compared == "BETWEEN":
        low = _operand(words.take())
        words.take("AND")
        return ("between", _operand(first), low, _operand(words.take()))
    return (compared, _operand(first), _operand(words.take()))


def _listed(words: _Words) -> list[Node]:
    words.take("(")
    found = [_operand(words.take())]
    while words.took(","):
        found.append(_operand(words.take()))
    words.take(")")
    return found


def _operand(word: str) -> Node:
    if not re.fullmatch(r"[#:]?[A-Za-z_]\w*", word):
        raise Unknown(f"operand {word!r}")
    return ("value" if word[0] == ":" else "path", word)


@lru_cache(maxsize=1024)
def update(text: str) -> tuple[tuple[str, str, tuple[Node, ...], str], ...]:
    """Return the changes of an update: (SET, REMOVE or ADD; attribute; operands; + or - between them).

    >>> update("SET #a = #a + :n REMOVE b")
    (('SET', '#a', (('path', '#a'), ('value', ':n')), '+'), ('REMOVE', 'b', (), ''))
    """
    words = _Words(text)
    changes: list[tuple[str, str, tuple[Node, ...], str]] = []
    while words.peek():
        clause = words.take("SET", "REMOVE", "ADD")
        changes.append(_change(words, clause))
        while words.took(","):
            changes.append(_change(words, clause))
    if len({path for _, path, _, _ in changes}) < len(changes):
        raise Unknown(f"update {text!r} changes an attribute twice")
    return tuple(changes)


def _change(words: _Words, clause: str) -> tuple[str, str, tuple[Node, ...], str]:
    path = words.take()
    if _operand(path)[0] != "path":
        raise Unknown(f"{clause} of {path!r}")
    if clause == "REMOVE":
        return clause, path, (), ""
    if clause == "ADD":
        return clause, path, (_operand(words.take()),), ""
    words.take("=")
    operands = (_operand(words.take()),)
    if words.peek() not in ("+", "-"):
        return clause, path, operands, ""
    sign = words.take()
    return clause, path, (*operands, _operand(words.take())), sign


def holds(node: Node, item: Item, names: Mapping[str, str], values: Item) -> bool:
    """Whether a row fulfils a condition; a comparison with an attribute it does not have is false."""
    kind = node[0]
    if kind == "and":
        return all(holds(one, item, names, values) for one in node[1:])
    if kind == "or":
        return any(holds(one, item, names, values) for one in node[1:])
    if kind == "not":
        return not holds(node[1], item, names, values)
    found = [_resolved(one, item, names, values) for one in node[1:]]
    if kind in _EXISTS:
        return bool((found[0] is not None) == (kind == "attribute_exists"))
    first, *others = [None if one is None else plain(one) for one in found]
    if first is None:
        return False
    if kind == "in":
        return any(first == one for one in others)
    if any(one is None or one[0] != first[0] for one in others):
        return False
    told = [one[1] for one in others if one is not None]
    return _compares(kind, first[1], told)


def _compares(kind: str, first: Any, others: list[Any]) -> bool:
    if kind == "=":
        return bool(first == others[0])
    if kind == "<":
        return bool(first < others[0])
    if kind == "<=":
        return bool(first <= others[0])
    if kind == ">":
        return bool(first > others[0])
    if kind == ">=":
        return bool(first >= others[0])
    if kind == "between":
        return bool(others[0] <= first <= others[1])
    return str(first).startswith(str(others[0]))


def updated(text: str, item: Item, names: Mapping[str, str], values: Item) -> dict[str, Value]:
    """Return a row after an update, every operand read before it; raises Missing where one is not there."""
    after = dict(item)
    for clause, path, operands, sign in update(text):
        name = _name(path, names)
        found = [_resolved(one, item, names, values) for one in operands]
        if clause == "REMOVE":
            after.pop(name, None)
        elif clause == "ADD":
            after[name] = _sum(item.get(name, {"N": "0"}), found[0], 1)
        elif any(one is None for one in found):
            raise Missing(path)
        elif sign:
            after[name] = _sum(found[0], found[1], 1 if sign == "+" else -1)
        elif found[0] is not None:
            after[name] = found[0]
    return after


def _sum(first: Value | None, second: Value | None, sign: int) -> Value:
    if first is None or second is None:
        raise Missing("a number")
    (kind, one), (other, two) = plain(first), plain(second)
    if (kind, other) != ("N", "N"):
        raise Unknown(f"a sum of {first} and {second}")
    return {"N": str(one + sign * two)}


def plain(value: Value) -> tuple[str, Any]:
    """Return an attribute's type and what compares as DynamoDB does: whole numbers as numbers, texts as texts."""
    ((kind, content),) = value.items()
    if kind == "N":
        return kind, int(content)
    if kind not in ("S", "B", "BOOL"):
        raise Unknown(f"a value of type {kind}")
    return kind, content


def _resolved(node: Node, item: Item, names: Mapping[str, str], values: Item) -> Value | None:
    if node[0] == "value":
        return values[node[1]]
    return item.get(_name(node[1], names))


def _name(path: str, names: Mapping[str, str]) -> str:
    return names[path] if path[0] == "#" else path
