"""Promises about the deployed code: it is all of functions/ that can run there, and all that it needs is beside it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from infra.components.bundle import FUNCTIONS, LEFT_OUT, BundleError, Platform, build, dependencies

LAMBDA = Platform()
HOST = Platform(wheels="host")
# Linux on 64-bit Arm, as `e_machine` of an ELF file's header says.
AARCH64 = 0xB7

IMPORT_ALL = """
import importlib, pkgutil, sys
bundle = sys.argv[1]
sys.path.insert(0, bundle)
names = []
for top in ("handlers", "jobs", "duetime"):
    package = importlib.import_module(top)
    names += [top, *(each.name for each in pkgutil.walk_packages(package.__path__, f"{top}."))]
for name in names:
    importlib.import_module(name)
standard = importlib.import_module("os").__file__.rsplit("/", 1)[0]
foreign = sorted(
    f"{name}: {file}"
    for name, module in sys.modules.items()
    if (file := getattr(module, "__file__", None)) and not file.startswith((bundle, standard))
)
assert not foreign, foreign
assert not [path for path in sys.path if "site-packages" in path], sys.path
print(len(names))
"""


def distributions(folder: Path) -> dict[str, Distribution]:
    return {
        canonicalize_name(file.name.split("-")[0]): PathDistribution(file)
        for file in folder.glob("*.dist-info")
    }


def test_every_module_imports_from_the_bundle_alone() -> None:
    bundle = build(HOST)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", "-c", IMPORT_ALL, str(bundle.path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": os.defpath, "AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "eu-west-1"},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 10


def test_the_import_test_would_notice_a_missing_package(tmp_path: Path) -> None:
    for package in ("handlers", "jobs", "duetime"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("import boto3" if package == "duetime" else "")
    command = [sys.executable, "-I", "-S", "-c", IMPORT_ALL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "No module named 'boto3'" in done.stderr


@pytest.mark.parametrize("platform", [LAMBDA, HOST], ids=["lambda", "host"])
def test_every_requirement_of_every_package_is_in_the_bundle(platform: Platform) -> None:
    found = distributions(dependencies(platform))
    environment: dict[str, str | set[str]] = {"extra": ""}
    if platform.wheels == "lambda":
        environment |= {
            "python_version": platform.python,
            "python_full_version": f"{platform.python}.0",
            "platform_machine": "aarch64",
            "sys_platform": "linux",
        }
    missing = []
    for name, distribution in found.items():
        for requirement in map(Requirement, distribution.requires or []):
            if requirement.marker and not requirement.marker.evaluate(environment):
                continue
            there = found.get(canonicalize_name(requirement.name))
            if there is None or not requirement.specifier.contains(there.version, prereleases=True):
                missing.append(f"{name} needs {requirement}")
    assert missing == []
    assert {"boto3", "pydantic", "aws-lambda-powertools", "tzdata"} <= set(found)


def test_compiled_files_are_built_for_the_python_and_processor_of_the_stage() -> None:
    compiled = [file for file in dependencies(LAMBDA).rglob("*.so*") if file.is_file()]
    assert compiled
    for file in compiled:
        header = file.read_bytes()[:20]
        assert header[:4] == b"\x7fELF"
        assert int.from_bytes(header[18:20], "little") == AARCH64, file.name
        assert "cpython-313-" in file.name or ".abi3." in file.name, file.name


def tree(folder: Path) -> Path:
    """A small functions/ to bundle: one handler, and what must not be deployed."""
    for name, text in {
        "handlers/tick.py": "def handler(event, context): ...\n",
        "handlers/__pycache__/tick.cpython-313.pyc": "",
        "duetime/cli/main.py": "import typer\n",
        "duetime/local/server.py": "import httpx\n",
        "duetime/client.py": "",
        ".hidden/notes.txt": "",
        "requirements.txt": "",
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def test_command_line_local_server_and_leftovers_stay_at_home(tmp_path: Path) -> None:
    bundle = build(HOST, tree(tmp_path / "functions"), tmp_path / "cache")
    files = {file.relative_to(bundle.path).as_posix() for file in bundle.path.rglob("*") if file.is_file()}
    sources = {file for file in files if "__pycache__" not in file}
    assert sources == {"handlers/tick.py", "duetime/client.py", "requirements.txt"}
    assert len(files - sources) == 2


@pytest.mark.parametrize("python, compiled", [("3.99", 0), (f"3.{sys.version_info.minor}", 2)])
def test_bytecode_is_made_only_by_the_python_that_will_run_it(
    tmp_path: Path, python: str, compiled: int
) -> None:
    bundle = build(Platform(python=python), tree(tmp_path / "functions"), tmp_path / "cache")
    assert len(list(bundle.path.rglob("*.pyc"))) == compiled


def test_bytecode_says_nothing_of_this_machine(tmp_path: Path) -> None:
    bundle = build(HOST, tree(tmp_path / "functions"), tmp_path / "cache")
    assert [file for file in bundle.path.rglob("*.pyc") if str(tmp_path).encode() in file.read_bytes()] == []


def test_nothing_deployed_imports_what_stays_at_home() -> None:
    homes = [folder.replace("/", ".") for folder in LEFT_OUT]
    for file in FUNCTIONS.rglob("*.py"):
        if not file.relative_to(FUNCTIONS).as_posix().startswith(LEFT_OUT):
            text = file.read_text()
            assert not any(f"from {home}" in text or f"import {home}" in text for home in homes), file.name


def test_the_same_sources_are_the_same_bundle_and_a_change_is_another(tmp_path: Path) -> None:
    functions, cache = tree(tmp_path / "functions"), tmp_path / "cache"
    first = build(HOST, functions, cache)
    assert build(HOST, functions, cache) == first
    assert build(HOST, functions, tmp_path / "elsewhere").digest == first.digest
    (functions / "handlers" / "tick.py").write_text("def handler(event, context): return 1\n")
    second = build(HOST, functions, cache)
    assert second.digest != first.digest
    assert (first.path / "handlers" / "tick.py").read_text() != (
        second.path / "handlers" / "tick.py"
    ).read_text()
    assert not list(cache.glob(".draft-*"))


def wheel(folder: Path) -> Path:
    """The smallest wheel that pip installs."""
    file = folder / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
        archive.writestr(
            "tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny-1.dist-info/RECORD", "")
    return file


def test_a_package_is_taken_by_its_hash_or_not_at_all(tmp_path: Path) -> None:
    functions, package = tree(tmp_path / "functions"), wheel(tmp_path)
    requirements = functions / "requirements.txt"
    wrong, right = "0" * 64, hashlib.sha256(package.read_bytes()).hexdigest()
    requirements.write_text(f"tiny @ {package.as_uri()} --hash=sha256:{wrong}\n")
    with pytest.raises(BundleError, match=r"(?s)requirements\.txt.*DO NOT MATCH THE HASHES"):
        build(HOST, functions, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []
    requirements.write_text(f"tiny @ {package.as_uri()} --hash=sha256:{right}\n")
    assert (build(HOST, functions, tmp_path / "cache").path / "tiny.py").exists()
