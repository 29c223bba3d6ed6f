"""Requests as gateway events."""

from __future__ import annotations

import base64

from duetime.local.event import Request, event_of


def test_an_event_has_what_the_gateway_sends() -> None:
    request = Request(
        "POST",
        "/projects/default/jobs?dry_run=true&tag=a&tag=b%2Cc",
        (("Host", "localhost:1"), ("Content-Type", "application/json"), ("X-Two", "1"), ("x-two", "2")),
        b'{"a": "\xc3\xa4"}',
    )
    event = event_of(request, request_id="r1", now_ms=5)
    assert (event["version"], event["rawPath"]) == ("2.0", "/projects/default/jobs")
    assert event["rawQueryString"] == "dry_run=true&tag=a&tag=b%2Cc"
    assert event["queryStringParameters"] == {"dry_run": "true", "tag": "a,b,c"}
    assert event["headers"] == {"host": "localhost:1", "content-type": "application/json", "x-two": "1,2"}
    assert (event["body"], event["isBase64Encoded"]) == ('{"a": "ä"}', False)
    context = event["requestContext"]
    assert (context["requestId"], context["timeEpoch"], context["http"]["method"]) == ("r1", 5, "POST")
    assert "authorizer" not in context


def test_a_request_without_query_and_body_has_neither() -> None:
    event = event_of(Request("GET", "/health", ()), request_id="r", now_ms=0)
    assert not {"queryStringParameters", "body"} & set(event)


def test_the_path_is_decoded_once() -> None:
    event = event_of(Request("GET", "/projects/default/jobs/a%252Fb%20c", ()), request_id="r", now_ms=0)
    assert event["rawPath"] == "/projects/default/jobs/a%2Fb c"


def test_a_body_that_is_no_text_travels_as_base64() -> None:
    event = event_of(Request("POST", "/", (), b"\xff\x00"), request_id="r", now_ms=0)
    assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (b"\xff\x00", True)
