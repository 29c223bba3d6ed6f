"""What every refused or failed request answers: a problem document (RFC 9457) with a stable code."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from duetime.contracts.api_types import Answer

PROBLEM_TYPE: Final = "application/problem+json"


class Problem(Answer):
    """What is wrong, where, and what to do about it. `code` is stable; see docs/errors.md for all of them."""

    type: str = Field(
        description="A URI for the kind of problem.", examples=["urn:duetime:problem:NOT_FOUND_JOB"]
    )
    title: str = Field(
        description="The kind of problem in one sentence; the same for every problem of this code."
    )
    status: int = Field(ge=400, le=599, description="The HTTP status.")
    detail: str = Field(
        description="What happened this time: the field, its value and what is wrong with it."
    )
    code: str = Field(description="Stable code.", examples=["NOT_FOUND_JOB"])
    field: str | None = Field(description="Path of the field at fault, such as triggers[0].schedule.cron.")
    hint: str | None = Field(description="What to write or do instead.")
    instance: str = Field(description="Id of the request; the log has it.")
