"""The small types the API models are made of.

What the core checks itself, with an error that names the exact field and the way out, is taken here as any JSON value and
only documented (`Documented`): one place decides what is legal, and the OpenAPI document still shows the whole shape.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


class Documented:
    """Marks a field that takes any JSON value and is shown in the OpenAPI document as `form`."""

    def __init__(self, form: Any) -> None:
        self.form = form

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.any_schema()

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(TypeAdapter(self.form).core_schema)


class Request(BaseModel):
    """The base of all bodies: unknown keys and wrong types are refused, nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Answer(BaseModel):
    """The base of all answers: every field is always there; null says that it does not apply (yet)."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Data = Annotated[
    Any,
    Documented(dict[str, Any]),
    Field(description="A JSON object of at most 128 KiB. Numbers are kept exactly."),
]
Duration = Annotated[
    Any,
    Documented(str | float),
    Field(description="A duration such as 30s, 10m, 1h30m or PT10M; a bare number means milliseconds."),
]
DurationText = Annotated[str, Field(examples=["5m", "1h30m"])]
"""A duration in an answer: whole seconds, largest units first."""
Instant = Annotated[
    str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", examples=["2027-01-15T08:00:00Z"])
]
"""An instant of a schedule: RFC 3339, UTC, whole seconds."""
Moment = Annotated[
    str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", examples=["2027-01-15T08:00:00.042Z"])
]
"""A measured moment: RFC 3339, UTC, milliseconds."""
Cursor = Annotated[
    str | None,
    Field(description="Where the next page begins: pass it as `cursor`. Null: this was the last page."),
]
