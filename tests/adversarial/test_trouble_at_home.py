"""Promise: trouble in the user's repository ends no more than it must, and is called by its name.

Whoever works beside Ralph deletes and renames branches, and a git that died leaves its locks. A loop that cannot land for that
waits for a person, with its work kept; the others go on, and the reason says what to do.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project, until

HOLD = 'touch "$HOME/at-$RALPH_TASK"; until test -e "$HOME/go"; do sleep 0.1; done'
DONE = "echo 42 > answer; echo done > $RALPH_TASK.txt; echo TASK_COMPLETE"


@pytest.fixture
def working(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.write("tasks.jsonl", "".join(json.dumps({"id": i, "title": i}) + "\n" for i in ("a", "b")))
    project.agent(f"{HOLD}\n{DONE}")
    project.commit()
    return project


def ended(project: Project, meanwhile: str) -> tuple[int, str]:
    run = project.start("run", "--parallel", "2")
    until(lambda: project.mark("at-a") and project.mark("at-b"), "two agents are at work")
    assert project.shell(meanwhile).returncode == 0
    Path(project.env["HOME"], "go").touch()
    return run.wait(120), project.shown()


def test_a_lock_that_a_dead_git_left_on_packed_refs_ends_no_loop(working: Project) -> None:
    code, shown = ended(working, "touch .git/packed-refs.lock")
    assert code == 0, shown
    assert "2 done" in shown and "packed-refs.lock" in shown, "it says what is in the way"
    (working.path / ".git/packed-refs.lock").unlink()
    assert working.ralph("run").returncode == 0
    assert not working.git("for-each-ref", "refs/ralph/base"), "the next run gives back what was kept"


def test_a_target_that_is_gone_is_called_so_and_a_resume_lands(working: Project) -> None:
    code, shown = ended(working, "git branch -m main trunk")
    assert code == 1, shown
    assert "a: blocked-on-person: it cannot continue: " in shown and "the branch main is gone" in shown
    assert "workspace cannot be used" not in shown
    working.git("branch", "-m", "trunk", "main")
    again = working.ralph("resume", "--task", "a")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "[a] a" in working.git("log", "--format=%s", "main")


def test_a_locked_target_names_the_lock_and_what_to_do(working: Project) -> None:
    code, shown = ended(working, "touch .git/refs/heads/main.lock")
    assert code == 1, shown
    assert "workspace cannot be used" not in shown
    assert "refs/heads/main.lock: main is locked by another git" in shown and "remove this file" in shown


def test_no_rule_is_said_to_have_changed_when_such_a_loop_is_replayed(working: Project) -> None:
    ended(working, "git branch -m main trunk")
    replayed = working.ralph("replay")
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert "differs" not in replayed.stdout


def test_where_git_cannot_record_a_tree_its_own_reason_is_given(working: Project) -> None:
    working.agent(f"printf '*.txt working-tree-encoding=UTF-16\\n' > .gitattributes; {DONE}")
    working.commit()
    done = working.ralph("run", "--once")
    assert "git add failed: BOM is required" in done.stdout, done.stdout + done.stderr
    assert "ignored by one of your" not in done.stdout
