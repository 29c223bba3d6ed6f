"""Reading JSON documents field by field: each reader takes a value and its path, and gives it back or refuses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from duetime.core.durations import duration_text, parse_duration
from duetime.core.errors import ScheduleError
from duetime.core.faults import DefinitionError

DAY: Final = 86_400


def seconds(value: Any, path: str, low: int, high: int) -> int:
    """Return a duration in any accepted form as whole seconds between `low` and `high`, both counting."""
    try:
        span = parse_duration(value)
    except ScheduleError as error:
        raise DefinitionError(path, error.value, error.problem, error.hint) from None
    total = span.days * DAY + span.seconds
    if low <= total <= high:
        return total
    raise DefinitionError(
        path, value, "is out of range", f"Use {duration_text(low)} to {duration_text(high)}."
    )


def integer(value: Any, path: str, low: int, high: int) -> int:
    """Return a whole number between `low` and `high`, both counting."""
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    raise DefinitionError(path, value, "is out of range", f"Use a whole number from {low} to {high}.")


def flag(value: Any, path: str) -> bool:
    """Return true or false; nothing else is taken for it."""
    if isinstance(value, bool):
        return value
    raise DefinitionError(path, value, "is neither true nor false", "Use true or false.")


def text(value: Any, path: str, longest: int) -> str:
    """Return a printable text of at most `longest` characters."""
    if (
        isinstance(value, str)
        and len(value) <= longest
        and all(c.isprintable() or c in "\n\t" for c in value)
    ):
        return value
    raise DefinitionError(path, value, "is no usable text", f"Use at most {longest} printable characters.")


def choice(value: Any, path: str, allowed: Sequence[str]) -> Any:
    """Return one of the allowed texts."""
    if isinstance(value, str) and value in allowed:
        return value
    raise DefinitionError(path, value, "is not known", f"Use one of {', '.join(allowed)}.")


def strings(value: Any, path: str, most: int, check: Callable[[Any, str], str]) -> tuple[str, ...]:
    """Return a list of at most `most` different texts, each checked, as a tuple."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) > most:
        raise DefinitionError(path, value, "is no list of texts", f"Use a list of at most {most}.")
    found = tuple(check(item, f"{path}[{index}]") for index, item in enumerate(value))
    if len(set(found)) != len(found):
        raise DefinitionError(path, value, "names something twice", "List each once.")
    return found


Fields = Mapping[str, Callable[[Any, str], Any]]


def read(document: Any, path: str, fields: Fields, hint: str) -> dict[str, Any]:
    """Return the checked fields of a JSON object; unknown ones are refused by name, null means left out."""
    if not isinstance(document, Mapping):
        raise DefinitionError(path or "body", document, "is no JSON object", hint)
    for key in document:
        if key not in fields:
            raise DefinitionError(
                f"{path}.{key}".lstrip("."),
                document[key],
                "belongs to no field",
                f"Known: {', '.join(fields)}.",
            )
    return {
        key: fields[key](value, f"{path}.{key}".lstrip("."))
        for key, value in document.items()
        if value is not None
    }
