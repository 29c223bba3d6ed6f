"""Every snippet of the README and the guides is run, and what they show is what is printed.

The deploy snippets need an account: `make e2e` runs them against the emulator (tests/e2e/test_readme.py). Here their words
are checked: the shell reads them, the make targets exist, the stage file is legal. The snippets with a token and with
`--iam` are run against the local server, which asks for neither: that proves the commands, not the door.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetime.core.target import parse_target
from infra.config import parse_stage
from tests.docs.shown import holds, match
from tests.docs.snippets import OWN, PAGES, README, ROOT, Snippet, of_mode, only, snippets
from tests.docs.tour import BIN, SHOWN_URL, Tour

MODES = {
    "deploy", "deployed", "event", "file", "make", "python", "server", "signed", "stage", "subscriber", "targets", "token",
    "tour",
}  # fmt: skip
KEYS = {"AWS_ACCESS_KEY_ID": "invented", "AWS_SECRET_ACCESS_KEY": "invented", "AWS_REGION": "eu-west-1"}
API = "https://a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com"


@pytest.fixture
def tour(tmp_path: Path) -> Iterator[Tour]:
    tour = Tour(tmp_path)
    yield tour
    tour.kill()


def test_every_snippet_says_how_it_is_run() -> None:
    silent = [
        one.where
        for page in OWN
        for one in snippets(page)
        if one.mode.partition(" ")[0] not in MODES and one.language != "mermaid"
    ]
    assert not silent, f"write <!-- run: ... --> above: {silent}"


def test_every_json_of_every_page_is_json() -> None:
    for page in PAGES:
        for one in snippets(page):
            if one.language == "json":
                json.loads(one.text)


@pytest.mark.parametrize("snippet", of_mode("make"), ids=lambda one: one.text.strip())
def test_make_has_these_targets(snippet: Snippet) -> None:
    assert make(snippet.text.split()[1])


def make(*words: str) -> list[str]:
    """Return what make would do."""
    done = subprocess.run(
        ["make", "--dry-run", *words], cwd=ROOT, capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def local_command() -> list[str]:
    """Return the command with which `make run` starts Duetime, on any free port."""
    words = make("run")[-1].split()
    assert words[0] == "exec"
    assert words[1] == ".venv/bin/duetime"
    assert words[2:] == ["local", "--port", SHOWN_URL.rpartition(":")[2]]
    return [str(BIN / "duetime"), "local", "--port", "0"]


def await_lines(tour: Tour, snippet: Snippet, *, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not holds(snippet.text, tour.printed):
        assert time.monotonic() < until, f"{snippet.where} shows other lines than:\n{tour.printed}"
        time.sleep(0.1)


def test_the_server_prints_what_is_shown(tour: Tour) -> None:
    sample, orders = of_mode("server")
    tour.start(local_command())
    await_lines(tour, sample, seconds=30)
    printed = tour.stop()
    assert printed.rstrip().endswith("Stopped; nothing was interrupted.")
    for each in of_mode("file"):
        tour.save(each)
    tour.start(local_command())
    await_lines(tour, orders, seconds=40)


def test_the_tour(tour: Tour) -> None:
    for each in of_mode("file"):
        tour.save(each)
    tour.start(local_command())
    for each in of_mode("tour", "signed", "token"):
        walk(tour, each)


def walk(tour: Tour, snippet: Snippet) -> None:
    """Run one snippet until it prints what is shown, at most as long as it says (`within 15 s`); once otherwise."""
    text = snippet.text.replace(API, SHOWN_URL)
    within = snippet.option("within")
    until = time.monotonic() + (float(within.split()[0]) if within else 0)
    while True:
        printed, status = tour.shell(text, **(KEYS if snippet.mode == "signed" else {}))
        assert status == int(snippet.option("exit") or 0), f"{snippet.where} exited {status}:\n{printed}"
        if snippet.output is None:
            return
        ids = match(snippet.output, printed, exact="exact" in snippet.options)
        if ids is not None:
            tour.learn(ids)
            return
        assert time.monotonic() < until, f"{snippet.where} shows\n{snippet.output}\nbut printed\n{printed}"
        time.sleep(0.5)


@pytest.mark.parametrize("snippet", of_mode("python"), ids=lambda one: one.where)
def test_python_prints_what_is_shown(snippet: Snippet) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", snippet.text],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert snippet.output is not None
    assert match(snippet.output, done.stdout, exact=True) is not None, done.stdout


def test_targets_are_taken() -> None:
    for target in json.loads(only("targets").text):
        parse_target(target)


def test_the_stage_is_legal_and_bears_the_name_of_its_file() -> None:
    stage = parse_stage(json.loads(only("stage").text))
    assert stage.name == "prod"
    text = README.read_text(encoding="utf-8")
    assert f"infra/stages/{stage.name}.json" in text
    assert f"-c stage={stage.name}" in only("deploy").text


def test_the_shell_reads_what_only_the_deploy_runs() -> None:
    for each in of_mode("deploy", "deployed"):
        subprocess.run(["bash", "-n", "-c", each.text], check=True, timeout=10)
    targets = re.findall(r"^make (.+)$", only("deploy").text, re.MULTILINE)
    assert targets
    for each in targets:
        make(*each.split())


def test_the_event_is_the_example_of_its_type() -> None:
    event = json.loads(only("event").text)
    example = ROOT / "events" / "outbound" / f"{event['type']}.example.json"
    assert event == json.loads(example.read_text(encoding="utf-8"))
