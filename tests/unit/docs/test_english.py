"""The worst phrases are banned from the docs, help, messages and docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ralph
from parsed import nodes

ROOT = Path(__file__).parents[3]
SOURCE = Path(ralph.__file__).parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    SOURCE / "setup/skill.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((SOURCE / "report/templates").iterdir()),
]

# phrase -> what to say instead
BANNED = {
    r"\bfor ever\b": "forever",
    r"\b(?:some|no)body\b": "someone, no one; better: who it is",
    r"\bturn(?:s|ed|ing)? down\b": "reject",
    r"\b(?:told|tells?|telling) of\b": "report, notify, show",
    r"\bgo(?:es|ing)? on with\b": "continue, resume",
    r"\bgo(?:es)? on where\b": "continue where",
    r"\b(?:begin|start)(?:s|ning|ing)? anew\b": "start over",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bto be had\b": "available",
    r"\bwhat (?:it|this machine) lacks\b": "what is missing",
    r"(?<!there )\bis no text\b": "is not valid UTF-8",
    r"\bthe how-manieth\b": "sequence number",
    r"\bbelongs? into\b": "belongs in",
    r"\b\d+ done, \d+ not\b(?! done)": "not done",
    r"\ba word of yours\b": "your own word",
}
PHRASE = re.compile("|".join(f"({pattern})" for pattern in BANNED), re.IGNORECASE)

# Text that agents read or that journals hold: a replay compares it, so it is not changed for its wording.
RECORDED = ("prompt/", "gates/gaming/", "core/hats/", "core/loop/decide.py")
# What is searched for, and names of others.
OTHER = {"gates/reviewer.py": "mend", "server/temporary_postgresql.py": "nobody"}


def found(text: str) -> Iterator[tuple[str, str]]:
    """Each banned phrase in the text, and what to say instead."""
    for match in PHRASE.finditer(text):
        yield match[0], list(BANNED.values())[(match.lastindex or 1) - 1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_in_plain_english(page: Path) -> None:
    assert list(found(page.read_text())) == []


def test_messages_help_and_docstrings_are_in_plain_english() -> None:
    bad = []
    for path in sorted(SOURCE.rglob("*.py")):
        where = str(path.relative_to(SOURCE))
        if where.startswith(("docs/", *RECORDED)):
            continue
        for node in nodes(path):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for phrase, instead in found(node.value):
                    if OTHER.get(where) != phrase:
                        bad.append(f"{where}:{node.lineno}: {phrase!r}, say: {instead}")
    assert bad == []


def test_a_banned_phrase_is_found() -> None:
    said = "Nobody was told of it; 2 done, 0 not. Go on with it for ever."
    assert [phrase for phrase, _ in found(said)] == [
        "Nobody",
        "told of",
        "2 done, 0 not",
        "Go on with",
        "for ever",
    ]
