"""Promise: what differs after a death has no known author. In place it is kept and said, and no agent is blamed; in a
workspace of Ralph's own, where no one else edits, an agent's edits to protected files are undone as ever.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project, until

KILLED = -9
# A workflow file of the user's own, and Ralph's configuration: protected without any setting.
PROTECTED = {"ralph.yml": "# by the user\n", ".github/workflows/ci.yml": "on: push\n"}


def busy(project: Project, work: str = ":") -> None:
    """An agent that never ends in its first iteration, and does the task in the next one."""
    again = 'test -e "$HOME/begun" && { echo 42 > answer; echo TASK_COMPLETE; exit; }'
    project.agent(f'{again}\n{work}\ntouch "$HOME/begun"; sleep 1000')
    project.write(".github/workflows/ci.yml", "on: pull_request\n")
    project.commit()


def die_in_the_first_iteration(project: Project, *arguments: str) -> None:
    run = project.start("run", *arguments)
    try:
        until(lambda: project.mark("begun"), "the agent is at work")
    finally:
        run.kill()
        run.wait()


@pytest.mark.parametrize("path", PROTECTED)
def test_an_edit_right_after_the_death_is_kept_and_said_and_the_agent_is_not_blamed(
    project: Project, path: str
) -> None:
    busy(project)
    die_in_the_first_iteration(project)
    written = (project.path / path).read_text() + PROTECTED[path]
    project.write(path, written)
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.path / path).read_text() == written, "the edit is theirs"
    interrupted, _ = project.facts("iteration.ended")
    assert "protected" not in interrupted and interrupted["unattributed"] == [path]
    said = f"protected files changed since iteration 1 began, which was interrupted; kept: {path}"
    assert said in done.stdout
    assert "Do without" not in project.prompt(), "no agent is told that this was its doing"
    assert (
        f"changed since it began, by an unknown author: {path}. Leave them as they are." in project.prompt()
    )
    assert project.end()["end"] == "completed-verified"


def test_files_that_came_or_went_after_the_death_stay_so(project: Project) -> None:
    busy(project)
    die_in_the_first_iteration(project)
    (project.path / ".github/workflows/ci.yml").unlink()
    project.write(".github/workflows/release.yml", "on: release\n")
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (project.path / ".github/workflows/ci.yml").exists()
    assert (project.path / ".github/workflows/release.yml").read_text() == "on: release\n"
    assert project.facts("iteration.ended")[0]["unattributed"] == [
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
    ]


def test_what_the_agent_does_to_protected_files_after_that_is_undone_and_the_users_edit_stays(
    project: Project,
) -> None:
    busy(project)
    project.agent(
        'if test -e "$HOME/begun"; then echo "# by the agent" >> ralph.yml; echo 42 > answer; echo TASK_COMPLETE; exit; fi\n'
        'touch "$HOME/begun"; sleep 1000'
    )
    project.commit()
    die_in_the_first_iteration(project)
    written = (project.path / "ralph.yml").read_text() + "# by the user\n"
    project.write("ralph.yml", written)
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.path / "ralph.yml").read_text() == written
    assert project.facts("iteration.ended")[1]["protected"] == ["ralph.yml"]


def test_an_edit_while_a_gate_was_cut_short_is_kept(project: Project) -> None:
    project.write(
        "test.sh",
        'test -e answer || exit 1; test -e "HOME/begun" || { touch "HOME/begun"; sleep 1000; }\n'.replace(
            "HOME",
            project.env["HOME"],  # a gate has a HOME of its own
        ),
    )
    project.commit()
    die_in_the_first_iteration(project)
    written = (project.path / "ralph.yml").read_text() + "# by the user\n"
    project.write("ralph.yml", written)
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.path / "ralph.yml").read_text() == written
    (changed,) = project.facts("workspace.changed")
    assert changed["paths"] == ["ralph.yml"]


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_in_a_workspace_of_ralphs_own_the_agents_edit_is_undone(project: Project, kind: str) -> None:
    (project.path / "PROMPT.md").unlink()
    project.write("tasks.jsonl", json.dumps({"id": "A", "title": "Part A", "leaf": True}) + "\n")
    project.config((project.path / "ralph.yml").read_text() + f"workspace: {kind}\n")
    busy(project, "echo '# by the agent' >> ralph.yml; echo 'on: push' > .github/workflows/ci.yml")
    die_in_the_first_iteration(project)
    written = (project.path / "ralph.yml").read_text() + "# by the user\n"
    project.write("ralph.yml", written)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    interrupted, _ = project.facts("iteration.ended")
    assert interrupted["protected"] == [".github/workflows/ci.yml", "ralph.yml"]
    assert project.git("show", "--format=", "--name-only", "main").splitlines() == ["answer"]
    assert (project.path / "ralph.yml").read_text() == written, "the user's checkout is the user's"
    assert Path(project.path, ".github/workflows/ci.yml").read_text() == "on: pull_request\n"
