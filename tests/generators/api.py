"""docs/openapi.json, from the routes and their models, and docs/errors.md, from the table of codes."""

from __future__ import annotations

import json
from collections.abc import Iterator

from duetime.api.openapi import document
from duetime.core.faults import CODES
from tests.generators import Generated

INTRO = """# Errors

Every refusal and failure has a stable code. The API answers it as a problem document
([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457), `application/problem+json`) with `status`, `title` (the sentence
below), `detail` (field, value and what is wrong with it), `code`, `field`, `hint` (what to write or do instead) and
`instance` (the id of the request, which the log has too). The library raises it as `duetime.core.faults.DuetimeError`.
`NOT_FOUND_CALENDAR` is 422 where a body names the calendar and 404 where the path of the request does.
Generated from `duetime.core.faults.CODES`.

| code | HTTP status | English | 中文 |
|---|---|---|---|
"""


def generated() -> Iterator[Generated]:
    """Yield the OpenAPI document and the table of errors."""
    yield Generated("docs/openapi.json", json.dumps(document(), indent=2, ensure_ascii=False))
    rows = [f"| `{name}` | {code.status} | {code.english} | {code.chinese} |" for name, code in CODES.items()]
    yield Generated("docs/errors.md", INTRO + "\n".join(rows))
