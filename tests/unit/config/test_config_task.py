"""The task: where the prompt comes from, and what its title and id are made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from config_project import Project

from ralph.config.tasks import slug, title_of
from ralph.core.policy import Task


def test_a_prompt_alone_makes_a_whole_task(project: Project) -> None:
    prompt = "\n# Fix the parser\n\nIt drops the last line.\n"
    assert project.load(prompt=prompt).task == Task(
        id="fix-the-parser", title="Fix the parser", description=prompt
    )


def test_where_the_prompt_is_taken_from(project: Project) -> None:
    (project.folder / "PROMPT.md").write_text("default file")
    (project.folder / "other.md").write_bytes(b"\xef\xbb\xbfnamed file")
    assert project.load("", prompt=None).task.description == "default file"
    assert project.load("event_loop: {prompt: inline}", prompt=None).task.description == "inline"
    assert project.load("event_loop: {prompt_file: other.md}", prompt=None).task.description == "named file"
    assert project.load("task: {description: of the task}", prompt=None).task.description == "of the task"
    assert project.load("event_loop: {prompt: x}", prompt="flag").task.description == "flag"
    given = project.load("event_loop: {prompt: x}", prompt=None, prompt_file=Path("other.md"))
    assert given.task.description == "named file"


def test_what_the_file_says_of_the_task_wins_over_what_is_derived(project: Project) -> None:
    text = "task: {id: T-7, title: Better, criteria: [a, b], no_change_ok: true, allow: [t/**]}"
    assert project.load(text, prompt="# Derived").task == Task(
        id="T-7",
        title="Better",
        description="# Derived",
        criteria=("a", "b"),
        no_change_ok=True,
        allow=("t/**",),
    )
    assert project.load("task: {title: Better still}", prompt="x").task.id == "better-still"


def test_the_command_line_wins_over_what_the_file_says_of_the_task(project: Project) -> None:
    task = project.load("task: {id: a, criteria: [x]}", task_id="b", criteria=("y", "z")).task
    assert (task.id, task.criteria) == ("b", ("y", "z"))


def test_a_title_alone_is_a_prompt(project: Project) -> None:
    task = project.load("task: {title: Sort the list}", prompt=None).task
    assert (task.id, task.description) == ("sort-the-list", "Sort the list")


def test_a_number_may_be_an_id(project: Project) -> None:
    assert project.load("task: {id: 42}").task.id == "42"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Do it", "Do it"),
        ("\n\n## Do   it ##\nmore", "Do it"),
        ("---\n***\nDo it", "Do it"),
        ("日本語", "日本語"),
        ("\x1b[31mred\x07", "[31mred"),
        ("###", "task"),
        ("x" * 81, "x" * 79 + "…"),
        ("x" * 80, "x" * 80),
    ],
)
def test_titles(prompt: str, title: str) -> None:
    assert title_of(prompt) == title


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Fix the parser!", "fix-the-parser"),
        ("Überprüfe Größe", "uberprufe-groe"),
        ("日本語", "task"),
        ("", "task"),
        ("--help", "help"),
        ("../../etc/passwd", "etc-passwd"),
        ("a" * 39 + " b", "a" * 39),
        ("x.lock", "x-lock"),
        ("@{-1}", "1"),
    ],
)
def test_slugs(title: str, expected: str) -> None:
    assert slug(title) == expected
