"""docs/roles.md is true: its tables come from the code, and its examples are conditions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reference import renewed

from ralph.core.hats.conditions import OPERATORS, parse

PAGE = (Path(__file__).parents[3] / "docs/roles.md").read_text()
EXAMPLES = [
    *re.findall(r'condition: "(.+)"', PAGE),
    *next(block for block in PAGE.split("```")[1::2] if "same_error" in block).strip().splitlines(),
]


def test_the_tables_of_names_are_up_to_date() -> None:
    assert renewed("roles.md", PAGE) == PAGE, "run: make docs"


def test_every_operator_is_explained() -> None:
    table = PAGE.partition("## Conditions")[2]
    assert all(f"`{operator}`" in table for operator in OPERATORS)


@pytest.mark.parametrize("condition", EXAMPLES)
def test_examples_are_conditions(condition: str) -> None:
    parse(condition)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 10
