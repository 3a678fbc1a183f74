"""Killed while a claim is merged with a target that has moved on: the merge is completed, and its conflict is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project

CONFIG = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: [{name: tests, run: 'true'}]
event_loop: {max_iterations: 6, crash_wait: 0}
"""
# While the first iteration works, somebody commits. A conflict is resolved only by one who was told of it.
AGENT = """\
#!/bin/sh
cat > "$HOME/prompt"
if grep -q 'Merge conflict in shared' "$HOME/prompt"; then printf 'theirs\\nours\\n' > shared
elif [ ! -e "$HOME/moved" ]; then
  echo ours > shared
  cd PROJECT && echo theirs > shared && git commit -qm theirs shared && touch "$HOME/moved"
fi
echo TASK_COMPLETE
"""
SEAMS = [
    "restore.before#1",
    "restore.between#1",
    "workspace.rebased.before#1",
    "workspace.rebased.after#1",
]


@pytest.fixture
def moving(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("shared", "start\n")
    project.write("agent.sh", AGENT.replace("PROJECT", str(project.path)), executable=True)
    project.write("tasks.jsonl", json.dumps({"id": "A", "title": "Part A", "leaf": True}) + "\n")
    project.commit()
    return project


def killed_in_the_merge(project: Project, at: str) -> None:
    died = project.ralph("run", env={"RALPH_FAULT": f"kill@{at}"})
    assert died.returncode == -9, died.stdout + died.stderr
    assert (project.journaled("merge.intended"), project.journaled("workspace.merged")) == (1, 0)


@pytest.mark.parametrize("at", SEAMS)
def test_the_next_iteration_is_told_of_the_conflict_and_nothing_is_lost(moving: Project, at: str) -> None:
    killed_in_the_merge(moving, at)
    done = moving.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [x["n"] for x in moving.facts("iteration.started")] == [1, 2]
    assert moving.facts("workspace.changed") == []
    assert moving.git("log", "--format=%s").splitlines()[:2] == ["[A] Part A", "theirs"]
    assert moving.git("show", "main:shared") == "theirs\nours"
    assert moving.git("for-each-ref", "refs/ralph/base") == ""
    assert moving.git("fsck", "--no-dangling", "--no-progress") == ""


def test_what_somebody_wrote_there_meanwhile_is_saved(moving: Project) -> None:
    killed_in_the_merge(moving, "workspace.rebased.before#1")
    slots = Path(moving.env["HOME"]) / ".local/state/ralph/workspaces"
    (note,) = slots.glob("*/*.json")
    (note.with_suffix("") / "shared").write_text("a third\n")
    assert moving.ralph("run").returncode == 0
    refs = moving.git("for-each-ref", "--format=%(refname)", "refs/ralph/recovery").splitlines()
    assert "a third" in [moving.git("show", f"{ref}:shared") for ref in refs]
    assert moving.git("show", "main:shared") == "theirs\nours"
