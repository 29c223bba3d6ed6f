"""Notes on calendars that are legal and yet may not exclude what their author expects."""

from __future__ import annotations

from duetime.core.calendars import Calendar, CronCalendar, HolidayCalendar
from duetime.core.cron import read_cron

_DAY = 86_400


def calendar_notes(calendar: Calendar, *, now: int) -> tuple[str, ...]:
    """Return what the author of a calendar should know at the epoch second `now`, one text each; nothing in most cases.

    Named are holidays that are all over, and cron expressions without seconds, which exclude one second of each minute:
    an interval that falls on another second is not held back by them.

    >>> from duetime.core.calendars import HolidayCalendar
    >>> calendar_notes(HolidayCalendar((0,)), now=1_800_000_000)
    ('Its last date has passed: it excludes nothing any more until dates are added.',)
    """
    if isinstance(calendar, HolidayCalendar) and calendar.dates[-1] * _DAY < now - _DAY:
        return ("Its last date has passed: it excludes nothing any more until dates are added.",)
    if isinstance(calendar, CronCalendar) and read_cron(calendar.cron).fields == 5:
        if calendar.cron.startswith("@"):
            return (f"{calendar.cron} excludes one second: the first of the minute it names.",)
        note = "Five fields exclude second 0 of each minute only, which is all that schedules without seconds need"
        return (f"{note}; for whole minutes write * {calendar.cron}.",)
    return ()
