"""Calls to DynamoDB and what their failures mean: a lost race is a value, an unreachable service is `Unavailable`.

The client retries by itself first. What is left after that is sorted here, once for all: a failed condition is a lost
race, throttling and broken connections are Unavailable, everything else (a refused request, a missing grant) is a fault of
the deployment and is raised as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as Unreachable

from duetime.core.faults import Unavailable
from duetime.ports import Clock
from duetime.store.dynamodb.keys import Item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ATTEMPTS: Final = 6
"""How often a contended transaction or an unprocessed batch is tried, with pauses that double from `FIRST_PAUSE_MS`."""
FIRST_PAUSE_MS: Final = 25
BATCH: Final = 100
"""Keys that one BatchGetItem takes."""

_BUSY: Final = frozenset(
    {
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
_BUSY_REASONS: Final = frozenset({"TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"})


class Attempt(NamedTuple):
    """How a guarded write went. `row`: after a win what the write returned, after a loss the row that stood in its way."""

    won: bool
    row: Item | None


def call(operation: Callable[..., Any], request: Mapping[str, Any]) -> Any:
    """Return the answer of one call; raises Unavailable when the service cannot be reached or is too busy."""
    try:
        return operation(**request)
    except (Unreachable, HTTPClientError) as error:
        raise _unavailable(operation, "cannot be reached") from error
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in _BUSY or error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500:
            raise _unavailable(operation, f"is busy ({code})") from error
        raise


def attempt(operation: Callable[..., Any], request: Mapping[str, Any]) -> Attempt:
    """Make a guarded write; a failed condition is a loss and answers the row as it stands."""
    try:
        answer = call(operation, {**request, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    except ClientError as error:
        if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        found: Any = error.response
        return Attempt(False, found.get("Item"))
    return Attempt(True, answer.get("Attributes"))


def transact(client: DynamoDBClient, actions: Sequence[Mapping[str, Any]], clock: Clock) -> bool:
    """Make a transaction; False when one of its conditions failed. Another one in its way is waited for a few times.

    The client's token makes its own retries of one call count once; a canceled transaction has changed nothing.
    """
    for pause in _pauses(clock):
        try:
            call(client.transact_write_items, {"TransactItems": actions})
        except ClientError as error:
            if error.response["Error"]["Code"] != "TransactionCanceledException":
                raise
            answer: Any = error.response
            codes = {reason.get("Code", "None") for reason in answer.get("CancellationReasons", ())} - {
                "None"
            }
            if "ConditionalCheckFailed" in codes:
                return False
            if not codes or codes - _BUSY_REASONS:
                raise
            pause()
        else:
            return True
    raise _unavailable(client.transact_write_items, "is contended")


def batch_get(
    client: DynamoDBClient, table: str, keys: Sequence[Item], clock: Clock
) -> dict[tuple[str, str], Item]:
    """Return the rows of these keys, read consistently, by (pk, sk); keys without a row are left out."""
    found: dict[tuple[str, str], Item] = {}
    for first in range(0, len(keys), BATCH):
        left: Sequence[Any] = keys[first : first + BATCH]
        for pause in _pauses(clock):
            answer = call(
                client.batch_get_item, {"RequestItems": {table: {"Keys": left, "ConsistentRead": True}}}
            )
            for item in answer["Responses"].get(table, ()):
                found[item["pk"]["S"], item["sk"]["S"]] = item
            left = answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", ())
            if not left:
                break
            pause()
        else:
            raise _unavailable(client.batch_get_item, "leaves keys unread")
    return found


def query(client: DynamoDBClient, request: Mapping[str, Any]) -> Iterator[Item]:
    """Return the rows of a query, page after page as they are taken."""
    start: Mapping[str, Any] = {}
    while True:
        answer = call(client.query, {**request, **start})
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _pauses(clock: Clock) -> Iterator[Callable[[], None]]:
    """Yield, for each try that is left, what waits before the next one."""
    for tried in range(ATTEMPTS):
        yield partial(clock.sleep_ms, FIRST_PAUSE_MS << tried)


def _unavailable(operation: Callable[..., Any], problem: str) -> Unavailable:
    name = getattr(operation, "__name__", "call")
    return Unavailable(
        "store", f"DynamoDB {name}", problem, "Try again; nothing was changed, or repeating it is safe."
    )
