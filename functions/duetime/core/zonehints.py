"""What was probably meant by a text that is no time zone name. Needed only to refuse one, so nothing loads it before.

Suggestions are never taken by themselves: a zone is what somebody wrote, not what was guessed.
"""

from __future__ import annotations

import re
from collections.abc import Set
from difflib import get_close_matches
from typing import Final

EXAMPLE: Final = "Write one such as Europe/Berlin, Asia/Shanghai or UTC"
_CLOSE: Final = 0.85

_HOST: Final = frozenset(
    {"local", "localtime", "system", "default", "host", "server", "posixrules", "factory"}
)
SHORT: Final = {
    "acst": "Australia/Adelaide", "aedt": "Australia/Sydney", "aest": "Australia/Sydney", "akst": "America/Anchorage",
    "art": "America/Argentina/Buenos_Aires", "ast": "America/Halifax", "awst": "Australia/Perth", "brt": "America/Sao_Paulo",
    "bst": "Europe/London", "cat": "Africa/Maputo", "cdt": "America/Chicago", "cest": "Europe/Berlin",
    "cst": "America/Chicago or, for China, Asia/Shanghai", "eat": "Africa/Nairobi", "edt": "America/New_York",
    "eest": "Europe/Athens", "hkt": "Asia/Hong_Kong", "ist": "Asia/Kolkata, Asia/Jerusalem or Europe/Dublin",
    "jst": "Asia/Tokyo", "kst": "Asia/Seoul", "mdt": "America/Denver", "msk": "Europe/Moscow", "nzdt": "Pacific/Auckland",
    "nzst": "Pacific/Auckland", "pdt": "America/Los_Angeles", "pht": "Asia/Manila", "pkt": "Asia/Karachi",
    "pst": "America/Los_Angeles", "sast": "Africa/Johannesburg", "sgt": "Asia/Singapore", "trt": "Europe/Istanbul",
    "wat": "Africa/Lagos", "west": "Europe/Lisbon", "wib": "Asia/Jakarta",
}  # fmt: skip
"""Abbreviations that are no names: they are ambiguous, or name one half of the year."""
CITIES: Final = {
    "abuja": "Africa/Lagos", "ankara": "Europe/Istanbul", "atlanta": "America/New_York", "bangalore": "Asia/Kolkata",
    "barcelona": "Europe/Madrid", "beijing": "Asia/Shanghai", "bengaluru": "Asia/Kolkata", "boston": "America/New_York",
    "brasilia": "America/Sao_Paulo", "calgary": "America/Edmonton", "cape_town": "Africa/Johannesburg",
    "chengdu": "Asia/Shanghai", "chennai": "Asia/Kolkata", "dallas": "America/Chicago", "delhi": "Asia/Kolkata",
    "frankfurt": "Europe/Berlin", "geneva": "Europe/Zurich", "guangzhou": "Asia/Shanghai", "hamburg": "Europe/Berlin",
    "hangzhou": "Asia/Shanghai", "hanoi": "Asia/Bangkok", "houston": "America/Chicago", "hyderabad": "Asia/Kolkata",
    "islamabad": "Asia/Karachi", "kyoto": "Asia/Tokyo", "las_vegas": "America/Los_Angeles", "lyon": "Europe/Paris",
    "marrakesh": "Africa/Casablanca", "mecca": "Asia/Riyadh", "miami": "America/New_York", "milan": "Europe/Rome",
    "montreal": "America/Toronto", "mumbai": "Asia/Kolkata", "munich": "Europe/Berlin", "nanjing": "Asia/Shanghai",
    "new_delhi": "Asia/Kolkata", "osaka": "Asia/Tokyo", "ottawa": "America/Toronto", "philadelphia": "America/New_York",
    "pretoria": "Africa/Johannesburg", "rabat": "Africa/Casablanca", "rio_de_janeiro": "America/Sao_Paulo",
    "saint_petersburg": "Europe/Moscow", "st_petersburg": "Europe/Moscow", "san_diego": "America/Los_Angeles",
    "san_francisco": "America/Los_Angeles", "san_jose": "America/Los_Angeles", "seattle": "America/Los_Angeles",
    "shenzhen": "Asia/Shanghai", "tel_aviv": "Asia/Jerusalem", "tianjin": "Asia/Shanghai",
    "washington": "America/New_York", "wellington": "Pacific/Auckland", "wuhan": "Asia/Shanghai", "xian": "Asia/Shanghai",
}  # fmt: skip
"""Large cities that have no zone of their own."""
WINDOWS: Final = {
    "afghanistan": "Asia/Kabul", "alaskan": "America/Anchorage", "arab": "Asia/Riyadh", "arabian": "Asia/Dubai",
    "argentina": "America/Argentina/Buenos_Aires", "atlantic": "America/Halifax", "aus central": "Australia/Darwin",
    "aus eastern": "Australia/Sydney", "bangladesh": "Asia/Dhaka", "canada central": "America/Regina",
    "cen. australia": "Australia/Adelaide", "central": "America/Chicago", "central america": "America/Guatemala",
    "central asia": "Asia/Almaty", "central europe": "Europe/Budapest", "central european": "Europe/Warsaw",
    "china": "Asia/Shanghai", "e. africa": "Africa/Nairobi", "e. australia": "Australia/Brisbane",
    "e. europe": "Europe/Chisinau", "e. south america": "America/Sao_Paulo", "eastern": "America/New_York",
    "egypt": "Africa/Cairo", "fle": "Europe/Kyiv", "gmt": "Europe/London", "greenwich": "Atlantic/Reykjavik",
    "gtb": "Europe/Bucharest", "hawaiian": "Pacific/Honolulu", "india": "Asia/Kolkata", "iran": "Asia/Tehran",
    "israel": "Asia/Jerusalem", "jordan": "Asia/Amman", "korea": "Asia/Seoul", "morocco": "Africa/Casablanca",
    "mountain": "America/Denver", "myanmar": "Asia/Yangon", "n. central asia": "Asia/Novosibirsk",
    "nepal": "Asia/Kathmandu", "new zealand": "Pacific/Auckland", "newfoundland": "America/St_Johns",
    "north asia": "Asia/Krasnoyarsk", "north asia east": "Asia/Irkutsk", "pacific": "America/Los_Angeles",
    "pacific sa": "America/Santiago", "pakistan": "Asia/Karachi", "romance": "Europe/Paris", "russian": "Europe/Moscow",
    "sa eastern": "America/Cayenne", "sa pacific": "America/Bogota", "sa western": "America/La_Paz",
    "se asia": "Asia/Bangkok", "singapore": "Asia/Singapore", "south africa": "Africa/Johannesburg",
    "sri lanka": "Asia/Colombo", "taipei": "Asia/Taipei", "tasmania": "Australia/Hobart", "tokyo": "Asia/Tokyo",
    "turkey": "Europe/Istanbul", "us eastern": "America/Indiana/Indianapolis", "us mountain": "America/Phoenix",
    "venezuela": "America/Caracas", "vladivostok": "Asia/Vladivostok", "w. australia": "Australia/Perth",
    "w. central africa": "Africa/Lagos", "w. europe": "Europe/Berlin", "west asia": "Asia/Tashkent",
}  # fmt: skip
"""Windows names, without their `Standard Time`."""


def zone_hint(name: object, names: Set[str]) -> str:
    """Return a hint that says what to write instead of a text that is none of the zone `names`.

    >>> zone_hint("China Standard Time", frozenset())
    'Windows names are not taken: write Asia/Shanghai.'
    """
    if not isinstance(name, str) or not name.strip() or len(name) > 60:
        return EXAMPLE + "."
    wanted = re.sub(r"[\s_]+", "_", name.strip()).lower()
    if wanted in _HOST:
        return f"That depends on the machine. {EXAMPLE}."
    if windows := re.fullmatch(r"(.+)_(?:standard|daylight)_time", wanted):
        known = WINDOWS.get(windows[1].replace("_", " "))
        return (
            f"Windows names are not taken: write {known}."
            if known
            else f"{EXAMPLE}; Windows names are not taken."
        )
    if wanted in ("z", "utc", "gmt", "utc0", "utc+0", "utc-0", "utc+00:00"):
        return "Write UTC."
    if offset := re.fullmatch(r"(?:utc|gmt)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?", wanted):
        return _offset(offset[1], int(offset[2]), int(offset[3] or 0), names)
    if wanted in SHORT:
        return f"Abbreviations are ambiguous: write {SHORT[wanted]}."
    return _similar(wanted, names)


def _offset(sign: str, hours: int, minutes: int, names: Set[str]) -> str:
    """The hint for a fixed offset. The signs of the Etc zones are reversed: Etc/GMT-8 is east of Greenwich."""
    fixed = f"Etc/GMT{'-' if sign == '+' else '+'}{hours}"
    if minutes == 0 and hours and fixed in names:
        return f"Write the zone of the place, or {fixed} for {sign}{hours:02d}:00 all year (its sign is reversed)."
    return f"{EXAMPLE}: a zone, not an offset."


def _similar(wanted: str, names: Set[str]) -> str:
    """The hint for a misspelled name or a city."""
    lowered = {known.lower(): known for known in names}
    if wanted in lowered:
        return f"Write {lowered[wanted]}, exactly so."
    city = wanted.rpartition("/")[2]
    if city in CITIES:
        return f"{city.replace('_', ' ').title()} has no zone of its own: write {CITIES[city]}."
    found = [known for known in sorted(names) if known.lower().rpartition("/")[2] == city]
    if not found:
        found = [lowered[close] for close in get_close_matches(wanted, lowered, n=2, cutoff=_CLOSE)]
    if not found:
        cities = {known.rpartition("/")[2]: known for known in lowered if "/" in known}
        found = [lowered[cities[close]] for close in get_close_matches(city, cities, n=2, cutoff=_CLOSE)]
    return f"Did you mean {' or '.join(found[:3])}?" if found else f"{EXAMPLE}."
