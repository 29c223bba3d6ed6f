"""Generated files are as the code makes them: `make generate` writes them anew."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests import generate
from tests.generators import Generated


@pytest.mark.parametrize("topic", generate.topics())
def test_checked_in_files_are_as_the_code_makes_them(topic: str) -> None:
    differences = [
        generate.difference(one) for one in importlib.import_module(f"tests.generators.{topic}").generated()
    ]

    assert "".join(differences) == "", "run make generate and look at what changed"


@pytest.mark.parametrize("folder", ["events/outbound", "events/messages"])
def test_generated_folders_hold_nothing_else(folder: str) -> None:
    made = {one.path for one in generate.everything() if one.path.startswith(f"{folder}/")}
    found = {str(path.relative_to(generate.ROOT)) for path in (generate.ROOT / folder).iterdir()}

    assert found == made


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    return tmp_path


def test_a_changed_file_shows_as_a_difference_and_is_written_once(tree: Path) -> None:
    one = Generated("docs/page.md", "new")
    (tree / "docs").mkdir()
    (tree / "docs/page.md").write_text("old\n")

    assert "-old\n+new\n" in generate.difference(one)
    assert generate.write(one)
    assert generate.difference(one) == ""
    assert not generate.write(one)


def test_a_section_replaces_only_what_is_between_its_marks(tree: Path) -> None:
    page = tree / "page.md"
    page.write_text("above\n<!-- generated: table -->\nold\n<!-- end -->\nbelow\n")

    generate.write(Generated("page.md", "new", "table"))

    assert page.read_text() == "above\n<!-- generated: table -->\nnew\n<!-- end -->\nbelow\n"


def test_a_section_without_marks_is_refused(tree: Path) -> None:
    one = Generated("page.md", "new", "table")
    (tree / "page.md").write_text("above\n<!-- generated: other -->\n<!-- end -->\n")

    with pytest.raises(ValueError, match=r"page\.md: the section 'table' is missing"):
        generate.difference(one)
    assert generate.difference(replace(one, section="other")) != ""
