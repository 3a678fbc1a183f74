"""Weakened tests are found between two recorded trees, with real git and within bounds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ralph.gates.integrity import weakened_tests as weakening
from ralph.gates.integrity.weakened_tests import find_weakening
from ralph.git.repo import find as find_repo
from ralph.git.repo import without_git
from ralph.git.snapshots import Snapshots
from ralph.git.trees import contents

TEST = "def test_a():\n    assert add(1, 2) == 3\n    assert add(0, 0) == 0\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "tests/test_ä b.py").write_text(TEST)
    (root / "tests/data.py").write_bytes(b"\x00\x01binary")
    (root / "pytest.ini").write_text("[pytest]\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def snapshots_of(root: Path) -> Snapshots:
    repo = find_repo(root)
    assert repo is not None
    return Snapshots(repo, "test")


def test_a_weakened_test_is_found_between_trees(root: Path) -> None:
    snapshots = snapshots_of(root)
    base = snapshots.take().tree
    (root / "tests/test_ä b.py").write_text(TEST.replace("    assert add(0, 0) == 0\n", ""))
    (root / "pytest.ini").write_text("[pytest]\naddopts = --deselect x\n")
    (root / "tests/data.py").write_bytes(b"\x00\x02")
    (root / "work.py").write_text("def test_skip(): pass\n")
    tree = snapshots.take().tree
    assert [w.text for w in find_weakening(snapshots, base, tree)] == [
        "pytest.ini:2: tests left out: addopts = --deselect x",
        "tests/test_ä b.py:1: assertions removed: test_a: 2 assertions, now 1",
    ]
    assert find_weakening(snapshots, base, tree, snapshots.diff(base, tree)) == find_weakening(
        snapshots, base, tree
    )
    assert find_weakening(snapshots, base, base) == ()


def test_a_test_that_became_a_link_is_gone(root: Path) -> None:
    snapshots = snapshots_of(root)
    base = snapshots.take().tree
    (root / "tests/test_ä b.py").unlink()
    (root / "tests/test_ä b.py").symlink_to("data.py")
    (only,) = find_weakening(snapshots, base, snapshots.take().tree)
    assert only.what == "file deleted"


def test_tests_without_git_are_compared_too(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(TEST)
    snapshots = Snapshots(without_git(tmp_path), "test")
    base = snapshots.take().tree
    (tmp_path / "test_a.py").unlink()
    (only,) = find_weakening(snapshots, base, snapshots.take().tree)
    assert only.text == "test_a.py: file deleted: 1 test gone: test_a"


def test_what_is_too_large_or_too_many_is_said_not_to_be_compared(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "tests/test_b.py").write_text(TEST)
    snapshots = snapshots_of(root)
    base = snapshots.take().tree
    (root / "tests/test_ä b.py").write_text("#" * (weakening.LARGEST + 1))
    (root / "tests/test_b.py").unlink()
    (root / "tests/new_test.py").write_text(TEST)
    tree = snapshots.take().tree
    assert [w.text for w in find_weakening(snapshots, base, tree)] == [
        "tests/test_ä b.py: not compared: too large or too many"
    ], "test_b.py has moved"
    monkeypatch.setattr(weakening, "MOST_FILES", 1)
    assert [w.what for w in find_weakening(snapshots, base, tree)] == ["file deleted", "not compared"]


def test_contents_are_read_for_many_paths_at_once(root: Path) -> None:
    snapshots = snapshots_of(root)
    (root / "tests/empty.py").write_text("")
    (root / "same.py").write_text(TEST)
    (root / "link.py").symlink_to("same.py")
    tree = snapshots.take().tree
    wanted = ["tests/test_ä b.py", "tests/data.py", "tests/empty.py", "same.py", "link.py", "none.py"]
    assert contents(snapshots, tree, wanted, largest=50) == {
        "tests/test_ä b.py": None,
        "same.py": None,
        "tests/data.py": b"\x00\x01binary",
        "tests/empty.py": b"",
    }
    assert contents(snapshots, tree, wanted, largest=500)["same.py"] == TEST.encode()
    assert contents(snapshots, tree, ["none.py"], largest=500) == {}
