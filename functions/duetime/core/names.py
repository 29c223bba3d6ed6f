"""Names: the one grammar for each kind of name, checked before a name can reach a key, a log line or a path."""

from __future__ import annotations

import re
from typing import Final

from duetime.core.faults import DefinitionError

NAME_PATTERN: Final = r"^[a-z0-9][a-z0-9._-]{0,127}$"
"""Jobs, triggers, calendars, leases, consumers."""
SLUG_PATTERN: Final = r"^[a-z][a-z0-9_-]{0,62}$"
"""Projects and schedules."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}", re.ASCII)
_SLUG: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}", re.ASCII)


def check_name(value: object, field: str) -> str:
    """Return `value` if it is a legal name of a job, trigger, calendar, lease or consumer, else raise DefinitionError.

    >>> check_name("reports.nightly", "name")
    'reports.nightly'
    """
    if isinstance(value, str) and _NAME.fullmatch(value):
        return value
    raise DefinitionError(
        field,
        value,
        "is no legal name",
        "Use 1-128 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, such as reports.nightly.",
    )


def check_slug(value: object, field: str) -> str:
    """Return `value` if it is a legal name of a project or schedule, else raise DefinitionError.

    >>> check_slug("nightly", "name")
    'nightly'
    """
    if isinstance(value, str) and _SLUG.fullmatch(value):
        return value
    if isinstance(value, str) and _NAME.fullmatch(value):
        raise DefinitionError(
            field,
            value,
            "is no legal name of a schedule",
            "Use 1-63 of a-z, 0-9, '_' and '-', starting with a letter; a job may be named so, see `duetime job show`.",
        )
    raise DefinitionError(
        field,
        value,
        "is no legal name",
        "Use 1-63 of a-z, 0-9, '_' and '-', starting with a letter, such as nightly.",
    )
