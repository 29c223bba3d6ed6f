"""What a handler is told about its run. A handler takes it as its one parameter, or takes none.

`RunContext` carries the data as a dict; `RunContext[Model]`, with a pydantic model, carries it parsed: then data that
does not fit fails the run for good as VALIDATION_DATA before the handler is called.
"""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic

from duetime.core.exchange import CancelToken
from duetime.ports import Clock

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # Type checkers read a bare RunContext as one whose data is a dict; the interpreter needs no default.
    Data = TypeVar("Data", default=dict[str, Any])
else:
    from typing import TypeVar

    Data = TypeVar("Data")


class RunLogger(logging.LoggerAdapter[logging.Logger]):
    """A logger whose lines begin with job and run id, and carry them as fields too."""

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Return the line with its prefix; fields of a call join those of the run."""
        own = dict(self.extra or {})
        kwargs["extra"] = {**(kwargs.get("extra") or {}), **own}
        return f"[{own['job']} {own['run_id']}] {msg}", kwargs


@dataclass(frozen=True, slots=True)
class RunContext(Generic[Data]):
    """One run, as its handler sees it.

    `nominal` is the instant of the occurrence (None for a manual run), `scheduled_at` when it was due to start; both
    are aware datetimes in UTC. `trigger` and `schedule` (its text) are None for a manual run. `kind` is `schedule`,
    `manual`, `retry` or `recovery`; `attempt` counts from 1; `fence` grows with every start, so that what a run writes
    elsewhere can refuse a straggler. `data` is job ← trigger ← call. `clock` is the scheduler's, a manual one in tests.
    """

    id: str
    project: str
    job: str
    trigger: str | None
    schedule: str | None
    nominal: datetime | None
    scheduled_at: datetime
    kind: str
    attempt: int
    data: Data
    tenant: str | None
    fence: int
    deadline_ms: int = field(repr=False)
    token: CancelToken = field(repr=False)
    clock: Clock = field(repr=False)
    retry_of: str | None = None

    @property
    def idempotency_key(self) -> str:
        """A key to pass to services that take one: the run id, the same for every delivery of this attempt."""
        return self.id

    @property
    def first_run(self) -> str:
        """The id of the first attempt, the same for all attempts of an occurrence: a key for what may happen once in all."""
        return self.retry_of or self.id

    @property
    def canceled(self) -> bool:
        """Whether the handler should stop now: its timeout is over or its host is stopping."""
        return self.token.canceled

    def wait(self, seconds: float) -> bool:
        """Sleep, but wake when the handler should stop; answers `canceled`.

        A loop that works in steps is then `while not run.wait(1): ...`.
        """
        return self.token.wait(seconds)

    def remaining(self) -> float:
        """Return the seconds left until the timeout, never below 0."""
        return max(self.deadline_ms - self.clock.now_ms(), 0) / 1000

    @property
    def logger(self) -> RunLogger:
        """A logger named `duetime.job` whose lines name job and run."""
        return RunLogger(logging.getLogger("duetime.job"), {"job": self.job, "run_id": self.id})
