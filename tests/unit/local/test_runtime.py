"""The scheduler in one process, on the real clock: each test takes a few seconds at most."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from duetime.bus.memory import MemoryBus
from duetime.clock import SystemClock
from duetime.core.definition import parse_job
from duetime.core.exchange import Change, Dispatch
from duetime.core.faults import Unavailable
from duetime.core.run import Run
from duetime.engine.call import enqueue
from duetime.engine.manage import put_job
from duetime.engine.pauses import pause_job
from duetime.local.runtime import Runtime, local_runtime
from duetime.sdk import App, RunContext
from duetime.sdk.registry import Registry
from duetime.settings import Settings

CLOCK = SystemClock()


class Seen:
    """What a runtime's listener was told."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self._changed = threading.Condition()

    def changed(self, change: Change) -> None:
        if isinstance(change.after, Run):
            with self._changed:
                self.runs.append(change.after)
                self._changed.notify_all()

    def wait_for(self, condition: Callable[[list[Run]], Any], seconds: float = 15) -> list[Run]:
        with self._changed:
            assert self._changed.wait_for(lambda: condition(self.runs), seconds), [
                run.state for run in self.runs
            ]
            return list(self.runs)


def runtime_of(app: App, **settings: Any) -> tuple[Runtime, Seen]:
    runtime = local_runtime(Registry.of(app), Settings(**settings))
    seen = Seen()
    runtime.on_change(seen.changed)
    return runtime, seen


def in_state(state: str, count: int = 1) -> Callable[[list[Run]], bool]:
    return lambda runs: sum(run.state == state for run in runs) >= count


@pytest.fixture
def app() -> App:
    return App("test")


@pytest.fixture
def stopped() -> Iterator[list[Runtime]]:
    """Runtimes put here are stopped after the test."""
    started: list[Runtime] = []
    yield started
    for runtime in started:
        runtime.stop(0)


def job(name: str, handler: str, schedule: Any = None, **policies: Any) -> Any:
    triggers = [] if schedule is None else [{"schedule": schedule}]
    return parse_job(
        {"name": name, "target": {"kind": "python", "name": handler}, "triggers": triggers, **policies}
    )


def test_a_job_every_second_runs_at_each_instant(app: App, stopped: list[Runtime]) -> None:
    @app.handler("note")
    def note(run: RunContext) -> int:
        return run.attempt

    runtime, seen = runtime_of(app)
    stopped.append(runtime)
    put_job(runtime.engine, "default", job("each", "note", "every 1s aligned"), who="test")
    runtime.start()
    runs = [run for run in seen.wait_for(in_state("succeeded", 3)) if run.state == "succeeded"]
    instants = [run.scheduled_at for run in runs]
    assert instants == list(range(instants[0], instants[0] + len(runs)))
    late_ms = [(run.started_ms or 0) - run.start_at * 1000 for run in runs]
    print(f"late by {late_ms} ms")  # noqa: T201  # a figure to read
    assert all(0 <= late < 1_000 for late in late_ms)


def test_a_once_sooner_than_the_next_tick_runs(app: App, stopped: list[Runtime]) -> None:
    @app.handler("note")
    def note() -> str:
        return "done"

    runtime, seen = runtime_of(app)
    stopped.append(runtime)
    runtime.start()
    put_job(runtime.engine, "default", job("soon", "note", "once in 1s"), who="test")
    run = next(run for run in seen.wait_for(in_state("succeeded")) if run.state == "succeeded")
    assert run.result_json == '"done"'
    assert (run.started_ms or 0) >= run.scheduled_at * 1000


def test_a_pause_holds_back_what_was_sent(app: App, stopped: list[Runtime]) -> None:
    calls: list[str] = []

    @app.handler("note")
    def note(run: RunContext) -> None:
        calls.append(run.id)

    runtime, seen = runtime_of(app)
    stopped.append(runtime)
    runtime.start()
    put_job(runtime.engine, "default", job("soon", "note", "once in 2s"), who="test")
    pause_job(runtime.engine, "default", "soon", who="test")
    seen.wait_for(in_state("superseded"))
    assert calls == []


def test_no_more_runs_at_once_than_the_setting(app: App, stopped: list[Runtime]) -> None:
    lock, now, most = threading.Lock(), [0], [0]

    @app.handler("busy")
    def busy(run: RunContext) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        run.wait(0.1)
        with lock:
            now[0] -= 1

    runtime, seen = runtime_of(app, executor_concurrency=3)
    stopped.append(runtime)
    put_job(runtime.engine, "default", job("busy", "busy", overlap="parallel"), who="test")
    runtime.start()
    for _ in range(9):
        enqueue(runtime.engine, "default", "busy")
    seen.wait_for(in_state("succeeded", 9))
    assert most[0] == 3


def test_changes_are_published_as_the_settings_say(app: App, stopped: list[Runtime]) -> None:
    @app.handler("note")
    def note() -> None:
        return None

    runtime, seen = runtime_of(app, published_types="duetime.run.started,duetime.run.succeeded")
    stopped.append(runtime)
    put_job(runtime.engine, "default", job("soon", "note", "once in 1s"), who="test")
    runtime.start()
    seen.wait_for(in_state("succeeded"))
    assert isinstance(runtime.bus, MemoryBus)
    assert [event["type"] for event in runtime.bus.events()] == [
        "duetime.run.started",
        "duetime.run.succeeded",
    ]


def test_a_stop_lets_a_run_finish(app: App) -> None:
    started = threading.Event()

    @app.handler("slow")
    def slow(run: RunContext) -> str:
        started.set()
        run.wait(0.4)
        return "stopped early" if run.canceled else "finished"

    runtime, seen = runtime_of(app)
    put_job(runtime.engine, "default", job("slow", "slow"), who="test")
    runtime.start()
    enqueue(runtime.engine, "default", "slow")
    assert started.wait(15)
    report = runtime.stop(3_000)
    assert (report.told, report.left) == ((), ())
    assert [(run.state, run.result_json) for run in seen.runs][-1] == ("succeeded", '"finished"')


def test_a_stop_tells_a_run_to_stop_after_the_grace(app: App) -> None:
    started = threading.Event()

    @app.handler("endless")
    def endless(run: RunContext) -> None:
        started.set()
        while not run.wait(1):
            pass
        raise InterruptedError("told to stop")

    runtime, seen = runtime_of(app)
    put_job(runtime.engine, "default", job("endless", "endless"), who="test")
    runtime.start()
    run = enqueue(runtime.engine, "default", "endless")
    assert started.wait(15)
    assert [one.run for one in runtime.running()] == [run.id]
    report = runtime.stop(100)
    assert [one.run for one in report.told] == [run.id]
    assert report.left == ()
    assert (seen.runs[-1].state, seen.runs[-1].reason) == ("canceled", "stopping")


def test_a_stop_leaves_behind_who_does_not_listen(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    started, let_go = threading.Event(), threading.Event()

    @app.handler("deaf")
    def deaf() -> None:
        started.set()
        let_go.wait(10)

    monkeypatch.setattr("duetime.local.runtime.TOLD_MS", 200)
    runtime, _ = runtime_of(app)
    put_job(runtime.engine, "default", job("deaf", "deaf"), who="test")
    runtime.start()
    run = enqueue(runtime.engine, "default", "deaf")
    assert started.wait(15)
    report = runtime.stop(50)
    let_go.set()
    assert [one.run for one in report.told] == [one.run for one in report.left] == [run.id]


def test_a_runtime_that_never_started_stops(app: App) -> None:
    runtime, _ = runtime_of(app)
    assert (runtime.stop().told, runtime.running()) == ((), ())


def test_a_stopped_runtime_begins_nothing(app: App) -> None:
    calls: list[str] = []

    @app.handler("note")
    def note(run: RunContext) -> None:
        calls.append(run.id)

    runtime, _ = runtime_of(app)
    put_job(runtime.engine, "default", job("note", "note"), who="test")
    runtime.start()
    runtime.refuse_work()
    enqueue(runtime.engine, "default", "note")
    CLOCK.sleep_ms(300)
    runtime.stop(0)
    assert calls == []


def test_a_run_that_breaks_outside_its_handler_is_told_and_frees_its_place(
    app: App, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(project: str, run: str) -> Run:
        raise RuntimeError(f"{project} {run}")

    runtime, _ = runtime_of(app, executor_concurrency=1)
    monkeypatch.setattr(runtime.engine.store, "get_run", broken)
    runtime.start()
    now_ms = CLOCK.now_ms()
    runtime.queue.send([Dispatch("default", run, "job", now_ms // 1000) for run in "ab"], now_ms=now_ms)
    while caplog.text.count("broke outside its handler") < 2 and CLOCK.now_ms() < now_ms + 15_000:
        CLOCK.sleep_ms(10)
    runtime.stop(0)
    assert caplog.text.count("broke outside its handler") == 2
    assert runtime.running() == ()


def test_what_was_not_decided_comes_again(
    app: App, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    @app.handler("note")
    def note() -> None:
        return None

    runtime, seen = runtime_of(app)
    monkeypatch.setattr("duetime.local.executors.AGAIN_MS", 50)
    put_job(runtime.engine, "default", job("note", "note"), who="test")
    get_run = runtime.engine.store.get_run
    away = [True, True]

    def sometimes(project: str, run: str) -> Run | None:
        if away:
            away.pop()
            raise Unavailable("store", "memory", "is away", "Try again.")
        return get_run(project, run)

    enqueue(runtime.engine, "default", "note")
    monkeypatch.setattr(runtime.engine.store, "get_run", sometimes)
    runtime.start()
    seen.wait_for(in_state("succeeded"))
    runtime.stop(0)
    assert away == []
