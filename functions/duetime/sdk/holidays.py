"""Public holidays of a country as a holiday calendar, out of the `holidays` library.

The library is loaded when it is first needed and is no part of the deployed functions: a calendar is filled where one
works, and stored. What it knows ends somewhere, and so do the dates: such a calendar has to be filled anew in time.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from duetime.core.calendars import calendar_json, parse_calendar
from duetime.core.errors import ScheduleError

if TYPE_CHECKING:
    from holidays import HolidayBase

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2100
_SHOWN: Final = 20
"""Choices that an error lists."""


def holiday_calendar(
    country: str,
    *,
    years: int | Iterable[int],
    subdivision: str | None = None,
    categories: str | Iterable[str] | None = None,
    timezone: str = "UTC",
) -> dict[str, Any]:
    """Return a holiday calendar, in the JSON form that calendars are put in, of the public holidays of a country.

    `country` is an ISO 3166-1 code (`DE`, `DEU`), `subdivision` a state or province of it (`BY`, `Bayern`), without one only
    the days that hold everywhere; `categories` are the library's (`public`, `bank`, `school`, ...), by default what it
    takes for public holidays. A holiday on a weekend counts on the day of rest given in its place as well, where the
    country gives one (the library's `observed`). The days are those of `timezone`, which the library does not know.

    Raises ScheduleError for what the library does not know, near misses named, and for a year it knows no day of.

    >>> holiday_calendar("DE", years=2026, subdivision="BY", timezone="Europe/Berlin")["dates"][:2]
    ['2026-01-01', '2026-01-06']
    """
    days = country_days(country, years=years, subdivision=subdivision, categories=categories)
    return days_document(days, timezone)


def days_document(days: Iterable[date], timezone: str) -> dict[str, Any]:
    """Return whole days as a holiday calendar in JSON form; raises ScheduleError for an unknown zone."""
    dates = [day.isoformat() for day in days]
    return calendar_json(parse_calendar({"kind": "holiday", "dates": dates, "timezone": timezone}))


def country_days(
    country: str,
    *,
    years: int | Iterable[int],
    subdivision: str | None = None,
    categories: str | Iterable[str] | None = None,
) -> Mapping[date, str]:
    """Return the holidays that `holiday_calendar` puts into a calendar, in order, with their English names."""
    wanted = _years(years)
    entity = _entity(country)
    found = _load().country_holidays(
        entity.country,
        subdiv=None if subdivision is None else _subdivision(entity, subdivision),
        years=wanted,
        categories=None if categories is None else _categories(entity, categories),
        language="en_US",
    )
    days = {day: name for day, name in sorted(found.items()) if day.year in wanted}
    for year in wanted:
        if not any(day.year == year for day in days):
            raise ScheduleError(
                "years", str(year), f"has no holidays of {entity.country} that are known",
                "Leave it out, or name another category.",
            )  # fmt: skip
    return days


def _load() -> Any:
    try:
        import holidays
    except ImportError:
        raise ScheduleError(
            "country", "holidays", "is a package that is not installed here",
            "Install it; deployed functions go without, so fill calendars where you work.",
        ) from None  # fmt: skip
    return holidays


def _years(years: int | Iterable[int]) -> Sequence[int]:
    given: list[Any] = [years] if isinstance(years, int | str) else list(years)
    for year in given:
        if type(year) is not int or not FIRST_YEAR <= year <= LAST_YEAR:
            raise ScheduleError("years", year, "is no year", f"Use years from {FIRST_YEAR} to {LAST_YEAR}.")
    if not given:
        raise ScheduleError("years", given, "are none", "Name at least one, such as range(2026, 2031).")
    return sorted(set(given))


def _entity(country: str) -> HolidayBase:
    """The library's object of a country, without any days."""
    library = _load()
    code = str(country or "").strip().upper()
    if code not in library.list_supported_countries():
        raise ScheduleError("country", country, "is no country with known holidays", _near_country(code))
    entity: HolidayBase = library.country_holidays(code)
    return entity


def _near_country(code: object) -> str:
    from holidays.registry import COUNTRIES

    named = {module.replace("_", " ").upper(): codes for module, codes in COUNTRIES.items()}
    places = {word: name for name, (_, *codes) in named.items() for word in (name, *codes)}
    near = difflib.get_close_matches(str(code), places, n=3, cutoff=0.75)
    found = dict.fromkeys(f"{named[places[word]][1]} ({places[word].title()})" for word in near)
    return f"Did you mean {' or '.join(found)}?" if found else "Use an ISO 3166-1 code, such as DE."


def _subdivision(entity: HolidayBase, given: str) -> str:
    codes = {**{code: code for code in entity.subdivisions}, **entity.subdivisions_aliases}
    for word, code in codes.items():
        if word.casefold() == str(given).strip().casefold():
            return code
    names = {code: name for name, code in entity.subdivisions_aliases.items()}
    hint = _choices(
        given, codes, [f"{code} ({names[code]})" if code in names else code for code in entity.subdivisions]
    )
    raise ScheduleError("subdivision", given, f"is no subdivision of {entity.country}", hint)


def _categories(entity: HolidayBase, given: str | Iterable[str]) -> tuple[str, ...]:
    found = (given,) if isinstance(given, str) else tuple(given)
    known: tuple[str, ...] = entity.supported_categories
    for category in found:
        if category not in known:
            hint = _choices(category, known, known)
            raise ScheduleError("categories", category, f"is no category of {entity.country}", hint)
    return found


def _choices(given: object, words: Iterable[str], codes: Sequence[str]) -> str:
    """What to write instead: the words nearest to it, and the codes there are."""
    if not codes:
        return "It has none: leave it out."
    near = difflib.get_close_matches(str(given), list(words), n=3)
    more = ", ..." if len(codes) > _SHOWN else ""
    listed = f"It has {', '.join(codes[:_SHOWN])}{more}."
    return f"Did you mean {' or '.join(near)}? {listed}" if near else listed
