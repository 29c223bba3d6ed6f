"""What `duetime local` shows: where it listens, what runs next, a line for each run that ended, what a stop met.

With `as_json` each of these is one line of JSON on stdout.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from duetime.cli.output import STYLES, Output
from duetime.cli.problems import plain
from duetime.contracts.instants import instant_text, moment_text
from duetime.core.describe import describe
from duetime.core.errors import ScheduleError
from duetime.core.exchange import Change, Dispatch
from duetime.core.run import Run
from duetime.core.schedulekinds import IntervalSchedule
from duetime.engine.occurrences import Calendars
from duetime.engine.query import list_statuses

if TYPE_CHECKING:
    from duetime.core.triggerrow import TriggerRow
    from duetime.engine.context import Engine
    from duetime.local.runtime import StopReport

MOST_SHOWN: Final = 50
MOST_RESULT: Final = 120


class Next(NamedTuple):
    """A trigger and its next instant (UTC epoch seconds), with what its schedule does in words."""

    job: str
    trigger: str
    at: int
    description: str


class Screen:
    """Shows one local server to a person or a program."""

    def __init__(self, out: Output, engine: Engine) -> None:
        self._out, self._engine = out, engine

    def started(self, url: str, project: str) -> None:
        """Say where the API is and what runs next."""
        found = sorted(upcoming(self._engine, project), key=lambda one: one.at)
        if self._out.as_json:
            following = [
                {
                    "job": one.job,
                    "trigger": one.trigger,
                    "at": instant_text(one.at),
                    "description": one.description,
                }
                for one in found
            ]
            self._json("started", url=url, project=project, next=following)
            return
        self._out.line(f"Duetime runs on this machine. API: {url} (OpenAPI: {url}/openapi.json)")
        now_s = self._engine.clock.now_ms() // 1000
        if found:
            rows = [
                (one.job, one.trigger, _local(one.at, now_s), instant_text(one.at), one.description)
                for one in found[:MOST_SHOWN]
            ]
            self._out.table(("job", "trigger", "next, here", "next, UTC", "when"), rows)
        else:
            self._out.line("Nothing is scheduled yet.")
        if len(found) > MOST_SHOWN:
            self._out.line(f"... and {len(found) - MOST_SHOWN} more")
        self._out.line("Each run is a line below when it has ended. Ctrl-C stops.")

    def changed(self, change: Change) -> None:
        """Show a run that has just ended; other changes are no news here."""
        run = change.after
        if (
            isinstance(run, Run)
            and run.ended
            and not (isinstance(change.before, Run) and change.before.ended)
        ):
            self._ended(run)

    def stopping(self, running: Sequence[Dispatch], grace: int) -> None:
        """Say what a stop waits for, `grace` in seconds."""
        if self._out.as_json:
            self._json("stopping", running=[one.run for one in running], grace=grace)
        elif running:
            names = ", ".join(one.job for one in running)
            self._out.line(
                f"Stopping: no new run begins. Waiting up to {grace} s for {names}; Ctrl-C again ends at once."
            )
        else:
            self._out.line("Stopping: no new run begins.")

    def stopped(self, report: StopReport) -> None:
        """Say what was stopped."""
        if self._out.as_json:
            self._json(
                "stopped", told=[one.run for one in report.told], left=[one.run for one in report.left]
            )
            return
        for one in report.told:
            did = (
                "was told to stop and went on: it ended with this process"
                if one in report.left
                else "was told to stop"
            )
            self._out.line(f"{one.job} {did} (run {one.run})")
        self._out.line("Stopped." if report.told else "Stopped; nothing was interrupted.")

    def _ended(self, run: Run) -> None:
        late_ms, took_ms = _late_ms(run), _took_ms(run)
        if self._out.as_json:
            self._json(
                "run", id=run.id, job=run.job, trigger=run.trigger, kind=run.kind, status=run.state, attempt=run.attempt,
                scheduled_at=instant_text(run.scheduled_at), finished_at=moment_text(run.finished_ms), late_ms=late_ms,
                took_ms=took_ms, result=None if run.result_json is None else json.loads(run.result_json),
                error=run.error and {"code": run.error.code, "message": run.error.message}, reason=run.reason,
            )  # fmt: skip
            return
        timing = "" if late_ms is None or took_ms is None else f"  {late_ms} ms late, took {took_ms} ms"
        before, after = f"{_clock(run.finished_ms)}  {run.job}  ", f"{timing}{_what(run)}"
        if not sys.stdout.isatty():
            self._out.line(f"{before}{run.state}{after}")
            return
        from rich.text import Text

        line = Text(plain(before)) + Text(run.state, STYLES.get(run.state, "")) + Text(plain(after))
        self._out.console.print(line, soft_wrap=True)

    def _json(self, what: str, **fields: Any) -> None:
        print(json.dumps({"event": what, **fields}, ensure_ascii=False), flush=True)


def upcoming(engine: Engine, project: str) -> Iterator[Next]:
    """Yield every active trigger with its next instant from now, also where runs before the horizon are queued already."""
    now_s, calendars = engine.clock.now_ms() // 1000, Calendars(engine.store)
    cursor: str | None = None
    while True:
        page = list_statuses(engine, project, limit=200, cursor=cursor)
        for status in page.items:
            for row in status.triggers:
                at = _next_of(row, now_s, calendars)
                if at is not None:
                    yield Next(row.job, row.name, at, describe(row.schedule))
        cursor = page.next
        if cursor is None:
            return


def _next_of(row: TriggerRow, now_s: int, calendars: Calendars) -> int | None:
    if row.state not in ("waiting", "acquired"):
        return None
    if isinstance(row.schedule, IntervalSchedule) and row.schedule.mode == "fixed_delay":
        return row.due_at
    try:
        return calendars.plan(row).next(now_s)
    except ScheduleError:  # its zone or calendar cannot be read: the tick says so of the trigger
        return None


def _late_ms(run: Run) -> int | None:
    if run.started_ms is None:
        return None
    # Somebody who calls does so at a moment, and the instant of the run is the whole second before.
    due_ms = max(run.start_at * 1000, run.queued_ms) if run.kind == "manual" else run.start_at * 1000
    return run.started_ms - due_ms


def _took_ms(run: Run) -> int | None:
    return None if run.started_ms is None or run.finished_ms is None else run.finished_ms - run.started_ms


def _what(run: Run) -> str:
    """Return what came of a run, short."""
    again = f" (attempt {run.attempt})" if run.attempt > 1 else ""
    if run.error is not None:
        return f"{again}: {run.error.code}: {run.error.message}"
    if run.reason is not None:
        return f"{again}: {run.reason}"
    if run.result_json is None:
        return again
    shown = run.result_json if len(run.result_json) <= MOST_RESULT else run.result_json[:MOST_RESULT] + "…"
    return f"{again}  {shown}"


def _local(at: int, now_s: int) -> str:
    """Return an instant as clocks here show it: with its weekday within six days, else with its date."""
    form = "%a %H:%M:%S" if at - now_s < 6 * 86_400 else "%Y-%m-%d %H:%M"
    return datetime.fromtimestamp(at, UTC).astimezone().strftime(form)


def _clock(ms: int | None) -> str:
    moment = datetime.fromtimestamp((ms or 0) / 1000, UTC).astimezone()
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"
