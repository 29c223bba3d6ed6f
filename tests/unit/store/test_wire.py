"""The short way to DynamoDB: the same answers and errors as boto3, and boto3 itself for whatever is not ordinary."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from moto import mock_aws

from duetime.clock import ManualClock
from duetime.store.dynamodb.wire import dynamodb_client
from tests.contract.make import NOW_MS
from tests.contract.tables import create_tables

REGION = "eu-central-1"
KEY: dict[str, Any] = {"pk": {"S": "größe"}, "sk": {"S": "a"}}
CONFIG = Config(retries={"mode": "standard", "total_max_attempts": 2}, connect_timeout=2, read_timeout=2)
Answer = tuple[int, bytes]


def a_client(url: str | None = None, **keys: str | None) -> Any:
    """Return a client as a deployed function has it."""
    given: Any = {"aws_access_key_id": "invented", "aws_secret_access_key": "invented", **keys}
    session = boto3.Session(region_name=REGION, **given)
    config = CONFIG if url is None else CONFIG.merge(Config(parameter_validation=False))
    with pytest.MonkeyPatch.context() as patch:
        if url is not None:
            patch.setenv("AWS_ENDPOINT_URL_DYNAMODB", url)
        return dynamodb_client(session, config, ManualClock(NOW_MS))


@pytest.fixture
def both() -> Iterator[tuple[Any, Any, str]]:
    """The short way, boto3 alone, and a table, answered by moto."""
    with mock_aws():
        alone = boto3.client(
            "dynamodb", REGION, aws_access_key_id="invented", aws_secret_access_key="invented"
        )
        yield a_client(), alone, create_tables(alone, "wire-").runs


def told(call: Callable[..., Any], **request: Any) -> Any:
    """Return an answer, or what its error says, without what is new each time."""
    try:
        answer: dict[str, Any] = call(**request)
    except ClientError as error:
        found: Any = error.response
        return type(error).__name__, found["Error"]["Code"], found["Error"]["Message"], found.get("Item")
    return {
        name: value for name, value in answer.items() if name not in ("ResponseMetadata", "ConsumedCapacity")
    }


def test_answers_and_errors_are_those_of_boto3(both: tuple[Any, Any, str]) -> None:
    wire, alone, table = both
    of = {"TableName": table}
    absent = {
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    item = {**KEY, "n": {"N": "7"}, "raw": {"B": b"\x00\xff"}, "B": {"S": '"B":'}, "on": {"BOOL": True}}
    more = {
        "UpdateExpression": "SET #n = :n, #raw = :raw",
        "ExpressionAttributeNames": {"#n": "n", "#raw": "raw"},
        "ExpressionAttributeValues": {":n": {"N": "8"}, ":raw": {"B": b"\x01"}},
        "ReturnValues": "ALL_NEW",
    }
    page = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": KEY["pk"]}, "Limit": 1}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("put_item", {"Item": item, **absent}),
        ("put_item", {"Item": item, **absent}),
        ("get_item", {"Key": KEY, "ConsistentRead": True}),
        ("update_item", {"Key": KEY, **more}),
        ("query", page),
        ("delete_item", {"Key": KEY, "ConditionExpression": "attribute_not_exists(pk)"}),
        ("delete_item", {"Key": KEY}),
        ("get_item", {"Key": KEY}),
        ("update_item", {"Key": KEY, **more, "ConditionExpression": "attribute_exists(pk)"}),
    ]
    found = [told(getattr(wire, name), **of, **request) for name, request in steps]
    assert found == [told(getattr(alone, name), **of, **request) for name, request in steps]
    assert found[2]["Item"]["raw"]["B"] == b"\x00\xff"
    assert found[1][3] == item


def test_what_is_refused_is_the_error_of_boto3(both: tuple[Any, Any, str]) -> None:
    wire, alone, _ = both
    request = {"TableName": "nowhere", "Key": KEY}
    assert told(wire.get_item, **request) == told(alone.get_item, **request)
    with pytest.raises(wire.exceptions.ResourceNotFoundException):
        wire.get_item(**request)


def test_other_calls_are_those_of_boto3(both: tuple[Any, Any, str]) -> None:
    wire, _, table = both
    wire.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": KEY}}])
    assert wire.batch_get_item(RequestItems={table: {"Keys": [KEY]}})["Responses"][table] == [KEY]
    assert wire.get_item.__name__ == "get_item"


def test_nothing_is_sent_without_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    wire = a_client(aws_access_key_id=None, aws_secret_access_key=None)
    with pytest.raises(NoCredentialsError):
        wire.get_item(TableName="t", Key=KEY)


class Service:
    """An HTTP server that answers what it is told to, call by call, and keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer | None] = []
        self.asked: list[tuple[dict[str, str], bytes]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.asked.append(({name.lower(): value for name, value in self.headers.items()}, body))
                answer = service.answers.pop(0)
                if answer is None:
                    self.connection.close()
                    return
                self.send_response(answer[0])
                self.send_header("Content-Type", "application/x-amz-json-1.0")
                self.send_header("Content-Length", str(len(answer[1])))
                self.end_headers()
                self.wfile.write(answer[1])

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        thread.join()
        made.server.server_close()


ROW = json.dumps({"Item": {**KEY, "n": {"N": "7"}}}).encode()
BUSY = b'{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow down"}'


def test_an_ordinary_call_is_one_signed_request(service: Service) -> None:
    service.answers = [(200, ROW)]
    wire = a_client(service.url, aws_session_token="token")
    assert wire.get_item(TableName="t", Key=KEY) == {"Item": {**KEY, "n": {"N": "7"}}}
    ((headers, body),) = service.asked
    assert json.loads(body) == {"TableName": "t", "Key": KEY}
    assert headers["x-amz-target"] == "DynamoDB_20120810.GetItem"
    assert headers["x-amz-date"] == "20270115T080000Z"
    assert headers["x-amz-security-token"] == "token"
    assert headers["authorization"].startswith(
        "AWS4-HMAC-SHA256 Credential=invented/20270115/eu-central-1/dynamodb/"
    )
    assert headers["host"] == service.url.removeprefix("http://")


@pytest.mark.parametrize(
    "first",
    [(500, b"{}"), (503, b"<html>"), (400, BUSY), (200, b"cut of"), None],
    ids=["fault", "no JSON", "throttled", "cut off", "connection closed"],
)
def test_what_is_not_ordinary_is_repeated_by_boto3(service: Service, first: Answer | None) -> None:
    service.answers = [first, first, (200, ROW)] if first != (200, b"cut of") else [first, (200, ROW)]
    wire = a_client(service.url)
    assert wire.get_item(TableName="t", Key=KEY)["Item"]["n"] == {"N": "7"}
    assert not service.answers
    assert {body for _, body in service.asked[1:]} == {json.dumps({"TableName": "t", "Key": KEY}).encode()}


def test_a_service_that_stays_away_is_the_error_of_boto3(service: Service) -> None:
    service.answers = [(500, b"{}")] * 3
    with pytest.raises(ClientError) as raised:
        a_client(service.url).get_item(TableName="t", Key=KEY)
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
    assert len(service.asked) == 3
    with pytest.raises(EndpointConnectionError):
        a_client("http://127.0.0.1:9").get_item(TableName="t", Key=KEY)


def test_who_listens_to_requests_of_boto3_hears_these(service: Service) -> None:
    heard: list[AWSPreparedRequest] = []
    service.answers = [(200, ROW)]
    wire = a_client(service.url)
    wire.meta.events.register("before-send.dynamodb.GetItem", lambda request, **_: heard.append(request))
    wire.get_item(TableName="t", Key=KEY)
    assert [one.url for one in heard] == [service.url + "/"]


def test_eight_threads_share_a_client(service: Service) -> None:
    from concurrent.futures import ThreadPoolExecutor

    service.answers = [(200, ROW)] * 80
    wire = a_client(service.url)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: wire.get_item(TableName="t", Key=KEY), range(80)))
    assert len(found) == len(service.asked) == 80
