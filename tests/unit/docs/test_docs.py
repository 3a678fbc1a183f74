"""Docs are part of the program: what is made from code is up to date, and what is listed exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reference import exit_codes, exits, renewed

ROOT = Path(__file__).parents[3]


def test_the_table_of_facts_is_up_to_date() -> None:
    text = (ROOT / "docs/journal.md").read_text()
    assert renewed("journal.md", text) == text, "run: make docs"


def test_every_fact_says_what_it_means() -> None:
    assert not re.findall(r"^\| `[a-z.]+` \|  \|", (ROOT / "docs/journal.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize(("page", "table"), [("../README.md", exit_codes()), ("exits.md", exits())])
def test_the_tables_of_exits_are_up_to_date(page: str, table: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    assert table in text and renewed(page, text) == text, "run: make docs"


def test_the_tables_of_the_fleet_are_up_to_date() -> None:
    text = (ROOT / "docs/fleet-protocol.md").read_text()
    assert renewed("fleet-protocol.md", text) == text, "run: make docs"


def test_links_between_documents_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} -> {target}"


def test_no_pin_records_an_address() -> None:
    for file in (ROOT / "requirements").glob("*.txt"):
        for line in file.read_text().splitlines():
            assert re.fullmatch(r"(-r [a-z.]+|[A-Za-z0-9_.-]+==[A-Za-z0-9.]+)", line), f"{file.name}: {line}"
