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
