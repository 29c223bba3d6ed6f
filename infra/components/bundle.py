"""The code of the deployed functions as one folder: functions/ beside its pinned dependencies.

Guarantees: dependencies are exactly functions/requirements.txt, hashes verified, built for the runtime they will run on
(no Docker: pip picks the wheels); the folder's name is a hash of everything inside, so the same sources give the same
asset and a second synth downloads nothing; a build cut short leaves nothing that looks finished.

`python -m infra.components.bundle` fetches ahead of time what deploys and tests need, so that these work offline.
"""

from __future__ import annotations

import compileall
import hashlib
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = ROOT / "functions"
CACHE = ROOT / "build" / "lambda"

# The command line and the local server need packages that a function does not hold; nothing deployed imports them.
LEFT_OUT = ("duetime/cli", "duetime/local")
_MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}


@dataclass(frozen=True, slots=True)
class Bundle:
    """A finished bundle: `path` is the folder, `digest` the hash that names its content."""

    path: Path
    digest: str


@dataclass(frozen=True, slots=True)
class Platform:
    """What the bundle will run on. `wheels` "host" takes the wheels of this machine's own interpreter."""

    python: str = "3.13"
    architecture: Literal["arm64", "x86_64"] = "arm64"
    wheels: Literal["lambda", "host"] = "lambda"

    def pip_options(self) -> list[str]:
        """How pip is told to choose wheels for this platform."""
        if self.wheels == "host":
            return []
        machine = _MACHINES[self.architecture]
        platforms = [f"manylinux_2_28_{machine}", f"manylinux2014_{machine}"]
        return [
            *(word for name in platforms for word in ("--platform", name)),
            *("--implementation", "cp", "--python-version", self.python),
        ]

    @property
    def has_bytecode(self) -> bool:
        """Whether this interpreter can compile for it: bytecode fits one version of Python, on any processor."""
        return self.wheels == "host" or self.python == f"{sys.version_info.major}.{sys.version_info.minor}"


class BundleError(RuntimeError):
    """The dependencies could not be installed; the text is pip's own."""


def build(platform: Platform, functions: Path = FUNCTIONS, cache: Path = CACHE) -> Bundle:
    """Make the bundle, or find it made before. Raises `BundleError` when pip fails."""
    packages = dependencies(platform, functions / "requirements.txt", cache)
    digest = hashlib.sha256(packages.name.encode())
    sources = {file.relative_to(functions): file.read_bytes() for file in _sources(functions)}
    for name, content in sources.items():
        digest.update(f"\0{name.as_posix()}\0{len(content)}\0".encode() + content)
    target = cache / f"code-{digest.hexdigest()[:24]}"
    if not target.is_dir():
        with _Workshop(target) as draft:
            for name, content in sources.items():
                destination = draft / name
                destination.parent.mkdir(parents=True, exist_ok=True)
                destination.write_bytes(content)
            _compile(platform, draft)
            shutil.copytree(packages, draft, copy_function=_link, dirs_exist_ok=True)
    return Bundle(target, digest.hexdigest())


def _sources(functions: Path) -> Iterator[Path]:
    """The files of functions/ that are deployed, in a stable order."""
    for file in sorted(functions.rglob("*")):
        name = file.relative_to(functions).as_posix()
        hidden = any(part.startswith(".") or part == "__pycache__" for part in name.split("/"))
        left_out = name.startswith(tuple(f"{folder}/" for folder in LEFT_OUT)) or ".egg-info/" in name
        if file.is_file() and not hidden and not left_out:
            yield file


def dependencies(
    platform: Platform, requirements: Path = FUNCTIONS / "requirements.txt", cache: Path = CACHE
) -> Path:
    """A folder with the pinned dependencies alone, kept between builds. Raises `BundleError` when pip fails."""
    options = platform.pip_options()
    host = [] if options else [sys.implementation.cache_tag, sys.platform, os.uname().machine]
    kind = [*options, *host, f"bytecode={platform.has_bytecode}"]
    digest = hashlib.sha256("\0".join(kind).encode() + requirements.read_bytes())
    target = cache / f"dependencies-{digest.hexdigest()[:24]}"
    if not target.is_dir():
        with _Workshop(target) as draft:
            pip = [
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-input",
                "--no-compile",
            ]
            pinned = ["--require-hashes", "--no-deps", "--only-binary", ":all:"]
            where = ["--target", str(draft), "--requirement", str(requirements)]
            command = [sys.executable, *pip, *pinned, *where, *options]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)  # noqa: S603 - fixed words
            if done.returncode:
                raise BundleError(
                    f"pip could not install {requirements.name} for {platform}:\n{done.stderr.strip()}"
                )
            shutil.rmtree(draft / "bin", ignore_errors=True)
            _compile(platform, draft)
    return target


def _compile(platform: Platform, folder: Path) -> None:
    """Compile ahead of time: a function cannot keep what it compiles, so each cold start would do it all again.

    Unchecked, for the sources never change where it runs; without this machine's path, so that the content is the same
    wherever it is made. A package's file that is no Python of this version is left to fail where it is imported.
    """
    if platform.has_bytecode:
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(folder, quiet=2, stripdir=str(folder), invalidation_mode=mode)


class _Workshop:
    """A folder to build in that takes its final name only when the work is done; a race has one winner."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __enter__(self) -> Path:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=self.target.parent))
        return self.draft

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.draft.chmod(0o755)
                self.draft.rename(self.target)
        except OSError:
            if not self.target.is_dir():  # lost to another build of the same content: theirs is as good
                raise
        finally:
            shutil.rmtree(self.draft, ignore_errors=True)


def _link(source: str, destination: str) -> None:
    try:
        os.link(source, destination)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, destination)


if __name__ == "__main__":
    for wanted in (Platform(), Platform(wheels="host")):
        dependencies(wanted)
