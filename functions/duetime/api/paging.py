"""Pages: cursors in and out, and answers that stay under what a function may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import BaseModel

from duetime.api.cursors import Cursors
from duetime.core.errors import ScheduleError
from duetime.core.faults import PagingError
from duetime.core.instants import parse_moment
from duetime.ports import Page
from duetime.settings import Settings

T = TypeVar("T")

MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
"""A function may answer 6 MiB; what is left is for escaping inside its envelope."""

Limit = Annotated[int, Query(ge=1, le=1000, description="Items of a page, at most.")]
CursorIn = Annotated[str | None, Query(description="`next` of the page before, with the same filters.")]


class Built(NamedTuple):
    """A page as models, and its cursor."""

    items: list[Any]
    next: str | None


def page(
    settings: Settings,
    route: str,
    query: Mapping[str, object],
    cursor: str | None,
    limit: int,
    *,
    read: Callable[[int, str | None], Page[T]],
    show: Callable[[T], BaseModel],
) -> Built:
    """Read one page and show it. A page too large to answer is read again with half its items."""
    cursors = Cursors(settings, route, query)
    position = cursors.read(cursor)
    while True:
        found = read(limit, position)
        items = [show(one) for one in found.items]
        if limit == 1 or sum(len(item.model_dump_json()) for item in items) <= MAX_ANSWER_BYTES:
            return Built(items, cursors.sign(found.next))
        limit = max(1, len(items) // 2)


def instant_in(value: str | None, field: str) -> int | None:
    """Return an instant of a query as UTC epoch seconds; raises PagingError."""
    if value is None:
        return None
    try:
        found = parse_moment(value, field).instant
    except ScheduleError as error:
        raise PagingError(field, value, error.problem, error.hint) from None
    if found is None:
        raise PagingError(field, value, "has no offset", f"Write {value}Z for UTC.")
    return found
