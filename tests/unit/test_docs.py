"""Docs are part of the program: what is made from code is up to date, and what is listed exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ralph.cli import exits_reference
from ralph.journal.reference import renewed

ROOT = Path(__file__).parents[2]


def test_the_table_of_facts_is_up_to_date() -> None:
    text = (ROOT / "docs/journal.md").read_text()
    assert renewed(text) == text, "run: python -m ralph.journal.reference docs/journal.md"


def test_every_fact_says_what_it_means() -> None:
    assert not re.findall(r"^\| `[a-z.]+` \|  \|", (ROOT / "docs/journal.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize(
    ("file", "table"), [("README.md", exits_reference.short()), ("docs/exits.md", exits_reference.long())]
)
def test_the_tables_of_exits_are_up_to_date(file: str, table: str) -> None:
    text = (ROOT / file).read_text()
    assert table in text, f"run: python -m ralph.cli.exits_reference {file}"
    assert exits_reference.renewed(text) == text


def test_links_between_documents_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} -> {target}"


def test_no_pin_records_an_address() -> None:
    for file in (ROOT / "requirements").glob("*.txt"):
        for line in file.read_text().splitlines():
            assert re.fullmatch(r"(-r [a-z.]+|[A-Za-z0-9_.-]+==[A-Za-z0-9.]+)", line), f"{file.name}: {line}"
