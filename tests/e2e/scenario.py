"""Three minutes in the life of a deployment: what is asked of it through its API, and what it then did.

`watch` creates the schedules, pauses one in the middle, waits, and reads every run back. It asserts nothing: the tests
of test_on_time.py ask what they promise of the `Watched` that it returns.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.e2e.caller import Answer, Caller

HOME = "/iam/projects/default"
SECONDS = 180
PAUSE_AFTER = 70
EVERY_TEN = "cron */10 * * * * *"
SAMPLE = {"kind": "python", "name": "heartbeat"}
FLAKY = {"kind": "python", "name": "minute-report"}


@dataclass(slots=True)
class Watched:
    """What was created (answers by name), when (epoch seconds), and the runs of each, oldest first."""

    created: dict[str, dict[str, Any]] = field(default_factory=dict)
    created_at: dict[str, float] = field(default_factory=dict)
    paused_at: float = 0.0
    until: float = 0.0
    runs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def due(self, name: str, every: int) -> list[int]:
        """Every instant from the first run's on to the end, `every` seconds apart."""
        return list(range(int(epoch(self.runs[name][0]["scheduled_at"])), int(self.until) + 1, every))


def epoch(text: str) -> float:
    """Epoch seconds of an RFC 3339 text."""
    return datetime.fromisoformat(text).astimezone(UTC).timestamp()


def must(answer: Answer, status: int) -> Any:
    """The JSON of an answer that has the status, else an error that shows it."""
    if answer.status != status:
        raise AssertionError(
            f"status {answer.status} instead of {status}: {answer.body.decode(errors='replace')}"
        )
    return answer.json() if answer.body else None


def put(call: Caller, watched: Watched, name: str, trigger: str, target: dict[str, str], **more: Any) -> None:
    """Create a schedule."""
    body = {"name": name, "trigger": trigger, "target": target, "inputs": {}, **more}
    answer = call("POST", f"{HOME}/schedules", body)
    watched.created_at[name] = time.time()
    watched.created[name] = must(answer, 201)


def read_runs(call: Caller, name: str) -> list[dict[str, Any]]:
    """Every run of a schedule, page by page, oldest first."""
    runs: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = must(call("GET", f"{HOME}/schedules/{name}/runs?limit=25{cursor}"), 200)
        runs += page["items"]
        if page["next"] is None:
            return sorted(runs, key=lambda run: (run["scheduled_at"], run["attempt"]))
        cursor = f"&cursor={page['next']}"


def wait_for_runs(call: Caller, job: str, count: int, *, timeout: float) -> list[dict[str, Any]]:
    """Wait until the job has that many succeeded runs; returns what there is when the time is over."""
    until = time.monotonic() + timeout
    while True:
        runs: list[dict[str, Any]] = must(call("GET", f"{HOME}/jobs/{job}/runs?states=succeeded"), 200)[
            "items"
        ]
        if len(runs) >= count or time.monotonic() > until:
            return runs
        time.sleep(1)


def warm_up(call: Caller, *, count: int = 12, timeout: float = 60) -> None:
    """Make the executor run as wide as it will, as it is in a deployment that has been up for a while.

    Starting a process of the emulator takes seconds on a busy machine, which says nothing about the product.
    """
    body = {"target": FLAKY, "overlap": "parallel"}
    must(call("PUT", f"{HOME}/jobs/warm-up", body), 201)
    for _ in range(count):
        must(call("POST", f"{HOME}/jobs/warm-up/enqueue", {"delay": "5s"}), 202)
    runs = wait_for_runs(call, "warm-up", count, timeout=timeout)
    if len(runs) < count:
        raise AssertionError(f"{len(runs)} of {count} enqueued runs succeeded within {timeout:.0f} s")


def watch(call: Caller, allowed_queue: str, refused_queue: str) -> Watched:
    """Create, pause, wait, read back."""
    watched = Watched()
    began = time.monotonic()
    put(call, watched, "every-ten", EVERY_TEN, SAMPLE)
    put(call, watched, "in-twenty", "once in 20s", SAMPLE)
    put(call, watched, "steady", "every 15s", SAMPLE)
    put(call, watched, "halted", EVERY_TEN, SAMPLE)
    flaky = {"inputs": {"failures": 2}, "max_attempts": 3, "retry_backoff_secs": 5}
    put(call, watched, "flaky", "once in 5s", FLAKY, **flaky)
    put(call, watched, "to-queue", "once in 10s", {"kind": "sqs", "arn": allowed_queue}, inputs={"order": 7})
    put(call, watched, "to-refused", "once in 10s", {"kind": "sqs", "arn": refused_queue})
    time.sleep(max(0.0, began + PAUSE_AFTER - time.monotonic()))
    must(call("POST", f"{HOME}/schedules/halted/pause"), 200)
    watched.paused_at = time.time()
    time.sleep(max(0.0, began + SECONDS - time.monotonic()))
    watched.until = time.time()
    # What was due just before the end is given the time to run and be recorded; what is sent ahead for later is left out.
    time.sleep(5)
    for name in watched.created:
        runs = read_runs(call, name)
        watched.runs[name] = [run for run in runs if epoch(run["scheduled_at"]) <= watched.until]
    return watched
