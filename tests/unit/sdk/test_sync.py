"""Code jobs meet the store: new, unchanged, changed, edited at run time, deleted, gone, wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from duetime import App, every, trigger
from duetime.clock import ManualClock
from duetime.core.definition import parse_job
from duetime.core.faults import DuetimeError
from duetime.engine.context import Engine
from duetime.engine.manage import delete_job, put_job
from duetime.engine.pauses import pause_job, pause_trigger
from duetime.engine.query import status
from duetime.engine.sync import SyncReport, fingerprint, sync
from duetime.local.queue import LocalQueue
from duetime.sdk.registry import Registry
from duetime.settings import Settings
from duetime.store.memory import MemoryStore
from duetime.targets.table import target_table

NOW_MS = 1_800_000_000_000


def work() -> None:
    """A handler that does nothing."""


def code(*jobs: Callable[[App], Any]) -> Registry:
    """Return a registry of one app, made by some registrations."""
    app = App("code")
    for register in jobs:
        register(app)
    return Registry.of(app)


def nightly(*schedules: Any, **policies: Any) -> Callable[[App], Any]:
    return lambda app: app.job("nightly", *(schedules or (every("10m"),)), **policies)(work)


def other(app: App) -> None:
    app.job("other", every("1h"))(work)


class World:
    """An engine on the memory store whose handlers are those of the code synced last."""

    def __init__(self) -> None:
        self.clock = ManualClock(NOW_MS)
        self.store = MemoryStore(self.clock)
        self.engine = self._with(Registry())

    def _with(self, registry: Registry) -> Engine:
        queue = LocalQueue(self.clock)
        return Engine(
            self.store,
            queue,
            target_table(registry, self.clock),
            self.clock,
            Settings.from_environment({}),
            "test",
        )

    def sync(self, registry: Registry) -> SyncReport:
        self.engine = self._with(registry)
        return sync(self.engine, "default", registry)

    def edit(self, **changed: Any) -> None:
        """Change the job nightly as the API would."""
        document = {"name": "nightly", "target": {"kind": "python", "name": "nightly"}, **changed}
        put_job(self.engine, "default", parse_job(document), who="someone")


@pytest.fixture
def world() -> World:
    """An empty project."""
    return World()


def test_new_code_jobs_are_put_and_armed(world: World) -> None:
    report = world.sync(code(nightly(), other))
    found = status(world.engine, "default", "nightly")
    assert report == SyncReport(created=("nightly", "other"))
    assert (found.stored.source, found.stored.fingerprint) == ("code", fingerprint(found.stored.job))
    assert found.next_due_at == NOW_MS // 1000 + 600


def test_the_same_code_changes_nothing(world: World) -> None:
    world.sync(code(nightly(), other))
    before = world.store.get_job("default", "nightly")
    world.clock.advance_ms(3_000)
    assert world.sync(code(nightly(), other)) == SyncReport(unchanged=("nightly", "other"))
    assert world.store.get_job("default", "nightly") == before


def test_changed_code_replaces_and_keeps_pause_and_progress_of_same_named_triggers(world: World) -> None:
    both = (trigger("a", "every 10m"), trigger("b", "every 1h"))
    world.sync(code(nightly(*both)))
    pause_trigger(world.engine, "default", "nightly", "b", who="someone")
    due = {row.name: row.due_at for row in status(world.engine, "default", "nightly").triggers}
    world.clock.advance_ms(60_000)
    report = world.sync(code(nightly(*both, trigger("c", "every 1d"), timeout="1m")))
    found = status(world.engine, "default", "nightly")
    rows = {row.name: row for row in found.triggers}
    assert report == SyncReport(updated=("nightly",))
    assert found.stored.job.timeout == 60
    assert rows["a"].due_at == due["a"]
    assert found.stored.armed["b"].paused
    assert (rows["b"].state, rows["c"].state) == ("paused", "waiting")


def test_a_pause_survives_changed_code(world: World) -> None:
    world.sync(code(nightly()))
    pause_job(world.engine, "default", "nightly", who="someone", note="maintenance")
    world.sync(code(nightly(timeout="1m")))
    stored = world.store.get_job("default", "nightly")
    assert stored is not None
    assert (stored.paused, stored.paused_by, stored.paused_note) == (True, "someone", "maintenance")


def test_an_edit_at_run_time_survives_the_same_code(world: World) -> None:
    world.sync(code(nightly()))
    world.edit(triggers=[{"schedule": "every 2h"}])
    assert world.sync(code(nightly())) == SyncReport(overridden=("nightly",))
    stored = world.store.get_job("default", "nightly")
    assert stored is not None
    assert stored.source == "overridden"
    assert stored.job.triggers[0].schedule.kind == "interval"
    assert status(world.engine, "default", "nightly").next_due_at == NOW_MS // 1000 + 7200


def test_changed_code_wins_over_an_edit_with_a_warning(world: World) -> None:
    world.sync(code(nightly()))
    world.edit(triggers=[{"schedule": "every 2h"}])
    report = world.sync(code(nightly(timeout="1m")))
    stored = world.store.get_job("default", "nightly")
    assert stored is not None
    assert report.updated == ("nightly",)
    assert report.warnings == ("nightly: its code has changed and replaces what was edited at run time.",)
    assert (stored.source, stored.job.timeout) == ("code", 60)
    assert world.sync(code(nightly(timeout="1m"))) == SyncReport(unchanged=("nightly",))


def test_code_takes_over_a_job_made_at_run_time_with_a_warning(world: World) -> None:
    world.engine = world._with(code(nightly()))
    world.edit(triggers=[{"schedule": "every 2h"}])
    report = world.sync(code(nightly()))
    stored = world.store.get_job("default", "nightly")
    assert stored is not None
    assert report.warnings == ("nightly: a job of this name was made at run time; code replaces it.",)
    assert stored.source == "code"


def test_a_deleted_code_job_returns(world: World) -> None:
    world.sync(code(nightly()))
    delete_job(world.engine, "default", "nightly", who="someone")
    assert world.sync(code(nightly())) == SyncReport(created=("nightly",))


def test_jobs_gone_from_code_are_reported_and_stay(world: World) -> None:
    world.sync(code(nightly(), other))
    world.edit(triggers=[{"schedule": "every 2h"}])
    put_job(
        world.engine,
        "default",
        parse_job({"name": "by-hand", "target": {"kind": "python", "name": "nightly"}}),
        who="someone",
    )
    report = world.sync(code(lambda app: app.handler("anything")(work)))
    assert report.gone == ("nightly", "other")
    assert report.warnings == tuple(
        f"{name}: its code is gone; delete the job or bring the code back." for name in ("nightly", "other")
    )
    assert world.store.get_job("default", "nightly") is not None


def test_a_relative_once_is_armed_once_however_often_it_is_deployed(world: World) -> None:
    world.sync(code(nightly("once in 10m")))
    world.clock.advance_ms(3_600_000)
    assert world.sync(code(nightly("once in 10m"))) == SyncReport(unchanged=("nightly",))
    assert status(world.engine, "default", "nightly").next_due_at == NOW_MS // 1000 + 600


def test_what_cannot_be_taken_is_one_error_naming_the_job_and_nothing_is_written(world: World) -> None:
    wrong = code(other, nightly(every("10m", end_at="2020-01-01T00:00:00Z")))
    with pytest.raises(
        DuetimeError, match=r"job nightly\.triggers\[0\]\.schedule\.end_at: '2020-01-01T00:00:00Z'"
    ):
        world.sync(wrong)
    assert world.store.list_jobs("default", prefix="", limit=10, cursor=None).items == ()


def test_a_warning_of_the_core_reaches_the_report(world: World) -> None:
    report = world.sync(code(nightly("0/90 * * * *")))
    assert len(report.warnings) == 1
    assert report.warnings[0].startswith("nightly: ")
