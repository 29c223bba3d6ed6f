"""The state machines of runs and triggers, as data.

One table of named, guarded transitions drives the stores (each transition is one method of that name), the diagrams in
docs/design.md and the tests. A transition fires only from one of its source states and only while its guard holds;
whoever comes too late gets None and changes nothing.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

RunState = Literal["queued", "running", "succeeded", "failed", "canceled", "lost", "skipped", "superseded"]
TriggerState = Literal["waiting", "acquired", "paused", "complete", "error"]

ENDED: Final[frozenset[str]] = frozenset({"succeeded", "failed", "canceled", "lost", "skipped", "superseded"})
"""Run states nothing leaves."""


class Transition(NamedTuple):
    """One edge: its name, where it starts (empty: the row is new), where it ends, what the write is conditioned on."""

    name: str
    sources: tuple[str, ...]
    target: str
    guard: str


RUN_TRANSITIONS: Final = (
    Transition("enqueue_run", (), "queued", "no row has this id"),
    Transition("record_skip", (), "skipped", "no row has this id"),
    Transition("watch_run", ("queued",), "queued", "state is queued and the revision is the one read"),
    Transition("begin_run", ("queued",), "running", "state is queued"),
    Transition("supersede_run", ("queued",), "superseded", "state is queued"),
    Transition("skip_run", ("queued",), "skipped", "state is queued"),
    Transition("abandon_start", ("queued",), "lost", "state is queued and the revision is the one read"),
    Transition("guard_run", ("running",), "running", "state is running and the fence is the one read"),
    Transition(
        "withdraw_run", ("running",), "superseded", "state is running and the fence is the beginner's"
    ),
    Transition("succeed_run", ("running",), "succeeded", "state is running and the fence is the beginner's"),
    Transition("fail_run", ("running",), "failed", "state is running and the fence is the beginner's"),
    Transition("cancel_run", ("running",), "canceled", "state is running and the fence is the beginner's"),
    Transition("lose_run", ("running",), "lost", "state is running, fence and lease end are the ones read"),
)
"""Every way a run changes. `settle_run` (below) clears the follow-up mark of an ended run and changes no state."""

TRIGGER_TRANSITIONS: Final = (
    Transition("arm_trigger", (), "waiting", "written with its job in one transaction"),
    Transition("advance_trigger", ("waiting",), "waiting", "the revision is the one read"),
    Transition("acquire_trigger", ("waiting",), "acquired", "the revision is the one read"),
    Transition("complete_trigger", ("waiting", "acquired"), "complete", "the revision is the one read"),
    Transition(
        "rearm_trigger",
        ("acquired",),
        "waiting",
        "the outstanding run is this one, the revision the one read",
    ),
    Transition(
        "extend_trigger", ("acquired",), "acquired", "state is acquired and the outstanding run is this one"
    ),
    Transition("fault_trigger", ("waiting", "acquired"), "error", "the revision is the one read"),
    Transition(
        "pause_trigger", ("waiting", "acquired", "error"), "paused", "written with its job in one transaction"
    ),
    Transition(
        "resume_trigger",
        ("paused", "complete", "error"),
        "waiting",
        "written with its job in one transaction",
    ),
)


def sources_of(name: str) -> tuple[str, ...]:
    """Return the states that the transition of this name may start from.

    >>> sources_of("begin_run")
    ('queued',)
    """
    return next(one.sources for one in RUN_TRANSITIONS + TRIGGER_TRANSITIONS if one.name == name)


def diagram(transitions: tuple[Transition, ...]) -> str:
    """Return a Mermaid state diagram of a table of transitions."""
    ended = sorted(
        {one.target for one in transitions} - {state for one in transitions for state in one.sources}
    )
    lines = ["stateDiagram-v2"]
    for one in transitions:
        lines += [f"    {source} --> {one.target}: {one.name}" for source in one.sources or ("[*]",)]
    return "\n".join(lines + [f"    {state} --> [*]" for state in ended])
