"""The targets of a deployment, by kind, each made when first needed: who never leaves Python loads no AWS client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from duetime.core.faults import TargetError
from duetime.ports import Clock, Target
from duetime.sdk.registry import Registry
from duetime.targets.python import PythonHandlers


class TargetTable:
    """Implements ports.Targets over one maker for each kind."""

    def __init__(self, makers: Mapping[str, Callable[[], Target]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, Target] = {}
        self._lock = threading.Lock()

    def __getitem__(self, kind: str) -> Target:
        """Return the target of this kind, or raise TargetError."""
        with self._lock:
            if kind not in self._made:
                if kind not in self._makers:
                    raise TargetError(
                        "target.kind", kind, "is not delivered here", f"Use one of {', '.join(self._makers)}."
                    )
                self._made[kind] = self._makers[kind]()
            return self._made[kind]

    def kinds(self) -> Iterable[str]:
        """Return the kinds this deployment delivers."""
        return tuple(self._makers)

    def check(self, target: Any) -> None:
        """Raise one clear error if this deployment could never call the target, such as NOT_FOUND_HANDLER."""
        self[target.kind].check(target)


def target_table(registry: Registry, clock: Clock) -> TargetTable:
    """Return the targets of this release: handlers of `registry`, Lambda functions, SQS queues."""
    return TargetTable(
        {
            "python": lambda: PythonHandlers(registry, clock),
            "lambda": lambda: _lambda(clock),
            "sqs": lambda: _sqs(clock),
        }
    )


def _lambda(clock: Clock) -> Target:
    from duetime.targets.aws import Clients
    from duetime.targets.lambda_ import LambdaFunctions

    return LambdaFunctions(Clients(), clock)


def _sqs(clock: Clock) -> Target:
    from duetime.targets.aws import Clients
    from duetime.targets.sqs import SqsQueues

    return SqsQueues(Clients(), clock)
