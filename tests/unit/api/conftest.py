"""The fixture every test of the API starts from."""

from __future__ import annotations

import pytest

from tests.unit.api.plane import World


@pytest.fixture
def world() -> World:
    """Return a new deployment."""
    made = World()
    made.clock.meanwhile = made.work
    return made
