"""The OpenAPI 3.1 document of the control plane, made by Powertools from the routes and their models.

Three things Powertools adds to every operation are not so here and are taken out again: its own shapes of validation
errors (ours are problem documents) and the security requirement of the two open routes.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from aws_lambda_powertools.event_handler.openapi.models import APIKey, HTTPBearer, License, Server

from duetime.api.caller import OPEN_ROUTES
from duetime.api.resolver import Api

VERSION: Final = "0.1.0"
_FOREIGN: Final = ("HTTPValidationError", "ValidationError", "ResponseValidationError")
_SUMMARY: Final = "The control plane of Duetime, a serverless scheduler that runs in your own AWS account."
_TAGS: Final = {
    "service": "Whether it answers, and this document.",
    "jobs": "What to do, and when: a target, data, triggers and policies.",
    "schedules": "The simple form: a job with exactly one trigger.",
    "calendars": "Times that schedules pass over: holidays, weekdays, hours.",
    "runs": "What ran, when, and what it came to.",
    "preview": "When a schedule would run, before it is stored.",
}


@cache
def document() -> dict[str, Any]:
    """Return the document; it is the same for every process of this release."""
    made: dict[str, Any] = json.loads(
        Api().get_openapi_json_schema(
            title="Duetime",
            version=VERSION,
            summary=_SUMMARY,
            openapi_version="3.1.0",
            license_info=License(name="Apache-2.0"),
            servers=[
                Server(url="/", description="Bearer tokens; on the local server, nothing."),
                Server(url="/iam", description="Requests signed with SigV4."),
            ],
            security_schemes={
                "token": HTTPBearer(description="A token of the stage's OIDC issuer."),
                "sigv4": APIKey.model_validate(
                    {
                        "name": "authorization",
                        "in": "header",
                        "description": "AWS Signature Version 4, service execute-api.",
                    }
                ),
            },
            security=[{"token": []}, {"sigv4": []}],
        ),
        parse_float=_plain,
    )
    made["info"]["license"]["identifier"] = "Apache-2.0"
    made["tags"] = [{"name": name, "description": text} for name, text in _TAGS.items()]
    for name in _FOREIGN:
        made["components"]["schemas"].pop(name, None)
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            _clean(operation, is_open=(method.upper(), path) in OPEN_ROUTES)
    return made


def _plain(number: str) -> float:
    """Bounds come out as floats: 10.0 is 10."""
    value = float(number)
    return int(value) if value.is_integer() else value


def _clean(operation: dict[str, Any], *, is_open: bool) -> None:
    """Keep the answers the route declared, by status; an answer without a body has no content."""
    answers = operation["responses"]
    kept = {status: answers[status] for status in sorted(answers) if not _is_foreign(answers[status])}
    operation["responses"] = kept
    for answer in kept.values():
        if not answer.get("content", True):
            del answer["content"]
    if is_open:
        operation["security"] = []


def _is_foreign(answer: dict[str, Any]) -> bool:
    return any(f'schemas/{name}"' in json.dumps(answer) for name in _FOREIGN)
