"""An agent or a gate that starts Ralph where it works is refused; in a repository of its own it may."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: "%s"}]
event_loop: {max_iterations: 2, crash_wait: 0}
"""
# What an agent tries, with all that is said to it in a file.
TRIES = """for command in "run" "run --resume" "resume"; do
  ralph $command >> "$HOME/said" 2>&1; echo "exit $?" >> "$HOME/said"
done
"""
OTHER = """set -e
other=$(mktemp -d); cd "$other"
git init -q .; git config user.name U; git config user.email u@localhost
git commit -q --allow-empty -m begin
ralph run -p "Write it" --gate true -- sh -c "touch it; echo TASK_COMPLETE"
"""


def said(project: Project) -> str:
    return (Path(project.env["HOME"]) / "said").read_text()


def with_backlog(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    project.write("tasks.jsonl", json.dumps({"id": "A", "title": "Part A", "leaf": True}) + "\n")


def workspaces(project: Project) -> list[Path]:
    return [*(Path(project.env["HOME"]) / ".local/state/ralph/workspaces").glob("*/*.json")]


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_in_a_workspace_of_a_backlog_no_run_begins(project: Project, kind: str) -> None:
    with_backlog(project)
    project.config(CONFIG % "true" + f"workspace: {kind}\n")
    elsewhere = 'git worktree add -q "$HOME/tree" HEAD; cd "$HOME/tree"; ' + TRIES
    project.agent(f"({TRIES})\n({elsewhere})\n(cd {project.path}; {TRIES})\ntouch made; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert said(project).count("no other run begins inside it") == said(project).count("exit 2") == 9
    assert "an iteration of a run works here, on A" in said(project)
    assert len(workspaces(project)) <= 1
    assert len(project.facts("run.started")) == 1


def test_in_place_no_run_begins(project: Project) -> None:
    project.agent(f"{TRIES}\necho 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    assert said(project).count("no other run begins inside it") == said(project).count("exit 2") == 3


@pytest.mark.parametrize("hermetic", [False, True])
def test_a_gate_begins_no_run_where_it_looks(project: Project, hermetic: bool) -> None:
    with_backlog(project)
    project.write("try.sh", TRIES.replace("$HOME", project.env["HOME"]))  # the gate has a HOME of its own
    project.config(
        json.dumps(
            {
                "cli": {"command": "./agent.sh"},
                "gates": [{"name": "tests", "run": "sh try.sh", "hermetic": hermetic}],
                "event_loop": {"max_iterations": 2, "crash_wait": 0},
            }
        )
    )
    project.agent("touch made; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a gate or a reviewer of a run works here, on A" in said(project)
    assert said(project).count("no other run begins inside it") == said(project).count("exit 2") > 0


def test_tests_that_run_ralph_in_a_repository_of_their_own_are_a_gate_like_any_other(
    project: Project,
) -> None:
    with_backlog(project)
    project.write("other.sh", OTHER)
    project.config(CONFIG % "sh other.sh")
    project.agent("(sh ./other.sh) || exit 1; touch made; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["end"] == "completed-verified"
