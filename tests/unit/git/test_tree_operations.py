"""Reading, comparing and composing trees; clean checkouts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from workspace_project import Sh, names, opened, user_state

from ralph.errors import RalphError
from ralph.git import program
from ralph.git.repo import Repo, without_git
from ralph.git.snapshots import Snapshots


@pytest.fixture
def pair(project: Path, snapshots: Snapshots) -> tuple[str, str]:
    """Two trees that differ in every way a path can."""
    (project / "mode").write_text("m")
    (project / "type").write_text("t")
    (project / "old name").write_text("same content\n" * 20)
    first = snapshots.take().tree
    (project / "a.txt").write_text("A\n")
    (project / "mode").chmod(0o755)
    (project / "type").unlink()
    (project / "type").symlink_to("a.txt")
    (project / "src" / "b.py").unlink()
    (project / "old name").rename(project / "new\nname")
    return first, snapshots.take().tree


def test_diff_names_every_path_with_its_status(snapshots: Snapshots, pair: tuple[str, str]) -> None:
    assert sorted((change.path, change.status) for change in snapshots.diff(*pair)) == [
        ("a.txt", "M"),
        ("mode", "M"),
        ("new\nname", "A"),
        ("old name", "D"),
        ("src/b.py", "D"),
        ("type", "T"),
    ]
    assert snapshots.diff(pair[0], pair[0]) == []


def test_read_gives_content_link_target_or_none(project: Path, snapshots: Snapshots) -> None:
    (project / "link").symlink_to("a.txt")
    (project / "bytes").write_bytes(bytes(range(256)))
    tree = snapshots.take().tree
    assert snapshots.read(tree, "a.txt") == b"a\n"
    assert snapshots.read(tree, "./src/../a.txt") == b"a\n"
    assert snapshots.read(tree, "link") == b"a.txt"
    assert snapshots.read(tree, "bytes") == bytes(range(256))
    assert snapshots.read(tree, "absent") is None
    assert snapshots.read(tree, "src") is None
    with pytest.raises(program.GitFailed):
        snapshots.read("1" * 40, "a.txt")


def test_overlay_takes_paths_from_the_base(project: Path, snapshots: Snapshots, sh: Sh) -> None:
    base = snapshots.take().tree
    (project / "a.txt").write_text("changed")
    (project / "src" / "b.py").write_text("changed")
    (project / "src" / "new").write_text("n")
    (project / "top").write_text("n")
    tree = snapshots.take().tree
    before = user_state(project, sh)
    mixed = snapshots.overlay(tree, base, ["src", "top", "absent in both"])
    assert names(snapshots, mixed) == {".gitignore", "a.txt", "src/b.py"}
    assert snapshots.read(mixed, "a.txt") == b"changed"
    assert snapshots.read(mixed, "src/b.py") == b"b = 1\n"
    assert snapshots.overlay(tree, base, []) == tree
    assert user_state(project, sh) == before
    assert (project / "top").exists()
    assert snapshots.take().tree == tree


def test_overlay_when_files_and_folders_trade_places(project: Path, snapshots: Snapshots) -> None:
    base = snapshots.take().tree
    (project / "src" / "b.py").unlink()
    (project / "src").rmdir()
    (project / "src").write_text("file")
    (project / "a.txt").unlink()
    (project / "a.txt").mkdir()
    (project / "a.txt" / "x").write_text("x")
    tree = snapshots.take().tree
    assert names(snapshots, snapshots.overlay(tree, base, ["a.txt"])) == {".gitignore", "a.txt", "src"}
    assert names(snapshots, snapshots.overlay(tree, base, ["src/b.py"])) == {
        ".gitignore",
        "a.txt/x",
        "src/b.py",
    }
    assert snapshots.overlay(tree, base, ["a.txt", "src"]) == base


def test_clean_checkout_has_the_files_and_nothing_else(
    project: Path, snapshots: Snapshots, tmp_path: Path, sh: Sh
) -> None:
    (project / ".gitattributes").write_text("hidden export-ignore\n")
    (project / "hidden").write_text("h")
    (project / "run").write_text("#!/bin/sh\n")
    (project / "run").chmod(0o755)
    (project / "link").symlink_to("a.txt")
    (project / "two\nlines").write_text("x")
    (project / "x.log").write_text("ignored")
    tree = snapshots.take().tree
    (project / "a.txt").write_text("later")
    before = user_state(project, sh)
    into = tmp_path / "de ep" / "out"
    snapshots.check_out(tree, into, tmp_path / "index")
    found = {str(path.relative_to(into)) for path in into.rglob("*") if not path.is_dir()}
    assert found == names(snapshots, tree)
    assert (into / "a.txt").read_text() == "a\n"
    assert os.access(into / "run", os.X_OK)
    assert (into / "link").is_symlink()
    assert (project / "a.txt").read_text() == "later"
    assert user_state(project, sh) == before
    assert snapshots.take().tree != tree


def test_clean_checkout_refuses_a_folder_in_use(project: Path, snapshots: Snapshots, tmp_path: Path) -> None:
    tree = snapshots.take().tree
    with pytest.raises(RalphError, match="empty folder"):
        snapshots.check_out(tree, project, tmp_path / "index")
    (tmp_path / "file").write_text("f")
    with pytest.raises(RalphError, match="cannot use the folder"):
        snapshots.check_out(tree, tmp_path / "file", tmp_path / "index")


def test_clean_checkout_without_git_and_before_the_first_commit(tmp_path: Path, sh: Sh) -> None:
    plain, fresh = tmp_path / "plain", tmp_path / "fresh"
    plain.mkdir()
    sh(tmp_path, "init", "-q", "fresh")
    repos: list[Repo] = [without_git(plain), opened(fresh)]
    for number, repo in enumerate(repos):
        (repo.root / "f").write_text("f")
        snapshots = Snapshots(repo, "x")
        snapshots.check_out(snapshots.take().tree, tmp_path / f"out{number}", tmp_path / f"index{number}")
        assert [path.name for path in (tmp_path / f"out{number}").iterdir()] == ["f"]


# -- what git says, as a stream --------------------------------------------------------------------------


def _noisy(project: Path, code: int) -> list[str]:
    """A real git that warns of much more than a pipe holds, before and after its output."""
    warn = "yes 'warning: noise' | head -c 300000 >&2"
    alias = f"alias.noisy=!{warn}; echo first; {warn}; echo last; exit {code}"
    return [part.decode() for part in program.stream(("-c", alias, "noisy"), cwd=project)]


def test_a_stream_is_not_held_up_by_warnings(project: Path) -> None:
    assert "".join(_noisy(project, 0)).split() == ["first", "last"]


def test_a_stream_that_fails_says_what_git_said_first(project: Path) -> None:
    with pytest.raises(program.GitFailed, match="noise"):
        _noisy(project, 3)
