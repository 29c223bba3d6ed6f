"""Targets: what a run calls, as values. Delivery lives in duetime/targets, one file per kind.

`parse_target` takes the JSON form; `script` is taken as an alias of `python`. Kinds that a release does not deliver are
refused at write, never at fire time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from duetime.core.faults import TargetError

_ARN_PART: Final = r"arn:aws[a-z-]*"
LAMBDA_ARN: Final = re.compile(
    _ARN_PART + r":lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9_$-]+)?"
)
SQS_ARN: Final = re.compile(_ARN_PART + r":sqs:([a-z0-9-]+):(\d{12}):([A-Za-z0-9_-]{1,80}(\.fifo)?)")
_HANDLER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,127}", re.ASCII)


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A handler registered in code under `name`."""

    name: str
    kind: str = "python"


@dataclass(frozen=True, slots=True)
class LambdaTarget:
    """A Lambda function, by ARN; invoked synchronously, its answer is the result."""

    arn: str
    kind: str = "lambda"


@dataclass(frozen=True, slots=True)
class SqsTarget:
    """An SQS queue, by ARN; the run succeeds when the queue has the message."""

    arn: str
    kind: str = "sqs"


Target = PythonTarget | LambdaTarget | SqsTarget

_EXAMPLES: Final = {
    "python": '{"kind": "python", "name": "reports.nightly"}',
    "lambda": '{"kind": "lambda", "arn": "arn:aws:lambda:eu-west-1:111122223333:function:report"}',
    "sqs": '{"kind": "sqs", "arn": "arn:aws:sqs:eu-west-1:111122223333:jobs"}',
}
_ALIASES: Final = {"script": "python"}


def parse_target(document: Any, path: str = "target") -> Target:
    """Return the target of its JSON form, or raise TargetError.

    >>> parse_target({"kind": "python", "name": "reports.nightly"}).name
    'reports.nightly'
    """
    kind = document.get("kind") if isinstance(document, Mapping) else None
    kind = _ALIASES.get(kind, kind) if isinstance(kind, str) else None
    if kind not in _EXAMPLES:
        value = document.get("kind") if isinstance(document, Mapping) else document
        problem = "is no kind of target" if value is not None or document is None else "is missing"
        raise TargetError(f"{path}.kind", value, problem, f"Use one of {', '.join(_EXAMPLES)}.")
    wanted = "name" if kind == "python" else "arn"
    for key in document:
        if key not in ("kind", wanted):
            raise TargetError(
                f"{path}.{key}", document[key], "belongs to no field", f"Use {_EXAMPLES[kind]}."
            )
    value = document.get(wanted)
    pattern = {"python": _HANDLER, "lambda": LAMBDA_ARN, "sqs": SQS_ARN}[kind]
    if not isinstance(value, str) or not pattern.fullmatch(value):
        problem = "is missing" if value is None else "is malformed"
        raise TargetError(f"{path}.{wanted}", value, problem, f"Use {_EXAMPLES[kind]}.")
    made: dict[str, type[PythonTarget] | type[LambdaTarget] | type[SqsTarget]] = {
        "python": PythonTarget,
        "lambda": LambdaTarget,
        "sqs": SqsTarget,
    }
    return made[kind](value)


def target_document(target: Target) -> dict[str, Any]:
    """Return the JSON form of a target."""
    if isinstance(target, PythonTarget):
        return {"kind": "python", "name": target.name}
    return {"kind": target.kind, "arn": target.arn}
