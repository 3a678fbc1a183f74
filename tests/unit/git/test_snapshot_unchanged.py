"""No git process when nothing changed, and no change overlooked."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from workspace_project import Sh, settle

from ralph.git.private_index import RACY_NS, Walk, walk
from ralph.git.repo import Repo
from ralph.git.snapshots import Snapshots


def without_git_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs-here"))


def test_nothing_changed_needs_no_git_process(
    project: Path, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settle(project)
    first = snapshots.take()
    without_git_program(monkeypatch, tmp_path)
    (project / ".ralph").mkdir()
    (project / ".ralph" / "log").write_text("own files do not count")
    (project / "__pycache__").mkdir()
    (project / "__pycache__" / "c.pyc").write_text("nor do caches")
    assert snapshots.take() == first


def test_a_return_to_an_earlier_content_gives_the_earlier_tree(project: Path, either: Snapshots) -> None:
    first = either.take()
    (project / "n").write_text("n")
    assert either.take() != first
    (project / "n").unlink()
    assert either.take() == first
    assert either.take() == first


def test_edit_of_equal_size_right_after_a_snapshot_is_seen(project: Path, either: Snapshots) -> None:
    seen = set()
    for number in range(30):
        (project / "a.txt").write_text(f"{number:04}")
        seen.add(either.take().tree)
    assert len(seen) == 30


def test_edit_with_its_time_stamp_set_back_is_seen(project: Path, snapshots: Snapshots) -> None:
    path = project / "a.txt"
    seen = set()
    for number in range(20):  # within one second, which some builds of git cannot look into
        path.write_text(f"{number:04}")
        os.utime(path, (1_577_836_800, 1_577_836_800))
        seen.add(snapshots.take().tree)
    assert len(seen) == 20


def test_edit_with_its_time_stamp_set_back_is_seen_on_a_settled_tree(
    project: Path, snapshots: Snapshots
) -> None:
    path = project / "a.txt"
    settle(project)
    first = snapshots.take()
    before = path.stat()
    path.write_text("b\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert snapshots.take().tree != first.tree


@pytest.mark.parametrize(
    "change", ["mode", "rename", "replace", "delete", "add", "to-link", "ignore-rule", "deep"]
)
def test_every_kind_of_change_is_seen(project: Path, either: Snapshots, change: str) -> None:
    (project / "x.tmp").write_text("x")
    settle(project)
    first = either.take()
    path = project / "a.txt"
    match change:
        case "mode":
            path.chmod(0o755)
        case "rename":
            path.rename(project / "z.txt")
        case "replace":
            shutil.copy2(path, project / "copy")
            (project / "copy").write_text("A\n")
            (project / "copy").rename(path)
        case "delete":
            path.unlink()
        case "add":
            (project / "new").touch()
        case "to-link":
            path.unlink()
            path.symlink_to("src/b.py")
        case "ignore-rule":
            (project / ".gitignore").write_text("*.log\nbuild/\n*.tmp\n")
        case "deep":
            (project / "p" / "q").mkdir(parents=True)
            (project / "p" / "q" / "r").touch()
    second = either.take()
    assert second.tree != first.tree


def test_self_ignoring_folder_leaves_the_snapshot(project: Path, snapshots: Snapshots) -> None:
    (project / "env").mkdir()
    (project / "env" / "lib").write_text("l")
    first = snapshots.take()
    (project / "env" / ".gitignore").write_text("*\n")
    settle(project)
    second = snapshots.take()
    assert [change.path for change in snapshots.diff(first.tree, second.tree)] == ["env/lib"]


def test_resumed_snapshots_give_the_same_tree(project: Path, repo: Repo, sh: Sh) -> None:
    (project / "n").write_text("n")
    first = Snapshots(repo, "x").take()
    again = Snapshots(repo, "x").take()
    assert again.tree == first.tree
    sh(project, "status")  # refreshes the user's index
    assert Snapshots(repo, "x").take().tree == first.tree


def test_two_objects_of_one_name_do_not_confuse_each_other(project: Path, repo: Repo) -> None:
    one, other = Snapshots(repo, "x", max_walk=0), Snapshots(repo, "x", max_walk=0)
    first = one.take().tree
    assert other.take().tree == first
    (project / "n").write_text("n")
    second = other.take().tree
    assert second != first
    assert one.take().tree == second  # git add has nothing left to do here, and the tree changed all the same


def test_young_time_stamps_are_not_believed() -> None:
    def look(taken: int, ctime: int) -> Walk:
        return Walk(taken, {"f": (0o100644, 1, 1, ctime, ctime)}, ())

    second = 10**9
    assert look(9 * second, second).proves_unchanged(look(8 * second, second))
    young = 8 * second - RACY_NS // 2
    assert not look(9 * second, young).proves_unchanged(look(8 * second, young))
    assert not look(7 * second, second).proves_unchanged(look(8 * second, second))  # the clock went back
    future = 20 * second
    assert not look(9 * second, future).proves_unchanged(look(8 * second, future))


def test_walk_gives_up_on_large_trees(tmp_path: Path) -> None:
    for number in range(11):
        (tmp_path / str(number)).touch()
    assert walk(str(tmp_path), frozenset(), limit=10) is None
    assert walk(str(tmp_path), frozenset({"0"}), limit=10) is not None
