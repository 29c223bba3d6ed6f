"""Schedules as JSON objects, read with every field checked, and written so that reading gives the same schedule.

The object is a union on `kind`, which may be left out where `cron`, `every` or `at` decides it. Unknown keys are refused by
name; null means not given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast, get_args

from duetime.core.cron import check_cron
from duetime.core.durations import duration_seconds, duration_text
from duetime.core.errors import ScheduleError
from duetime.core.faults import shown
from duetime.core.instants import instant_text, parse_moment, wall_text
from duetime.core.schedulekinds import CronSchedule, Fold, Gap, IntervalSchedule, Mode, OnceSchedule, Schedule
from duetime.core.zones import check_zone, landing, zone, zone_names

MIN_EVERY: Final = 1
MAX_EVERY: Final = 366 * 86_400
MAX_DELAY: Final = 3_653 * 86_400
"""Ten years: a `once` further ahead is refused."""
MAX_REPEATS: Final = 1_000_000_000
CALENDAR_NAME: Final = "[a-z0-9][a-z0-9._-]{0,127}"

_WINDOW: Final = ("start_at", "end_at", "calendar", "immediate")
_CLOCK: Final = ("timezone", "dst_gap", "dst_fold")
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "cron": ("kind", "cron", *_CLOCK, *_WINDOW),
    "interval": ("kind", "every", "every_secs", "mode", "repeat_count", *_CLOCK, *_WINDOW),
    "once": ("kind", "at", "in", "timezone", "dst_gap", *_WINDOW),
}
_DECIDING: Final = {"cron": "cron", "every": "interval", "every_secs": "interval", "at": "once", "in": "once"}


def read_schedule(document: Mapping[Any, Any], *, check_zones: bool = True) -> Schedule:
    """Return the schedule of a JSON object. Raises ScheduleError naming the field and what to write instead.

    Without `check_zones` any text is taken as a zone name, and raises when the schedule is asked for an occurrence.

    >>> read_schedule({"every": "10m", "repeat_count": 5})
    IntervalSchedule(every=600, mode='fixed_rate', repeat_count=5, ...)
    """
    kind = _kind(document)
    known = KEYS[kind]
    for key in document:
        if not isinstance(key, str):
            raise ScheduleError("schedule", key, "is no field name", "Field names are texts.")
        if key not in known:
            problem = f"is no field of {'an' if kind == 'interval' else 'a'} {kind} schedule"
            from duetime.core.keyhints import key_hint  # only to refuse

            raise ScheduleError(shown(key) or "(empty)", document[key], problem, key_hint(key, known))
    given = {key: value for key, value in document.items() if value is not None}
    schedule = _READERS[kind](given, check_zones)
    start, end = schedule.start_at, schedule.end_at
    if start is not None and end is not None and end < start:
        hint = f"start_at is {instant_text(start)}; both bounds belong to the window."
        raise ScheduleError("end_at", instant_text(end), "is before start_at", hint)
    return schedule


def schedule_json(schedule: Schedule) -> dict[str, Any]:
    """Return a schedule as a JSON object that `read_schedule` turns into an equal one; what was not given is left out.

    >>> schedule_json(CronSchedule("0 9 * * *", timezone="UTC"))
    {'kind': 'cron', 'cron': '0 9 * * *', 'timezone': 'UTC'}
    """
    found: dict[str, Any] = {"kind": schedule.kind}
    if isinstance(schedule, CronSchedule):
        found |= {"cron": schedule.cron, "dst_fold": schedule.dst_fold}
    elif isinstance(schedule, IntervalSchedule):
        found |= {
            "every": duration_text(schedule.every),
            "mode": schedule.mode,
            "repeat_count": schedule.repeat_count,
        }
        found["dst_fold"] = schedule.dst_fold
    else:
        found["at"] = _moment_text(schedule.at, schedule.at_wall)
        found["in"] = None if schedule.delay is None else duration_text(schedule.delay)
    start_wall = schedule.start_wall if isinstance(schedule, IntervalSchedule) else None
    found |= {
        "timezone": schedule.timezone,
        "dst_gap": schedule.dst_gap,
        "start_at": _moment_text(schedule.start_at, start_wall),
        "end_at": _moment_text(schedule.end_at, None),
        "calendar": schedule.calendar,
        "immediate": schedule.immediate or None,
    }
    return {key: found[key] for key in KEYS[schedule.kind] if found.get(key) is not None}


def _moment_text(instant: int | None, wall: int | None) -> str | None:
    if wall is not None:
        return wall_text(wall)
    return None if instant is None else instant_text(instant)


def _kind(document: Mapping[Any, Any]) -> str:
    """The kind a document names, or the one its keys decide."""
    kind = document.get("kind")
    if kind is not None:
        if not isinstance(kind, str) or kind not in ("cron", "interval", "once"):
            raise ScheduleError("kind", kind, "is no kind of schedule", "Use cron, interval or once.")
        return str(kind)
    names = [key for key in document if isinstance(key, str)]
    decided = {_DECIDING[key] for key in names if key in _DECIDING}
    if len(decided) == 1:
        return decided.pop()
    problem = "are of several kinds" if decided else "is missing"
    hint = 'Give one of {"cron": "0 9 * * *"}, {"every": "10m"} and {"at": "2026-11-01T09:00:00Z"}.'
    raise ScheduleError("kind", ", ".join(names[:8]), problem, hint)


def _read_cron(given: dict[str, Any], check_zones: bool) -> CronSchedule:
    if "cron" not in given:
        raise ScheduleError(
            "cron", None, "is missing", 'Give an expression, such as {"cron": "0 9 * * MON-FRI"}.'
        )
    return CronSchedule(cron=check_cron(given["cron"]), **_clock(given, check_zones), **_window(given))


def _read_interval(given: dict[str, Any], check_zones: bool) -> IntervalSchedule:
    mode = cast(Mode, _choice(given.get("mode", "fixed_rate"), "mode", get_args(Mode)))
    every = _every(given)
    repeat = given.get("repeat_count")
    if repeat is not None and (type(repeat) is not int or not 1 <= repeat <= MAX_REPEATS):
        raise ScheduleError(
            "repeat_count", repeat, "is no number of runs", "Use a whole number from 1 on, or leave it out."
        )
    start = parse_moment(given["start_at"], "start_at") if "start_at" in given else None
    if mode == "calendar":
        if every % 86_400:
            hint = "Use 1d, 2d and so on, or mode fixed_rate."
            raise ScheduleError(
                "every", duration_text(every), "is no number of whole days, which mode calendar needs", hint
            )
    elif wrong := [key for key in _CLOCK if key in given]:
        hint = "Leave it out, or use mode calendar or a cron schedule."
        raise ScheduleError(wrong[0], given[wrong[0]], f"has no meaning in mode {mode}", hint)
    window = _window(given, local_start=mode == "calendar")
    clock = _clock(given, check_zones)
    known = check_zones or clock["timezone"] in zone_names()
    if start is not None and start.wall is not None and clock["timezone"] and known:
        window["start_at"] = start_instant(start.wall, clock["timezone"])
    wall = start.wall if start else None
    return IntervalSchedule(every=every, mode=mode, repeat_count=repeat, start_wall=wall, **clock, **window)


def start_instant(wall: int, timezone: str) -> int:
    """Return the instant of a window's local start: the first pass of a repeated time, the end of a gap."""
    return landing(zone(timezone), wall)


def _every(given: dict[str, Any]) -> int:
    if ("every" in given) == ("every_secs" in given):
        problem = "is given twice" if "every" in given else "is missing"
        raise ScheduleError(
            "every", given.get("every"), problem, 'Give one duration, such as {"every": "10m"}.'
        )
    key = "every" if "every" in given else "every_secs"
    value = given[key]
    if key == "every_secs":
        if type(value) is not int:
            raise ScheduleError(
                key, value, "is no whole number of seconds", "Use a number such as 600, or every: 10m."
            )
        every = value
    else:
        try:
            every = duration_seconds(value, field=key)
        except ScheduleError as error:
            raise _placed(error, value) from None
    if not MIN_EVERY <= every <= MAX_EVERY:
        raise ScheduleError(key, value, "is out of range", "Use 1s to 366d.")
    return every


def _placed(error: ScheduleError, value: object) -> ScheduleError:
    """The refusal of a value, with where it belongs if that is another field."""
    from duetime.core.misplaced import misplaced  # only to refuse

    found = misplaced(value, error.field)
    return ScheduleError(error.field, value, *found) if found else error


def _read_once(given: dict[str, Any], check_zones: bool) -> OnceSchedule:
    if ("at" in given) == ("in" in given):
        problem = "is given together with in" if "at" in given else "is missing"
        hint = 'Give {"at": "2026-11-01T09:00:00Z"} or {"in": "10m"}, not both.'
        raise ScheduleError("at", given.get("at"), problem, hint)
    clock = _clock(given, check_zones)
    del clock["dst_fold"]
    window = _window(given)
    if "in" in given:
        delay = duration_seconds(given["in"], field="in")
        if delay > MAX_DELAY:
            raise ScheduleError("in", given["in"], "is more than ten years ahead", "Use at most 3653d.")
        return OnceSchedule(delay=delay, **clock, **window)
    try:
        at = parse_moment(given["at"], "at")
    except ScheduleError as error:
        raise _placed(error, given["at"]) from None
    return OnceSchedule(at=at.instant, at_wall=at.wall, **clock, **window)


def _clock(given: dict[str, Any], check_zones: bool) -> dict[str, Any]:
    """The zone and its two policies, as far as given."""
    zone_name, gap, fold = (given.get(key) for key in _CLOCK)
    return {
        "timezone": None if zone_name is None else _zone_name(zone_name, check_zones),
        "dst_gap": None if gap is None else _choice(gap, "dst_gap", get_args(Gap)),
        "dst_fold": None if fold is None else _choice(fold, "dst_fold", get_args(Fold)),
    }


def _zone_name(name: object, check: bool) -> str:
    return name if isinstance(name, str) and not check else check_zone(name)


def _window(given: dict[str, Any], *, local_start: bool = False) -> dict[str, Any]:
    """Window, calendar and immediate, as far as given."""
    found: dict[str, Any] = {"calendar": given.get("calendar"), "immediate": given.get("immediate", False)}
    for key in ("start_at", "end_at"):
        moment = parse_moment(given[key], key) if key in given else None
        if moment is not None and moment.instant is None and not (local_start and key == "start_at"):
            hint = f"Add one, such as {given[key]}Z or {given[key]}+08:00."
            raise ScheduleError(key, given[key], "has no offset", hint)
        found[key] = moment.instant if moment else None
    if found["calendar"] is not None and not (
        isinstance(found["calendar"], str) and re.fullmatch(CALENDAR_NAME, found["calendar"])
    ):
        hint = "Use lower-case letters, digits, dots, dashes and underscores, such as holidays."
        raise ScheduleError("calendar", found["calendar"], "is no calendar name", hint)
    if type(found["immediate"]) is not bool:
        raise ScheduleError(
            "immediate", found["immediate"], "is neither true nor false", "Use true or false."
        )
    return found


def _choice(value: object, field: str, choices: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    raise ScheduleError(field, value, f"is no {field}", f"Use {', '.join(choices[:-1])} or {choices[-1]}.")


_READERS: Final[Mapping[str, Callable[[dict[str, Any], bool], Schedule]]] = {
    "cron": _read_cron,
    "interval": _read_interval,
    "once": _read_once,
}
