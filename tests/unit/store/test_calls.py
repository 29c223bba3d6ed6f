"""Failures of the service: lost answers, throttling, contention, unread keys; each means one thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from duetime.clock import ManualClock
from duetime.core.exchange import JobChange
from duetime.core.faults import Unavailable
from duetime.store.dynamodb import DynamoDbStore, Tables
from tests.contract.make import (
    LEASE_MS,
    NOW,
    NOW_MS,
    WHY,
    a_job,
    a_row,
    a_run,
    begin,
    put_job,
    put_row,
    read_run,
    started,
)  # fmt: skip
from tests.contract.tables import create_tables


@pytest.fixture
def retrying(client: Any, clock: ManualClock) -> tuple[Any, DynamoDbStore]:
    """A store whose client repeats what failed, as the deployed one does."""
    again = boto3.client(
        "dynamodb",
        region_name="eu-central-1",
        aws_access_key_id="invented",
        aws_secret_access_key="invented",
        config=Config(retries={"mode": "standard", "total_max_attempts": 3}),
    )
    return again, DynamoDbStore(again, create_tables(again, "retrying-"), clock)


def lose_answers(client: Any, operation: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the next call of an operation get through, but not its answer."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    tried: list[int] = []

    def lose(**_: Any) -> None:
        tried.append(1)
        if len(tried) == 1:
            raise ReadTimeoutError(endpoint_url="https://dynamodb.invalid")

    client.meta.events.register_last(f"before-send.dynamodb.{operation}", lose)
    return tried


def refuse(
    client: Any, operation: str, error: dict[str, Any], times: int = 10**6, status: int = 400
) -> list[int]:
    """Answer calls of an operation with an error, the first `times` of them."""
    tried: list[int] = []

    def answer(**_: Any) -> tuple[AWSResponse, dict[str, Any]] | None:
        tried.append(1)
        if len(tried) > times:
            return None
        http = AWSResponse("https://dynamodb.invalid", status, HTTPHeaders(), None)
        return http, {**error, "ResponseMetadata": {"HTTPStatusCode": status}}

    client.meta.events.register_first(f"before-call.dynamodb.{operation}", answer)
    return tried


def coded(code: str, *reasons: str) -> dict[str, Any]:
    answer: dict[str, Any] = {"Error": {"Code": code, "Message": "said so"}}
    return {**answer, "CancellationReasons": [{"Code": reason} for reason in reasons]} if reasons else answer


def test_a_put_whose_answer_was_lost_has_put(retrying: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client, store = retrying
    tried = lose_answers(client, "PutItem", monkeypatch)
    run = a_run("default")
    assert store.enqueue_run(run) is None
    assert len(tried) == 2
    assert store.enqueue_run(run) == run


@pytest.mark.parametrize(
    "act",
    [
        lambda store, run: store.watch_run(run, watch_at=NOW + 9, resends=1),
        lambda store, run: started(store, run),
        lambda store, run: store.skip_run("default", run.id, now_ms=NOW_MS, reason="overlap"),
        lambda store, run: store.supersede_run("default", run.id, now_ms=NOW_MS, reason="paused"),
        lambda store, run: store.abandon_start(run, now_ms=NOW_MS, follow_up=True),
    ],
)
def test_a_transition_of_a_queued_run_whose_answer_was_lost_has_won(
    retrying: Any, monkeypatch: pytest.MonkeyPatch, act: Callable[..., Any]
) -> None:
    client, store = retrying
    run = a_run("default")
    assert store.enqueue_run(run) is None
    tried = lose_answers(client, "UpdateItem", monkeypatch)
    moved = act(store, run)
    assert len(tried) == 2
    assert moved is not None
    assert moved.revision == 2
    assert read_run(store, run) == moved
    assert act(store, run) in (None, moved)


@pytest.mark.parametrize(
    "act",
    [
        lambda store, run: store.guard_run(run, watch_at=NOW + 9),
        lambda store, run: store.withdraw_run(run, now_ms=NOW_MS, reason="paused"),
        lambda store, run: store.succeed_run(run, now_ms=NOW_MS, result_json='"ok"'),
        lambda store, run: store.fail_run(run, now_ms=NOW_MS, error=WHY, follow_up=True),
        lambda store, run: store.cancel_run(run, now_ms=NOW_MS, reason="stopping"),
        lambda store, run: store.lose_run(run, now_ms=LEASE_MS, follow_up=True),
    ],
)
def test_a_transition_of_a_running_run_whose_answer_was_lost_has_won(
    retrying: Any, monkeypatch: pytest.MonkeyPatch, act: Callable[..., Any]
) -> None:
    client, store = retrying
    begun = begin(store, a_run("default"))
    tried = lose_answers(client, "UpdateItem", monkeypatch)
    moved = act(store, begun)
    assert len(tried) == 2
    assert moved is not None
    assert read_run(store, begun) == moved


def test_a_settling_and_a_lease_whose_answers_were_lost_have_won(
    retrying: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, store = retrying
    marked = store.fail_run(begin(store, a_run("default")), now_ms=NOW_MS, error=WHY, follow_up=True)
    assert marked is not None
    lose_answers(client, "UpdateItem", monkeypatch)
    assert store.settle_run(marked) is not None
    lose_answers(client, "UpdateItem", monkeypatch)
    lease = store.acquire_lease("tick", holder="a", now_ms=NOW_MS, ttl_ms=1_000)
    assert lease is not None
    assert lease.token == 1
    assert store.acquire_lease("tick", holder="a", now_ms=NOW_MS, ttl_ms=1_000) is None


def test_a_slot_whose_answer_was_lost_is_held(retrying: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client, store = retrying
    lose_answers(client, "PutItem", monkeypatch)
    assert store.acquire_slot("default", "tick", run="a", until_ms=NOW_MS)


@pytest.mark.parametrize(
    "code, status",
    [
        ("ThrottlingException", 400),
        ("ProvisionedThroughputExceededException", 400),
        ("RequestLimitExceeded", 400),
        ("InternalServerError", 500),
        ("SomethingNew", 503),
    ],
)
def test_a_busy_service_is_unavailable(client: Any, store: DynamoDbStore, code: str, status: int) -> None:
    put_row(store, a_row("default"))
    for operation in ("PutItem", "UpdateItem", "GetItem", "Query", "TransactWriteItems"):
        refuse(client, operation, coded(code), status=status)
    run = a_run("default")
    for act in (
        lambda: store.enqueue_run(run),
        lambda: started(store, run),
        lambda: store.get_job("default", "tick"),
        lambda: store.due_triggers(0, horizon=NOW, limit=9, cursor=None),
        lambda: store.change_job(JobChange(None, a_job("default", "other"))),
        lambda: store.acquire_slot("default", "tick", run="a", until_ms=NOW_MS),
    ):
        with pytest.raises(Unavailable, match=code) as failed:
            act()
        assert failed.value.status == 503


def test_a_service_that_cannot_be_reached_is_unavailable(
    clock: ManualClock, client: Any, store: DynamoDbStore
) -> None:
    def broken(**_: Any) -> None:
        raise EndpointConnectionError(endpoint_url="https://dynamodb.invalid")

    client.meta.events.register_first("before-send.dynamodb", broken)
    with pytest.raises(Unavailable, match=r"DynamoDB get_item' cannot be reached"):
        store.get_job("default", "tick")


@pytest.mark.parametrize(
    "code", ["AccessDeniedException", "ValidationException", "ResourceNotFoundException"]
)
def test_a_fault_of_the_deployment_is_raised_as_it_is(client: Any, store: DynamoDbStore, code: str) -> None:
    for operation in ("PutItem", "TransactWriteItems"):
        refuse(client, operation, coded(code))
    with pytest.raises(ClientError, match=code):
        store.enqueue_run(a_run("default"))
    with pytest.raises(ClientError, match=code):
        store.change_job(JobChange(None, a_job("default")))


@pytest.mark.parametrize(
    "reason", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]
)
def test_a_contended_transaction_is_waited_for(
    client: Any, store: DynamoDbStore, clock: ManualClock, reason: str
) -> None:
    canceled = coded("TransactionCanceledException", "None", reason)
    tried = refuse(client, "TransactWriteItems", canceled, times=3)
    before = clock.now_ms()
    put_job(store, a_job("default"), a_row("default"))
    assert (len(tried), clock.now_ms() - before) == (4, 25 + 50 + 100)
    assert store.get_job("default", "tick") == a_job("default")


def test_a_transaction_contended_all_the_time_is_unavailable(client: Any, store: DynamoDbStore) -> None:
    tried = refuse(client, "TransactWriteItems", coded("TransactionCanceledException", "TransactionConflict"))
    with pytest.raises(Unavailable, match="is contended"):
        put_job(store, a_job("default"))
    assert len(tried) == 6


def test_a_failed_condition_among_conflicts_is_a_lost_race(client: Any, store: DynamoDbStore) -> None:
    canceled = coded("TransactionCanceledException", "TransactionConflict", "ConditionalCheckFailed")
    tried = refuse(client, "TransactWriteItems", canceled)
    assert not store.change_job(JobChange(None, a_job("default")))
    assert len(tried) == 1


def test_a_transaction_refused_for_another_reason_is_raised(client: Any, store: DynamoDbStore) -> None:
    refuse(client, "TransactWriteItems", coded("TransactionCanceledException", "ValidationError"))
    with pytest.raises(ClientError, match="TransactionCanceledException"):
        store.change_job(JobChange(None, a_job("default")))


def test_keys_left_unread_are_read_again_and_keep_their_order(
    client: Any, store: DynamoDbStore, tables: Tables, clock: ManualClock
) -> None:
    runs = [a_run("default", nominal=NOW + n) for n in range(30)]
    for run in runs:
        assert store.enqueue_run(run) is None

    def leave_some(parsed: dict[str, Any], **_: Any) -> None:
        """Answer the last of the rows only, out of order, and leave the rest."""
        items = parsed["Responses"][tables.runs]
        left = [{key: item[key] for key in ("pk", "sk")} for item in items[:-7]]
        parsed["Responses"][tables.runs] = items[-7:][::-1]
        if left:
            parsed["UnprocessedKeys"] = {tables.runs: {"Keys": left, "ConsistentRead": True}}

    client.meta.events.register("after-call.dynamodb.BatchGetItem", leave_some)
    page = store.list_runs("default", limit=100, cursor=None)
    assert [run.id for run in page.items] == [run.id for run in reversed(runs)]
    assert clock.now_ms() - NOW_MS == 25 + 50 + 100 + 200


def test_keys_left_unread_all_the_time_are_unavailable(
    client: Any, store: DynamoDbStore, tables: Tables
) -> None:
    assert store.enqueue_run(a_run("default")) is None

    def leave_all(parsed: dict[str, Any], **_: Any) -> None:
        (item,) = parsed["Responses"].pop(tables.runs)
        keys = [{key: item[key] for key in ("pk", "sk")}]
        parsed["UnprocessedKeys"] = {tables.runs: {"Keys": keys, "ConsistentRead": True}}

    client.meta.events.register("after-call.dynamodb.BatchGetItem", leave_all)
    with pytest.raises(Unavailable, match="leaves keys unread"):
        store.list_runs("default", limit=100, cursor=None)
