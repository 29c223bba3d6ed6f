"""The rules of the house that no other tool checks: time and chance, pins, paths of a machine, sizes, the Makefile."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.unit.house import ROOT, Pin, outside_names, pins, sources, text_of

FUNCTIONS = ROOT / "functions"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# --- time and chance -----------------------------------------------------------------------------------------------

MAY_READ_THEM = {"duetime/clock.py", "duetime/core/ids.py"}
# A name ending in a dot forbids the whole module.
FORBIDDEN = re.compile(
    r"datetime\.datetime\.(now|utcnow|today)|datetime\.date\.today"
    r"|time\.(time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns|process_time|process_time_ns"
    r"|thread_time|thread_time_ns|clock_gettime|clock_gettime_ns|localtime|gmtime|ctime|sleep|\*)"
    r"|(random|secrets|numpy\.random)(\..*)?|uuid\.uuid(1|4|6|7)|os\.(urandom|getrandom)"
)


def reads_time_or_chance(source: str) -> list[str]:
    return sorted(
        {f"line {line}: {name}" for line, name in outside_names(source) if FORBIDDEN.fullmatch(name)}
    )


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.time()",
        "import time as t\ndef f(): return t.monotonic()",
        "from time import sleep",
        "from time import *",
        "import datetime\ndatetime.datetime.now(datetime.UTC)",
        "from datetime import datetime\nread = datetime.now",
        "from datetime import datetime as dt\ndt.utcnow()",
        "from datetime import date\ndate.today()",
        "def f():\n    import random\n    return random.random()",
        "from random import choice",
        "import secrets",
        "from uuid import uuid4",
        "import uuid\nuuid.uuid1()",
        "import os\nos.urandom(8)",
    ],
)
def test_the_ban_sees_a_reading(source: str) -> None:
    assert reads_time_or_chance(source)


@pytest.mark.parametrize(
    "source",
    [
        "from datetime import datetime, UTC\ndatetime.fromtimestamp(0, UTC)",
        "def f(time): return time.time()",
        "import uuid\nuuid.uuid5(uuid.NAMESPACE_DNS, 'x')",
        "self.clock.now_ms()",
    ],
)
def test_the_ban_lets_values_pass(source: str) -> None:
    assert not reads_time_or_chance(source)


def test_only_the_clock_and_the_ids_read_time_or_chance() -> None:
    found = {
        str(path.relative_to(FUNCTIONS)): readings
        for path in sources(FUNCTIONS, ".py")
        if (readings := reads_time_or_chance(path.read_text(encoding="utf-8")))
    }
    breaches = {name: readings for name, readings in found.items() if name not in MAY_READ_THEM}
    assert not breaches, f"take a Clock or an id as a parameter instead: {breaches}"
    assert set(found) == MAY_READ_THEM, "a file that reads neither any more leaves the list"


# --- sizes ---------------------------------------------------------------------------------------------------------


def test_modules_stay_readable() -> None:
    """Around 250 lines at most, handlers under 40; the slack is for a table or a port that reads as one."""
    long = {}
    for folder in (FUNCTIONS, ROOT / "infra"):
        for path in sources(folder, ".py"):
            limit = 40 if path.parent.name == "handlers" else 320
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > limit:
                long[str(path.relative_to(ROOT))] = f"{lines} lines, at most {limit}: split it"
    assert not long, long


# --- what no file may say ------------------------------------------------------------------------------------------

# Written so that no rule matches its own text.
SOMEBODYS_PATH = re.compile(r"(?<![\w.~$})\]>*/-])/([w]ork|[t]mp|[r]oot|[h]ome|[U]sers)/")
# Put together here, so that this file does not name what no file may name.
_HOSTS = (
    ("py", r"pi\.org"),
    ("python", r"hosted\.org"),
    ("npm", r"js\.(org|com)"),
    ("yarn", r"pkg\.com"),
    ("deb", r"ian\.org"),
)
REGISTRY = re.compile("|".join(map("".join, _HOSTS)))
SECRET = re.compile(r"\b(AKIA|ASIA)(?![0-9A-Z]*EXAMPLE)[0-9A-Z]{16}\b|BEGIN [A-Z ]*PRIVATE KEY")


@pytest.mark.parametrize(
    "rule, breach, fine",
    [
        (
            SOMEBODYS_PATH,
            'open("/work#/main/x")',
            "functions/work/x, https://example.org/home/x, ~/tmp/x, /tmp",
        ),
        (REGISTRY, "--index-url https://pypi#.org/simple", "https://example.org"),
        (SECRET, "key=AKIA#" + "Z" * 16, "AKIA#IOSFODNN7EXAMPLE"),
        (SECRET, "-----BEGIN RSA #PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----"),
    ],
)
def test_the_rule_sees_a_breach(rule: re.Pattern[str], breach: str, fine: str) -> None:
    assert rule.search(breach.replace("#", ""))
    assert not rule.search(fine.replace("#", ""))


def test_no_file_names_a_machine_a_registry_or_a_secret() -> None:
    found = []
    for path in sources():
        for number, line in enumerate((text_of(path) or "").splitlines(), start=1):
            found += [
                f"{path.relative_to(ROOT)}:{number}: {match.group()}"
                for rule in (SOMEBODYS_PATH, REGISTRY, SECRET)
                if (match := rule.search(line))
            ]
    assert not found, found


# --- pins ----------------------------------------------------------------------------------------------------------

CONSTRAINTS = pins(ROOT / "constraints.txt")


def asked(*lists: Iterable[str]) -> list[Requirement]:
    return [Requirement(text) for texts in lists for text in texts]


def names(found: Iterable[Pin]) -> set[str]:
    return {pin.name for pin in found}


def test_every_dependency_is_pinned_with_hashes_within_its_range() -> None:
    wanted = asked(
        PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"].values(),
        *PROJECT["dependency-groups"].values(),
    )
    versions: dict[str, list[str]] = {}
    for pin in CONSTRAINTS:
        versions.setdefault(pin.name, []).append(pin.version)
    for requirement in wanted:
        name = canonicalize_name(requirement.name)
        assert name in versions, f"{name} is asked for and not pinned: run `make pins`"
        assert all(version in requirement.specifier for version in versions[name]), (
            str(requirement),
            versions[name],
        )


@pytest.mark.parametrize("part", ["requirements.txt", "functions/requirements.txt"])
def test_smaller_lists_are_parts_of_the_whole(part: str) -> None:
    assert set(pins(ROOT / part)) <= set(CONSTRAINTS), "run `make pins`"


def test_the_runtime_list_holds_the_runtime() -> None:
    runtime = {
        canonicalize_name(requirement.name) for requirement in asked(PROJECT["project"]["dependencies"])
    }
    assert runtime <= names(pins(ROOT / "requirements.txt"))


def test_the_deployed_list_holds_what_functions_import_and_no_command_line() -> None:
    """It has no markers, so one list serves every interpreter and processor that a stage may choose."""
    deployed = pins(FUNCTIONS / "requirements.txt")
    assert {
        canonicalize_name(requirement.name) for requirement in asked(PROJECT["dependency-groups"]["lambda"])
    } <= names(deployed)
    assert not names(deployed) & {"typer", "rich", "httpx", "holidays"}
    assert not [pin for pin in deployed if pin.marker]


def test_the_emulator_is_pinned_apart() -> None:
    """It pins a botocore of its own, so it may not share an environment with the product."""
    assert {"ministack", "cryptography"} <= names(pins(ROOT / "tests/e2e/emulator-constraints.txt"))
    assert "ministack" not in names(CONSTRAINTS)


def test_the_cdk_command_is_pinned_exactly_and_has_no_lock_file() -> None:
    package = json.loads((ROOT / "infra/package.json").read_text(encoding="utf-8"))
    versions = package.get("dependencies", {}) | package.get("devDependencies", {})
    assert "aws-cdk" in versions
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values()), versions
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert "package-lock.json" in ignored, "a lock file records where packages came from"


# --- commands and settings -----------------------------------------------------------------------------------------


def test_every_command_explains_itself() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert listed is not None
    explained = re.findall(r"^([a-z0-9-]+):.*## \S", makefile, re.MULTILINE)
    assert sorted(explained) == sorted(listed.group(1).split())


def test_no_test_folder_is_forgotten() -> None:
    """Each folder with tests is collected by `make test`, or is the end-to-end test with its own command."""
    collected = [ROOT / folder for folder in PROJECT["tool"]["pytest"]["ini_options"]["testpaths"]]
    collected.append(ROOT / "tests/e2e")
    forgotten = [
        str(path.relative_to(ROOT))
        for path in sources(ROOT / "tests", ".py")
        if path.name.startswith("test_") and not any(path.is_relative_to(folder) for folder in collected)
    ]
    assert not forgotten, f"add their folder to testpaths in pyproject.toml: {forgotten}"


def test_types_of_every_cdk_module_in_use_are_checked() -> None:
    """The type checker skips the CDK modules that nobody uses; one that is used must not be Any unnoticed."""
    followed = {
        module
        for entry in PROJECT["tool"]["mypy"]["overrides"]
        if entry.get("follow_imports") == "normal"
        for module in entry["module"]
    }
    used = {
        match.group()
        for folder in (ROOT / "infra", ROOT / "tests")
        for path in sources(folder, ".py")
        for _, name in outside_names(path.read_text(encoding="utf-8"))
        if (match := re.match(r"aws_cdk\.(aws_[a-z0-9_]+|[a-z][a-z0-9_]*)", name))
    }
    assert used <= followed, f"add to the second aws_cdk list in pyproject.toml: {sorted(used - followed)}"


def test_the_changelog_has_a_place_for_what_comes() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(r"^## Unreleased\n(.+?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    assert section is not None
    assert re.search(r"^- \S", section.group(1), re.MULTILINE), "say what a user sees"


def test_the_licence_is_the_one_declared() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert PROJECT["project"]["license"] == "Apache-2.0"
    assert "Apache License" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
