"""Three minutes watched: every due instant has exactly one run, on time, and everyone who should know was told."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from duetime.contracts.event import TYPES
from tests.e2e.caller import Caller
from tests.e2e.conftest import REFUSED_QUEUE, TARGET_QUEUE
from tests.e2e.emulator import Emulator
from tests.e2e.scenario import SECONDS, Watched, epoch, warm_up, watch
from tests.e2e.subscriber import Subscriber

LATEST = 1.5
RAN = ["duetime.run.queued", "duetime.run.started", "duetime.run.succeeded"]


@pytest.fixture(scope="module")
def watched(operator: Caller, subscriber: Subscriber) -> Watched:
    warm_up(operator)
    return watch(operator, TARGET_QUEUE, REFUSED_QUEUE)


def lateness(run: dict[str, Any]) -> float:
    return epoch(run["started_at"]) - epoch(run["scheduled_at"])


def measured(watched: Watched) -> list[dict[str, Any]]:
    """The runs whose start is measured: all of those that nobody paused or made fail."""
    return [run for name in ("every-ten", "steady", "in-twenty", "to-queue") for run in watched.runs[name]]


@pytest.mark.parametrize("name, every", [("every-ten", 10), ("steady", 15)])
def test_every_due_instant_has_exactly_one_run(watched: Watched, name: str, every: int) -> None:
    due = watched.due(name, every)
    assert len(due) >= SECONDS // every - 1
    assert Counter(int(epoch(run["scheduled_at"])) for run in watched.runs[name]) == Counter(due)
    assert {run["status"] for run in watched.runs[name]} == {"succeeded"}


def test_the_first_instant_is_the_first_after_the_creation(watched: Watched) -> None:
    created = {name: epoch(answer["created_at"]) for name, answer in watched.created.items()}
    first = {name: epoch(runs[0]["scheduled_at"]) for name, runs in watched.runs.items()}
    assert first["every-ten"] % 10 == 0
    assert 0 < first["every-ten"] - created["every-ten"] <= 10
    for name, seconds in (("steady", 15), ("in-twenty", 20), ("to-queue", 10)):
        assert seconds - 1 <= first[name] - created[name] <= seconds + 1


def test_the_answer_to_a_creation_says_when_it_is_due(watched: Watched) -> None:
    for name in ("every-ten", "steady", "in-twenty", "to-queue"):
        created = watched.created[name]
        assert (created["enabled"], created["last_fired_at"]) == (True, None)
        assert created["next_due_at"] == watched.runs[name][0]["scheduled_at"]


def test_nothing_starts_before_its_instant_or_much_after_it(watched: Watched) -> None:
    runs = sorted(measured(watched), key=lateness)
    late = [lateness(run) for run in runs]
    p50, p99 = late[len(late) // 2], late[min(len(late) - 1, round(len(late) * 0.99))]
    print(
        f"\n{len(late)} runs: started p50 {p50:.3f} s, p99 {p99:.3f} s, last {late[-1]:.3f} s after their instants"
    )
    assert late[0] >= 0
    assert [(run["job"], run["scheduled_at"], lateness(run)) for run in runs if lateness(run) > LATEST] == []


def test_a_paused_schedule_starts_nothing_more_though_its_runs_were_sent(watched: Watched) -> None:
    ran = [run for run in watched.runs["halted"] if run["status"] == "succeeded"]
    assert len(ran) >= 5
    assert max(epoch(run["started_at"]) for run in ran) <= watched.paused_at
    dropped = [run for run in watched.runs["halted"] if epoch(run["scheduled_at"]) > watched.paused_at]
    assert dropped, "nothing had been sent ahead when the schedule was paused"
    assert {run["status"] for run in dropped} == {"superseded"}
    assert len(ran) + len(dropped) == len(watched.runs["halted"])


def test_a_failing_job_is_tried_again_until_it_succeeds(watched: Watched) -> None:
    first, second, third = watched.runs["flaky"]
    assert [run["status"] for run in (first, second, third)] == ["failed", "failed", "succeeded"]
    assert [run["attempt"] for run in (first, second, third)] == [1, 2, 3]
    assert [run["retry_of"] for run in (first, second, third)] == [None, first["id"], first["id"]]
    assert first["error"]["code"] == "SOURCE_AWAY"
    for before, after in ((first, second), (second, third)):
        assert epoch(after["started_at"]) - epoch(before["finished_at"]) >= 4


def test_an_allowed_queue_gets_the_message(watched: Watched, emulator: Emulator) -> None:
    [run] = watched.runs["to-queue"]
    assert run["status"] == "succeeded"
    sqs = emulator.client("sqs")
    url = sqs.get_queue_url(QueueName=TARGET_QUEUE.rpartition(":")[2])["QueueUrl"]
    [message] = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=2)["Messages"]
    body = json.loads(message["Body"])
    assert (body["run_id"], body["data"]) == (run["id"], {"order": 7})


def test_the_executor_is_denied_what_the_stage_does_not_grant(watched: Watched, emulator: Emulator) -> None:
    [run] = watched.runs["to-refused"]
    assert (run["status"], run["error"]["code"]) == ("failed", "FORBIDDEN")
    sqs = emulator.client("sqs")
    url = sqs.get_queue_url(QueueName=REFUSED_QUEUE.rpartition(":")[2])["QueueUrl"]
    assert sqs.receive_message(QueueUrl=url).get("Messages", []) == []


def test_the_subscriber_got_every_transition(watched: Watched, subscriber: Subscriber) -> None:
    told = {run["id"]: RAN for run in measured(watched)}
    told |= {
        run["id"]: ["duetime.run.queued", "duetime.run.superseded"]
        for run in watched.runs["halted"]
        if run["status"] == "superseded" and run["started_at"] is None
    }
    told |= {
        run["id"]: [*RAN[:2], f"duetime.run.{run['status']}"]
        for name in ("flaky", "to-refused")
        for run in watched.runs[name]
    }
    subscriber.wait(lambda heard: all(heard.types_of(id) == types for id, types in told.items()), timeout=60)
    assert {id: subscriber.types_of(id) for id in told} == told
    for name in watched.created:
        assert subscriber.types_of(name)[0] == "duetime.job.scheduled"
    assert "duetime.job.paused" in subscriber.types_of("halted")


def test_every_event_has_the_published_shape(watched: Watched, subscriber: Subscriber) -> None:
    assert watched.created
    for event in list(subscriber.events):
        TYPES[event["type"]].model.model_validate(event)


def test_no_run_is_lost_or_unfinished_and_no_message_was_given_up(
    watched: Watched, emulator: Emulator
) -> None:
    states = Counter(run["status"] for runs in watched.runs.values() for run in runs)
    assert set(states) == {"succeeded", "failed", "superseded"}
    sqs = emulator.client("sqs")
    dead = [url for url in sqs.list_queues()["QueueUrls"] if "Dead" in url]
    assert len(dead) == 3
    for url in dead:
        counted = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
        assert counted["Attributes"]["ApproximateNumberOfMessages"] == "0"
