"""The targets of a deployment: which kinds there are, what is refused at write, what is loaded when."""

from __future__ import annotations

import subprocess
import sys

import pytest

from duetime import App
from duetime.clock import SystemClock
from duetime.core.faults import NotFound, TargetError
from duetime.core.target import parse_target
from duetime.ports import Targets
from duetime.sdk.registry import Registry
from duetime.targets.table import target_table


def test_the_kinds_of_this_release_are_delivered_and_no_other() -> None:
    targets: Targets = target_table(Registry(), SystemClock())
    assert list(targets.kinds()) == ["python", "lambda", "sqs"]
    assert [targets[kind].kind for kind in targets.kinds()] == ["python", "lambda", "sqs"]
    assert targets["lambda"] is targets["lambda"]
    with pytest.raises(
        TargetError, match=r"target\.kind: 'http' is not delivered here\. Use one of python, lambda, sqs"
    ):
        _ = targets["http"]


def test_only_what_could_be_called_passes_the_check() -> None:
    app = App("tests")
    app.handler("known")(lambda: None)
    targets = target_table(Registry.of(app), SystemClock())
    targets.check(parse_target({"kind": "python", "name": "known"}))
    targets.check(
        parse_target({"kind": "lambda", "arn": "arn:aws:lambda:eu-west-1:111122223333:function:report"})
    )
    targets.check(parse_target({"kind": "sqs", "arn": "arn:aws:sqs:eu-west-1:111122223333:jobs"}))
    with pytest.raises(NotFound) as caught:
        targets.check(parse_target({"kind": "python", "name": "unknown"}))
    assert (caught.value.code, caught.value.status) == ("NOT_FOUND_HANDLER", 422)


def test_a_host_that_never_leaves_python_loads_no_aws() -> None:
    script = (
        "import sys; from duetime.clock import SystemClock; from duetime.sdk.registry import Registry; "
        "from duetime.targets.table import target_table; "
        "target_table(Registry(), SystemClock())['python']; "
        "print([n for n in ('boto3', 'botocore') if n in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
