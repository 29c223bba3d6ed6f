"""A registered handler: the function behind a key, and what it wants to be called with.

Everything about its signature is judged once, at import, so that a run meets no surprise: it takes no parameter or one,
a `RunContext`, whose data is a dict or a pydantic model; it is sync or async, and it returns instead of yielding.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from duetime.core.faults import DataError, DefinitionError
from duetime.core.jsontext import dumps
from duetime.sdk.context import RunContext

if TYPE_CHECKING:
    from pydantic import BaseModel

_SHAPE: Final = "Write def name() or def name(run: RunContext); RunContext[Model] takes a pydantic model."


@dataclass(frozen=True, slots=True)
class Handler:
    """A function registered under `key`. `model` is what its data is parsed into, or None for a plain dict."""

    key: str
    function: Callable[..., Any]
    takes_run: bool
    model: type[BaseModel] | None = None

    @property
    def origin(self) -> str:
        """Where the function stands, for error messages: `module.name`."""
        return f"{getattr(self.function, '__module__', '?')}.{_name(self.function)}"

    def call(self, run: RunContext[Any]) -> Any:
        """Call the function; an async one answers its coroutine."""
        return self.function(run) if self.takes_run else self.function()

    def parse(self, data: Mapping[str, Any]) -> Any:
        """Return the data as the handler wants it; raises DataError naming the field."""
        if self.model is None:
            return dict(data)
        from pydantic import ValidationError

        try:
            return self.model.model_validate_json(dumps(data))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            path = ".".join(["data", *(str(part) for part in first["loc"])])
            value = "nothing" if first["type"] == "missing" else first["input"]
            raise DataError(
                path, value, f"does not fit {self.model.__name__} ({first['msg']})",
                "Mend the data of the job, trigger or call, or the model.",
            ) from None  # fmt: skip


def handler_of(key: str, function: Callable[..., Any]) -> Handler:
    """Return the handler of a function, or raise DefinitionError naming the key and what its signature lacks."""
    where = f"handler {key}"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise DefinitionError(where, _name(function), "yields", "Return the result; a run has one.")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise DefinitionError(where, _name(function), "cannot be called by name", _SHAPE) from None
    wanted = [one for one in parameters if one.default is one.empty and not _collects(one)]
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if len(wanted) > 1 or any(one not in positional for one in wanted):
        raise DefinitionError(where, _name(function), f"wants {len(wanted)} parameters", _SHAPE)
    if not wanted:
        return Handler(key, function, takes_run=False)
    return Handler(key, function, takes_run=True, model=_model_of(function, wanted[0], where))


def _collects(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


def _model_of(
    function: Callable[..., Any], parameter: inspect.Parameter, where: str
) -> type[BaseModel] | None:
    """Return the model in the annotation of the one parameter; no annotation, or a bare RunContext, is a plain dict."""
    annotation = _resolved(function, parameter, where)
    if annotation is inspect.Parameter.empty or annotation is RunContext or annotation is Any:
        return None
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is RunContext:
        model = arguments[0]
        if model is Any or model is dict or typing.get_origin(model) is dict:
            return None
        from pydantic import BaseModel

        if isinstance(model, type) and issubclass(model, BaseModel):
            return model
    raise DefinitionError(where, str(parameter), "is no parameter a run can be given", _SHAPE)


def _resolved(function: Callable[..., Any], parameter: inspect.Parameter, where: str) -> Any:
    """Return the annotation as a type, also where the module postpones annotations or hides imports from run time."""
    if not isinstance(parameter.annotation, str):
        return parameter.annotation
    holder = SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    names = getattr(inspect.unwrap(function), "__globals__", {})
    try:
        return typing.get_type_hints(holder, globalns=names)[parameter.name]
    except NameError as error:
        if "[" not in parameter.annotation:
            return RunContext  # an import for type checkers only; it can mean nothing else
        raise DefinitionError(
            where, parameter.annotation, f"cannot be read ({error})",
            "Import RunContext and the model at run time and define the model at the top of a module.",
        ) from None  # fmt: skip
