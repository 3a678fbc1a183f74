"""The page about the backlog: its examples are read as it says, and it names every field."""

from __future__ import annotations

import re
from pathlib import Path

from ralph.backlog.formats.load import FORMATS, detect, load
from ralph.backlog.jsonl import JsonlBacklog
from ralph.core.tasks import task as tasks

PAGE = (Path(__file__).parents[3] / "docs/backlog.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_is_a_backlog(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text(blocks("jsonl")[0])
    backlog = JsonlBacklog(tmp_path / "tasks.jsonl", tmp_path / "state")
    assert backlog.problems() == [] and [task.id for task in backlog.ready()] == ["B", "A.2"]


def test_the_examples_of_other_forms_are_recognised_and_read() -> None:
    found = [*blocks("json"), *blocks("markdown"), blocks("jsonl")[1]]
    assert [detect(text) for text in found] == ["prd", "github", "markdown", "beads"]
    for text in found:
        incoming, problems = load(text, detect(text), "example")
        assert incoming and not problems
    assert re.findall(r"^\*\*`(\w+)`\*\*", PAGE, re.MULTILINE) == [
        "prd",
        "markdown",
        "github",
        "beads",
        "jsonl",
    ]
    assert set(FORMATS) == {"prd", "markdown", "github", "beads", "jsonl"}


def test_every_field_is_on_the_page() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE.partition("## Fields")[2].partition("**Ready**")[0]))
    assert {*tasks.BacklogTask.__struct_fields__} - {"order", "archived"} <= named
    assert set(tasks.STATUSES) | set(tasks.ALIASES) <= named
