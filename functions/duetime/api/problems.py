"""From an exception to a problem document: one table, so that no error leaves in another shape.

Every DuetimeError says all of it itself. What pydantic refuses is put into the same form: the field's path, its value cut
short, and the remedy, which is the field's description in the model. Everything else is UNEXPECTED: the log has the
stack, the answer has the request id.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from aws_lambda_powertools.event_handler.api_gateway import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from pydantic import BaseModel

from duetime.contracts.api_problem import PROBLEM_TYPE, Problem
from duetime.core.faults import CODES, DefinitionError, DuetimeError, NotFound, PagingError
from duetime.core.jsontext import dumps

log = logging.getLogger("duetime.api")

_EXTRA_HEADERS: Final[Mapping[int, Mapping[str, str]]] = {
    401: {"www-authenticate": "Bearer"},
    503: {"retry-after": "1"},
}
_PLAIN: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "extra_forbidden": "belongs to no field",
    "bool_type": "is neither true nor false",
    "bool_parsing": "is neither true nor false",
    "string_type": "is no text",
    "int_type": "is no whole number",
    "int_parsing": "is no whole number",
    "int_from_float": "is no whole number",
    "less_than_equal": "is out of range",
    "greater_than_equal": "is out of range",
    "literal_error": "is not known",
    "string_too_long": "is too long",
}
"""pydantic's kinds of error in our words; others keep pydantic's own."""


def as_fault(error: Exception, model: type[BaseModel] | None) -> DuetimeError | None:
    """Return the fault an exception stands for, or None for one that nobody foresaw."""
    for kind, read in _TABLE:
        if isinstance(error, kind):
            return read(error, model)
    return None


def problem_response(
    error: Exception, *, request_id: str, model: type[BaseModel] | None = None
) -> Response[str]:
    """Return the problem document of an exception; what nobody foresaw is logged with its stack."""
    fault = as_fault(error, model)
    if fault is None:
        log.error("request %s failed unexpectedly; its caller got UNEXPECTED", request_id, exc_info=error)
        detail, code, field, hint = CODES["UNEXPECTED"].english, "UNEXPECTED", None, None
        status = CODES[code].status
    else:
        detail, code, field, hint = fault.detail, fault.code, fault.field, fault.hint
        status = fault.status
    problem = Problem(
        type=f"urn:duetime:problem:{code}", title=CODES[code].english, status=status, detail=detail,
        code=code, field=field, hint=hint, instance=request_id,
    )  # fmt: skip
    headers = dict(_EXTRA_HEADERS.get(problem.status, {}))
    if code == "METHOD_NOT_ALLOWED" and fault is not None:
        headers["allow"] = fault.hint.removeprefix("Use ").rstrip(".")
    return Response(problem.status, PROBLEM_TYPE, dumps(problem.model_dump()), headers)


def field_path(parts: Sequence[str | int]) -> str:
    """Return the path of a field as errors write it.

    >>> field_path(["triggers", 0, "name"])
    'triggers[0].name'
    """
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _same(error: Any, model: type[BaseModel] | None) -> DuetimeError:
    return error  # type: ignore[no-any-return]  # the table pairs it with DuetimeError


def _invalid(error: Any, model: type[BaseModel] | None) -> DuetimeError | None:
    """The first thing wrong with a request's parameters or body, as pydantic found it; an answer of ours is no fault."""
    first = error.errors()[0]
    where, *parts = first["loc"]
    if where == "response":
        return None
    path = field_path(parts) or str(where)
    value = None if first["type"] == "missing" else first.get("input")
    plain = _PLAIN.get(first["type"]) or f"is not taken ({first['msg']})"
    if where == "query":
        kind = PagingError if parts and parts[0] in _PAGING else DefinitionError
        return kind(
            path, value, plain, _bounds(first) or "See the OpenAPI document for what this parameter takes."
        )
    return DefinitionError(path, value, plain, _remedy(first["type"], parts, model))


_PAGING: Final = frozenset({"limit", "cursor"})


def _bounds(error: Mapping[str, Any]) -> str | None:
    context = error.get("ctx") or {}
    if "le" in context:
        return f"Use at most {context['le']}."
    return f"Use at least {context['ge']}." if "ge" in context else None


def _remedy(kind: str, parts: Sequence[str | int], model: type[BaseModel] | None) -> str:
    if model is None:
        return "See the OpenAPI document for what this request takes."
    if kind == "extra_forbidden":
        return f"Known: {', '.join(field.alias or name for name, field in model.model_fields.items())}."
    known = {field.alias or name: field.description for name, field in model.model_fields.items()}
    return (
        known.get(str(parts[0])) if parts else None
    ) or "See the OpenAPI document for what this field takes."


def _no_route(error: Any, model: type[BaseModel] | None) -> DuetimeError:
    return NotFound(
        "path", "this path", "leads nowhere", "GET /openapi.json has all routes.", code="NOT_FOUND_ROUTE"
    )


_TABLE: Final[
    tuple[tuple[type[Exception], Callable[[Any, type[BaseModel] | None], DuetimeError | None]], ...]
] = (
    (DuetimeError, _same),
    (RequestValidationError, _invalid),
    (NotFoundError, _no_route),
)
