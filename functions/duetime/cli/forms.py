"""From options to the bodies of the control plane: targets, policies, data. Nothing is sent from here.

What only the scheduler can judge (names, limits) is left to it; here it is only checked that data is JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from duetime.cli.problems import usage
from duetime.core.faults import DuetimeError
from duetime.core.jsontext import loads_exact


def target_form(
    *, handler: str | None, function: str | None, queue: str | None, required: bool
) -> dict[str, Any] | None:
    """Return the target that the options ask for, or None where none is needed; raises Trouble."""
    found = [
        {"kind": kind, field: value}
        for kind, field, value in (
            ("python", "name", handler),
            ("lambda", "arn", function),
            ("sqs", "arn", queue),
        )
        if value is not None
    ]
    if len(found) > 1:
        raise usage(
            "target", found[1]["kind"], "is a second target", "Give one of --handler, --lambda and --sqs."
        )
    if not found and required:
        raise usage(
            "target", "none", "is given", "Say what to call: --handler NAME, --lambda ARN or --sqs ARN."
        )
    return found[0] if found else None


def policies_form(
    overlap: str | None, max_attempts: int | None, backoff: int | None, catch_up: bool | None
) -> dict[str, Any]:
    """Return the policies that the options name, by the keys of a schedule."""
    given = {
        "on_overlap": overlap, "max_attempts": max_attempts, "retry_backoff_secs": backoff, "catch_up": catch_up,
    }  # fmt: skip
    return {key: value for key, value in given.items() if value is not None}


DATA_EXAMPLE: Final = '{"format": "pdf"}'


def object_form(text: str | None, option: str, example: str = DATA_EXAMPLE) -> dict[str, Any] | None:
    """Return the JSON object of an option: its text, or with `@` before it the file of that name. Raises Trouble.

    `example` is what the hint says to write.
    """
    if text is None:
        return None
    if text.startswith("@"):
        return read_object(Path(text[1:]), option, example)
    return _object(text, option, example)


def read_object(path: Path, option: str, example: str = DATA_EXAMPLE) -> dict[str, Any]:
    """Return the JSON object in a file, or in stdin where that is `-`; raises Trouble."""
    try:
        text = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise usage(
            option, str(path), f"cannot be read ({error.strerror})", "Name a file with one JSON object."
        ) from None
    return _object(text, option, example, str(path))


def _object(text: str | bytes, option: str, example: str, source: str | None = None) -> dict[str, Any]:
    # What is in a file stays there: an error, and the log of a build, may show its name only.
    shown = text if source is None else source
    hint = f"Write one such as '{example}'."
    try:
        value = loads_exact(text, option)
    except DuetimeError as error:
        raise usage(
            error.field, error.value if source is None else source, error.problem, error.hint
        ) from None
    if not isinstance(value, dict):
        raise usage(option, shown, "is no JSON object", hint)
    return value
