"""docs/schedules.md: every example in its tables is carried out, and every cell that code can know is what code says.

A table says above itself how it is read: `<!-- check: KIND, after INSTANT -->`. Forms and instants stand in code type,
sentences and refusals as plain text. Calendars are those of the block marked `<!-- calendars -->`.
"""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pytest

from duetime import ScheduleError, describe, parse_duration, parse_schedule
from duetime.core import cronmasks, schedulejson, text
from duetime.core.calendars import MAX_DATES, MAX_MEMBERS, parse_calendar
from duetime.core.cronfields import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, YEAR
from duetime.core.definition import parse_trigger
from duetime.core.durations import duration_text
from duetime.core.exclusion import MAX_SPANS
from duetime.core.faults import DuetimeError
from duetime.core.instants import parse_moment
from duetime.core.preview import MAX_COUNT, preview
from duetime.core.schedule import freeze, schedule_text
from duetime.core.zones import check_zone
from tests.docs.snippets import ROOT, code_in, snippets

PAGE: Final = ROOT / "docs" / "schedules.md"
AFTER: Final = "2027-01-01T00:00:00Z"
"""From when on instants are told where a table names no other moment."""
_TABLE: Final = re.compile(r"<!-- check: ([^>]+) -->\n((?:\|.*\n)+)")
_CALENDARS: Final = re.compile(r"<!-- calendars -->\n```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANY_TABLE: Final = re.compile(r"^\|(?:[ :-]+\|)+$", re.MULTILINE)

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Example:
    """One row of a table: how it is read, from when on, and where it stands."""

    kind: str
    after: int
    line: int
    row: Row


@cache
def calendars() -> dict[str, Any]:
    """The calendars of the page, by name."""
    (block,) = _CALENDARS.findall(PAGE.read_text(encoding="utf-8"))
    found: dict[str, Any] = json.loads(block)
    return found


def examples() -> Iterator[Example]:
    """Every row of every checked table."""
    page = PAGE.read_text(encoding="utf-8")
    for found in _TABLE.finditer(page):
        kind, *options = (word.strip() for word in found[1].split(","))
        moment = next((one.removeprefix("after ") for one in options if one.startswith("after ")), AFTER)
        after = parse_moment(moment, "after").instant
        assert after is not None
        first = page.count("\n", 0, found.start()) + 2
        head, _, *rows = (
            [cell.strip() for cell in line.strip().strip("|").split("|")] for line in found[2].splitlines()
        )
        for number, row in enumerate(rows, 2):
            yield Example(kind, after, first + number, dict(zip(head, row, strict=True)))


def instants(form: object, after: int, count: int) -> list[str]:
    """The next instants on the schedule's own clock: `2027-01-01 09:00`, elsewhere than in UTC with their offset."""
    found = preview(form, after=after, count=count, calendars=calendars())
    return [_shown(one, found.timezone) for one in found.local]


def _shown(local: str, timezone: str) -> str:
    day, time, offset = local[:10], local[11:19], local[19:]
    clock = time.removesuffix(":00") if time.endswith(":00") else time
    return f"{day} {clock}" + ("" if timezone == "UTC" else f" {offset}")


def next_cell(form: object, after: int, count: int) -> str:
    """What a cell of next instants says."""
    return ", ".join(f"`{one}`" for one in instants(form, after, count)) or "none"


def refusal(form: object) -> ScheduleError:
    """The error of a schedule, which must be one."""
    with pytest.raises(ScheduleError) as caught:
        parse_schedule(form)
    return caught.value


def unchanged(form: str) -> str:
    """What becomes of a form that is taken over as it is."""
    try:
        return describe(form)
    except ScheduleError as error:
        return f"Refused: {error.hint}"


def _next(one: Example) -> None:
    (form,) = code_in(one.row["write"])
    shown = one.row["next"]
    assert shown == next_cell(form, one.after, max(1, len(code_in(shown)))), form
    for name, said in one.row.items():
        if name == "says":
            assert said == describe(form)


def _says(one: Example) -> None:
    forms = code_in(one.row["write"])
    assert forms
    for form in forms:
        assert one.row["says"] == describe(form)


def _refused(one: Example) -> None:
    (form,) = code_in(one.row["write"])
    error = refusal(form)
    assert one.row["field"] == f"`{error.field}`"
    assert one.row["answer"] == f"{error.problem}. {error.hint}"


def _zone(one: Example) -> None:
    (name,) = code_in(one.row["write"])
    with pytest.raises(ScheduleError) as caught:
        check_zone(name)
    assert one.row["answer"] == caught.value.hint


def _moved(one: Example) -> None:
    (there,), (form,) = code_in(one.row["there"]), code_in(one.row["write"])
    assert one.row["unchanged here"] == unchanged(there)
    shown = one.row["next"]
    assert shown == next_cell(form, one.after, max(1, len(code_in(shown)))), form


def _duration(one: Example) -> None:
    (meant,) = code_in(one.row["is"])
    for written in code_in(one.row["write"]):
        assert duration_text(int(parse_duration(json.loads(written)).total_seconds())) == meant, written


def _json(one: Example) -> None:
    (document,), (form,) = code_in(one.row["JSON"]), code_in(one.row["text"])
    parsed = parse_schedule(json.loads(document))
    assert schedule_text(parsed) == form
    assert parse_schedule(form) == parsed


def _alias(one: Example) -> None:
    first, *others = (parse_schedule(json.loads(form) if form[0] in "{[0123456789" and form[-1] in "}0" else form)
                      for form in code_in(one.row["the same"]))  # fmt: skip
    assert others
    assert all(other == first for other in others), one.row


def _frozen(one: Example) -> None:
    (form,), (stored,) = code_in(one.row["write"]), code_in(one.row["stored"])
    (zone,) = code_in(one.row["default zone"])
    kept = freeze(parse_schedule(form), now=one.after, timezone=zone)
    assert schedule_text(kept) == stored
    assert parse_schedule(stored) == kept


def _warned(one: Example) -> None:
    (form,) = code_in(one.row["write"])
    assert one.row["warning"] in preview(form, after=one.after, calendars=calendars()).warnings


def _trigger(one: Example) -> None:
    (options,) = code_in(one.row["write"])
    parse_trigger({"schedule": "every 10m", **json.loads(options)})


LIMITS: Final[dict[str, Callable[[], str]]] = {
    "resolution": lambda: "1 second",
    "interval": lambda: f"{duration_text(schedulejson.MIN_EVERY)} to {duration_text(schedulejson.MAX_EVERY)}",
    "`once`": lambda: f"up to {duration_text(schedulejson.MAX_DELAY)} ahead",
    "`repeat_count`": lambda: f"1 to {schedulejson.MAX_REPEATS:,}",
    "cron expression": lambda: f"{cronmasks.MAX_TEXT} characters",
    "schedule text": lambda: f"{text.MAX_TEXT:,} characters",
    "preview": lambda: f"1 to {MAX_COUNT} instants",
    "dates of a holiday calendar": lambda: f"{MAX_DATES:,}",
    "members of a composite calendar": lambda: f"{MAX_MEMBERS}",
    "excluded spans passed over in one search": lambda: f"{MAX_SPANS:,}",
    "jitter": lambda: f"up to {duration_text(_longest_jitter())}",
}


def _longest_jitter() -> int:
    """The most that a trigger takes: one second more is refused."""
    with pytest.raises(DuetimeError):
        parse_trigger({"schedule": "@hourly", "jitter": "1d1s"})
    return parse_trigger({"schedule": "@hourly", "jitter": "1d"}).jitter


def _limit(one: Example) -> None:
    assert one.row["limit"] == LIMITS[one.row["what"]]()


def _fields(one: Example) -> None:
    spec = next(
        spec for spec in (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY, YEAR) if spec.name == one.row["field"]
    )
    high = 7 if spec is WEEKDAY else spec.high
    names = f", {spec.names[0]}–{spec.names[-1]}" if spec.names else ""
    assert one.row["values"].replace(" (0 and 7 are Sunday)", "") == f"{spec.low}–{high}{names}"


CHECKS: Final[dict[str, Callable[[Example], None]]] = {
    "next": _next, "says": _says, "refused": _refused, "zone": _zone, "moved": _moved, "duration": _duration, "json": _json,
    "alias": _alias, "frozen": _frozen, "warned": _warned, "trigger": _trigger, "limit": _limit, "fields": _fields,
}  # fmt: skip


@pytest.mark.parametrize("one", list(examples()), ids=lambda one: f"{one.kind}-{one.line}")
def test_every_example_is_true(one: Example) -> None:
    CHECKS[one.kind](one)


def test_the_examples_in_python_are_true() -> None:
    examples = [one for one in snippets(PAGE) if one.mode == "doctest"]
    assert examples
    for one in examples:
        test = doctest.DocTestParser().get_doctest(one.text, {}, one.where, str(PAGE), one.line)
        assert doctest.DocTestRunner().run(test) == (0, len(test.examples))
        assert test.examples


def test_no_table_is_left_unchecked() -> None:
    page = PAGE.read_text(encoding="utf-8")
    plain = len(re.findall(r"<!-- not checked: ", page))
    assert len(_ANY_TABLE.findall(page)) == len(_TABLE.findall(page)) + plain
    assert {one.kind for one in examples()} == set(CHECKS)


def test_all_limits_are_told() -> None:
    assert {one.row["what"] for one in examples() if one.kind == "limit"} == set(LIMITS)


def test_every_calendar_is_used_and_can_be_put() -> None:
    used = {
        name for one in examples() for form in _forms(one.row) for name in re.findall(r"calendar=(\S+)", form)
    }
    members = {name for one in calendars().values() for name in one.get("calendars", ())}
    assert used | members == set(calendars())
    assert {one["kind"] for one in calendars().values()} == {
        "holiday",
        "weekly",
        "daily",
        "cron",
        "composite",
    }
    for one in calendars().values():
        parse_calendar(one)


def _forms(row: Row) -> Sequence[str]:
    return [form for cell in row.values() for form in code_in(cell)]
