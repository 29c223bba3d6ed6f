"""Whether the control plane answers."""

from __future__ import annotations

from typing import Literal

from duetime.contracts.api_types import Answer, Moment


class HealthAnswer(Answer):
    """The process answers; nothing behind it was asked."""

    status: Literal["ok"]
    time: Moment
