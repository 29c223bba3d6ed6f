"""What the functions logged, kept as files, and the lines of it that matter when a test fails."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.emulator import Emulator

_ALARMING = re.compile(r'Traceback|\bERROR\b|"level": ?"(ERROR|CRITICAL)"|AccessDenied|Task timed out')
MOST_LINES = 40


def collect(emulator: Emulator, folder: Path) -> Path:
    """Write the lines of each log group to a file of `folder`, one for each function; returns the folder."""
    folder.mkdir(exist_ok=True)
    logs = emulator.client("logs")
    for page in logs.get_paginator("describe_log_groups").paginate():
        for group in page["logGroups"]:
            name = group["logGroupName"]
            lines = [
                event["message"].rstrip()
                for events in logs.get_paginator("filter_log_events").paginate(logGroupName=name)
                for event in events["events"]
            ]
            (folder / f"{name.strip('/').replace('/', '.')}.log").write_text("\n".join(lines))
    return folder


def summary(folder: Path) -> str:
    """Errors and denials among the lines, with the file each is from; cut to what a person reads."""
    found = [
        f"{file.stem.rpartition('.')[2]}: {line[:400]}"
        for file in sorted(folder.glob("*.log"))
        for line in file.read_text().splitlines()
        if _ALARMING.search(line)
    ]
    more = len(found) - MOST_LINES
    return (
        "\n".join(found[:MOST_LINES] + ([f"... and {more} more"] if more > 0 else []))
        or "no errors in the logs"
    )
