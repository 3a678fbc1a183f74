"""Real repositories for the workspace tests, apart from whatever git configuration the machine has."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from workspace_project import Sh, opened

from ralph.git.repo import Repo
from ralph.git.snapshots import Snapshots


@pytest.fixture(autouse=True)
def _clean_git(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    config = home / "gitconfig"
    config.write_text(
        "[user]\n\tname = T\n\temail = t@example.org\n[init]\n\tdefaultBranch = main\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path_factory.getbasetemp().parent))
    yield


@pytest.fixture
def sh() -> Sh:
    """Run git as the user would."""

    def call(where: Path, *args: str, check: bool = True) -> str:
        done = subprocess.run(["git", *args], cwd=where, capture_output=True, check=False)
        assert not check or done.returncode == 0, done.stderr.decode()
        return os.fsdecode(done.stdout)

    return call


@pytest.fixture
def project(tmp_path: Path, sh: Sh) -> Path:
    """A repository with one commit, at a path that needs care."""
    root = tmp_path / "my 'proj\" ü"
    root.mkdir()
    sh(root, "init", "-q")
    (root / "a.txt").write_text("a\n")
    (root / "src").mkdir()
    (root / "src" / "b.py").write_text("b = 1\n")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    sh(root, "add", "-A")
    sh(root, "commit", "-qm", "first")
    return root


@pytest.fixture
def repo(project: Path) -> Repo:
    return opened(project)


@pytest.fixture
def snapshots(repo: Repo) -> Snapshots:
    return Snapshots(repo, "loop-1")


@pytest.fixture(params=["walk", "git"])
def either(request: pytest.FixtureRequest, repo: Repo) -> Snapshots:
    """Snapshots of a small work tree (its walk is used) and as of one too large for the walk."""
    return Snapshots(repo, "loop-1", max_walk=3000 if request.param == "walk" else 0)
