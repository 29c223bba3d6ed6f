"""What lists of runs can be narrowed to, checked, and the pages of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from duetime.api.answers import listed_run
from duetime.api.paging import instant_in, page
from duetime.contracts.api_run import STATES, RunList
from duetime.core.exchange import Page
from duetime.core.faults import PagingError
from duetime.core.names import check_name
from duetime.core.run import Run
from duetime.engine import query
from duetime.engine.context import Engine


@dataclass(frozen=True, slots=True)
class RunFilters:
    """What to show; None shows all. Instants are UTC epoch seconds, `since` counting, `until` not."""

    job: str | None = None
    states: tuple[str, ...] | None = None
    trigger: str | None = None
    since: int | None = None
    until: int | None = None


def run_filters(
    states: str | None = None,
    job: str | None = None,
    trigger: str | None = None,
    from_: str | None = None,
    to: str | None = None,
    before: str | None = None,
) -> RunFilters:
    """Return the filters of a query; raises PagingError (names: DefinitionError).

    >>> run_filters("failed,lost", from_="1970-01-01T00:01:00Z").states
    ('failed', 'lost')
    """
    if to is not None and before is not None:
        raise PagingError("before", before, "cannot stand beside `to`", "Give one of the two.")
    return RunFilters(
        job=None if job is None else check_name(job, "job"),
        states=None if states is None else _states(states),
        trigger=None if trigger is None else check_name(trigger, "trigger"),
        since=instant_in(from_, "from"),
        until=instant_in(to, "to") if before is None else instant_in(before, "before"),
    )


def _states(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(text.split(",")))
    for one in found:
        if one not in STATES:
            raise PagingError("states", one, "is no state of a run", f"Use some of {', '.join(STATES)}.")
    return found


def runs_page(
    engine: Engine,
    route: str,
    filters: RunFilters,
    cursor: str | None,
    limit: int,
    read: Callable[[int, str | None], Page[Run]],
) -> RunList:
    """Return one page of the runs that `read` finds."""
    found = page(engine.settings, route, asdict(filters), cursor, limit, read=read, show=listed_run)
    return RunList(items=found.items, next=found.next)


def job_runs_page(
    engine: Engine, project: str, job: str, filters: RunFilters, cursor: str | None, limit: int
) -> RunList:
    """Return one page of the runs of a job, whether it still exists or not."""

    def read(most: int, after: str | None) -> Page[Run]:
        return query.job_runs(
            engine, project, job, limit=most, cursor=after, states=filters.states, trigger=filters.trigger,
            since=filters.since, until=filters.until,
        )  # fmt: skip

    return runs_page(engine, f"runs of {project} {job}", filters, cursor, limit, read)
