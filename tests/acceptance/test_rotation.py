"""A journal that has grown large goes on in a new file, and no loop is lost by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import Project

from ralph.core import facts as f
from ralph.journal.append import ROTATE_AT, Journal
from ralph.journal.lock import Lock


def grow(state_dir: Path) -> None:
    """As many facts as make the journal large."""
    lock = Lock.acquire(state_dir, "filler")
    try:
        journal = Journal.open(state_dir, "filler", lambda: "2026-01-01T00:00:00.000Z")
        for number in range(ROTATE_AT // 2**20 + 1):
            event = f.EventReceived(name=f"filler-{number}", topic="noise", payload="x" * 2**20)
            journal.append(f.kind_of(event), f.encode(event))
        journal.close()
    finally:
        lock.release()


def rotated(project: Project) -> bool:
    return bool(list((project.path / ".git/ralph").glob("journal-*.jsonl")))


@pytest.fixture
def elsewhere(project: Project, tmp_path: Path) -> Path:
    """A linked worktree with a loop that can go on."""
    linked = tmp_path / "linked"
    project.agent(
        "echo $RALPH_ITERATION > step; test $RALPH_ITERATION = 1 || echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    project.git("worktree", "add", "-q", "-b", "side", str(linked))
    assert project.ralph("run", "--max-iterations", "1", cwd=linked).returncode == 8
    return linked


def test_a_loop_that_can_go_on_in_another_worktree_keeps_the_file(project: Project, elsewhere: Path) -> None:
    grow(project.path / ".git/ralph")
    assert project.ralph("run").returncode == 0
    assert not rotated(project)
    resumed = project.ralph("resume", "--max-iterations", "3", cwd=elsewhere)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    project.commit()
    project.ralph("run", "--max-iterations", "1")
    assert rotated(project), "now nothing is unfinished elsewhere"


def test_a_removed_worktree_keeps_nothing(project: Project, elsewhere: Path) -> None:
    grow(project.path / ".git/ralph")
    project.git("worktree", "remove", "--force", str(elsewhere))
    assert project.ralph("run").returncode == 0
    assert rotated(project)
    (tie,) = project.facts("journal.rotated")
    assert tie["previous"] == "journal-000000001.jsonl"
    assert "journal.rotated" in project.ralph("events", "--kind", "journal.*").stdout


def test_the_journal_of_a_backlog_goes_on_in_a_new_file_once_no_task_can_go_on(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n"
        "event_loop: {max_attempts: 1, crash_wait: 0}\n"
    )
    project.agent(
        "if [ -e $HOME/better ]; then echo good > made; else echo bad > made; fi; echo TASK_COMPLETE"
    )
    project.write("test.sh", "grep -qs good made\n")
    project.write("tasks.jsonl", '{"id": "A", "title": "Part A", "leaf": true}\n')
    project.commit()
    assert project.ralph("run").returncode == 1
    grow(project.path / ".git/ralph")
    project.ralph("run")
    assert not rotated(project), "A failed, and could go on"
    (Path(project.env["HOME"]) / "better").touch()
    resumed = project.ralph("resume", "--task", "A", "--max-attempts", "3")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    project.ralph("run")
    assert rotated(project)
    assert "A" in project.ralph("report").stdout
