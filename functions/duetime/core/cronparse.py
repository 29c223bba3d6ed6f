"""Splits a cron expression into its fields and refuses what no date can match.

5 fields are minute to day of week (second 0), 6 begin with the second, 7 end with the year. Macros stand for five fields.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from duetime.core.cronfields import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, YEAR, Field, read_field
from duetime.core.errors import ScheduleError

MACROS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_COUNTS: Final = (
    "Write 5 fields (minute hour day-of-month month day-of-week), 6 with the second first, or 7 with the year last, "
    "such as 0 9 * * MON-FRI."
)


class Expression(NamedTuple):
    """A cron expression, read field by field; `text` is as written, with single spaces. `year` None = any year."""

    text: str
    second: Field
    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field
    year: Field | None
    fields: int

    @property
    def either_day(self) -> bool:
        """Whether a match of one day field is enough: both say something."""
        return not self.day.free and not self.weekday.free


def parse_cron(text: str) -> Expression:
    """Return the fields of an expression in normal form. Raises ScheduleError with field, offending text and hint."""
    parts = text.split(" ")
    try:
        if text.startswith("@"):
            return read_fields(text, _macro(text).split(" "))
        if "=" in text or not 5 <= len(parts) <= 7:
            raise ScheduleError("cron", text, *_miscounted(text, parts))
        return read_fields(text, parts)
    except ScheduleError as error:
        from duetime.core.cronhints import refusal  # only to refuse

        raise refusal(text, parts, error) from None


def read_fields(text: str, parts: list[str]) -> Expression:
    """Return the fields of an expression that is split already. Raises ScheduleError."""
    count = len(parts)
    if count == 5:
        parts = ["0", *parts]
    second, minute, hour, day, month, weekday = map(
        read_field, parts, (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY)
    )
    year = read_field(parts[6], YEAR) if count == 7 and parts[6] != "*" else None
    return Expression(text, second, minute, hour, day, month, weekday, year, count)


def _macro(text: str) -> str:
    """The fields a macro stands for."""
    name, _, rest = text.partition(" ")
    known = MACROS.get(name.lower())
    if known and not rest:
        return known
    if name.lower() == "@every":
        from duetime.core.misplaced import interval  # only to refuse

        every = interval(rest or "5m")
        hint = "An interval is 1s to 366d, such as every 5m."
        if every:
            hint = f"Write every {every} instead. That is an interval, no cron expression."
        raise ScheduleError("cron", text, "is no cron macro", hint)
    if name.lower() == "@reboot":
        raise ScheduleError(
            "cron", text, "names no time", "Use an interval with immediate for a run at creation."
        )
    problem = "has something after the macro" if known else "is no known macro"
    raise ScheduleError("cron", text, problem, f"Write one of {', '.join(MACROS)} alone.")


def _miscounted(text: str, parts: list[str]) -> tuple[str, str]:
    """The complaint about a wrong number of fields, with what was probably meant."""
    if not text:
        return "is empty", _COUNTS
    if "=" in text:
        name, _, value = next(part for part in parts if "=" in part).partition("=")
        hint = "Give settings beside the expression, not in it."
        if name.lower() in ("gap", "fold", "start", "end", "calendar"):
            hint = (
                f"Give it beside the expression, as --{name.lower()} {value[:40]} or in a field of its own."
            )
        if name.upper() in ("TZ", "CRON_TZ", "TIMEZONE"):
            from duetime.core.zones import zone_names  # only to refuse

            zone = value if value in zone_names() else "Europe/Berlin"
            hint = f"Give the zone beside the expression, as timezone or tz={zone}."
        return "has a setting among its fields", hint
    number = f"{len(parts)} fields" if len(parts) > 1 else "1 field"
    return f"has {number}", _COUNTS
