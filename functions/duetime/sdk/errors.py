"""How a handler says that its run failed. Any other exception fails the run as UNEXPECTED_HANDLER."""

from __future__ import annotations


class Fail(Exception):
    """The run failed for a reason the handler names; the job's retry policy decides whether it is tried again.

    `code` is the handler's own stable word, `message` one sentence for people; both are kept in the history.

    >>> error = Fail("SOURCE_EMPTY", "The export of today holds no rows.")
    >>> error.code, str(error)
    ('SOURCE_EMPTY', 'SOURCE_EMPTY: The export of today holds no rows.')
    """

    def __init__(self, code: str, message: str = "") -> None:
        self.code, self.message = str(code), str(message)
        super().__init__(f"{self.code}: {self.message}" if self.message else self.code)


class NonRetryable(Exception):
    """The run failed and is never tried again, whatever the retry policy says.

    >>> error = NonRetryable("The account was closed.", code="ACCOUNT_CLOSED")
    >>> error.code, str(error)
    ('ACCOUNT_CLOSED', 'The account was closed.')
    """

    def __init__(self, message: str = "", *, code: str = "NON_RETRYABLE") -> None:
        self.code, self.message = str(code), str(message)
        super().__init__(self.message or self.code)
