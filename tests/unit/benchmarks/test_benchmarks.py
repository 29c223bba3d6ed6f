"""The benchmarks themselves, small: real and naive tick leave the same behind, counts are those of the calls, aims are told."""

from __future__ import annotations

from collections import Counter
from typing import Any

import boto3
import pytest
from moto import mock_aws

from benchmarks import measure, units
from benchmarks.aws.transport import REGION, Aws
from benchmarks.naive import naive_tick
from benchmarks.report import Aim, Report
from benchmarks.scene import Scene, fill, make_scene
from duetime.clock import ManualClock
from duetime.contracts.message import read_message
from duetime.engine.execute import execute
from duetime.engine.stop import Stop
from duetime.engine.tick import tick
from tests.contract.units import UnitMeter

ASIDE = ("write_id", "queued_ms")


def rows(scene: Scene) -> list[dict[str, Any]]:
    """Return every row of the definitions and the runs, without what differs from one claim to the next."""
    tables = scene.aws.dynamodb.tables
    kept = [
        row.item for name in (scene.definitions, "duetime-runs") for row in tables[name].scan(None, None).rows
    ]
    return [{name: value for name, value in item.items() if name not in ASIDE} for item in kept]


def a_scene(clock: ManualClock | None = None, *, plain: bool = False) -> Scene:
    scene = make_scene(pause=0, clock=clock or ManualClock(1_800_000_000_000), threads=1, plain=plain)
    fill(scene, 30, 40)
    return scene


def test_real_and_naive_tick_leave_the_same_behind() -> None:
    real, naive = a_scene(), a_scene()
    report = tick(real.engine)
    assert (report.claimed.runs, report.claimed.triggers, naive_tick(naive)) == (30, 30, 30)
    assert rows(real) == rows(naive)
    assert sorted(body for _, body, _ in real.aws.sqs.sent) == sorted(
        body for _, body, _ in naive.aws.sqs.sent
    )
    assert len(rows(real)) == 40 + 40 + 30


def test_a_tick_that_finds_nothing_calls_no_more_often_when_more_is_stored() -> None:
    small, large = measure.measure(0, 10), measure.measure(0, 300)
    assert small.calls == large.calls == Counter({"Query": 9, "UpdateItem": 2})
    assert small.reads == large.reads


def test_the_calls_of_a_tick_are_two_a_run_and_one_for_ten_messages() -> None:
    found = measure.measure(50, 60)
    assert found.calls == Counter({"PutItem": 50, "UpdateItem": 52, "Query": 9, "SendMessageBatch": 5})
    # Each run: 3 for its row and indexes, 3 for the trigger; the lease: 1 to take it, 1 to give it back.
    assert found.writes == 50 * 6 + 2
    assert 0 < found.busy < found.processor


def test_a_naive_tick_is_reckoned_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SAMPLE", 4)
    found = measure.measure_naive(20, 30)
    assert found.calls == Counter({"Scan": 1, "PutItem": 20, "UpdateItem": 20, "SendMessage": 20})
    assert found.writes == 20 * 6
    assert found.wall > 20 * 3 * 0.005


@pytest.mark.parametrize("overlap, wanted", [("parallel", 9), ("skip", 11)])
def test_write_units_from_claim_to_history(
    overlap: str, wanted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(units, "RUNS", 5)
    for claim in (lambda scene: tick(scene.engine), naive_tick):
        counted = units.write_units(claim, overlap)
        assert sum(counted[step] for step in units.STEPS) == 5 * wanted


def test_the_stand_in_counts_units_as_the_meter_does() -> None:
    clock = ManualClock(1_800_000_000_000)
    scene = a_scene(clock, plain=True)
    before, meter = scene.aws.dynamodb.write_units, UnitMeter(scene.dynamodb)
    tick(scene.engine)
    tick(scene.engine)
    clock.advance_ms(120_000)
    for body in [body for _, body, _ in scene.aws.sqs.sent]:
        for _ in range(2):
            execute(scene.engine, read_message(body), deadline_ms=clock.now_ms() + 900_000, stop=Stop())
    assert meter.total.writes == scene.aws.dynamodb.write_units - before > 30 * 8


def test_a_missed_aim_is_told_twice_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.aim(Aim("dispatches a second", 650.4, 700, at_least=True))
    report.aim(Aim("calls", 10, 25))
    report.close(1)
    said = capsys.readouterr().out
    assert said.count("at least 700: 650, MISSED") == 2
    assert said.count("at most 25: 10, met") == 1
    assert "1 of 2 aims met" in said


def test_messages_are_answered_as_moto_answers_them() -> None:
    entries: list[Any] = [{"Id": str(n), "MessageBody": f"über {n}", "DelaySeconds": n} for n in range(10)]
    ours = Aws().client("sqs")
    with mock_aws():
        theirs = boto3.client("sqs", REGION, aws_access_key_id="invented", aws_secret_access_key="invented")
        url = theirs.create_queue(QueueName="standard")["QueueUrl"]
        wanted: list[Any] = [
            theirs.send_message_batch(QueueUrl=url, Entries=entries),
            theirs.send_message(QueueUrl=url, MessageBody="one", DelaySeconds=900),
        ]
    found: list[Any] = [
        ours.send_message_batch(QueueUrl=url, Entries=entries),
        ours.send_message(QueueUrl=url, MessageBody="one", DelaySeconds=900),
    ]
    assert [_told(one) for one in found] == [_told(one) for one in wanted]


def _told(answer: dict[str, Any]) -> Any:
    """Return an answer without what is new each time, and without what only one of them mentions."""
    if "Successful" not in answer:
        return answer["MD5OfMessageBody"]
    return [(one["Id"], one["MD5OfMessageBody"]) for one in answer["Successful"]], answer.get("Failed", [])
