"""A job as a store keeps it: the definition and what the scheduler itself knows of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from duetime.core.definition import Job


@dataclass(frozen=True, slots=True)
class Armed:
    """What a job's row knows of one of its triggers: the identity its runs were made under.

    `floor` (UTC epoch seconds) is when it was last resumed without its misses: what was due before then does not start.
    """

    generation: str
    anchor: int
    ordinal: int
    paused: bool = False
    floor: int = 0
    again: int = 0
    again_from: int = 0
    again_until: int = 0


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job as stored: its definition, its generation `uid`, its `version`, who paused it and why."""

    project: str
    job: Job
    uid: str
    version: int
    armed: Mapping[str, Armed]
    created_ms: int
    updated_ms: int
    paused: bool = False
    paused_by: str | None = None
    paused_note: str | None = None
    source: str = "runtime"
    fingerprint: str | None = None
