"""Instants on the wire: RFC 3339 in UTC, with milliseconds only where a moment was measured. None stays None."""

from __future__ import annotations

from typing import Annotated, overload

from pydantic import Field

from duetime.core.instants import wall_text

Instant = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
"""An instant of a schedule: RFC 3339, UTC, whole seconds."""
Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
"""A measured moment: RFC 3339, UTC, milliseconds."""


@overload
def instant_text(seconds: int) -> str: ...
@overload
def instant_text(seconds: int | None) -> str | None: ...
def instant_text(seconds: int | None) -> str | None:
    """Return an instant of a schedule (UTC epoch seconds) as text.

    >>> instant_text(1_800_000_000)
    '2027-01-15T08:00:00Z'
    """
    return None if seconds is None else f"{wall_text(seconds)}Z"


@overload
def moment_text(milliseconds: int) -> str: ...
@overload
def moment_text(milliseconds: int | None) -> str | None: ...
def moment_text(milliseconds: int | None) -> str | None:
    """Return a measured moment (UTC epoch milliseconds) as text.

    >>> moment_text(1_800_000_000_042)
    '2027-01-15T08:00:00.042Z'
    """
    if milliseconds is None:
        return None
    seconds, rest = divmod(milliseconds, 1000)
    return f"{wall_text(seconds)}.{rest:03d}Z"
