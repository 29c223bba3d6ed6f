"""Execute: runs a batch of messages from a run queue, all at once; only what must come again is answered as failed."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from aws_lambda_powertools.utilities.batch import AsyncBatchProcessor, EventType
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from duetime.bootstrap import aws
from duetime.contracts.message import read_message
from duetime.engine.execute import execute
from duetime.engine.stop import Stop

log = logging.getLogger("duetime.handlers.execute")
stop = Stop()


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Execute the runs of one batch, each in a thread of its own; a message that cannot be read fails, loudly."""
    engine = aws()
    deadline_ms = engine.clock.now_ms() + context.get_remaining_time_in_millis()
    processor = AsyncBatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False, logger=log)
    # Not the default pool of asyncio: where a function has one processor, that is smaller than a batch.
    with ThreadPoolExecutor(len(event["Records"]), thread_name_prefix="run") as pool:

        async def one(record: SQSRecord) -> None:
            verb = partial(execute, engine, read_message(record.body), deadline_ms=deadline_ms, stop=stop)
            if await asyncio.get_running_loop().run_in_executor(pool, verb) == "again":
                raise RuntimeError("nothing was decided about this run; its message comes again")

        with processor(event["Records"], one):
            processor.async_process()
    return processor.response()
