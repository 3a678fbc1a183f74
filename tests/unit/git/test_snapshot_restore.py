"""Going back: the work tree becomes equal to a tree, and nothing that no snapshot holds is destroyed."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from workspace_project import Sh, names, settle, user_state

from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.git.snapshots import Snapshots


def state(root: Path) -> dict[str, tuple[str, bytes]]:
    """Everything in the work tree: kind and content."""
    found = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git" and not (Path(folder) / name).is_symlink()]
        entries = [
            *files,
            *(path.name for path in Path(folder).iterdir() if path.is_symlink() and path.name not in files),
        ]
        for name in entries:
            path = Path(folder) / name
            if path.is_symlink():
                found[str(path.relative_to(root))] = ("link", os.fsencode(path.readlink()))
            else:
                kind = "exec" if path.stat().st_mode & 0o100 else "file"
                found[str(path.relative_to(root))] = (kind, path.read_bytes())
    return found


def test_written_deleted_and_added_files_come_back(project: Path, either: Snapshots) -> None:
    before = state(project)
    tree = either.take().tree
    (project / "a.txt").write_text("changed")
    (project / "src" / "b.py").unlink()
    (project / "src").rmdir()
    (project / "deep" / "er").mkdir(parents=True)
    (project / "deep" / "er" / "new").write_text("n")
    assert either.restore(tree) == ["a.txt", "deep/er/new", "src/b.py"]
    assert state(project) == before
    assert not (project / "deep").exists()
    assert either.take().tree == tree
    assert either.restore(tree) == []


def test_only_the_given_paths_are_restored(project: Path, either: Snapshots) -> None:
    tree = either.take().tree
    (project / "a.txt").write_text("changed")
    (project / "src" / "b.py").write_text("changed")
    (project / "src" / "new").write_text("n")
    assert either.restore(tree, ["./src/"]) == ["src/b.py", "src/new"]
    assert (project / "a.txt").read_text() == "changed"
    assert not (project / "src" / "new").exists()
    assert either.restore(tree, []) == []
    assert either.restore(tree, ["a.txt", "absent"]) == ["a.txt"]


def test_file_and_folder_change_places(project: Path, either: Snapshots) -> None:
    before = state(project)
    tree = either.take().tree
    shutil.rmtree(project / "src")
    (project / "src").write_text("a file now")
    (project / "a.txt").unlink()
    (project / "a.txt").mkdir()
    (project / "a.txt" / "inside").write_text("i")
    mixed, mixed_tree = state(project), either.take().tree
    either.restore(tree)
    assert state(project) == before
    either.restore(mixed_tree)
    assert state(project) == mixed


def test_symlinked_folder_does_not_lead_outside(project: Path, tmp_path: Path, either: Snapshots) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.py").write_text("theirs")
    before = state(project)
    tree = either.take().tree
    shutil.rmtree(project / "src")
    (project / "src").symlink_to(outside)
    either.take()
    either.restore(tree)
    assert state(project) == before
    assert (outside / "b.py").read_text() == "theirs"


def test_ignored_symlink_in_the_way_does_not_lead_outside(
    project: Path, tmp_path: Path, either: Snapshots
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    tree = either.take().tree
    shutil.rmtree(project / "src")
    (project / "src").symlink_to(outside)
    (project / ".gitignore").write_text("src\n")
    either.take()
    either.restore(tree)
    assert (project / "src" / "b.py").read_text() == "b = 1\n"
    assert list(outside.iterdir()) == []


def test_exec_bits_symlinks_and_odd_names_come_back(project: Path, either: Snapshots) -> None:
    for name in ("two\nlines", "-dash", 'quo"te', "ünï", "tab\t", "*star", ":(top)x", os.fsdecode(b"\xff")):
        (project / name).write_text("x")
        (project / f"dir {name}").mkdir()
        (project / f"dir {name}" / "run").write_text("x")
        (project / f"dir {name}" / "run").chmod(0o755)
        (project / f"link {name}").symlink_to(name)
    before = state(project)
    tree = either.take().tree
    for path in list(project.iterdir()):
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    either.restore(tree)
    assert state(project) == before


def test_ignored_and_own_files_stay(project: Path, either: Snapshots) -> None:
    tree = either.take().tree
    (project / "x.log").write_text("ignored")
    (project / "build").mkdir()
    (project / "build" / "out").write_text("ignored")
    (project / "gone").mkdir()
    (project / "gone" / "y.log").write_text("ignored")
    (project / "gone" / "new").write_text("n")
    (project / ".ralph").mkdir()
    (project / ".ralph" / "pad").write_text("own")
    (project / ".stop").write_text("own")
    assert either.restore(tree) == ["gone/new"]
    for kept in ("x.log", "build/out", "gone/y.log", ".ralph/pad", ".stop"):
        assert (project / kept).exists()
    assert either.displaced == []


def test_own_files_stay_although_the_tree_has_others(project: Path, repo: Repo, sh: Sh) -> None:
    (project / ".stop").write_text("committed")
    sh(project, "add", "-f", ".stop")
    sh(project, "commit", "-qm", "own")
    old = sh(project, "rev-parse", "HEAD^{tree}").strip()
    sh(project, "rm", "-q", "--cached", ".stop")
    sh(project, "commit", "-qm", "not any more")
    (project / ".stop").write_text("now")
    (project / "a.txt").write_text("changed")
    snapshots = Snapshots(repo, "x")
    assert snapshots.restore(old) == ["a.txt"]
    assert (project / ".stop").read_text() == "now"


def test_ignored_file_where_a_restored_one_must_go_is_moved_aside(project: Path, either: Snapshots) -> None:
    (project / "data").write_text("in the snapshot")
    tree = either.take().tree
    (project / ".gitignore").write_text("*.log\nbuild/\ndata\n")
    (project / "data").write_text("never in any snapshot")
    either.take()
    either.restore(tree)
    assert (project / "data").read_text() == "in the snapshot"
    assert [Path(path).read_text() for path in either.displaced] == ["never in any snapshot"]
    assert either.take().tree == tree


def test_ignored_files_in_a_folder_that_must_become_a_file_are_moved_aside(
    project: Path, either: Snapshots
) -> None:
    tree = either.take().tree
    (project / "a.txt").unlink()
    (project / "a.txt").mkdir()
    (project / "a.txt" / "x.log").write_text("ignored")
    (project / "a.txt" / "y").write_text("y")
    either.take()
    either.restore(tree)
    assert (project / "a.txt").read_text() == "a\n"
    assert [(Path(path) / "x.log").read_text() for path in either.displaced] == ["ignored"]


def test_files_that_only_a_newer_ignore_rule_hid_are_moved_aside(project: Path, either: Snapshots) -> None:
    tree = either.take().tree
    (project / ".gitignore").write_text("*.log\nbuild/\n.env\n")
    (project / ".env").write_text("secret")
    either.take()
    assert either.restore(tree) == [".env", ".gitignore"]
    assert not (project / ".env").exists()
    assert [Path(path).read_text() for path in either.displaced] == ["secret"]
    assert either.take().tree == tree


def test_file_that_only_one_path_was_asked_of_leaves_unhidden_files_alone(
    project: Path, either: Snapshots
) -> None:
    tree = either.take().tree
    (project / ".gitignore").write_text(".env\n")
    (project / ".env").write_text("secret")
    either.take()
    assert either.restore(tree, [".gitignore"]) == [".gitignore"]
    assert (project / ".env").read_text() == "secret"


def test_ignored_file_that_was_tracked_only_then_comes_back(project: Path, either: Snapshots, sh: Sh) -> None:
    (project / "forced.log").write_text("1")
    sh(project, "add", "-f", "forced.log")
    settle(project)
    tree = either.take().tree
    sh(project, "rm", "-qf", "forced.log")
    (project / ".gitignore").write_text("build/\n*.log\n")
    either.take()
    assert either.restore(tree) == [".gitignore", "forced.log"]
    assert (project / "forced.log").read_text() == "1"
    assert either.displaced == []


def test_tree_that_is_gone_is_told_and_nothing_changes(project: Path, either: Snapshots, sh: Sh) -> None:
    either.take()
    (project / "a.txt").write_text("kept")
    with pytest.raises(RalphError, match="no longer in the object store"):
        either.restore("1" * 40)
    assert (project / "a.txt").read_text() == "kept"


def test_restore_finishes_what_a_killed_restore_began(project: Path, repo: Repo) -> None:
    for number in range(20):
        (project / f"f{number}").write_text("1")
    before = state(project)
    tree = Snapshots(repo, "x").take().tree
    for number in range(20):
        (project / f"f{number}").write_text("2")
    Snapshots(repo, "x").take()
    for number in range(7):  # as far as it came
        (project / f"f{number}").write_text("1")
    (repo.state_dir / "shadow" / "x" / "index.lock").write_text("half")
    Snapshots(repo, "x").restore(tree)
    assert state(project) == before


def test_line_endings_and_attributes_come_back_together(project: Path, either: Snapshots) -> None:
    (project / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (project / "a.txt").write_bytes(b"1\r\n2\r\n")
    tree = either.take().tree
    (project / ".gitattributes").unlink()
    (project / "a.txt").write_bytes(b"changed\n")
    either.take()
    either.restore(tree)
    assert (project / "a.txt").read_bytes() == b"1\r\n2\r\n"


NAMES = ["a", "b", "c", "d e", "é", "-x", "two\nlines"]


def scramble(root: Path, dice: random.Random) -> None:
    """A random work tree over few names, so that files, folders and links often trade places."""
    for path in list(root.iterdir()):
        if path.name not in (".git", ".gitignore") and dice.random() < 0.7:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for _ in range(dice.randrange(12)):
        path = root.joinpath(*(dice.choice(NAMES) for _ in range(dice.randrange(1, 4))))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if dice.random() < 0.2:
                path.symlink_to(dice.choice(NAMES))
            else:
                path.write_text(str(dice.randrange(100)))
                path.chmod(dice.choice([0o644, 0o755]))
        except OSError:
            continue  # a name on the way is taken by another kind of thing


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_come_back_exactly(project: Path, either: Snapshots, sh: Sh, seed: int) -> None:
    dice = random.Random(seed)
    untouched = user_state(project, sh)
    seen = []
    for _ in range(4):
        scramble(project, dice)
        seen.append((either.take().tree, state(project)))
    dice.shuffle(seen)
    for tree, files in seen:
        either.restore(tree)
        assert state(project) == files
        assert names(either, tree) == set(files)
    assert user_state(project, sh) == untouched
    assert either.displaced == []
