"""What ralph.yml says of a backlog, through whole commands: where the list is, how it lands, what is shared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project

CONFIG = "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n"
WORK = "touch $RALPH_TASK; echo 42 > answer; echo $RALPH_SLOT >> $HOME/slots; echo TASK_COMPLETE"


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.agent(WORK)
    fill(project, "tasks.jsonl", "A", "B")
    project.commit()
    return project


def fill(project: Project, name: str, *ids: str) -> None:
    lines = [json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n" for id in ids]
    project.write(name, "".join(lines))


def test_work_that_shall_not_land_is_kept_and_can_be_had(backlog: Project) -> None:
    backlog.config(CONFIG + "land: none\n")
    main = backlog.commit()
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert backlog.git("rev-parse", "main") == main
    assert backlog.git("branch", "--format=%(refname:short)") == "main"
    ref = backlog.git("for-each-ref", "--format=%(refname)", "refs/ralph/recovery")
    assert f"not landed, kept as {ref}" in done.stdout
    assert backlog.git("show", f"{ref}:answer") == "42"
    assert backlog.git("rev-parse", f"{ref}^") == main
    assert "[A] Part A: done, not landed" in backlog.ralph("recover").stdout
    (task,) = [json.loads(line) for line in (backlog.path / "tasks-done.jsonl").read_text().splitlines()]
    assert (task["id"], task["verified"], task.get("commit", "")) == ("A", True, "")
    again = backlog.ralph("run")  # the workspace is used again: what was kept is not lost with it
    assert again.returncode == 0, again.stdout + again.stderr
    assert len(backlog.git("for-each-ref", "refs/ralph/recovery").splitlines()) == 2
    assert backlog.git("show", f"{ref}:answer") == "42"


def test_a_flag_wins_over_the_key(backlog: Project) -> None:
    backlog.config(CONFIG + "parallel: 2\n")
    backlog.commit()
    done = backlog.ralph("run", "--parallel", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (Path(backlog.env["HOME"]) / "slots").read_text().split() == ["1", "1"]


def test_the_named_backlog_is_that_of_every_command(backlog: Project) -> None:
    (backlog.path / "plan").mkdir()
    backlog.config(CONFIG + "backlog: plan/todo.jsonl\n")
    backlog.write("PROMPT.md", "Not this.\n")
    nothing = backlog.ralph("run")
    assert nothing.returncode == 2
    assert "there is no todo.jsonl, so there is no task to work on" in nothing.stderr
    added = backlog.ralph("task", "add", "Third", cwd=backlog.path / "plan")
    assert added.returncode == 0, added.stderr
    assert json.loads((backlog.path / "plan/todo.jsonl").read_text())["title"] == "Third"
    backlog.agent("echo mine >> plan/todo.jsonl; " + WORK)
    backlog.git("add", "-f", "plan/todo.jsonl")
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mine" not in backlog.git("show", "main:plan/todo.jsonl")  # only the user's copy counts
    assert [fact["task"]["title"] for fact in backlog.facts("loop.started")] == ["Third"]
    assert json.loads((backlog.path / "plan/todo-done.jsonl").read_text())["title"] == "Third"
    assert len((backlog.path / "tasks.jsonl").read_text().splitlines()) == 2


def test_a_shared_folder_that_git_records_is_refused_and_one_that_is_missing_told(backlog: Project) -> None:
    backlog.write("src/code", "1\n")
    backlog.commit()
    backlog.config(CONFIG + "share: [vendor, src]\n")
    refused = backlog.ralph("run")
    assert refused.returncode == 2
    assert "`share: src` is not ignored by git (src/code)" in refused.stderr
    assert backlog.journaled("loop.started") == 0
    backlog.config(CONFIG + "share: [vendor]\n")
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning: share: vendor is not here, so no workspace gets a copy of it" in done.stderr


def test_validate_says_how_the_backlog_is_gone_through(backlog: Project) -> None:
    backlog.config(
        CONFIG + "parallel: 3\nshare: [.venv]\nworkspace: worktree\nland: {how: pr, target: next}\n"
    )
    done = backlog.ralph("validate")
    assert done.returncode == 0, done.stdout
    assert f"those of {backlog.path}/tasks.jsonl, 3 at once; a look every 1s" in done.stdout
    assert "each in a worktree of its own, with a copy of .venv; gates: 1 at once" in done.stdout
    assert "in a pull request for next" in done.stdout
    doctor = backlog.ralph("doctor")
    assert "only for a backlog" not in doctor.stdout


def test_a_target_that_is_not_there_is_named_before_anything_begins(backlog: Project) -> None:
    backlog.config(CONFIG + "land: {target: next}\n")
    refused = backlog.ralph("run")
    assert refused.returncode == 2
    assert "the branch next has no commit to build on" in refused.stderr
    assert backlog.journaled("run.started") == 0
