"""How schedules, jobs and runs look to a person; all that is shown is in the answer of the control plane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from duetime.cli.output import Output, compact, local_time
from duetime.core.faults import DuetimeError

RUN_COLUMNS: Final = ("id", "job", "kind", "status", "scheduled", "late", "took", "attempt", "result")

_USUAL: Final = {"dst_gap": "skip", "dst_fold": "first"}
"""What a frozen schedule always says and a person need not read."""


def when_text(form: Mapping[str, Any]) -> str:
    """Return a schedule's text form, without what it would do anyway at changes of the clock.

    >>> when_text({"kind": "cron", "cron": "0 9 * * *", "timezone": "UTC", "dst_gap": "skip", "dst_fold": "both"})
    'cron 0 9 * * * tz=UTC fold=both'
    """
    form = {key: value for key, value in form.items() if _USUAL.get(key) != value}
    from duetime.core.schedule import parse_schedule, schedule_text

    try:
        return schedule_text(parse_schedule(form, check_zones=False))
    except DuetimeError:  # a newer control plane knows kinds that this command does not
        return compact(form)


def target_text(target: Mapping[str, Any]) -> str:
    """Return what a target calls.

    >>> target_text({"kind": "python", "name": "heartbeat"})
    'python heartbeat'
    """
    rest = [str(value) for key, value in target.items() if key != "kind"]
    return " ".join([str(target.get("kind")), *rest])


def state_text(answer: Mapping[str, Any], job: Mapping[str, Any] | None) -> str | None:
    """Return where a schedule stands, with the reason where there is one; `job` is the same as a job.

    Without the job it is only known whether it is enabled.
    """
    trigger = (
        None if job is None else next((one for one in job["triggers"] if one["name"] == "default"), None)
    )
    if job is None or trigger is None:
        return None if answer["enabled"] else "not enabled"
    if job["paused"]:
        return f"paused {_paused(job)}"
    if trigger["paused"]:
        return "paused"
    if not trigger["enabled"]:
        return "not enabled"
    state, calendar = trigger["state"], answer["trigger"].get("calendar")
    if state == "error":
        return f"error: {trigger['error']}"
    if calendar is not None and answer["next_due_at"] is None and answer["last_fired_at"] is None:
        return f"never due: calendar {calendar} excludes it"
    return {"complete": "done", "acquired": "running"}.get(state, str(state))


def show_schedule(out: Output, answer: Mapping[str, Any], job: Mapping[str, Any] | None) -> None:
    """Print one schedule, with its state if the same as a job is given."""
    zone = answer["trigger"].get("timezone")
    out.facts(
        {
            "name": answer["name"],
            "when": when_text(answer["trigger"]),
            "calls": target_text(answer["target"]),
            "inputs": compact(answer["inputs"]) if answer["inputs"] else None,
            "state": state_text(answer, job),
            "overlap": answer["on_overlap"],
            "attempts": f"{answer['max_attempts']}, {answer['retry_backoff_secs']} s apart",
            "catch up": answer["catch_up"],
            "next": _both(answer["next_due_at"], zone),
            "last": _both(answer["last_fired_at"], zone),
            "last run": answer["last_run_id"],
        }
    )


def show_job(out: Output, answer: Mapping[str, Any]) -> None:
    """Print one job and its triggers."""
    retry = answer["retry"]
    out.facts(
        {
            "name": answer["name"],
            "description": answer["description"],
            "tags": ", ".join(answer["tags"]),
            "calls": target_text(answer["target"]),
            "data": compact(answer["data"]) if answer["data"] else None,
            "overlap": answer["overlap"],
            "timeout": answer["timeout"],
            "retries": f"{retry['max_retries']}, {retry['backoff']} from {retry['delay']}"
            if retry["max_retries"]
            else "none",
            "source": answer["source"],
            "paused": _paused(answer),
            "next": _both(answer["next_due_at"]),
            "last run": answer["last_run_id"],
        }
    )
    rows = (
        (one["name"], when_text(one["schedule"]), "paused" if one["paused"] else one["state"],
         local_time(one["next_due_at"]), local_time(one["last_fired_at"]), one["error"])
        for one in answer["triggers"]
    )  # fmt: skip
    out.table(("trigger", "when", "state", "next", "last", "error"), rows)


def show_runs(out: Output, runs: Iterable[Mapping[str, Any]]) -> None:
    """Print a table of runs."""
    rows = (
        (one["id"], one["job"], one["kind"], one["status"], local_time(one["scheduled_at"]), _late(one), _took(one),
         one["attempt"], _result(one))
        for one in runs
    )  # fmt: skip
    out.table(RUN_COLUMNS, rows)


def show_run(out: Output, run: Mapping[str, Any]) -> None:
    """Print one run whole."""
    error, covers = run["error"], run["covers"]
    out.facts(
        {
            "id": run["id"],
            "job": run["job"],
            "trigger": run["trigger"],
            "kind": run["kind"],
            "status": run["status"],
            "scheduled": _both(run["scheduled_at"]),
            "started": _both(run["started_at"]),
            "finished": _both(run["finished_at"]),
            "late": _late(run),
            "took": _took(run),
            "attempt": run["attempt"],
            "retry of": run["retry_of"],
            "covers": covers and f"{covers['count']} occurrences, {covers['from']} to {covers['to']}",
            "data": compact(run["data"]) if run["data"] else None,
            "result": None if run["result"] is None else compact(run["result"]),
            "error": error and f"{error['code']}: {error['message']}",
            "reason": run["reason"],
            "instance": run["instance"],
            "tenant": run["tenant"],
        }
    )


def show_warnings(out: Output, answer: Mapping[str, Any]) -> None:
    """Print the warnings of an answer, to stderr."""
    for text in answer.get("warnings") or ():
        out.note(f"warning: {text}")


def _both(text: str | None, zone: str | None = None) -> str | None:
    """Return a time on the clock of `zone` (that of this machine if None) and in UTC, or once where that is the same."""
    shown = local_time(text, zone)
    if text is None or shown is None:
        return None
    second, mark, fraction = text.removesuffix("Z").partition(".")
    place = len(second)
    shown = f"{shown[:place]}{mark}{fraction}{shown[place:]}"
    return shown if shown.endswith(" UTC") else f"{shown}  ({text})"


def _paused(answer: Mapping[str, Any]) -> str | None:
    if not answer["paused"]:
        return None
    note = f": {answer['paused_note']}" if answer["paused_note"] else ""
    return f"by {answer['paused_by']}{note}"


def _late(run: Mapping[str, Any]) -> str | None:
    scheduled, queued = datetime.fromisoformat(run["scheduled_at"]), datetime.fromisoformat(run["queued_at"])
    # Somebody who calls does so at a moment, and the instant of the run is the whole second before.
    return _span(max(scheduled, queued) if run["kind"] == "manual" else scheduled, run["started_at"])


def _took(run: Mapping[str, Any]) -> str | None:
    started = run["started_at"]
    return None if started is None else _span(datetime.fromisoformat(started), run["finished_at"])


def _span(first: datetime, last: str | None) -> str | None:
    """Return the time until a moment of an answer, in milliseconds below ten seconds."""
    if last is None:
        return None
    ms = round((datetime.fromisoformat(last) - first).total_seconds() * 1000)
    return f"{ms} ms" if ms < 10_000 else f"{ms / 1000:.1f} s"


def _result(run: Mapping[str, Any]) -> str | None:
    if run["error"] is not None:
        return f"{run['error']['code']}: {run['error']['message']}"
    if run["reason"] is not None:
        return str(run["reason"])
    return None if run["result"] is None else compact(run["result"])[:100]
