"""A shorter way to DynamoDB for the calls a tick and an executor make by the thousand.

boto3 computes 0.3 to 0.5 ms for a call, most of it for what is the same each time. Here the ordinary call goes straight over
botocore's own connections: JSON out, signature, JSON in. Whatever is not ordinary (a connection that breaks, an answer that is
neither success nor a failed condition) is handed to boto3, which makes the call once more with its own retries and errors;
to repeat a call whose answer was lost is what boto3 does as well, and every write here stands it.
"""

from __future__ import annotations

import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from botocore.awsrequest import AWSPreparedRequest, HeadersDict
from botocore.exceptions import ConnectionError as Unreachable
from botocore.exceptions import HTTPClientError

from duetime.ports import Clock
from duetime.store.dynamodb.signing import Signer

if TYPE_CHECKING:
    from boto3 import Session
    from botocore.config import Config
    from botocore.credentials import Credentials
    from mypy_boto3_dynamodb import DynamoDBClient

_log = logging.getLogger(__name__)

_DIRECT: Final = {
    "delete_item": "DeleteItem",
    "get_item": "GetItem",
    "put_item": "PutItem",
    "query": "Query",
    "update_item": "UpdateItem",
}
"""Calls that may go the short way. Transactions do not: their token must be the same in each attempt."""
_CONTENT_TYPE: Final = "application/x-amz-json-1.0"
_CONFLICT: Final = "ConditionalCheckFailedException"


class Wire:
    """A client of DynamoDB: its own calls where it has them, all else is the boto3 client's behind it."""

    def __init__(self, client: DynamoDBClient, credentials: Credentials | None, clock: Clock) -> None:
        """Call as this client does, signed with these credentials."""
        self._client = client
        self._url = client.meta.endpoint_url.rstrip("/") + "/"
        self._signer = Signer(credentials, client.meta.region_name, self._url, clock)
        # The client's own connections, for they know its timeouts, proxies and certificates; it has no other name for them.
        self._http = cast(Any, client)._endpoint.http_session
        known: Any = client.meta
        self._agent: str = known.config.user_agent
        self._prefix: str = known.service_model.metadata["targetPrefix"]
        for name, operation in _DIRECT.items():
            setattr(self, name, self._call(name, operation))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def _call(self, name: str, operation: str) -> Callable[..., Any]:
        usual = getattr(self._client, name)
        target, event = f"{self._prefix}.{operation}", f"before-send.dynamodb.{operation}"

        def call(**request: Any) -> Any:
            status, answer = self._answer(target, event, request)
            if status == 200:
                return answer
            if status == 400 and str(answer.get("__type")).rpartition("#")[2] == _CONFLICT:
                raise self._conflict(operation, answer)
            return usual(**request)

        call.__name__ = name
        return call

    def _answer(self, target: str, event: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Send a request and return the answer with its HTTP status: 0 when there was none that can be read."""
        body = json.dumps(request, separators=(",", ":"), default=_binary).encode()
        headers: Any = HeadersDict(self._signer.headers(target, _CONTENT_TYPE, body))
        headers["user-agent"] = self._agent
        sent = AWSPreparedRequest("POST", self._url, headers, body, False)
        try:
            # Whoever listens to boto3's requests is told of these too, and may answer in the service's place.
            told = [
                answer
                for _, answer in self._client.meta.events.emit(event, request=sent)
                if answer is not None
            ]
            response = told[0] if told else self._http.send(sent)
            answer = json.loads(response.content)
        except (Unreachable, HTTPClientError, ValueError) as error:
            _log.info("a call is made once more, by boto3: %s", error)
            return 0, {}
        if b'"B":' in response.content:
            answer = _with_bytes(answer)
        return response.status_code, answer

    def _conflict(self, operation: str, answer: dict[str, Any]) -> Exception:
        """Return the error boto3 raises for a failed condition, with the row that stood in the way if it was told."""
        told: Any = {
            "Error": {"Code": _CONFLICT, "Message": answer.get("message", "")},
            "ResponseMetadata": {"HTTPStatusCode": 400},
        }
        if "Item" in answer:
            told["Item"] = answer["Item"]
        return self._client.exceptions.ConditionalCheckFailedException(told, operation)


def _binary(value: Any) -> str:
    """Return bytes as JSON carries them."""
    return b64encode(value).decode()


def _with_bytes(value: Any) -> Any:
    """Return an answer with its binary values as bytes."""
    if isinstance(value, list):
        return [_with_bytes(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"B"} and isinstance(value["B"], str):
        return {"B": b64decode(value["B"])}
    return {name: _with_bytes(one) for name, one in value.items()}


def dynamodb_client(session: Session, config: Config, clock: Clock) -> DynamoDBClient:
    """Return a client of DynamoDB with the session's credentials and region."""
    client = session.client("dynamodb", config=config)
    return cast("DynamoDBClient", Wire(client, session.get_credentials(), clock))
