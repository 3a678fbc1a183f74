"""docs/hats.md is true: its table comes from the code, and its examples are files without a fault."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from config_project import Project
from reference import renewed

from ralph.core.hats.graph import check

PAGE = (Path(__file__).parents[3] / "docs/hats.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_the_table_of_older_keys_is_up_to_date() -> None:
    assert renewed("hats.md", PAGE) == PAGE, "run: make docs"


def test_there_are_two_examples() -> None:
    assert len(EXAMPLES) == 2


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_valid_and_its_hats_fit_together(example: str, project: Project) -> None:
    found = project.load(example + ("" if "cli:" in example else "cli: {backend: claude}\n"), command=())
    assert found.warnings == () and found.policy.team is not None
    assert check(found.policy.team) == ()
