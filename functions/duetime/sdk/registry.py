"""The registry: every handler and code job of a deployment, collected from the modules of its jobs package.

Modules are imported in the order of their names. A module that cannot be imported, and a name that two of them use, is
one clear error that says where; nothing of a broken package is ever half known.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Self

from duetime.core.definition import Job
from duetime.core.faults import DefinitionError, NotFound
from duetime.core.run import cut
from duetime.sdk.app import App, registered_twice
from duetime.sdk.handler import Handler


@dataclass(frozen=True, slots=True)
class Registry:
    """The handlers, by key, and the code jobs, by name, of one deployment."""

    handlers: Mapping[str, Handler] = field(default_factory=dict)
    jobs: Mapping[str, Job] = field(default_factory=dict)

    @classmethod
    def of(cls, *apps: App) -> Self:
        """Return the registry of some apps; a key that two of them use raises DefinitionError."""
        handlers: dict[str, Handler] = {}
        jobs: dict[str, Job] = {}
        for app in apps:
            for key, handler in app.handlers.items():
                if key in handlers:
                    raise registered_twice(handlers[key], handler)
                handlers[key] = handler
            jobs.update(app.jobs)
        return cls(handlers, jobs)

    def handler(self, key: str) -> Handler:
        """Return the handler registered under `key`, or raise NotFound with the nearest names."""
        found = self.handlers.get(key)
        if found is not None:
            return found
        near = difflib.get_close_matches(key, self.handlers, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else "Register it with app.job or app.handler."
        raise NotFound(
            "target.name", key, "is registered by no code of this deployment", hint, code="NOT_FOUND_HANDLER"
        )


def load_jobs(package: str = "jobs") -> Registry:
    """Import every module of `package` and return what their apps register.

    Raises DefinitionError naming the module that cannot be imported, with the cause attached.
    """
    apps: dict[int, App] = {}
    for module in _modules(package):
        for value in vars(module).values():
            if isinstance(value, App):
                apps.setdefault(id(value), value)  # an app may be imported by other modules as well
    return Registry.of(*apps.values())


def _modules(package: str) -> Iterator[ModuleType]:
    root = _imported(package)
    yield root
    if not hasattr(root, "__path__"):
        return
    for found in sorted(pkgutil.iter_modules(root.__path__), key=lambda one: one.name):
        name = f"{package}.{found.name}"
        if found.ispkg:
            yield from _modules(name)
        else:
            yield _imported(name)


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:  # whatever a user's module does wrong while it is imported
        raise DefinitionError(
            "module", name, cut(f"could not be imported ({type(error).__name__}: {error})", 500),
            "Mend it, or take it out of the jobs package; nothing of the package was registered.",
        ) from error  # fmt: skip
