"""Collecting the jobs of a package: order, shared apps, broken modules, names taken twice."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from duetime import App
from duetime.core.faults import DefinitionError, NotFound
from duetime.sdk.registry import Registry, load_jobs

Package = Callable[[dict[str, str]], str]

ONE = """
from duetime import App, every
app = App("{name}")

@app.job("{name}", every("10s"))
def work(): ...
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """Return a maker of packages of one test: module path to source."""
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"jobs_{tmp_path.name.replace('-', '_')}"

    def make(modules: dict[str, str]) -> str:
        for path, source in {"__init__.py": "", **modules}.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source)
        return name

    yield make
    for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[loaded]


def test_every_module_is_imported_by_name_also_in_packages_below(package: Package) -> None:
    found = load_jobs(
        package(
            {
                "b.py": ONE.format(name="bee"),
                "a.py": ONE.format(name="ant"),
                "deep/__init__.py": "",
                "deep/c.py": ONE.format(name="cow"),
                "helper.py": "x = 1",
            }
        )
    )
    assert list(found.jobs) == list(found.handlers) == ["ant", "bee", "cow"]


def test_an_app_shared_by_modules_is_counted_once(package: Package) -> None:
    name = package({"a.py": ONE.format(name="ant")})
    (Path(sys.path[0]) / name / "b.py").write_text(
        f"from {name}.a import app\n@app.handler('extra')\ndef extra(): ...\n"
    )
    assert list(load_jobs(name).handlers) == ["ant", "extra"]


def test_loading_twice_gives_the_same_handlers(package: Package) -> None:
    name = package({"a.py": ONE.format(name="ant")})
    assert load_jobs(name) == load_jobs(name)


@pytest.mark.parametrize(
    "source, said",
    [
        ("import does_not_exist", "ModuleNotFoundError: No module named 'does_not_exist'"),
        ("def broken(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ('from duetime import App\nApp("a").job("a", "every 10x")', "job a.triggers[0].schedule.every"),
    ],
)
def test_a_broken_module_is_one_clear_error_with_its_cause(package: Package, source: str, said: str) -> None:
    name = package({"good.py": ONE.format(name="good"), "bad.py": source})
    with pytest.raises(DefinitionError) as caught:
        load_jobs(name)
    assert str(caught.value).startswith(f"module: '{name}.bad' could not be imported (")
    assert said in str(caught.value)
    assert caught.value.__cause__ is not None


def test_a_package_that_is_not_there_is_named() -> None:
    with pytest.raises(DefinitionError, match="module: 'no_such_jobs' could not be imported"):
        load_jobs("no_such_jobs")


def test_two_modules_cannot_use_one_name(package: Package) -> None:
    name = package({"a.py": ONE.format(name="same"), "b.py": ONE.format(name="same")})
    with pytest.raises(
        DefinitionError, match=rf"'same' is registered twice, by {name}\.a\.work and {name}\.b\.work"
    ):
        load_jobs(name)


def test_an_unknown_handler_is_refused_with_the_nearest_names() -> None:
    app = App("reports")
    app.handler("reports.nightly")(lambda: None)
    with pytest.raises(NotFound, match=r"Did you mean reports\.nightly\?") as caught:
        Registry.of(app).handler("reports.nightli")
    assert (caught.value.code, caught.value.status) == ("NOT_FOUND_HANDLER", 422)
    with pytest.raises(NotFound, match="Register it with"):
        Registry().handler("anything")


def test_the_samples_that_ship_are_two_and_load() -> None:
    samples = load_jobs("jobs")
    assert set(samples.jobs) == {"heartbeat", "minute-report"}
