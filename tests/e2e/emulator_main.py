"""Starts the emulator, in its own environment, with one rule of its IAM put right.

AWS has no action `sqs:SendMessageBatch`: a batch needs what its single call needs. The emulator asks for an action of the
call's name, which no policy that is right on AWS can grant.
"""

from __future__ import annotations

from typing import Any

# Only in the emulator's own environment, which the type checker does not see.
from ministack import app  # type: ignore[import-not-found]
from ministack.core import iam_actions  # type: ignore[import-not-found]

SINGLE = {
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
}
_asked = iam_actions.extract_iam_action


def needed(*request: Any, **more: Any) -> str | None:
    """The IAM action that AWS asks for, or None where the emulator knows none."""
    action: str | None = _asked(*request, **more)
    return action if action is None else SINGLE.get(action, action)


if __name__ == "__main__":
    iam_actions.extract_iam_action = needed
    app.main()
