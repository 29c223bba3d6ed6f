"""The settings of one deployment ("stage"), read from a JSON file and checked before anything is synthesized.

Every field has a safe default, so `{"name": "prod"}` is a whole stage: data is kept when the stack goes, history can be
put back to any second, nobody is let in but callers signed with IAM. A wrong value is one `StageError` that names
the field, the value and what to write instead.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from duetime.core.faults import DuetimeError
from duetime.settings import PREFIX, Settings

STAGES = Path(__file__).parent / "stages"

_TARGET_ARN = re.compile(
    r"arn:aws[a-z-]*:(lambda|sqs):[a-z0-9-]+:\d{12}:(function:)?[A-Za-z0-9_.-]+(:[A-Za-z0-9_$-]+)?"
)
_SET_BY_STACK = {"log_level", "event_bus"}
_SETTABLE = [
    name
    for name in Settings.model_fields
    if name not in _SET_BY_STACK and not name.endswith(("_table", "_queue_url"))
]
_LOG_DAYS = (
    1,
    3,
    5,
    7,
    14,
    30,
    60,
    90,
    120,
    150,
    180,
    365,
    400,
    545,
    731,
    1096,
    1827,
    2192,
    2557,
    2922,
    3288,
    3653,
)


class StageError(ValueError):
    """A stage that cannot be deployed; the text names field, value and remedy."""


def _target_arn(value: str) -> str:
    if not _TARGET_ARN.fullmatch(value):
        raise ValueError("write the full ARN of one Lambda function or SQS queue, without wildcards")
    return value


def _log_days(value: int) -> int:
    if value not in _LOG_DAYS:
        raise ValueError(f"choose one of the retentions CloudWatch knows: {', '.join(map(str, _LOG_DAYS))}")
    return value


def _https(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s?#]+", value):
        raise ValueError("write the issuer's URL as it stands in the token's `iss`")
    return value


def _settings(values: dict[str, str | int]) -> dict[str, str | int]:
    for name in values:
        if name not in _SETTABLE:
            raise ValueError(f"{name!r} is no setting; choose from {', '.join(_SETTABLE)}")
    try:
        Settings.from_environment({f"{PREFIX}{name.upper()}": str(value) for name, value in values.items()})
    except DuetimeError as error:
        raise ValueError(str(error)) from None
    return values


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Jwt(_Part):
    """Who may sign callers in: an OIDC issuer and the audiences accepted from it. Without it only IAM callers exist."""

    issuer: Annotated[str, AfterValidator(_https)]
    audience: list[Annotated[str, Field(min_length=1)]] = Field(min_length=1)


class Execute(_Part):
    """Size of the pool that executes runs.

    `concurrency` is the most environments each run queue may use at a time (2 to 1000); `batch` is how many
    runs one environment takes at once; `memory_mb` is shared by the runs of a batch.
    """

    concurrency: int = Field(default=50, ge=2, le=1000)
    batch: int = Field(default=10, ge=1, le=10)
    memory_mb: int = Field(default=512, ge=128, le=10240)


class Throttle(_Part):
    """Most API requests a second in the long run, and at once."""

    rate: int = Field(default=100, ge=1, le=10_000)
    burst: int = Field(default=200, ge=1, le=5_000)


class Stage(_Part):
    """One deployment. `name` becomes part of the stack's name: `duetime-<name>`."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")
    region: str | None = Field(default=None, pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")
    account: str | None = Field(default=None, pattern=r"^\d{12}$")

    deletion_protection: bool = True
    removal: Literal["retain", "destroy"] = "retain"

    architecture: Literal["arm64", "x86_64"] = "arm64"
    python: str = Field(default="3.13", pattern=r"^3\.1[1-9]$")
    wheels: Literal["lambda", "host"] = "lambda"
    """`lambda`: packages built for Lambda's Linux. `host`: for this machine, where an emulator runs the functions."""

    log_days: Annotated[int, AfterValidator(_log_days)] = 30
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    allowed_targets: list[Annotated[str, AfterValidator(_target_arn)]] = []
    """ARNs of the functions and queues that runs may call: the executor's role is granted these and no others."""

    execute: Execute = Execute()
    throttle: Throttle = Throttle()
    jwt: Jwt | None = None
    alarm_topic: str | None = Field(
        default=None, pattern=r"^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]+$"
    )
    archive_days: int | None = Field(default=None, ge=1, le=3650)
    """Keep every event on the bus this long for replay; None = no archive."""

    settings: Annotated[dict[str, str | int], AfterValidator(_settings)] = {}
    """Duetime's own settings (functions/duetime/settings.py), checked here so that no function meets a wrong one."""

    @property
    def stack_name(self) -> str:
        """Name of the CloudFormation stack, `duetime-<name>`."""
        return f"duetime-{self.name}"


def parse_stage(document: Any, source: str = "stage") -> Stage:
    """Check a stage given as parsed JSON; raises `StageError`. Example: `parse_stage({"name": "prod"})`."""
    try:
        return Stage.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "(document)"
        value = json.dumps(first["input"], default=str)[:80]
        known = f"; fields are {', '.join(Stage.model_fields)}" if first["type"] == "extra_forbidden" else ""
        raise StageError(
            f"{source}: {field}: {value}: {first['msg'].removeprefix('Value error, ')}{known}"
        ) from None


def load_stage(name_or_path: str) -> Stage:
    """Read `infra/stages/<name>.json`, or the file itself if the text ends in `.json`; raises `StageError`."""
    path = Path(name_or_path) if name_or_path.endswith(".json") else STAGES / f"{name_or_path}.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        there = ", ".join(sorted(file.stem for file in STAGES.glob("*.json")))
        raise StageError(f"stage: {name_or_path!r}: no file {path}; stages here: {there}") from None
    except json.JSONDecodeError as error:
        raise StageError(f"{path}: line {error.lineno}: not JSON: {error.msg}") from None
    return parse_stage(document, str(path))
