"""Problems in the words of the command line: the option that was typed instead of the field of a body it became."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from duetime.cli.problems import Trouble
from duetime.core.faults import DuetimeError, shown

_DURATIONS: Final = frozenset({"delay", "every", "in"})


@contextmanager
def naming(
    options: Mapping[str, str], typed: Mapping[str, object], title: str | None = None
) -> Iterator[None]:
    """Tell every problem inside by the option that sets its field, if that one was `typed`, and by what was typed.

    `options` maps fields to options, `typed` options to values (None: not typed). A field below one of these is told as
    `--cron (minute)`. `title` replaces the headline of a schedule that is not valid.
    """
    try:
        yield
    except (DuetimeError, Trouble) as error:
        trouble = error if isinstance(error, Trouble) else Trouble.of(error)
        if title is not None and trouble.code == "VALIDATION_SCHEDULE":
            trouble.title = title
        raise _named(trouble, options, typed) from None


def _named(trouble: Trouble, options: Mapping[str, str], typed: Mapping[str, object]) -> Trouble:
    field = trouble.field or ""
    known = [one for one in options if field == one or field.startswith((one + ".", one + "["))]
    if not known or typed.get(options[known[0]]) is None or not trouble.detail.startswith(f"{field}: "):
        return trouble
    option, rest = options[known[0]], field[len(known[0]) :].lstrip(".")
    said = trouble.detail.removeprefix(f"{field}: ")
    value = typed[option]
    if isinstance(value, str) and field.rpartition(".")[2] in _DURATIONS:
        # What came back may be a form of it that was never typed, such as the seconds of 5m.
        _, mark, problem = said.partition("' ")
        if mark and not said.startswith(f"'{shown(value)}' "):
            said = f"'{shown(value)}' {problem}"
    trouble.detail = f"{option}{f' ({rest})' if rest else ''}: {said}"
    trouble.field = option
    return trouble
