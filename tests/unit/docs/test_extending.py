"""The page about extending Ralph: whole and true. What it says of each object is held against the code."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

from ralph.agent_tools.mcp_tools import TOOLS
from ralph.agents import registry
from ralph.agents.adapter import Adapter
from ralph.backlog import changes
from ralph.backlog.source import Backlog
from ralph.cli.app import COMMANDS
from ralph.core.policy import GateKind
from ralph.gates import kinds
from ralph.gates.kinds import Kind
from ralph.notify import channel

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/extending.md").read_text()
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def section(heading: str) -> str:
    return re.split(r"^#+ ", PAGE.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def first_cells(text: str) -> set[str]:
    """The names in the first column of its tables, without what they are called with."""
    cells = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)", cell)}


def members(protocol: type) -> set[str]:
    return {name for name in {*vars(protocol), *protocol.__annotations__} if not name.startswith("_")}


@pytest.mark.parametrize(
    ("heading", "protocol"),
    [("Adding an agent", Adapter), ("What the object has", Kind), ("Adding a backlog source", Backlog)],
)
def test_every_member_of_an_object_is_explained(heading: str, protocol: type) -> None:
    assert first_cells(section(heading)) == members(protocol)


def test_every_trait_of_a_gate_kind_is_explained() -> None:
    assert first_cells(section("Traits")) == set(GateKind.__struct_fields__) - {"name"}


def test_every_group_of_entry_points_has_an_example() -> None:
    said = set(re.findall(r'\[project\.entry-points\."([\w.]+)"\]', PAGE))
    assert said == {registry.GROUP, kinds.GROUP, channel.GROUP}


def test_what_the_examples_import_exists() -> None:
    for node in (node for code in CODE for node in ast.walk(ast.parse(code))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ralph."):
            module = importlib.import_module(node.module or "")
            assert all(hasattr(module, alias.name) for alias in node.names), ast.unparse(node)


def test_the_changes_of_a_backlog_exist() -> None:
    named = re.search(r"^- Changes are those of .*?\n(?=- )", PAGE, re.MULTILINE | re.DOTALL)
    assert named is not None
    assert all(hasattr(changes, name) for name in re.findall(r"`([A-Z]\w+)`", named[0]))


def test_every_file_that_the_page_names_exists() -> None:
    paths = set(re.findall(r"`((?:ralph|tests)/[\w/]+(?:\.\w+|/))`", PAGE))
    missing = [path for path in paths if not any((base / path).exists() for base in (ROOT, ROOT / "src"))]
    assert len(paths) > 15 and missing == []


def test_every_name_of_a_file_that_the_page_gives_is_in_it() -> None:
    rows = re.findall(r"`([A-Z]\w+)` (?:in|\()\s?`?(ralph/[\w/]+\.py)`", PAGE)
    assert len(rows) > 6
    for name, file in rows:
        module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
        assert hasattr(module, name), f"{name} in {file}"


def test_every_command_that_the_page_names_exists() -> None:
    assert set(re.findall(r"`ralph ([a-z]+)", PAGE)) <= set(COMMANDS)


def test_every_anchor_within_the_page_is_a_heading() -> None:
    headings = {head.lower().replace(" ", "-") for head in re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([\w-]+)\)", PAGE)) <= headings


def test_the_page_about_mcp_has_every_tool() -> None:
    said = re.findall(r"^\| `([\w-]+)` \|", (ROOT / "docs/mcp.md").read_text(), re.MULTILINE)
    assert said == list(TOOLS)
