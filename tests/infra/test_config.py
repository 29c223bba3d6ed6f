"""A stage is checked before anything is made: what is wrong is named with its value and a remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from infra.config import STAGES, Stage, StageError, load_stage, parse_stage


def test_a_name_is_a_whole_stage_and_the_safe_one() -> None:
    stage = parse_stage({"name": "prod"})
    assert stage.stack_name == "duetime-prod"
    assert stage.deletion_protection is True
    assert stage.removal == "retain"
    assert stage.allowed_targets == []
    assert stage.jwt is None
    assert (stage.python, stage.architecture, stage.wheels) == ("3.13", "arm64", "lambda")


@pytest.mark.parametrize(
    "fields, field, value, remedy",
    [
        ({"name": "Prod"}, "name", '"Prod"', "pattern"),
        ({"name": "p", "colour": "red"}, "colour", '"red"', "fields are name, region"),
        ({"name": "p", "removal": "burn"}, "removal", '"burn"', "'retain' or 'destroy'"),
        ({"name": "p", "deletion_protection": "no"}, "deletion_protection", '"no"', "boolean"),
        ({"name": "p", "log_days": 31}, "log_days", "31", "1, 3, 5, 7, 14, 30"),
        (
            {"name": "p", "execute": {"concurrency": 1}},
            "execute.concurrency",
            "1",
            "greater than or equal to 2",
        ),
        ({"name": "p", "execute": {"batch": 11}}, "execute.batch", "11", "less than or equal to 10"),
        (
            {"name": "p", "jwt": {"issuer": "login", "audience": ["a"]}},
            "jwt.issuer",
            '"login"',
            "issuer's URL",
        ),
        (
            {"name": "p", "jwt": {"issuer": "https://a", "audience": []}},
            "jwt.audience",
            "[]",
            "at least 1 item",
        ),
        ({"name": "p", "alarm_topic": "pager"}, "alarm_topic", '"pager"', "arn:aws"),
        ({"name": "p", "allowed_targets": ["*"]}, "allowed_targets.0", '"*"', "without wildcards"),
        (
            {"name": "p", "allowed_targets": ["arn:aws:sqs:eu-west-1:111122223333:team-*"]},
            "allowed_targets.0",
            '"arn:aws:sqs:eu-west-1:111122223333:team-*"',
            "without wildcards",
        ),
        ({"name": "p", "settings": {"shard": 4}}, "settings", '{"shard": 4}', "choose from default_zone"),
        ({"name": "p", "settings": {"shards": 0}}, "settings", '{"shards": 0}', "DUETIME_SHARDS"),
        ({"name": "p", "settings": {"default_zone": "Mars/X"}}, "settings", "Mars/X", "DUETIME_DEFAULT_ZONE"),
        (
            {"name": "p", "settings": {"runs_table": "mine"}},
            "settings",
            '{"runs_table": "mine"}',
            "is no setting",
        ),
        ([], "(document)", "[]", "dictionary"),
    ],
)
def test_what_is_wrong_is_named_with_its_value_and_a_remedy(
    fields: Any, field: str, value: str, remedy: str
) -> None:
    with pytest.raises(StageError) as caught:
        parse_stage(fields, "stages/p.json")
    text = str(caught.value)
    assert text.startswith(f"stages/p.json: {field}: ")
    assert value in text
    assert remedy in text
    assert "\n" not in text


@pytest.mark.parametrize("file", sorted(STAGES.glob("*.json")), ids=lambda file: file.stem)
def test_every_stage_in_the_repository_is_legal_and_named_after_its_file(file: Path) -> None:
    assert load_stage(file.stem).name == file.stem


def test_a_stage_is_read_by_path_too(tmp_path: Path) -> None:
    file = tmp_path / "anything.json"
    file.write_text(json.dumps({"name": "here", "settings": {"history_days": 30}}))
    assert load_stage(str(file)) == Stage(name="here", settings={"history_days": 30})


def test_a_missing_stage_names_those_that_are_there() -> None:
    with pytest.raises(StageError, match=r"'nowhere': no file .*nowhere\.json; stages here: .*default"):
        load_stage("nowhere")


def test_a_broken_file_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{\n  "name": \n}')
    with pytest.raises(StageError, match=r"broken\.json: line 3: not JSON"):
        load_stage(str(file))
