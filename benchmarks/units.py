"""Write units of a run from claim to history, counted from the calls, with overlap parallel and with a slot.

Runs go the whole way: a tick claims and sends them, the executor starts them from their messages and records what came of
it. The tick's lease and the noted lag are counted apart, for they cost the same however much is due.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from benchmarks.aws.dynamodb import DynamoDb
from benchmarks.naive import naive_tick
from benchmarks.report import Aim, Report, number, row
from benchmarks.scene import Scene, fill, make_scene
from duetime.clock import ManualClock
from duetime.contracts.message import read_message
from duetime.engine.execute import execute
from duetime.engine.stop import Stop
from duetime.engine.tick import tick

RUNS: Final = 100
STEPS: Final = ("advance_trigger", "enqueue_run", "acquire_slot", "begin_run", "succeed_run", "release_slot")
APART: Final = ("acquire_lease", "release_lease", "report_lag")
AIMS: Final = {"parallel": 9, "skip": 11}
BEGUN_MS: Final = 1_800_000_000_000
LIMIT_MS: Final = 900_000


class MeteredStore:
    """A store whose write units are counted by transition; not for use from several threads."""

    def __init__(self, inner: Any, service: DynamoDb) -> None:
        self.units: Counter[str] = Counter()
        self._inner, self._service = inner, service

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name.startswith(("get_", "due_", "list_", "changed_")) or not callable(found):
            return found
        return self._counted(name, found)

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **given: Any) -> Any:
            before = self._service.write_units
            answer = function(*args, **given)
            self.units[name] += self._service.write_units - before
            return answer

        return call


def write_units(claim: Callable[[Scene], object], overlap: str) -> Counter[str]:
    """Return the write units of RUNS runs, by transition."""
    clock = ManualClock(BEGUN_MS)
    scene = make_scene(pause=0, clock=clock, threads=1)
    fill(scene, RUNS, RUNS, overlap=overlap)
    store: Any = MeteredStore(scene.engine.store, scene.aws.dynamodb)
    scene = replace(scene, engine=replace(scene.engine, store=store))
    claim(scene)
    messages = sorted((read_message(body) for _, body, _ in scene.aws.sqs.sent), key=lambda one: one.start_at)
    assert len(messages) == RUNS
    for message in messages:
        clock.advance_ms(max(0, (message.start_at - 1) * 1000 - clock.now_ms()))
        assert execute(scene.engine, message, deadline_ms=clock.now_ms() + LIMIT_MS, stop=Stop()) == "done"
    assert set(store.units) <= {*STEPS, *APART}, f"a step that is not expected: {store.units}"
    assert store.units["succeed_run"]
    return Counter(store.units)


def run(report: Report) -> None:
    """Print the table and its aims."""
    report.say(f"Write units of a run from claim to history (mean of {RUNS} runs, counted from the calls)")
    report.say(row("overlap", [*STEPS, "sum"]))
    aims: list[Aim] = []
    apart = ""
    for overlap, bound in AIMS.items():
        for name, claim in (("", lambda scene: tick(scene.engine)), (", naive", naive_tick)):
            units = write_units(claim, overlap)
            each = [units[step] / RUNS for step in STEPS]
            report.say(row(overlap + name, [number(one) for one in [*each, sum(each)]]))
            if name:
                continue
            apart = ", ".join(f"{step} {units[step]}" for step in APART)
            aims.append(Aim(f"write units a run with overlap {overlap}", sum(each), bound))
    report.say(f"  and, however much is due: {apart} (report_lag: twice a minute and host)")
    for aim in aims:
        report.aim(aim)
