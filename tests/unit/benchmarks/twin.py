"""A DynamoDB client that asks moto and the benchmarks' stand-in the same, and holds the second to what the first answers."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError

ASIDE = ("ResponseMetadata", "ConsumedCapacity", "ItemCollectionMetrics", "TableDescription", "Table")


class Twin:
    """Two clients as one: answers what moto does; an answer of the stand-in that differs is an AssertionError."""

    def __init__(self, moto: Any, stand_in: Any) -> None:
        self.compared = 0
        self.moto, self.stand_in = moto, stand_in
        self._lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.moto, name)
        if not callable(found) or name.startswith("get_waiter"):
            return found
        return self._both(name, found)

    def _both(self, name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            with self._lock:
                answer = _answer(operation, request)
                other = _answer(getattr(self.stand_in, name), request)
                self.compared += 1
            known, wanted = _known(other), _known(answer)
            if _may_go_on(request, known):
                known.pop("LastEvaluatedKey", None)
                wanted.pop("LastEvaluatedKey", None)
            assert known == wanted, f"{name} {request}"
            if isinstance(answer, ClientError):
                raise answer
            return answer

        call.__name__ = name
        return call


def _answer(operation: Callable[..., Any], request: Any) -> Any:
    try:
        return operation(**copy.deepcopy(request))
    except ClientError as error:
        return error


def _known(answer: Any) -> Any:
    """Return what must be the same: of an error its code and what the caller reads, of an answer all that is data."""
    if isinstance(answer, ClientError):
        told: Any = answer.response
        reasons = [(one.get("Code"), one.get("Item")) for one in told.get("CancellationReasons", ())]
        return told["Error"]["Code"], told["Error"]["Message"], told.get("Item"), reasons
    return {name: value for name, value in answer.items() if name not in ASIDE}


def _may_go_on(request: Any, known: Any) -> bool:
    """Whether a page is as long as its limit: DynamoDB then says that there may be more, moto only where there is."""
    return "Limit" in request and isinstance(known, dict) and known["ScannedCount"] == request["Limit"]
