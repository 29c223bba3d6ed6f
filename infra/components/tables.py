"""The three tables. Every one is on demand, recoverable to any second of 35 days, and lets rows go at `expires_at`.

- definitions: jobs, triggers and what else users wrote. Index `due` holds only triggers that will fire (sparse,
  sharded), so a tick reads what is due and nothing else; index `catalog` lists by name.
- runs: one row a run. Index `watch` holds only runs that the sweep must look after; index `feed` lists a project's.
- coordination: slots and leases; nothing here is history, so it has no stream.
"""

from __future__ import annotations

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.config import Stage

_S, _N = dynamodb.AttributeType.STRING, dynamodb.AttributeType.NUMBER
_ALL, _KEYS = dynamodb.ProjectionType.ALL, dynamodb.ProjectionType.KEYS_ONLY


class Tables(Construct):
    """`definitions`, `runs` and `coordination`, with keys `pk` and `sk`."""

    def __init__(self, scope: Construct, id: str, *, stage: Stage) -> None:
        super().__init__(scope, id)
        self._stage = stage
        self.definitions = self._table("Definitions", stream=True)
        _index(self.definitions, "due", ("due_shard", _S), ("due_at", _N), _ALL)
        _index(self.definitions, "catalog", ("catalog", _S), ("name", _S), _ALL)
        self.runs = self._table("Runs", stream=True)
        _index(self.runs, "watch", ("watch_shard", _S), ("watch_at", _N), _KEYS)
        _index(self.runs, "feed", ("feed", _S), ("sk", _S), _KEYS)
        self.coordination = self._table("Coordination", stream=False)

    def _table(self, id: str, *, stream: bool) -> dynamodb.Table:
        return dynamodb.Table(
            self,
            id,
            partition_key=dynamodb.Attribute(name="pk", type=_S),
            sort_key=dynamodb.Attribute(name="sk", type=_S),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            time_to_live_attribute="expires_at",
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES if stream else None,
            deletion_protection=self._stage.deletion_protection,
            removal_policy=RemovalPolicy.RETAIN if self._stage.removal == "retain" else RemovalPolicy.DESTROY,
        )


def _index(
    table: dynamodb.Table,
    name: str,
    partition: tuple[str, dynamodb.AttributeType],
    sort: tuple[str, dynamodb.AttributeType],
    projection: dynamodb.ProjectionType,
) -> None:
    table.add_global_secondary_index(
        index_name=name,
        partition_key=dynamodb.Attribute(name=partition[0], type=partition[1]),
        sort_key=dynamodb.Attribute(name=sort[0], type=sort[1]),
        projection_type=projection,
    )
