"""The function that a deployment calls: it syncs the jobs package into the deployed tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from duetime.core.faults import DefinitionError
from handlers import sync
from tests.unit.events.deployed import Context, deployed

CODE = """
from duetime import App, every
app = App("code")

@app.job("nightly", every("1d"), data={"big": 12345678901234567890, "share": 0.1})
def nightly(): ...
"""


def test_a_deployment_syncs_its_code_jobs_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with deployed(monkeypatch, tmp_path) as deployment:
        (tmp_path / "jobs/nightly.py").write_text(CODE)
        store = deployment.engine.store
        first = sync.handler({}, Context())
        again = sync.handler({}, Context())
        stored = store.get_job("default", "nightly")
    del sys.modules["jobs.nightly"]
    assert stored is not None
    assert (stored.source, stored.job.data) == ("code", {"big": 12345678901234567890, "share": 0.1})
    assert (first["created"], again["unchanged"]) == (("nightly",), ("nightly",))
    assert json.loads(json.dumps(again)) == {
        "created": [],
        "updated": [],
        "unchanged": ["nightly"],
        "overridden": [],
        "gone": [],
        "warnings": [],
    }


def test_code_that_cannot_be_loaded_fails_the_deployment_and_says_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with deployed(monkeypatch, tmp_path):
        (tmp_path / "jobs/broken.py").write_text("import does_not_exist")
        with pytest.raises(DefinitionError, match=r"module: 'jobs\.broken' could not be imported"):
            sync.handler({}, Context())
