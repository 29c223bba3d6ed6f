"""Slots and leases in memory."""

from __future__ import annotations

from duetime.core.exchange import Lease
from duetime.store.memory.state import MemoryState

FREE = ""
"""The holder of a lease that was given up; its row stays, so that the token goes on growing."""


class MemoryCoordination(MemoryState):
    """A duetime.ports.CoordinationStore."""

    def acquire_slot(
        self, project: str, slot: str, *, run: str, until_ms: int, instead_of: str | None = None
    ) -> bool:
        """Take a free slot (or one this run holds already); with `instead_of` also from exactly that holder."""
        with self._lock:
            holder = self._slots.get((project, slot))
            if holder is not None and holder[0] not in (run, instead_of):
                return False
            self._slots[project, slot] = (run, until_ms)
            return True

    def slot_holder(self, project: str, slot: str) -> tuple[str, int] | None:
        """Return (run id, until_ms) of the holder, or None when the slot is free."""
        with self._lock:
            return self._slots.get((project, slot))

    def release_slot(self, project: str, slot: str, *, run: str) -> bool:
        """Free the slot if this run holds it."""
        with self._lock:
            holder = self._slots.get((project, slot))
            if holder is None or holder[0] != run:
                return False
            del self._slots[project, slot]
            return True

    def take_ticket(self, project: str, name: str, *, run: str, limit: int, now_ms: int) -> bool:
        """Count one more start under a name, up to `limit`; the last taker may take again."""
        with self._lock:
            taken, last = self._tickets.get((project, name), (0, ""))
            if last == run:
                return True
            if taken >= limit:
                return False
            self._tickets[project, name] = (taken + 1, run)
            return True

    def return_ticket(self, project: str, name: str) -> None:
        """Take back the count of a start that came to nothing."""
        with self._lock:
            taken, _ = self._tickets.get((project, name), (0, ""))
            if taken:
                self._tickets[project, name] = (taken - 1, "")

    def acquire_lease(self, name: str, *, holder: str, now_ms: int, ttl_ms: int) -> Lease | None:
        """Take a lease that is free or ended; the token grows by one. None when it is held, also by this holder."""
        with self._lock:
            held = self._leases.get(name)
            if held is not None and held.holder != FREE and held.until_ms > now_ms:
                return None
            lease = Lease(name, holder, 1 if held is None else held.token + 1, now_ms + ttl_ms)
            self._leases[name] = lease
            return lease

    def renew_lease(self, lease: Lease, *, now_ms: int, ttl_ms: int) -> Lease | None:
        """Prolong a lease this token still holds; None when it was lost."""
        with self._lock:
            held = self._leases.get(lease.name)
            if held is None or held.holder == FREE or held.token != lease.token:
                return None
            renewed = Lease(lease.name, held.holder, held.token, now_ms + ttl_ms)
            self._leases[lease.name] = renewed
            return renewed

    def release_lease(self, lease: Lease) -> bool:
        """Give up a lease this token still holds."""
        with self._lock:
            held = self._leases.get(lease.name)
            if held is None or held.holder == FREE or held.token != lease.token:
                return False
            self._leases[lease.name] = Lease(lease.name, FREE, held.token, 0)
            return True

    def report_lag(self, *, lag_ms: int, now_ms: int) -> None:
        """Note how late the latest run began."""
        with self._lock:
            self._lag = (lag_ms, now_ms)

    def begin_lag(self) -> tuple[int, int] | None:
        """Return (lag_ms, at_ms) as noted last, or None."""
        with self._lock:
            return self._lag
