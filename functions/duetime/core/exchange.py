"""The values that pass between the engine and its ports: pages, changes, leases, messages, invocations and outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from duetime.core.run import Run, RunError
from duetime.core.stored import StoredCalendar, StoredJob
from duetime.core.triggerrow import TriggerRow

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Items of one read and where the next begins; a short or empty page with `next` is not the end."""

    items: tuple[T, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class JobChange:
    """One atomic change of a job and its triggers.

    `before` is the job as it was read (None: it must not exist), `after` what it becomes (None: it is deleted).
    `triggers_before` are all trigger rows as read; each row of `triggers_after` replaces or joins them, the others go.
    `calendars` are the calendars, members included, that the decision was taken under: each must still have its version.
    """

    before: StoredJob | None
    after: StoredJob | None
    triggers_before: tuple[TriggerRow, ...] = ()
    triggers_after: tuple[TriggerRow, ...] = ()
    calendars: tuple[StoredCalendar, ...] = ()


@dataclass(frozen=True, slots=True)
class CalendarChange:
    """One atomic change of a calendar.

    `before` is the calendar as it was read (None: it must not exist), `after` what it becomes (None: it is deleted).
    `resolved` are the calendars that were read to resolve the members of `after`, however deep: each must still be as it
    was read.
    """

    before: StoredCalendar | None
    after: StoredCalendar | None
    resolved: tuple[StoredCalendar, ...] = ()


@dataclass(frozen=True, slots=True)
class CalendarUser:
    """What uses a calendar: a job with a trigger under it, or a composite calendar it is a member of."""

    kind: Literal["calendar", "job"]
    name: str


@dataclass(frozen=True, slots=True)
class Change:
    """One row before and after a write, as the tables' streams tell it; at least once, in order per row."""

    before: StoredJob | TriggerRow | Run | None
    after: StoredJob | TriggerRow | Run | None
    at_ms: int


@dataclass(frozen=True, slots=True)
class Lease:
    """A named lock with a fencing token that only grows."""

    name: str
    holder: str
    token: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One message on a run queue: which run, when it starts (UTC epoch seconds), how urgent, of which tenant."""

    project: str
    run: str
    job: str
    start_at: int
    priority: int = 5
    tenant: str | None = None


class CancelToken(Protocol):
    """Told to a target when its run should stop (timeout, stopping)."""

    @property
    def canceled(self) -> bool:
        """Whether the run should stop now."""

    def wait(self, seconds: float) -> bool:
        """Wait until told to stop, at most `seconds`; answers `canceled`."""

    def cancel(self) -> None:
        """Tell the run to stop; a target does so at its deadline."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a target is told: the run, its merged data, the schedule's text, its deadline and its cancel token.

    `hard_deadline_ms` is when the environment's time is up: a target that has not ended by then answers `still_running`
    (None: it is the deadline itself).
    """

    run: Run
    data: Mapping[str, Any]
    schedule: str | None
    deadline_ms: int
    token: CancelToken
    target: Any = field(default=None)
    hard_deadline_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a delivery came to. `permanent` failures are never retried; `result` is any JSON value.

    `still_running` (with `timeout` only): the handler ignored its timeout and had not returned at the hard deadline.
    """

    status: Literal["succeeded", "failed", "timeout", "canceled"]
    result: Any = None
    error: RunError | None = None
    permanent: bool = False
    still_running: bool = False
    returned: Callable[[float], bool] | None = None
