"""The one table of AWS errors: by code, by status, by kind; and that its verdicts are codes Duetime documents."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)

from duetime.core.faults import CODES
from duetime.targets.classify import BY_CODE, BY_KIND, BY_STATUS, outcome_of, verdict_of


def answered(code: str, status: int, message: str = "") -> ClientError:
    response: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response, "Invoke")


@pytest.mark.parametrize(
    "status, kept, permanent",
    [
        (400, "VALIDATION_TARGET", True),
        (401, "FORBIDDEN", True),
        (404, "VALIDATION_TARGET", True),
        (408, "UNAVAILABLE_TARGET", False),
        (418, "VALIDATION_TARGET", True),
        (429, "RATE_LIMITED", False),
        (500, "UNAVAILABLE_TARGET", False),
        (503, "UNAVAILABLE_TARGET", False),
    ],
)
def test_an_unknown_code_is_judged_by_its_status(status: int, kept: str, permanent: bool) -> None:
    assert verdict_of(answered("NeverSeenBefore", status)) == (kept, permanent)


def test_a_known_code_counts_more_than_its_status() -> None:
    assert verdict_of(answered("ThrottlingException", 400)) == ("RATE_LIMITED", False)


@pytest.mark.parametrize(
    "error, kept, permanent",
    [
        (EndpointConnectionError(endpoint_url="http://localhost"), "UNAVAILABLE_TARGET", False),
        (ConnectTimeoutError(endpoint_url="http://localhost"), "UNAVAILABLE_TARGET", False),
        (NoCredentialsError(), "FORBIDDEN", True),
        (ParamValidationError(report="too short"), "VALIDATION_TARGET", True),
        (BotoCoreError(), "UNAVAILABLE_TARGET", False),
    ],
)
def test_what_no_service_answered_is_judged_by_its_kind(
    error: BotoCoreError, kept: str, permanent: bool
) -> None:
    outcome = outcome_of(error)
    assert outcome.error is not None
    assert (outcome.status, outcome.error.code, outcome.permanent) == ("failed", kept, permanent)


def test_an_answer_that_does_not_come_in_time_is_a_timeout() -> None:
    assert outcome_of(ReadTimeoutError(endpoint_url="http://localhost")).status == "timeout"


@pytest.mark.parametrize(
    "error, message",
    [
        (answered("AccessDenied", 403, "User may not do this."), "AccessDenied: User may not do this."),
        (answered("AccessDenied", 403), "AccessDenied"),
        (ClientError({}, "Invoke"), "error"),
    ],
)
def test_the_message_is_that_of_aws(error: ClientError, message: str) -> None:
    outcome = outcome_of(error)
    assert outcome.error is not None
    assert outcome.error.message == message


def test_every_verdict_is_a_documented_code() -> None:
    verdicts = {*BY_CODE.values(), *BY_STATUS.values(), *(verdict for _, verdict in BY_KIND)}
    assert {one.code for one in verdicts} <= set(CODES)
