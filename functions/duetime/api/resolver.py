"""Routing and validation of requests, by Powertools; every refusal leaves as a problem document.

A resolver serves one request at a time; duetime.api.app keeps as many as there are requests at once. Powertools keeps the
current event on a class and hands contexts on through routers, which concurrent requests of the local server would
share: here both belong to the one resolver.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from aws_lambda_powertools.event_handler.api_gateway import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel

from duetime.api.call import KEY, Call
from duetime.api.family import Operation
from duetime.api.problems import problem_response
from duetime.api.routes import calendars, health, jobs, preview, runs, schedules
from duetime.core.faults import DefinitionError, PagingError
from duetime.core.jsontext import dumps

FAMILIES = (health.routes, jobs.routes, schedules.routes, calendars.routes, runs.routes, preview.routes)
OPERATIONS: tuple[Operation, ...] = tuple(one for family in FAMILIES for one in family.operations)
IAM_PREFIX = "/iam"


def operations_at(path: str) -> dict[str, str]:
    """Return the methods of a path (without the IAM prefix), each with its template.

    >>> operations_at("/projects/default/jobs")
    {'GET': '/projects/{project}/jobs', 'POST': '/projects/{project}/jobs'}
    """
    return {one.method: one.template for one in OPERATIONS if one.pattern.fullmatch(path)}


class Api(APIGatewayHttpResolver):
    """All routes behind one method: `answer`."""

    def __init__(self) -> None:
        super().__init__(
            enable_validation=True,
            serializer=dumps,
            json_body_deserializer=self._body,
            debug=False,
        )
        self._call: Call | None = None
        self._event = APIGatewayProxyEventV2({})
        for family in FAMILIES:
            self.include_router(family)
            # Else the next resolver would begin with what this one is serving then.
            family.api_resolver = None
        self.use([_known_query])
        self.exception_handler([Exception, NotFoundError])(self._problem)

    @property
    def current_event(self) -> APIGatewayProxyEventV2:  # type: ignore[override]  # see the module's docstring
        """The request being answered."""
        return self._event

    def answer(self, call: Call, event: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return the HTTP API response to a request whose caller and body were read already."""
        # Only what routing and validation need: no header of the caller's gets further than this.
        plain = {
            **event,
            "rawPath": path,
            "isBase64Encoded": False,
            "headers": {"content-type": "application/json"},
        }
        plain["requestContext"] = {**event["requestContext"], "stage": "$default"}
        self._call, self._event = call, APIGatewayProxyEventV2(plain, self._body)
        self.context = {KEY: call}
        return self.resolve(plain, LambdaContext())

    def _body(self, text: str) -> Any:
        """The body as it was read exactly; Powertools asks for it wherever a route has one."""
        return None if self._call is None else self._call.body

    def _problem(self, error: Exception) -> Response[str]:
        request_id = "-" if self._call is None else self._call.request_id
        return problem_response(error, request_id=request_id, model=_body_model(self))


def _body_model(app: Any) -> type[BaseModel] | None:
    """The model of the route's body, for the hints of errors."""
    route = app.context.get("_route")
    fields = route.dependant.body_params if route is not None else []
    for kind in (one.type_ for one in fields):
        for member in (kind, *get_args(kind)):
            if isinstance(member, type) and issubclass(member, BaseModel):
                return member
    return None


def _known_query(app: Any, next_middleware: Any) -> Any:
    """Refuse query parameters the route does not know: a misspelt `dry_run` must not write."""
    route = app.context["_route"]
    known = [field.alias for field in route.dependant.query_params]
    for name, value in app.current_event.query_string_parameters.items():
        if name in known and f"&{app.current_event.raw_query_string}".count(f"&{name}=") > 1:
            raise PagingError(name, value, "is given more than once", "Give each parameter once.")
        if name not in known:
            kind = PagingError if route.method == "GET" else DefinitionError
            raise kind(name, value, "belongs to no parameter", f"Known: {', '.join(known) or 'none'}.")
    return next_middleware(app)
