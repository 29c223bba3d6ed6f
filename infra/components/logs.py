"""Log groups that forget: every one has a retention and goes with the stack."""

from __future__ import annotations

from typing import cast

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct


def log_group(scope: Construct, id: str, *, days: int) -> logs.LogGroup:
    """A log group that keeps its lines for `days`, a retention that CloudWatch knows (checked in infra/config.py)."""
    group = logs.LogGroup(scope, id, removal_policy=RemovalPolicy.DESTROY)
    # The library takes the days as an enum without a way from a number to its member.
    cast(logs.CfnLogGroup, group.node.default_child).retention_in_days = days
    return group
