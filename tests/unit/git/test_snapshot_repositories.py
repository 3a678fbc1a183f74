"""Repositories inside the work tree: submodules are recorded, what cannot be stored is named."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from workspace_project import Sh, names, opened, settle, user_state

from ralph.git.repo import Repo
from ralph.git.snapshots import Snapshots
from ralph.git.uncommitted_changes import uncommitted_paths


def make_repository(path: Path, sh: Sh, *, commit: bool = True) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    sh(path, "init", "-q")
    (path / "inner").write_text("1")
    if commit:
        sh(path, "add", "-A")
        sh(path, "commit", "-qm", "inner")
    return path


@pytest.mark.parametrize("commit", [True, False], ids=["with-commit", "without-commit"])
@pytest.mark.parametrize("where", ["nested", "src/nested", "new/deep/nested"])
def test_nested_repository_is_named_and_the_rest_is_taken(
    project: Path, either: Snapshots, sh: Sh, where: str, commit: bool
) -> None:
    either.take()
    make_repository(project / where, sh, commit=commit)
    (project / "n").write_text("n")
    for _ in range(2):  # also when it is already known
        found = either.take()
        assert found.nested == (where,)
        assert names(either, found.tree) == {".gitignore", "a.txt", "n", "src/b.py"}
    (project / "n2").write_text("n")
    assert either.take().nested == (where,)


def test_nested_repository_that_goes_away_is_no_longer_named(
    project: Path, either: Snapshots, sh: Sh
) -> None:
    make_repository(project / "nested", sh)
    assert either.take().nested == ("nested",)
    subprocess.run(["rm", "-rf", "nested/.git"], cwd=project, check=True)
    found = either.take()
    assert found.nested == ()
    assert "nested/inner" in names(either, found.tree)


def test_repository_made_in_a_tracked_folder_is_named_and_its_files_are_kept(
    project: Path, either: Snapshots, sh: Sh
) -> None:
    either.take()
    sh(project / "src", "init", "-q")
    (project / "src" / "b.py").write_text("b = 2\n")
    found = either.take()
    assert found.nested == ("src",)
    assert either.read(found.tree, "src/b.py") == b"b = 2\n"


def test_ignored_nested_repository_is_not_named(project: Path, either: Snapshots, sh: Sh) -> None:
    make_repository(project / "build" / "dependency", sh)
    assert either.take().nested == ()


def test_folder_with_something_else_called_git_is_not_named(project: Path, either: Snapshots) -> None:
    (project / "fixture" / ".git").mkdir(parents=True)
    (project / "fixture" / "f").write_text("f")
    found = either.take()
    assert found.nested == ()
    assert "fixture/f" in names(either, found.tree)


@pytest.fixture
def submodule(project: Path, tmp_path: Path, sh: Sh) -> Path:
    make_repository(tmp_path / "library", sh)
    sh(project, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    sh(project, "commit", "-qm", "submodule")
    return project / "lib"


def test_clean_submodule_is_neither_nested_nor_dirty(
    project: Path, submodule: Path, either: Snapshots, sh: Sh
) -> None:
    found = either.take()
    assert (found.nested, found.dirty_submodules) == ((), ())
    assert found.tree == sh(project, "rev-parse", "HEAD^{tree}").strip()


@pytest.mark.parametrize("how", ["edit", "new", "staged", "deleted"])
def test_uncommitted_content_in_a_submodule_is_named(
    project: Path, submodule: Path, either: Snapshots, sh: Sh, how: str
) -> None:
    before = either.take()
    match how:
        case "edit":
            (submodule / "inner").write_text("2")
        case "new":
            (submodule / "other").write_text("2")
        case "staged":
            (submodule / "inner").write_text("2")
            sh(submodule, "add", "-A")
        case "deleted":
            (submodule / "inner").unlink()
    found = either.take()
    assert found.dirty_submodules == ("lib",)
    assert found.tree == before.tree


def test_commit_in_a_submodule_is_a_change(project: Path, submodule: Path, either: Snapshots, sh: Sh) -> None:
    settle(project)
    before = either.take()
    sh(submodule, "commit", "-q", "--allow-empty", "-m", "second")
    found = either.take()
    assert found.dirty_submodules == ()
    assert [change.path for change in either.diff(before.tree, found.tree)] == ["lib"]


def test_submodule_that_the_agent_declares_is_recorded(
    project: Path, tmp_path: Path, either: Snapshots, sh: Sh
) -> None:
    either.take()
    make_repository(tmp_path / "library", sh)
    sh(project, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    found = either.take()
    assert (found.nested, found.dirty_submodules) == ((), ())
    assert {"lib", ".gitmodules"} <= names(either, found.tree)


def test_submodule_that_was_not_initialised_is_left_alone(
    project: Path, submodule: Path, tmp_path: Path, sh: Sh
) -> None:
    sh(tmp_path, "clone", "-q", str(project), "clone")
    snapshots = Snapshots(opened(tmp_path / "clone"), "x")
    found = snapshots.take()
    assert found.tree == sh(project, "rev-parse", "HEAD^{tree}").strip()
    assert found.dirty_submodules == ()
    (tmp_path / "clone" / "lib" / "stray").write_text("content that no tree can hold")
    assert snapshots.take().dirty_submodules == ("lib",)


def test_removed_submodule_is_a_deletion(project: Path, submodule: Path, either: Snapshots) -> None:
    before = either.take()
    subprocess.run(["rm", "-rf", "lib"], cwd=project, check=True)
    (project / "lib").write_text("a file now")
    found = either.take()
    assert [(change.path, change.status) for change in either.diff(before.tree, found.tree)] == [("lib", "T")]


def test_nothing_planted_inside_a_submodule_runs(
    project: Path, submodule: Path, either: Snapshots, tmp_path: Path, sh: Sh
) -> None:
    canary, program = tmp_path / "canary", tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch '{canary}'\ncat\n")
    program.chmod(0o755)
    sh(submodule, "config", "core.fsmonitor", str(program))
    sh(submodule, "config", "filter.x.clean", str(program))
    (submodule / ".gitattributes").write_text("* filter=x\n")
    (submodule / "inner").write_text("2")
    assert either.take().dirty_submodules == ("lib",)
    either.restore(either.take().tree)
    assert uncommitted_paths(opened(project)) == ["lib"]
    assert not canary.exists()
    sh(submodule, "status")
    assert canary.exists()


# --- what the user has not committed


def test_clean_checkout_is_not_dirty(project: Path, repo: Repo) -> None:
    (project / "x.log").write_text("ignored")
    (project / ".ralph").mkdir()
    (project / ".ralph" / "own").write_text("own")
    (project / "tasks.jsonl").write_text("{}")
    assert uncommitted_paths(repo, ["tasks.jsonl"]) == []


def test_everything_uncommitted_is_listed(project: Path, repo: Repo, sh: Sh) -> None:
    (project / "a.txt").write_text("staged\n")
    sh(project, "add", "a.txt")
    (project / "src" / "b.py").unlink()
    (project / "un\ntracked").write_text("u")
    make_repository(project / "nested", sh)
    before = user_state(project, sh)
    assert uncommitted_paths(repo) == ["a.txt", "nested", "src/b.py", "un\ntracked"]
    assert user_state(project, sh) == before


def test_edit_in_the_second_of_the_last_index_write_is_dirty_also_later(
    project: Path, repo: Repo, sh: Sh
) -> None:
    index, path = project / ".git" / "index", project / "a.txt"
    for number in range(100):
        path.write_text(f"{number:03}\n")
        sh(project, "commit", "-qam", "again")
        path.write_text(
            "xxx\n"
        )  # same size, and mostly the same second: only the index's own time stamp tells
        if int(index.stat().st_mtime) == int(path.stat().st_mtime):
            break
    while int(time.time()) <= int(path.stat().st_mtime):
        time.sleep(0.01)
    assert uncommitted_paths(repo) == ["a.txt"]
    snapshots = Snapshots(repo, "x")
    assert snapshots.read(snapshots.take().tree, "a.txt") == b"xxx\n"


def test_repository_without_a_commit_lists_its_files(tmp_path: Path, sh: Sh) -> None:
    sh(tmp_path, "init", "-q", "r")
    (tmp_path / "r" / "f").write_text("f")
    assert uncommitted_paths(opened(tmp_path / "r")) == ["f"]


def test_asking_leaves_no_trace(project: Path, repo: Repo) -> None:
    uncommitted_paths(repo)
    assert not repo.state_dir.exists()
