"""What an AWS error means for a run: the one table that says which are tried again and under which code they are kept.

A code of AWS is looked up by its name, then by its HTTP status; what no service answered is judged by its kind.
Messages of AWS name the action and the resource, never a secret; they are kept, cut.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ReadTimeoutError,
)

from duetime.core.exchange import Outcome
from duetime.core.run import RunError, cut

MESSAGE_BYTES: Final = 2_000


class Verdict(NamedTuple):
    """How an error is kept, and whether another attempt is pointless."""

    code: str
    permanent: bool


THROTTLED: Final = Verdict("RATE_LIMITED", False)
DOWN: Final = Verdict("UNAVAILABLE_TARGET", False)
FORBIDDEN: Final = Verdict("FORBIDDEN", True)
WRONG: Final = Verdict("VALIDATION_TARGET", True)
TOO_LARGE: Final = Verdict("TOO_LARGE", True)

BY_CODE: Final[dict[str, Verdict]] = {
    **dict.fromkeys(
        (
            "TooManyRequestsException", "ThrottlingException", "Throttling", "ThrottledException", "RequestThrottled",
            "RequestThrottledException", "SlowDown", "EC2ThrottledException", "KmsThrottled", "KMSThrottlingException",
            "OverLimit", "LimitExceededException", "RequestLimitExceeded",
        ),
        THROTTLED,
    ),
    **dict.fromkeys(
        (
            "ServiceException", "InternalFailure", "InternalError", "ServiceUnavailable", "ResourceNotReadyException",
            "ResourceConflictException", "RequestTimeout", "RequestTimeoutException", "EFSMountTimeoutException",
            "SnapStartNotReadyException", "SnapStartTimeoutException", "RecursiveInvocationException",
            "ENILimitReachedException", "SubnetIPAddressLimitReachedException",
        ),
        DOWN,
    ),
    **dict.fromkeys(
        (
            "AccessDenied", "AccessDeniedException", "AccessDeniedFault", "UnauthorizedOperation",
            "KMSAccessDeniedException", "KmsAccessDenied", "InvalidClientTokenId", "UnrecognizedClientException",
            "ExpiredToken", "ExpiredTokenException", "SignatureDoesNotMatch", "MissingAuthenticationToken",
        ),
        FORBIDDEN,
    ),
    **dict.fromkeys(
        (
            "ResourceNotFoundException", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue",
            "InvalidRequestContentException", "InvalidParameterValueException", "InvalidParameterValue",
            "InvalidMessageContents", "InvalidAddress", "UnsupportedOperation",
            "AWS.SimpleQueueService.UnsupportedOperation", "UnsupportedMediaTypeException", "InvalidRuntimeException",
            "InvalidZipFileException", "ValidationException", "ValidationError",
        ),
        WRONG,
    ),
    "RequestTooLargeException": TOO_LARGE,
    "RequestEntityTooLargeException": TOO_LARGE,
}  # fmt: skip

BY_STATUS: Final[dict[int, Verdict]] = {
    400: WRONG, 401: FORBIDDEN, 403: FORBIDDEN, 404: WRONG, 408: DOWN, 409: DOWN, 413: TOO_LARGE, 415: WRONG,
    425: DOWN, 429: THROTTLED,
}  # fmt: skip

BY_KIND: Final[tuple[tuple[type[BotoCoreError], Verdict], ...]] = (
    (ParamValidationError, WRONG),
    (NoCredentialsError, FORBIDDEN),
    (PartialCredentialsError, FORBIDDEN),
    (NoRegionError, WRONG),
    (HTTPClientError, DOWN),
)
"""Errors that no service answered; what is in none of these rows is DOWN."""


def outcome_of(error: ClientError | BotoCoreError) -> Outcome:
    """Return what an error of a call comes to; an answer that did not come in time is a timeout."""
    if isinstance(error, ReadTimeoutError):
        return Outcome(
            "timeout", error=RunError("TIMEOUT_RUN", "The target did not answer before the run's timeout.")
        )
    verdict = verdict_of(error)
    return Outcome("failed", error=RunError(verdict.code, _message(error)), permanent=verdict.permanent)


def verdict_of(error: ClientError | BotoCoreError) -> Verdict:
    """Return the row of the table for an error.

    >>> verdict_of(ClientError({"Error": {"Code": "AccessDeniedException"}}, "Invoke"))
    Verdict(code='FORBIDDEN', permanent=True)
    """
    if isinstance(error, ClientError):
        code = error.response.get("Error", {}).get("Code", "")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
        return BY_CODE.get(code) or BY_STATUS.get(status) or (WRONG if 400 <= status < 500 else DOWN)
    return next((verdict for kind, verdict in BY_KIND if isinstance(error, kind)), DOWN)


def _message(error: ClientError | BotoCoreError) -> str:
    if isinstance(error, ClientError):
        answer = error.response.get("Error", {})
        return cut(f"{answer.get('Code', 'error')}: {answer.get('Message', '')}".strip(": "), MESSAGE_BYTES)
    return cut(str(error), MESSAGE_BYTES)
