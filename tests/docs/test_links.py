"""Every link of the user's pages leads somewhere, and every guarantee to a test that there is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs.snippets import PAGES, ROOT

GUARANTEES = ROOT / "docs" / "guarantees.md"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PROOF = re.compile(r"test_\w+")


def prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    dead = []
    for text, target in LINK.findall(prose(page)):
        if target.startswith(("https://", "http://")):
            continue
        name, _, anchor = target.partition("#")
        found = (page.parent / name).resolve() if name else page
        if not found.is_relative_to(ROOT) or not found.exists() or (anchor and anchor not in anchors(found)):
            dead.append(f"[{text}]({target})")
    assert not dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_to_a_test_leads_to_one(page: Path) -> None:
    named = [link for link in LINK.findall(prose(page)) if PROOF.fullmatch(link[0])]
    missing = [
        name
        for name, target in named
        if f"def {name}(" not in (page.parent / target).resolve().read_text(encoding="utf-8")
    ]
    assert not missing, "a test was renamed or removed: say what proves the sentence now"


def test_every_guarantee_has_its_proof() -> None:
    promised, _, _ = GUARANTEES.read_text(encoding="utf-8").partition("## What is not guaranteed")
    sentences = re.findall(r"^- (.+?)(?=^- |^#|\Z)", promised, re.MULTILINE | re.DOTALL)
    assert len(sentences) > 20
    unproved = [
        sentence
        for sentence in sentences
        if not any(PROOF.fullmatch(text) for text, _ in LINK.findall(sentence))
    ]
    assert not unproved
