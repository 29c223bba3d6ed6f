"""The one error of everything about schedules: what was written, where, why it cannot be taken, what to write instead."""

from __future__ import annotations

import reprlib
from datetime import date
from typing import Self

from duetime.core.faults import DuetimeError


class ScheduleError(DuetimeError, ValueError):
    """A schedule, cron expression, duration, time zone or calendar that cannot be taken as it was written.

    `code` is always VALIDATION_SCHEDULE, `field` the path of what is wrong ("cron.hour", "every"), `value` the offending
    text cut at 80 characters, `hint` what to write instead; `str(error)` says all of it on one line.

    >>> str(ScheduleError("every", "90", "has no unit", "Write 90s, or the number of milliseconds as a number."))
    "every: '90' has no unit. Write 90s, or the number of milliseconds as a number."
    """

    code = "VALIDATION_SCHEDULE"

    def __init__(self, field: str, value: object, problem: str, hint: str) -> None:
        super().__init__(field, value if isinstance(value, str) else _brief(value), problem, hint)

    def within(self, path: str) -> Self:
        """Return the same error with its field below `path`: "every" within "triggers[0].schedule".

        >>> ScheduleError("every", "90", "has no unit", "Write 90s.").within("schedule").field
        'schedule.every'
        """
        return type(self)(f"{path}.{self.field}", self.value, self.problem, self.hint)


def _brief(value: object) -> str:
    """A value of any size and kind as a short text: an error must never cost more than the check that found it."""
    if isinstance(value, date):  # datetimes are dates
        return _date_text(value)
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of more digits than Python turns into text
        return f"<{type(value).__name__}>"


def _date_text(value: date) -> str:
    try:
        return value.isoformat()
    except (NotImplementedError, TypeError, ValueError):  # a time zone class that is not finished
        return f"<{type(value).__name__}>"
