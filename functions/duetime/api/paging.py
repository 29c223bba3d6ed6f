"""Pages: cursors in and out, and answers that stay under what a function may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import BaseModel

from duetime.api.cursors import Cursors
from duetime.core.errors import ScheduleError
from duetime.core.exchange import Page
from duetime.core.faults import PagingError
from duetime.core.instants import parse_moment
from duetime.settings import Settings

T = TypeVar("T")

MAX_ANSWER_BYTES: Final = 2_500_000
"""A function may answer 6 MiB, and quotes count twice inside its envelope."""
PORTION: Final = 100
"""Items read at a time; a run may hold 160 KiB."""

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
    """Read one page and show it, a portion at a time, so that large runs fill neither the memory nor the answer.

    What would make the answer too large is left for the next page: a portion that does not fit any more is not shown,
    and a first one that does not fit is read again with half its items.
    """
    cursors = Cursors(settings, route, query)
    position = cursors.read(cursor)
    items: list[BaseModel] = []
    size, portion = 0, PORTION
    while True:
        wanted = min(portion, limit - len(items))
        found = read(wanted, position)
        shown = [show(one) for one in found.items]
        more = sum(len(item.model_dump_json()) for item in shown)
        if size + more > MAX_ANSWER_BYTES and (items or wanted > 1):
            if items:
                break
            portion = max(1, len(shown) // 2)
            continue
        items += shown
        size, position = size + more, found.next
        if position is None or len(items) >= limit or len(shown) < wanted:
            break
    return Built(items, cursors.sign(position))


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
