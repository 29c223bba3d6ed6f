"""How hard the laws look: a short look by default, a long one with HYPOTHESIS_PROFILE=thorough.

Examples are the same on every run of the same tree and choice of tests, so that a red run is about the change at hand.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

COMMON: dict[str, Any] = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("default", max_examples=40, **COMMON)
settings.register_profile("thorough", max_examples=2_000, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
