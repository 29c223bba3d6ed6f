"""The decorators that register code jobs and handlers.

Everything is judged at import: a legal definition, a usable signature, a name that is not taken. The engine owns when a
run starts, whether it may, and whether it is tried again; nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from duetime.core.definition import Job, parse_job
from duetime.core.faults import DefinitionError, DuetimeError
from duetime.core.names import check_name
from duetime.core.schedule import CronSchedule, IntervalSchedule, OnceSchedule
from duetime.core.target import parse_target
from duetime.sdk.handler import Handler, handler_of
from duetime.sdk.schedules import CodeTrigger, ScheduleForm

Function = TypeVar("Function", bound=Callable[..., Any])


class Policies(TypedDict, total=False):
    """The policies of a job, as in its JSON form; durations are texts such as `10m`."""

    data: Mapping[str, Any]
    description: str
    tags: Sequence[str]
    tenant: str
    overlap: Literal["parallel", "skip"] | bool
    retry: Mapping[str, Any]
    timeout: str
    priority: int | str
    requests_recovery: bool
    keep_history: int


class App:
    """A set of code jobs and handlers, one or more to a module of the jobs package.

    >>> app = App("reports")
    >>> @app.job("reports.nightly", "0 2 * * *", timeout="10m", retry={"max_retries": 2, "delay": "1m"})
    ... def nightly(run):
    ...     return {"rows": 3}
    >>> app.jobs["reports.nightly"].timeout, nightly(None)
    (600, {'rows': 3})
    """

    def __init__(self, name: str) -> None:
        self.name = check_name(name, "app")
        self._handlers: dict[str, Handler] = {}
        self._jobs: dict[str, Job] = {}

    def __repr__(self) -> str:
        return f"App({self.name!r}, {len(self._jobs)} jobs, {len(self._handlers)} handlers)"

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Every registered handler, by key; a job's key is its name."""
        return dict(self._handlers)

    @property
    def jobs(self) -> Mapping[str, Job]:
        """The definition of every code job, by name."""
        return dict(self._jobs)

    def job(
        self, name: str, /, *triggers: ScheduleForm | CodeTrigger, **policies: Unpack[Policies]
    ) -> Callable[[Function], Function]:
        """Register the decorated function as the job `name`, with its triggers and policies; returns it unchanged.

        One trigger may be a bare schedule: it is named `default`. Others have names: `trigger("weekend", cron(...))`.
        Without any, the job runs when it is called. Raises DefinitionError or ScheduleError naming the job.
        """
        check_name(name, "job")
        document = {
            **policies,
            "name": name,
            "target": {"kind": "python", "name": name},
            "triggers": [_trigger_document(name, one) for one in triggers],
        }
        _only_one_bare(name, triggers)
        try:
            job = parse_job(document)
        except DuetimeError as error:
            raise error.within(f"job {name}") from None

        def register(function: Function) -> Function:
            self._add(handler_of(name, function))
            self._jobs[name] = job
            return function

        return register

    def handler(self, key: str, /) -> Callable[[Function], Function]:
        """Register the decorated function under `key`, for jobs that are defined elsewhere; returns it unchanged."""
        parse_target({"kind": "python", "name": key}, path=f"handler {key}")

        def register(function: Function) -> Function:
            self._add(handler_of(key, function))
            return function

        return register

    def _add(self, handler: Handler) -> None:
        taken = self._handlers.get(handler.key)
        if taken is not None:
            raise registered_twice(taken, handler)
        self._handlers[handler.key] = handler


def registered_twice(first: Handler, second: Handler) -> DefinitionError:
    """Return the error for two handlers of one key; it says where both stand."""
    return DefinitionError(
        "name",
        first.key,
        f"is registered twice, by {first.origin} and {second.origin}",
        "Rename one of them.",
    )


def _trigger_document(job: str, given: Any) -> Mapping[str, Any]:
    if isinstance(given, CodeTrigger):
        return given.document
    if isinstance(given, str | Mapping | CronSchedule | IntervalSchedule | OnceSchedule):
        return {"schedule": given}
    raise DefinitionError(
        f"job {job}.triggers", given, "is no schedule",
        'Use every("10m"), cron("0 2 * * *"), once("2026-11-01T00:00:00Z"), a text, or trigger(name, schedule).',
    )  # fmt: skip


def _only_one_bare(job: str, triggers: Sequence[Any]) -> None:
    bare = [one for one in triggers if not isinstance(one, CodeTrigger)]
    if len(bare) > 1:
        raise DefinitionError(
            f"job {job}.triggers", bare[1], "has no name",
            'Only one schedule may go without: name each other one, as in trigger("weekend", cron("0 9 * * SAT")).',
        )  # fmt: skip
