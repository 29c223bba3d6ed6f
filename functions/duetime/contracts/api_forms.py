"""The JSON forms of schedules and targets, for the OpenAPI document; duetime.core reads and checks them.

A schedule is written as an object or as text (`every 10m`, `0 9 * * MON-FRI`, `once in 10m`); an answer always has the
object, complete, with its zone frozen.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from duetime.contracts.api_types import Documented

_CONFIG = ConfigDict(extra="forbid")
_Instant = Annotated[str, Field(description="RFC 3339; an occurrence exactly at a bound counts.")]
_Length = Annotated[str | float, Field(description="A duration; a bare number means milliseconds.")]
_Zone = Annotated[
    str, Field(description="IANA time zone; the project's default, frozen at write, if left out.")
]


class _Every(TypedDict, total=False):
    timezone: _Zone
    dst_gap: Annotated[
        Literal["skip", "shift"], Field(description="What times do that a clock change leaves out.")
    ]
    start_at: _Instant
    end_at: _Instant
    calendar: Annotated[str, Field(description="Name of a calendar of excluded times.")]
    immediate: Annotated[bool, Field(description="One more run at creation.")]


_Fold = Annotated[Literal["first", "both"], Field(description="What times do that a clock change repeats.")]


class CronForm(_Every):
    """Wall-clock times of a time zone."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: NotRequired[Literal["cron"]]
    cron: Annotated[
        str, Field(description="5 fields, 6 with seconds first, 7 with the year last; or a macro.")
    ]
    dst_fold: NotRequired[_Fold]


class IntervalForm(_Every, total=False):
    """The same distance again and again."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["interval"]
    every: _Length
    every_secs: Annotated[int, Field(ge=1, description="Instead of `every`, in seconds.")]
    mode: Literal["fixed_rate", "fixed_delay", "aligned", "calendar"]
    repeat_count: Annotated[int, Field(ge=1, description="Runs in all; skips are not counted.")]
    dst_fold: _Fold


# `in` is a word of Python, so its field is declared by the functional form.
_In = TypedDict(
    "_In", {"in": Annotated[_Length, Field(description="Instead of `at`: a duration from now.")]}, total=False
)


class OnceForm(_Every, _In, total=False):
    """One instant; a past one is due at once."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["once"]
    at: Annotated[str, Field(description="RFC 3339 with offset, or local together with `timezone`.")]


class PythonForm(TypedDict):
    """A handler registered in code."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Annotated[Literal["python", "script"], Field(description="`script` is an alias of `python`.")]
    name: Annotated[str, Field(description="The key the handler is registered under.")]


class LambdaForm(TypedDict):
    """A Lambda function, invoked synchronously."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["lambda"]
    arn: str


class SqsForm(TypedDict):
    """An SQS queue."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]  # how pydantic configures a TypedDict

    kind: Literal["sqs"]
    arn: str


_Objects = CronForm | IntervalForm | OnceForm
_EXAMPLES = [
    "0 9 * * MON-FRI",
    "every 10m",
    {"kind": "cron", "cron": "0 2 * * *", "timezone": "Asia/Shanghai"},
]

ScheduleIn = Annotated[
    Any,
    Documented(str | float | CronForm | IntervalForm | OnceForm),
    Field(description="A schedule: its text, its object, or a number of milliseconds.", examples=_EXAMPLES),
]
ScheduleOut = Annotated[
    Any, Documented(_Objects), Field(description="The schedule as an object, with its zone frozen.")
]
TargetIn = Annotated[
    Any,
    Documented(PythonForm | LambdaForm | SqsForm),
    Field(description="What a run calls.", examples=[{"kind": "python", "name": "reports.nightly"}]),
]
TargetOut = Annotated[
    Any, Documented(PythonForm | LambdaForm | SqsForm), Field(description="What a run calls.")
]
