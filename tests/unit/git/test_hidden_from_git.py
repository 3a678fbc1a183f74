"""What a snapshot sees and the user's git does not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ralph.git.hidden_from_git import marked, own_attributes
from ralph.git.repo import find


@pytest.fixture
def project(tmp_path: Path) -> Path:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("1\n")
    git("add", "-A")
    git("update-index", "--assume-unchanged", "a.py")
    git("update-index", "--skip-worktree", "b.py")
    return tmp_path


def test_files_that_git_takes_for_unchanged_are_named_with_their_mark(project: Path) -> None:
    repo = find(project)
    assert repo is not None
    assert marked(repo, ["a.py", "b.py", "c.py"]) == {"a.py": "assume-unchanged", "b.py": "skip-worktree"}
    assert marked(repo, ["c.py"]) == {} == marked(repo, [])


def test_attributes_outside_the_tree_are_read(project: Path) -> None:
    repo = find(project)
    assert repo is not None and own_attributes(repo) == ""
    (project / ".git/info").mkdir(exist_ok=True)
    (project / ".git/info/attributes").write_text("*.py filter=tidy\n")
    assert own_attributes(repo) == "*.py filter=tidy\n"
