"""Between a calendar's JSON form and what is stored of it: the definition, its name and its description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from duetime.contracts.api_calendar import CalendarAnswer, CalendarUserAnswer
from duetime.contracts.instants import moment_text
from duetime.core.calendars import Calendar, calendar_json, parse_calendar
from duetime.core.definition import MAX_DESCRIPTION
from duetime.core.exchange import CalendarUser
from duetime.core.faults import DefinitionError
from duetime.core.fields import text
from duetime.core.names import check_name
from duetime.core.stored import StoredCalendar

_OWN: Final = ("name", "description")


def read_calendar(form: object, name: str | None = None) -> tuple[str, Calendar, str]:
    """Return name, definition and description of a calendar as it was sent; `name` is the one of the path.

    Raises DefinitionError or ScheduleError naming the field.
    """
    given = form if isinstance(form, Mapping) else {}
    own = name if given.get("name") is None else given["name"]
    if own is None:
        raise DefinitionError("name", None, "is missing", "Give the calendar one, such as holidays.")
    own = check_name(own, "name")
    if name is not None and own != name:
        raise DefinitionError("name", own, "is not the name in the path", f"Use {name}, or leave it out.")
    described = given.get("description")
    description = "" if described is None else text(described, "description", MAX_DESCRIPTION)
    plain = {key: value for key, value in given.items() if key not in _OWN} if given else form
    return own, parse_calendar(plain), description


def calendar_answer(stored: StoredCalendar, warnings: tuple[str, ...] = ()) -> CalendarAnswer:
    """Return a calendar as the API shows it."""
    return CalendarAnswer.model_validate(
        {
            **calendar_json(stored.calendar), "project": stored.project, "name": stored.name,
            "description": stored.description, "version": stored.version, "warnings": list(warnings),
            "created_at": moment_text(stored.created_ms), "updated_at": moment_text(stored.updated_ms),
        }
    )  # fmt: skip


def user_answer(user: CalendarUser) -> CalendarUserAnswer:
    """Return one user of a calendar as the API shows it."""
    return CalendarUserAnswer(kind=user.kind, name=user.name)
