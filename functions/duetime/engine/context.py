"""What every verb of the engine needs: the ports, the settings and the name of this host."""

from __future__ import annotations

from dataclasses import dataclass

from duetime.ports import Clock, RunQueue, Store, Targets
from duetime.settings import Settings

FIRST_LOOK = 120
"""Seconds after a run's start at which the sweep looks at it first."""
SEND_AHEAD = 600
"""Runs that start later than this many seconds from now are put without a message; the sweep sends them in time."""
LEASE_MARGIN_MS = 60_000
"""How much longer a run's lease lasts than its timeout."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The scheduler's world as one value. `instance` names the host in runs and leases; it is new at each start."""

    store: Store
    queue: RunQueue
    targets: Targets
    clock: Clock
    settings: Settings
    instance: str
