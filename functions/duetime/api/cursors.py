"""Cursors: opaque, signed, and bound to the list they came from.

A cursor carries the store's own position and a tag over it, the project, the route and the query it continues. Anything else than
the next page of the same list is refused, so a cursor kept for too long or pasted into another query cannot skip or
repeat items in silence. The key derives from the names of this deployment's tables and is therefore the same on every
instance. It is no secret: the tag guards against mistakes, while what a caller may see is decided without the cursor.
"""

from __future__ import annotations

import base64
import hmac
from binascii import Error
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from duetime.core.faults import PagingError
from duetime.core.jsontext import dumps
from duetime.settings import Settings

_TAG_BYTES: Final = 16
_MAX_LENGTH: Final = 4096


class Cursors:
    """Signs and reads the cursors of one list: a route of a project with its filters (not the limit)."""

    def __init__(self, settings: Settings, route: str, query: Mapping[str, object]) -> None:
        tables = (settings.definitions_table, settings.runs_table, settings.coordination_table)
        self._key = sha256("\x1f".join(("duetime cursor 1", *tables)).encode()).digest()
        self._bound = dumps(
            [route, sorted((name, str(value)) for name, value in query.items() if value is not None)]
        )

    def sign(self, position: str | None) -> str | None:
        """Return the cursor for a position of the store; None stays None."""
        if position is None:
            return None
        return base64.urlsafe_b64encode(self._tag(position) + position.encode()).decode().rstrip("=")

    def read(self, cursor: str | None) -> str | None:
        """Return the position of a cursor; raises PagingError for one that is not of this list.

        >>> cursors = Cursors(Settings(), "GET /jobs", {"prefix": "a"})
        >>> cursors.read(cursors.sign("reports.nightly"))
        'reports.nightly'
        """
        if cursor is None:
            return None
        try:
            raw = (
                b""
                if len(cursor) > _MAX_LENGTH
                else base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", True)
            )
            position = raw[_TAG_BYTES:].decode()
        except (Error, ValueError):
            raise _foreign(cursor) from None
        if not hmac.compare_digest(raw[:_TAG_BYTES], self._tag(position)) or self.sign(position) != cursor:
            raise _foreign(cursor)
        return position

    def _tag(self, position: str) -> bytes:
        return hmac.digest(self._key, f"{self._bound}\n{position}".encode(), "sha256")[:_TAG_BYTES]


def _foreign(cursor: str) -> PagingError:
    return PagingError(
        "cursor", cursor, "is no cursor of this list",
        "Pass `next` of the page before, with the same filters, or leave it out to begin again.",
    )  # fmt: skip
