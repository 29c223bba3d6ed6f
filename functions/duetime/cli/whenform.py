"""From the options that say when to the schedule they stand for, on its own or as a change of another.

What only the scheduler can judge (expressions, zones, names) is left to it; here it is only checked that the options make
one schedule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from duetime.cli.problems import usage
from duetime.core.faults import DuetimeError

_KINDS: Final = ("--cron", "--every", "--at", "--in", "--when")
_SETTINGS: Final = {
    "timezone": "--tz", "dst_gap": "--gap", "dst_fold": "--fold", "start_at": "--start", "end_at": "--end",
    "calendar": "--calendar", "immediate": "--immediate",
}  # fmt: skip
_SHORT: Final = {"tz", "cron_tz", "timezone", "gap", "fold", "start", "end", "calendar"}
_WHOLE: Final = re.compile(r"\s*(every|once|cron|rate|at)\b", re.IGNORECASE)
"""How texts begin that are more than the value of one option."""
_USUAL: Final = (("dst_gap", "skip"), ("dst_fold", "first"))


class When(NamedTuple):
    """The options that say when, each None where it was not given; `text` is --when."""

    cron: str | None = None
    every: str | None = None
    at: str | None = None
    in_: str | None = None
    text: str | None = None
    tz: str | None = None
    gap: str | None = None
    fold: str | None = None
    start: str | None = None
    end: str | None = None
    calendar: str | None = None
    immediate: bool | None = None

    @property
    def typed(self) -> dict[str, object]:
        """The values by the names of their options."""
        return dict(zip((*_KINDS, *_SETTINGS.values()), self, strict=True))


def schedule_form(when: When, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the schedule that the options ask for; `before` is the one they change. Raises Trouble or DuetimeError.

    A change of the expression keeps what the new one can have of zone, clock changes, window and calendar; --when is whole.
    An empty `calendar` takes the schedule out of the one it is under.
    """
    given = [(name, value) for name, value in zip(_KINDS, when[:5], strict=True) if value is not None]
    if len(given) > 1:
        names = " and ".join(name for name, _ in given)
        raise usage(given[1][0], given[1][1], "is a second schedule", f"Give one of {names}.")
    if not given and before is None:
        raise usage(
            "schedule", "none", "is given",
            "Say when it runs: --cron '0 9 * * MON-FRI', --every 10m, --at TIME or --in 10m.",
        )  # fmt: skip
    form = _expressed(*given[0]) if given else dict(before or {})
    if given and before is not None and when.text is None:
        form = {**_kept(before, form), **form}
    settings = dict(zip(_SETTINGS, when[5:], strict=True))
    form |= {name: value for name, value in settings.items() if value is not None}
    return {
        key: value
        for key, value in form.items()
        if (key, value) not in (("calendar", ""), ("immediate", False))
    }


def dropped(before: Mapping[str, Any], form: Mapping[str, Any], when: When) -> list[str]:
    """Return a sentence for each setting of `before` that its change to `form` leaves behind unasked."""
    why = f"{'an interval' if form.get('kind') == 'interval' else 'a once'} like this one takes none"
    if when.text is not None:
        why = "--when is the whole schedule"
    return [
        f"{_SETTINGS[key]} {before[key]} is dropped: {why}."
        for key in _SETTINGS
        if key in before and key not in form and key != "immediate" and (key, before[key]) not in _USUAL
        and when.typed[_SETTINGS[key]] is None
    ]  # fmt: skip


def _expressed(option: str, value: str) -> dict[str, Any]:
    """The schedule of the one option that says it."""
    from duetime.core.text import text_document  # half of what the whole command line loads

    if option == "--when":
        found = text_document(value)
        return {"kind": "cron" if "cron" in found else "interval" if "every" in found else "once", **found}
    _refuse_whole(option, value)
    if option == "--cron":
        return {"kind": "cron", "cron": value}
    if option == "--every":
        return {"kind": "interval", **text_document(f"every {value}")}
    return {"kind": "once", option.removeprefix("--"): value}


def _refuse_whole(option: str, value: str) -> None:
    """Refuse what is no value of this option but a whole text, or the notation of another scheduler."""
    from duetime.core.text import text_document

    setting = next(
        (word for word in value.split() if word.partition("=")[0].lower() in _SHORT and "=" in word), None
    )
    if setting is not None:
        name, _, given = setting.partition("=")
        name = "tz" if name.lower() in ("cron_tz", "timezone") else name.lower()
        hint = f"Give it beside, as --{name} {given or 'VALUE'}, or the whole text with --when."
        raise usage(option, value, f"has a setting in it, {setting}", hint)
    begins = _WHOLE.match(value)
    if begins is None or (option == "--cron" and value.lstrip().lower().startswith("cron(")):
        return
    try:
        text_document(value)
        if re.match(r"\s*cron\s*\(", value, re.IGNORECASE):
            hint = "Give it with --cron, in the notation of Duetime: the second first, the year last."
        else:
            hint = f"Give it as --when '{value.strip()}'."
        problem = "is the whole text of a schedule"
    except DuetimeError as error:
        problem, hint = error.problem, error.hint
    raise usage(option, value, problem, hint)


def _kept(before: Mapping[str, Any], form: Mapping[str, Any]) -> dict[str, Any]:
    """What stays of a schedule whose expression is replaced."""
    clock: tuple[str, ...] = ("timezone", "dst_gap", "dst_fold")
    if form["kind"] == "interval" and form.get("mode") != "calendar":
        clock = ()
    elif form["kind"] == "once":
        clock = ("timezone", "dst_gap") if _local(form) else ()
    window = () if form["kind"] == "once" != before.get("kind") else ("start_at", "end_at")
    return {name: before[name] for name in (*clock, *window, "calendar") if name in before}


def _local(form: Mapping[str, Any]) -> bool:
    """Whether a once is given as a time of a clock."""
    from duetime.core.instants import parse_moment

    try:
        return "at" in form and parse_moment(form["at"], "at").instant is None
    except DuetimeError:
        return False  # the scheduler says what is wrong with it
