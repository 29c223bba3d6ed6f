"""A family of routes: declares each operation once, for routing, validation, OpenAPI, 404/405 and the log line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from duetime.contracts.api_problem import PROBLEM_TYPE, Problem

F = TypeVar("F", bound=Callable[..., Any])

_MEANINGS: Final[Mapping[int, str]] = {
    200: "Done.",
    201: "Created.",
    202: "Taken; it is not done yet.",
    204: "Done; there is nothing to say.",
    400: "The request is not valid.",
    401: "The caller is not authenticated.",
    403: "The caller or the scheduler may not do this.",
    404: "It does not exist.",
    409: "The state of things forbids it now.",
    413: "The request is too large.",
    422: "Something it refers to does not exist.",
    429: "Too many requests.",
    500: "Something unexpected happened; the log has the request id.",
    503: "A service behind cannot be reached; try again.",
}
_ALWAYS: Final = (400, 401, 404, 429, 500, 503)
"""Problems any route behind a caller may answer."""
_PARAMETER: Final = re.compile(r"<(\w+)>")
_SEGMENT: Final = r"[^/\x00-\x1f\x7f]+"


class Operation(NamedTuple):
    """One method of one path, in OpenAPI's notation, and how to recognise it."""

    method: str
    template: str
    pattern: re.Pattern[str]


class Family(APIGatewayHttpRouter):
    """The routes of one kind of thing; `tag` groups them in the OpenAPI document."""

    def __init__(self, tag: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Powertools declares no types here
        self.tag = tag
        self.operations: list[Operation] = []

    def operation(
        self,
        method: str,
        path: str,
        summary: str,
        *,
        answers: Mapping[int, Any],
        errors: Iterable[int] = (),
        open_to_all: bool = False,
        description: str | None = None,
    ) -> Callable[[F], F]:
        """Declare the decorated function as the operation `method path`.

        `answers` maps each status of success to its model (None: no body), `errors` are the statuses of problems beside
        those every route has.
        """
        pattern = re.compile(_PARAMETER.sub(lambda _: _SEGMENT, path.replace(".", r"\.")))
        self.operations.append(Operation(method, _PARAMETER.sub(r"{\1}", path), pattern))
        problems = sorted({*errors, *(() if open_to_all else _ALWAYS), 500})
        responses: dict[int, Any] = {status: _success(status, model) for status, model in answers.items()}
        responses |= {
            status: {"description": _MEANINGS[status], "content": {PROBLEM_TYPE: {"model": Problem}}}
            for status in problems
        }

        def declare(function: F) -> F:
            register: Callable[[F], F] = self.route(
                path, method=[method], summary=summary, description=description, responses=responses,
                tags=[self.tag], operation_id=function.__name__, status_code=next(iter(answers)),
            )  # fmt: skip
            return register(function)

        return declare


def _success(status: int, model: Any) -> dict[str, Any]:
    content: dict[str, Any] = {} if model is None else {"application/json": {"model": model}}
    return {"description": _MEANINGS[status], "content": content}
