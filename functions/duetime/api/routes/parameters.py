"""Path and query parameters that several families take."""

from __future__ import annotations

from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from duetime.core.names import NAME_PATTERN, SLUG_PATTERN

PROJECT: Final = "/projects/<project>"

# The patterns are shown, not checked here: the core's refusal of a name says more than a pattern does.
Project = Annotated[
    str, Path(description="Name of the project.", json_schema_extra={"pattern": SLUG_PATTERN})
]
Job = Annotated[str, Path(description="Name of the job.", json_schema_extra={"pattern": NAME_PATTERN})]
TriggerName = Annotated[
    str, Path(description="Name of the trigger.", json_schema_extra={"pattern": NAME_PATTERN})
]
ScheduleName = Annotated[
    str, Path(description="Name of the schedule.", json_schema_extra={"pattern": SLUG_PATTERN})
]
CalendarName = Annotated[
    str, Path(description="Name of the calendar.", json_schema_extra={"pattern": NAME_PATTERN})
]
RunId = Annotated[str, Path(description="Id of the run.")]
DryRun = Annotated[bool, Query(description="Check everything, write nothing; answers 200.")]
Prefix = Annotated[str, Query(description="Only names that begin with this.")]
