"""The store of every deployment: three DynamoDB tables, see docs/design.md for keys, guards and write units.

Every transition is one conditional write of one row; a job and its triggers change in one transaction. Requests are written
by hand for the low-level client, so a put or an update costs little more than the client itself.
"""

from __future__ import annotations

from duetime.store.dynamodb.calendars import DynamoDbCalendars
from duetime.store.dynamodb.coordination import DynamoDbCoordination
from duetime.store.dynamodb.definitions import DynamoDbDefinitions
from duetime.store.dynamodb.keys import Tables
from duetime.store.dynamodb.runs import DynamoDbRuns
from duetime.store.dynamodb.stream import decode
from duetime.store.dynamodb.triggers import DynamoDbTriggers


class DynamoDbStore(
    DynamoDbDefinitions, DynamoDbTriggers, DynamoDbCalendars, DynamoDbRuns, DynamoDbCoordination
):
    """A duetime.ports.Store over a low-level DynamoDB client; safe to share between threads, as the client is.

    Give the client its own retries (`retries={"mode": "standard"}`) and, for speed, `parameter_validation=False`.
    """


__all__ = ["DynamoDbStore", "Tables", "decode"]
