"""From options to the bodies of the control plane: schedules, targets, data. Nothing is sent from here.

What only the scheduler can judge (expressions, zones, names) is left to it; here it is only checked that the options make
one schedule and that data is JSON.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from duetime.cli.problems import usage
from duetime.core.faults import DuetimeError
from duetime.core.jsontext import loads_exact

_KINDS: Final = ("--cron", "--every", "--at", "--in")
_KEPT: Final = ("timezone", "dst_gap", "dst_fold", "start_at", "end_at", "calendar")
"""What stays of a schedule whose expression is replaced by another of the same kind."""


def schedule_form(
    *, cron: str | None, every: str | None, at: str | None, in_: str | None, tz: str | None,
    start: str | None, end: str | None, calendar: str | None, before: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the schedule that the options ask for; `before` is the one they change. Raises Trouble.

    An empty `calendar` takes the schedule out of the one it is under.
    """
    given = [
        (name, value) for name, value in zip(_KINDS, (cron, every, at, in_), strict=True) if value is not None
    ]
    if len(given) > 1:
        names = " and ".join(name for name, _ in given)
        raise usage(given[1][0], given[1][1], "is a second schedule", f"Give one of {names}.")
    if not given and before is None:
        raise usage(
            "schedule",
            "none",
            "is given",
            "Say when it runs: --cron '0 9 * * MON-FRI', --every 10m, --at TIME or --in 10m.",
        )
    form = _expressed(cron, every, at, in_)
    if before is not None:
        form = {**before} if not form else {**_kept(before, form), **form}
    options = {"timezone": tz, "start_at": start, "end_at": end, "calendar": calendar}
    form |= {name: value for name, value in options.items() if value is not None}
    return form if form.get("calendar") != "" else {key: form[key] for key in form if key != "calendar"}


def _expressed(cron: str | None, every: str | None, at: str | None, in_: str | None) -> dict[str, Any]:
    if cron is not None:
        return {"kind": "cron", "cron": cron}
    if every is not None:
        from duetime.core.text import text_document  # half of what the whole command line loads

        return {"kind": "interval", **text_document(f"every {every}")}
    if at is not None:
        return {"kind": "once", "at": at}
    return {} if in_ is None else {"kind": "once", "in": in_}


def _kept(before: Mapping[str, Any], form: Mapping[str, Any]) -> dict[str, Any]:
    if before.get("kind") != form["kind"]:
        return {
            name: before[name]
            for name in ("start_at", "end_at", "calendar")
            if name in before and form["kind"] != "once"
        }
    return {
        name: before[name]
        for name in _KEPT
        if name in before and not (name == "timezone" and form["kind"] == "once")
    }


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


def object_form(text: str | None, option: str) -> dict[str, Any] | None:
    """Return the JSON object of an option: its text, or with `@` before it the file of that name. Raises Trouble."""
    if text is None:
        return None
    if text.startswith("@"):
        return read_object(Path(text[1:]), option)
    return _object(text, option)


def read_object(path: Path, option: str) -> dict[str, Any]:
    """Return the JSON object in a file, or in stdin where that is `-`; raises Trouble."""
    try:
        text = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise usage(
            option, str(path), f"cannot be read ({error.strerror})", "Name a file with one JSON object."
        ) from None
    return _object(text, option, str(path))


def _object(text: str | bytes, option: str, source: str | None = None) -> dict[str, Any]:
    try:
        value = loads_exact(text, option)
    except DuetimeError as error:
        # What is in a file stays there: an error, and the log of a build, may show its name only.
        raise usage(
            error.field, error.value if source is None else source, error.problem, error.hint
        ) from None
    if not isinstance(value, dict):
        raise usage(
            option, type(value).__name__, "is no JSON object", """Write one such as '{"format": "pdf"}'."""
        )
    return value
