"""The tables, and the keys of every row: one place that knows how a row is found.

Names hold no `#`, so no key can be forged from a name and every key can be taken apart again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from duetime.core.ids import job_key, key_of_run, shard

Value = dict[str, Any]
"""One typed attribute, such as {"S": "waiting"}."""
Item = dict[str, Value]
"""A row, or a key, as DynamoDB's own protocol writes it."""

FORMAT: Final = 1
"""The format version that rows are written in, and the newest one that is read."""

JOB: Final = "JOB"
DATA: Final = "DATA"
TRIGGER: Final = "TRIGGER#"
CALENDAR: Final = "CALENDAR"
USE: Final = "USE#"
SLOT: Final = "SLOT"
LEASE: Final = "LEASE"
TICKETS: Final = "TICKETS"
LAG: Final = "LAG"


@dataclass(frozen=True, slots=True)
class Tables:
    """The names of the three tables."""

    definitions: str
    runs: str
    coordination: str


def _key(pk: str, sk: str) -> Item:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def definition_key(project: str, job: str, sk: str = JOB) -> Item:
    """Return the key of a job's row, its data item (`DATA`) or, with `TRIGGER` + name, one of its triggers."""
    return _key(f"{project}#{job}", sk)


def trigger_key(project: str, job: str, trigger: str) -> Item:
    """Return the key of a trigger's row."""
    return _key(f"{project}#{job}", TRIGGER + trigger)


def calendar_key(project: str, name: str, sk: str = CALENDAR) -> Item:
    """Return the key of a calendar's row; no project is written in capitals, so it never meets a job's."""
    return _key(f"{CALENDAR}#{project}#{name}", sk)


def use_key(project: str, name: str, kind: str, user: str) -> Item:
    """Return the key of the row that notes one user of a calendar."""
    return calendar_key(project, name, f"{USE}{kind}#{user}")


def calendar_catalog(project: str) -> str:
    """Return the partition of the catalog index with a project's calendars."""
    return f"{CALENDAR}#{project}"


def runs_pk(project: str, job: str) -> str:
    """Return the partition key of a job's history; it outlives the job."""
    return f"{project}#{job_key(project, job)}"


def run_key(project: str, run: str) -> Item:
    """Return the key of a run, found by its id alone; raises NotFound for what is no run id."""
    return _key(f"{project}#{key_of_run(run)}", run)


def payload_key(project: str, run: str, field: str, digest: bytes) -> Item:
    """Return the key of one text of a run that is too long for its row."""
    return _key(f"{project}#{key_of_run(run)}#payload", f"{run}#{field}#{digest.hex()}")


def slot_key(project: str, slot: str) -> Item:
    """Return the key of a slot's row."""
    return _key(f"{SLOT}#{project}#{slot}", SLOT)


def tickets_key(project: str, name: str) -> Item:
    """Return the key of the row that counts the starts under a name."""
    return _key(f"{TICKETS}#{project}#{name}", TICKETS)


def lease_key(name: str) -> Item:
    """Return the key of a lease's row."""
    return _key(f"{LEASE}#{name}", LEASE)


def due_shard(project: str, job: str, trigger: str, shards: int) -> Value:
    """Return the partition of the due index that a trigger belongs to."""
    return {"S": str(shard(f"{project}#{job}#{trigger}", shards))}


def run_shard(run: str, shards: int) -> str:
    """Return the shard of the watch and feed indexes that a run belongs to."""
    return str(shard(run, shards))


def feed_pk(project: str, number: int | str) -> Value:
    """Return the partition of the feed index with one shard of a project's runs."""
    return {"S": f"{project}#{number}"}


def lag_key() -> Item:
    """Return the key of the one row that notes how late runs begin."""
    return _key(LAG, LAG)
