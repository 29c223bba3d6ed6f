"""The signature of a handler is judged at import; its data is parsed before it is called."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from duetime import RunContext
from duetime.core.faults import DataError, DefinitionError
from duetime.sdk.handler import handler_of

if TYPE_CHECKING:
    from decimal import Decimal as Hidden


class Report(BaseModel):
    model_config = ConfigDict(strict=True)

    region: str
    rows: int = Field(default=10, ge=1)
    days: set[int] = Field(default_factory=set)


class Method:
    def handle(self, run: RunContext[Report]) -> None:
        """A method works as well."""

    def __call__(self, run: RunContext) -> None:
        """So does an object that can be called."""


def nothing() -> None: ...
def plain(run: RunContext) -> None: ...
def as_dict(run: RunContext[dict[str, Any]]) -> None: ...
def with_default(run: RunContext, verbose: bool = False) -> None: ...
def collecting(*args: Any, **options: Any) -> None: ...
async def typed(run: RunContext[Report]) -> None: ...


@pytest.mark.parametrize(
    "function, takes_run, model",
    [
        (nothing, False, None),
        (plain, True, None),
        (lambda run: None, True, None),
        (as_dict, True, None),
        (with_default, True, None),
        (collecting, False, None),
        (typed, True, Report),
        (Method().handle, True, Report),
        (Method(), True, None),
        (functools.partial(with_default, verbose=True), True, None),
    ],
)
def test_a_signature_says_what_a_handler_wants(
    function: Callable[..., Any], takes_run: bool, model: type[BaseModel] | None
) -> None:
    handler = handler_of("key", function)
    assert (handler.takes_run, handler.model) == (takes_run, model)


def two(run: RunContext, other: int) -> None: ...
def keyword(*, run: RunContext) -> None: ...
def wrong(run: int) -> None: ...
def model_only(run: Report) -> None: ...
def no_model(run: RunContext[int]) -> None: ...
def hidden(run: RunContext[Hidden]) -> None: ...  # type: ignore[type-var, unused-ignore]  # refused at run time
def yields() -> Iterator[int]:
    yield 1


async def yields_later() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    "function, said",
    [
        (two, "wants 2 parameters"),
        (keyword, "wants 1 parameters"),
        (wrong, "is no parameter a run can be given"),
        (model_only, "is no parameter a run can be given"),
        (no_model, "is no parameter a run can be given"),
        (hidden, "cannot be read"),
        (yields, "yields"),
        (yields_later, "yields"),
    ],
)
def test_a_signature_no_run_can_meet_is_refused(function: Callable[..., Any], said: str) -> None:
    with pytest.raises(DefinitionError, match=r"handler reports\.nightly") as caught:
        handler_of("reports.nightly", function)
    assert said in str(caught.value)


def test_a_context_imported_for_type_checkers_only_is_understood() -> None:
    def handler(run: Any) -> None: ...

    handler.__annotations__["run"] = "MyContext"
    assert handler_of("key", handler).model is None


def test_data_is_parsed_as_json_into_the_model() -> None:
    parsed = handler_of("key", typed).parse({"region": "eu", "days": [1, 2]})
    assert parsed == Report(region="eu", days={1, 2})


@pytest.mark.parametrize(
    "data, said",
    [
        ({}, "data.region: 'nothing' does not fit Report (Field required)"),
        ({"region": "eu", "rows": 0}, "data.rows: '0' does not fit Report"),
        ({"region": "eu", "rows": "3"}, "data.rows: '3' does not fit Report"),
        ({"region": "eu", "days": [1, "x"]}, "data.days.1: 'x' does not fit Report"),
    ],
)
def test_data_that_does_not_fit_names_its_field(data: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as caught:
        handler_of("key", typed).parse(data)
    assert said in str(caught.value)


def test_without_a_model_data_is_a_dict_of_its_own() -> None:
    data = {"a": 1}
    parsed = handler_of("key", plain).parse(data)
    assert parsed == data
    assert parsed is not data


def test_the_sdk_loads_neither_aws_nor_pydantic_nor_anything_of_the_engine() -> None:
    script = (
        "import sys, duetime; assert not any(n.startswith('duetime.') for n in sys.modules); "
        "from duetime import App, RunContext, every, cron, once, trigger, Fail, NonRetryable; "
        "print([n for n in ('boto3', 'botocore', 'pydantic', 'duetime.engine', 'duetime.store') if n in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
