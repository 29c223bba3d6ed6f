"""Settings: one typed model, read from the environment, refused at start when wrong.

Each field is the variable `DUETIME_<FIELD>`; docs/settings.md is generated from here.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from duetime.contracts.event import published_types
from duetime.core.faults import SettingsError
from duetime.core.zones import check_zone

PREFIX = "DUETIME_"


def _types(setting: str) -> str:
    published_types(setting)
    return setting


def _zone(name: str) -> str:
    check_zone(name)
    return name


class Settings(BaseModel):
    """What a deployment can choose; all durations in seconds unless the name says otherwise.

    >>> Settings().horizon
    120
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    default_zone: Annotated[str, AfterValidator(_zone)] = Field(
        default="UTC",
        description="Zone of cron and calendar schedules that name none; frozen into them at write.",
    )
    default_dst_gap: Literal["skip", "shift"] = Field(default="skip", description="Default of dst_gap.")
    default_dst_fold: Literal["first", "both"] = Field(default="first", description="Default of dst_fold.")
    horizon: int = Field(default=120, ge=60, le=600, description="How far ahead a tick looks: two ticks.")
    shards: int = Field(
        default=8,
        ge=1,
        le=64,
        description="Shards of the due, watch and feed indexes; fixed after the first deploy.",
    )
    tick_lease: int = Field(
        default=30, ge=10, le=300, description="How long a tick holds its lease without renewing it."
    )
    claim_batch: int = Field(
        default=500, ge=10, le=2000, description="Triggers a tick reads and claims at a time."
    )
    claim_threads: int = Field(default=16, ge=1, le=64, description="Concurrent calls of one tick.")
    send_lead: int = Field(
        default=1,
        ge=0,
        le=5,
        description="How early a run's message arrives; the executor waits out the rest.",
    )
    executor_limit: int = Field(
        default=870,
        ge=30,
        le=86_400,
        description="Longest timeout of a python target: the function's own limit less a margin.",
    )
    stop_grace: int = Field(
        default=30,
        ge=1,
        le=300,
        description="How long a stopping executor lets runs finish before they are told to stop.",
    )
    executor_concurrency: int = Field(
        default=32, ge=1, le=256, description="Runs a local executor runs at once."
    )
    history_days: int = Field(
        default=7,
        ge=0,
        le=3650,
        description="Days a run is kept after its end (0: for ever) unless its job says.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Level of the logs."
    )
    published_types: Annotated[str, AfterValidator(_types)] = Field(
        default="*", max_length=1000, description="Event types published: `*` or a list separated by commas."
    )
    definitions_table: str = Field(default="", description="Name of the definitions table; set by the stack.")
    runs_table: str = Field(default="", description="Name of the runs table; set by the stack.")
    coordination_table: str = Field(
        default="", description="Name of the coordination table; set by the stack."
    )
    standard_queue_url: str = Field(
        default="", description="URL of the standard run queue; set by the stack."
    )
    express_queue_url: str = Field(default="", description="URL of the express run queue; set by the stack.")
    event_bus: str = Field(default="", description="Name of the event bus; set by the stack.")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Return the settings of an environment (default: the process's); raises SettingsError naming the variable."""
        source = os.environ if environment is None else environment
        known = {f"{PREFIX}{name.upper()}": name for name in cls.model_fields}
        for key in source:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.85) if key.startswith(PREFIX) else []
            if key not in known and near:
                raise SettingsError(key, source[key], "is no setting", f"Did you mean {near[0]}?")
        given = {known[key]: value for key, value in source.items() if key in known}
        try:
            return cls(**given)  # type: ignore[arg-type]  # texts of the environment; pydantic converts and checks them
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0])
            raise SettingsError(
                PREFIX + name.upper(),
                given.get(name),
                f"is not accepted ({first['msg']})",
                f"{cls.model_fields[name].description} Unset it for the default.",
            ) from None
