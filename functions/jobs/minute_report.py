"""A sample: an async job on a cron, with typed data and a retry.

To watch a retry, call it with data of your own: `{"failures": 1}` makes its first attempt fail.
"""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from duetime import App, Fail, RunContext, cron

app = App("reports")


class Report(BaseModel):
    """What a report is made of; data that does not fit fails the run before it starts."""

    title: str = "Orders"
    rows: int = Field(default=3, ge=0, le=1_000_000)
    failures: int = Field(default=0, ge=0, description="How many attempts fail on purpose.")


@app.job(
    "minute-report",
    cron("0 * * * * *", tz="UTC"),
    data={"title": "Orders of the last minute"},
    timeout="20s",
    retry={"max_retries": 2, "delay": "5s", "backoff": "exponential"},
    tags=["sample"],
)
async def minute_report(run: RunContext[Report]) -> dict[str, Any]:
    """Pretend to read a source and to sum it up."""
    if run.attempt <= run.data.failures:
        raise Fail("SOURCE_AWAY", f"The source did not answer attempt {run.attempt}.")
    await asyncio.sleep(0.05)
    run.logger.info("%s: %s rows", run.data.title, run.data.rows)
    return {"title": run.data.title, "rows": run.data.rows, "attempt": run.attempt}
