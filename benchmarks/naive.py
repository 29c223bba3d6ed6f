"""The naive tick that every figure stands beside: it reads all that is stored and claims what is due one by one.

It writes the same rows under the same guards through the same store as the real tick, so the two differ only in how they
find and handle what is due: a scan of the table instead of a sharded index up to the horizon, one trigger after the other
instead of many at once, one message a call instead of ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.scene import Scene
from duetime.contracts.message import message_text
from duetime.core.misfire import Occurrence
from duetime.core.plan import plan
from duetime.core.triggerrow import TriggerRow
from duetime.engine.chain import make_run
from duetime.engine.dispatch import message, watched
from duetime.store.dynamodb.triggerrow import read_trigger


def due_triggers(scene: Scene) -> list[TriggerRow]:
    """Read the whole definitions table and return the triggers that are due before the horizon."""
    horizon = scene.engine.clock.now_ms() // 1000 + scene.engine.settings.horizon
    return [read_trigger(item) for item in _scanned(scene, horizon)]


def _scanned(scene: Scene, horizon: int) -> Iterator[dict[str, Any]]:
    request: dict[str, Any] = {
        "TableName": scene.definitions,
        "FilterExpression": "#row = :trigger AND #due_at <= :horizon",
        "ExpressionAttributeNames": {"#row": "row", "#due_at": "due_at"},
        "ExpressionAttributeValues": {":trigger": {"S": "trigger"}, ":horizon": {"N": str(horizon)}},
    }
    while True:
        answer = scene.dynamodb.scan(**request)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def dispatch(scene: Scene, row: TriggerRow) -> None:
    """Claim one trigger, put its run, send its message."""
    engine, now_s = scene.engine, scene.engine.clock.now_ms() // 1000
    occurrences = plan(row.schedule, anchor=row.anchor)
    nominal = row.due_at or 0
    following = occurrences.next(nominal)
    run = watched(make_run(row, Occurrence(nominal, nominal), occurrences, now_s), now_s)
    assert following is not None
    moved = engine.store.advance_trigger(
        row, due_at=following, remaining=None, last_due=nominal, last_run=run.id, fired=row.fired + 1
    )
    assert moved
    assert engine.store.enqueue_run(run) is None
    scene.sqs.send_message(
        QueueUrl=engine.settings.standard_queue_url,
        MessageBody=message_text(message(run)),
        DelaySeconds=max(0, run.start_at - engine.settings.send_lead - now_s),
    )


def naive_tick(scene: Scene) -> int:
    """Dispatch everything that is due; answers how many runs that were."""
    rows = due_triggers(scene)
    for row in rows:
        dispatch(scene, row)
    return len(rows)
