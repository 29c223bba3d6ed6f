"""A sample: every ten seconds one line in the log, with how late it is."""

from typing import Any

from duetime import App, RunContext, every

app = App("heartbeat")


@app.job("heartbeat", every("10s", mode="aligned"), timeout="5s", tags=["sample"])
def heartbeat(run: RunContext) -> dict[str, Any]:
    """Say that the scheduler is alive. The beat is numbered from midnight in UTC."""
    due = int(run.scheduled_at.timestamp())
    late_ms = run.clock.now_ms() - due * 1000
    beat = due % 86_400 // 10
    run.logger.info("beat %s, %s ms after its instant", beat, late_ms)
    return {"beat": beat, "late_ms": late_ms}
