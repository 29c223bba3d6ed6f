"""Where the local server stands: the one port that `duetime local` opens and every other command calls by default."""

from __future__ import annotations

from typing import Final

DEFAULT_PORT: Final = 8787
DEFAULT_URL: Final = f"http://127.0.0.1:{DEFAULT_PORT}"
