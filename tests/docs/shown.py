"""Whether what was printed is what a page shows.

What differs from run to run is compared by its shape, so that a page can show real values: times (an RFC 3339 instant, a
date with or without a time, a time of day), ids of runs, hosts and jobs, and milliseconds. `…` stands for anything in its
line; a line that is `…` alone for any number of lines. Runs of blanks are equal. Everything else must be the same.
"""

from __future__ import annotations

import re
from typing import Final

_DAYS: Final = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_SHAPES: Final = (
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z",
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \w+",
    r"(?<![\w:])\d\d:\d\d:\d\d(?:\.\d{3})?(?![\w:])",
    r"(?<![\w-])20\d\d-\d\d-\d\d(?![\w-])",
    rf"\b(?:{_DAYS})\b",
    r"\blocal-[0-9a-z]{16}\b",
    r"\b\d+ ms\b",
)
RUN_ID: Final = r"\b[0-9a-hjkmnp-tv-z]{30}\b"
_TOKEN: Final = re.compile(rf"(?P<id>{RUN_ID})|(?P<gap>…)|(?P<blank>[ \t]+)|" + "|".join(_SHAPES))
_KINDS: Final = [re.compile(shape) for shape in _SHAPES]


def match(shown: str, printed: str, *, exact: bool = False) -> dict[str, str] | None:
    """Return which printed run id stands for which shown one, or None if the output is not the one shown.

    `exact` compares times and the like by their value as well.
    """
    ids: list[str] = []
    lines = [_line(line, ids, exact) for line in shown.rstrip("\n").split("\n")]
    pattern = "\n".join(lines).replace(_ANY_LINES + "\n", _ANY_LINES)
    if lines[-1] == _ANY_LINES:
        pattern += ".*"
    found = re.fullmatch(pattern, _tidy(printed))
    return None if found is None else dict(zip(ids, found.groups(), strict=True))


def holds(shown: str, printed: str) -> bool:
    """Whether every shown line was printed, in this order; other lines may lie between (a log goes on).

    >>> holds("a\\nc\\n", "a\\nb\\nc\\n"), holds("c\\na\\n", "a\\nb\\nc\\n")
    (True, False)
    """
    lines = iter(_tidy(printed).split("\n"))
    wanted = [line for line in shown.rstrip("\n").split("\n") if line.strip() != "…"]
    return all(any(re.fullmatch(_line(line, [], False), one) for one in lines) for line in wanted)


_ANY_LINES: Final = "(?:.*\n)*?"


def _line(line: str, ids: list[str], exact: bool) -> str:
    """Return the pattern of one shown line; the ids in it are added to `ids`, each is a group."""
    if line.strip() == "…":
        return _ANY_LINES
    parts, position = [], 0
    for token in _TOKEN.finditer(line.rstrip()):
        parts.append(re.escape(line[position : token.start()]))
        position = token.end()
        if token["id"]:
            ids.append(token["id"])
            parts.append(f"({RUN_ID})")
        elif token["gap"]:
            parts.append(".*?")
        elif token["blank"]:
            parts.append("[ \t]+")
        else:
            parts.append(re.escape(token[0]) if exact else _kind(token[0]))
    return "".join([*parts, re.escape(line.rstrip()[position:]), "[ \t]*"])


def _kind(text: str) -> str:
    return next(kind.pattern for kind in _KINDS if kind.fullmatch(text))


def _tidy(printed: str) -> str:
    return "\n".join(line.rstrip() for line in printed.rstrip("\n").split("\n"))
