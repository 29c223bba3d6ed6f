"""What the command line says when something is refused or fails, and with which exit code it ends.

One problem each time, on stderr: what kind of problem, which field and value, what to do. The exit codes are promised in
docs/cli.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from duetime.core.faults import CODES, DuetimeError


class Exit(IntEnum):
    """The exit codes of every command."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    UNREACHABLE = 5
    NOT_ALLOWED = 6


_BY_STATUS: Final[Mapping[int, Exit]] = {
    401: Exit.NOT_ALLOWED,
    403: Exit.NOT_ALLOWED,
    404: Exit.NOT_FOUND,
    409: Exit.CONFLICT,
    429: Exit.UNREACHABLE,
    502: Exit.UNREACHABLE,
    503: Exit.UNREACHABLE,
    504: Exit.UNREACHABLE,
}


def exit_of(status: int) -> Exit:
    """Return the exit code for an HTTP status of refusal.

    >>> exit_of(404).name
    'NOT_FOUND'
    """
    return _BY_STATUS.get(status, Exit.FAILED)


class Trouble(Exception):
    """A problem to be told and an exit code to end with. `detail` names the field, its value and what is wrong."""

    def __init__(
        self,
        title: str,
        detail: str,
        hint: str | None,
        *,
        exit: Exit,
        code: str = "USAGE",
        field: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.title, self.detail, self.hint, self.exit = title, detail, hint, exit
        self.code, self.field = code, field

    @classmethod
    def of(cls, error: DuetimeError, exit: Exit | None = None) -> Trouble:
        """Return what to say about an error met on this side."""
        detail = error.detail
        return cls(
            CODES[error.code].english, detail, error.hint, exit=exit_of(error.status) if exit is None else exit,
            code=error.code, field=error.field,
        )  # fmt: skip

    @classmethod
    def answered(cls, problem: Mapping[str, Any], status: int) -> Trouble:
        """Return what to say about a problem document."""

        def text(key: str) -> str | None:
            value = problem.get(key)
            return value if isinstance(value, str) and value else None

        return cls(
            text("title") or f"The control plane answered {status}.", text("detail") or "It gave no details.",
            text("hint"), exit=exit_of(status), code=text("code") or f"HTTP_{status}", field=text("field"),
        )  # fmt: skip


def usage(field: str, value: object, problem: str, hint: str) -> Trouble:
    """Return the trouble of an option or argument that cannot be taken."""
    error = DuetimeError(field, value, problem, hint)
    return Trouble(
        "The command line is not valid.",
        f"{field}: '{error.value}' {problem}.",
        hint,
        exit=Exit.USAGE,
        field=field,
    )


def plain(text: str) -> str:
    """Return `text` without characters that could steer a terminal; line breaks and tabs stay.

    >>> plain("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def tell(trouble: Trouble, *, as_json: bool) -> None:
    """Write a trouble to stderr, for a person or as one line of JSON."""
    if as_json:
        document = {
            "title": trouble.title, "detail": trouble.detail, "code": trouble.code, "field": trouble.field,
            "hint": trouble.hint, "exit": int(trouble.exit),
        }  # fmt: skip
        print(json.dumps(document, ensure_ascii=False), file=sys.stderr)
        return
    lines = [f"duetime: {trouble.title}", f"  {trouble.detail}"]
    if trouble.hint:
        lines.append(f"  {trouble.hint}")
    print(plain("\n".join(lines)), file=sys.stderr)
