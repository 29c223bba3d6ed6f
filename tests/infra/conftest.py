"""Stacks that the tests share: synthesized once, with a stand-in for the bundle since templates do not depend on it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.infra.made import Made

# The CDK library's engine says at every start that Node.js 20 is old; no test is about that.
# It starts when the library is first imported, hence the late imports below.
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")


@pytest.fixture(scope="session")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("code")
    (folder / "handlers.py").write_text("")
    return folder


@pytest.fixture(scope="session")
def made(code: Path) -> Made:
    """The default stage: what a stranger gets from `cdk deploy`."""
    from tests.infra.made import make

    return make(code)


@pytest.fixture(scope="session")
def full(code: Path) -> Made:
    """A stage that uses every option."""
    from tests.infra.made import make

    options: dict[str, Any] = {
        "allowed_targets": [
            "arn:aws:lambda:eu-west-1:111122223333:function:report",
            "arn:aws:sqs:eu-west-1:111122223333:orders",
        ],
        "jwt": {"issuer": "https://login.example.com/", "audience": ["duetime"]},
        "alarm_topic": "arn:aws:sns:eu-west-1:111122223333:pager",
        "archive_days": 30,
        "deletion_protection": False,
        "removal": "destroy",
        "architecture": "x86_64",
        "python": "3.12",
        "log_days": 7,
        "log_level": "DEBUG",
        "execute": {"concurrency": 7, "batch": 3, "memory_mb": 256},
        "throttle": {"rate": 5, "burst": 9},
        "settings": {"history_days": 30, "default_zone": "Europe/Berlin"},
    }
    return make(code, **options)
