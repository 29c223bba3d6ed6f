"""The message on a run queue: which run is to start, when, and how urgent it is. No user's data travels in it.

Every message carries its format version `v`. This release writes version 1 and reads every version from `OLDEST` to
`VERSION`; fields it does not know are passed over, for a newer release may add some. A message that cannot be read is
one clear DataError: it is never guessed at, it goes to the dead-letter queue, and the sweep sends its run again.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from duetime.core.exchange import Dispatch
from duetime.core.faults import DataError
from duetime.core.ids import RUN_ID_LENGTH
from duetime.core.instants import FIRST_INSTANT, LAST_INSTANT
from duetime.core.names import NAME_PATTERN, SLUG_PATTERN

VERSION: Final = 1
OLDEST: Final = 1
"""The oldest version read: the one of the release before, once there is one."""
RUN_ID_PATTERN: Final = rf"^[0-9a-hjkmnp-tv-z]{{{RUN_ID_LENGTH}}}$"

Name = Annotated[str, Field(pattern=NAME_PATTERN)]
Slug = Annotated[str, Field(pattern=SLUG_PATTERN)]
RunId = Annotated[str, Field(pattern=RUN_ID_PATTERN)]


class RunMessage(BaseModel):
    """One run that is due. What is left out has its default, so that most messages stay under 150 bytes."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", title="Duetime run message")

    v: int = Field(ge=OLDEST, le=VERSION, description="Format version.")
    project: Slug = Field(description="Project of the run.")
    run: RunId = Field(description="Id of the run.")
    job: Name = Field(description="Name of the job.")
    start_at: int = Field(
        ge=FIRST_INSTANT, le=LAST_INSTANT, description="When the run starts, in UTC epoch seconds."
    )
    priority: int = Field(
        default=5, ge=1, le=10, description="Priority; 7 and above travel on the express queue."
    )
    tenant: Name | None = Field(default=None, description="Tenant of the run, if it has one.")


def message_text(dispatch: Dispatch) -> str:
    """Return the queue message of a dispatch as compact JSON text.

    >>> message_text(Dispatch("default", "0" * 30, "nightly", 1_800_000_000))
    '{"v":1,"project":"default","run":"000000000000000000000000000000","job":"nightly","start_at":1800000000}'
    """
    message = RunMessage(
        v=VERSION,
        project=dispatch.project,
        run=dispatch.run,
        job=dispatch.job,
        start_at=dispatch.start_at,
        priority=dispatch.priority,
        tenant=dispatch.tenant,
    )
    return message.model_dump_json(exclude_defaults=True)


def read_message(text: str) -> Dispatch:
    """Return the dispatch of a queue message; raises DataError naming the field, its value and the way out.

    >>> read_message(message_text(Dispatch("default", "0" * 30, "nightly", 1_800_000_000))).priority
    5
    """
    try:
        found = RunMessage.model_validate_json(text)
    except ValidationError as error:
        raise _refusal(text, error) from None
    return Dispatch(found.project, found.run, found.job, found.start_at, found.priority, found.tenant)


def _refusal(text: str, error: ValidationError) -> DataError:
    first: Any = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "message"
    value = text if first["type"] in ("json_invalid", "model_type", "missing") else first["input"]
    if field == "v" and isinstance(value, int) and value > VERSION:
        return DataError(
            "v", value, f"is a newer message format than this release reads ({OLDEST} to {VERSION})",
            "Deploy the release that wrote it again; the message waits in the dead-letter queue.",
        )  # fmt: skip
    return DataError(
        field, value, f"cannot be read ({first['msg']})",
        "Only Duetime writes to its run queues; see events/messages/run.schema.json.",
    )  # fmt: skip
