"""Clean checkouts of gates: exactly the tree, whatever was done to them before."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from workspace_project import Sh, opened

from ralph.core.policy import GatePolicy
from ralph.errors import RalphError
from ralph.files import stamp
from ralph.git.gate_checkouts import GateCheckouts, Judged, check_hidden
from ralph.git.repo import Repo, is_slot_of, slots_dir, without_git
from ralph.git.snapshots import Snapshots


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RALPH_WORKSPACES", str(tmp_path / "slots"))


@pytest.fixture
def repo(project: Path) -> Repo:
    return opened(project)


@pytest.fixture
def snapshots(repo: Repo) -> Snapshots:
    return Snapshots(repo, "x")


@pytest.fixture
def pool(repo: Repo) -> Iterator[GateCheckouts]:
    checkouts = GateCheckouts(repo)
    yield checkouts
    checkouts.close()


def files(root: Path) -> dict[str, str]:
    found = {path for path in root.rglob("*") if ".git" not in path.parts}
    return {str(path.relative_to(root)): path.read_text() for path in found if path.is_file()}


def test_one_checkout_is_moved_from_tree_to_tree(
    project: Path, snapshots: Snapshots, pool: GateCheckouts
) -> None:
    first = snapshots.take().tree
    before = files(project)
    (project / "a.txt").write_text("changed")
    (project / "new").mkdir()
    (project / "new/file").write_text("new")
    second = snapshots.take().tree
    one = pool.take(snapshots, Judged(second))
    assert files(one.root) == files(project) and one.root.name == project.name
    kept = stamp(one.root / "src/b.py")
    pool.give_back(one)
    again = pool.take(snapshots, Judged(first))
    assert again is one and files(one.root) == before and not (one.root / "new").exists()
    pool.give_back(one)
    pool.take(snapshots, Judged(second))
    assert files(one.root) == files(project)
    assert stamp(one.root / "src/b.py") == kept, "only what differs is written"
    assert pool.take(snapshots, Judged(first)) is not one, "which is in use"


@pytest.mark.parametrize("harm", ["same size and time", "marked", "index", "folder", "link", "git", "locked"])
def test_whatever_was_done_to_it_is_gone(
    project: Path, snapshots: Snapshots, pool: GateCheckouts, sh: Sh, harm: str, tmp_path: Path
) -> None:
    tree = snapshots.take().tree
    wanted = files(project)
    one = pool.take(snapshots, Judged(tree))
    file = one.root / "a.txt"
    match harm:
        case "same size and time":
            was = file.stat()
            file.write_text("X" * was.st_size)
            os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
        case "marked":
            file.write_text("other")
            sh(one.root, "update-index", "--assume-unchanged", "a.txt")
        case "index":
            file.write_text("other")
            (one.root / ".git/index").replace(one.slot / "index")
            sh(one.root, "read-tree", "--empty")
            (one.root / ".git/index").replace(one.slot / "index")
        case "folder":
            (one.root / "deep/er").mkdir(parents=True)
            (one.root / "deep/er/x.log").write_text("ignored")
            (one.root / "deep/er").chmod(0o500)
        case "link":
            file.unlink()
            file.symlink_to(project / "a.txt")
        case "git":
            (one.root / ".git/config").write_text("[core]\n\tfsmonitor = touch canary\n")
        case "locked":
            (one.slot / "index.lock").touch()
    pool.give_back(one)
    next_one = pool.take(snapshots, Judged(tree))
    assert files(next_one.root) == wanted
    assert not (next_one.root / "a.txt").is_symlink() and not (next_one.root / "deep").exists()
    assert sh(next_one.root, "status", "--porcelain") == ""


def test_git_sees_the_change_as_if_it_had_landed(
    project: Path, repo: Repo, snapshots: Snapshots, pool: GateCheckouts, sh: Sh
) -> None:
    base = sh(project, "rev-parse", "HEAD").strip()
    sh(project, "tag", "v1")
    branch = sh(project, "symbolic-ref", "HEAD").strip()
    (project / "a.txt").write_text("changed")
    tree = snapshots.take().tree
    one = pool.take(snapshots, Judged(tree, base, branch))
    assert sh(one.root, "rev-parse", "HEAD^{tree}").strip() == tree
    assert sh(one.root, "diff", "--name-only", "v1").strip() == "a.txt"
    assert sh(one.root, "symbolic-ref", "HEAD").strip() == branch
    assert sh(one.root, "rev-parse", "HEAD~1").strip() == base
    assert sh(project, "rev-parse", "HEAD").strip() == base
    assert is_slot_of(repo.common_dir, one.root)
    pool.give_back(one)
    (project / "a.txt").write_text("a\n")
    pool.take(snapshots, Judged(snapshots.take().tree, base, branch))
    assert sh(one.root, "rev-parse", "HEAD").strip() == base, "the start is the user's own commit"


def test_without_git_there_is_no_repository_in_it(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "f").write_text("f")
    repo = without_git(plain)
    snapshots, pool = Snapshots(repo, "x"), GateCheckouts(repo)
    one = pool.take(snapshots, Judged(snapshots.take().tree))
    assert [path.name for path in one.root.iterdir()] == ["f"]
    pool.close()


def test_shared_folders_are_copied_anew_where_original_or_copy_changed(
    project: Path, snapshots: Snapshots, pool: GateCheckouts
) -> None:
    (project / ".gitignore").write_text("lib/\n*.log\n")
    (project / "lib").mkdir()
    for name in ("same", "theirs", "ours"):
        (project / "lib" / name).write_text("1")
    (project / "lib/place.pth").write_text(f"{project}/src\n")
    judged = Judged(snapshots.take().tree, share=("lib",))
    one = pool.take(snapshots, judged)
    assert (one.root / "lib/place.pth").read_text() == f"{one.root}/src\n"
    was = (project / "lib/theirs").stat()
    (project / "lib/theirs").write_text("2")
    os.utime(project / "lib/theirs", ns=(was.st_atime_ns, was.st_mtime_ns))
    (one.root / "lib/ours").write_text("2")
    (one.root / "lib/more").write_text("2")
    pool.give_back(one)
    pool.take(snapshots, judged)
    assert {path.name: path.read_text() for path in (one.root / "lib").iterdir()} == {
        "same": "1",
        "theirs": "2",
        "ours": "1",
        "place.pth": f"{one.root}/src\n",
    }
    assert (project / "lib/ours").read_text() == "1"


def test_a_clock_that_was_set_back_hides_no_change_of_a_shared_folder(
    project: Path, snapshots: Snapshots, pool: GateCheckouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".gitignore").write_text("lib/\n")
    (project / "lib").mkdir()
    (project / "lib/file").write_text("1")
    judged = Judged(snapshots.take().tree, share=("lib",))
    with monkeypatch.context() as ahead:
        ahead.setattr("time.time_ns", lambda: int((time.time() + 3600) * 10**9))
        one = pool.take(snapshots, judged)
    was = (one.root / "lib/file").stat()
    (one.root / "lib/file").write_text("2")
    os.utime(one.root / "lib/file", ns=(was.st_atime_ns, was.st_mtime_ns))
    pool.give_back(one)
    pool.take(snapshots, judged)
    assert (one.root / "lib/file").read_text() == "1"


def test_what_a_gate_wrote_is_named_but_not_what_git_ignores(
    project: Path, snapshots: Snapshots, pool: GateCheckouts
) -> None:
    one = pool.take(snapshots, Judged(snapshots.take().tree))
    (one.root / "a.txt").write_text("changed")
    (one.root / "new").write_text("new")
    (one.root / "x.log").write_text("ignored")
    assert one.changed(snapshots) == ["a.txt"]


def test_line_ends_that_new_rules_would_change_were_not_written_by_a_gate(
    project: Path, snapshots: Snapshots, pool: GateCheckouts
) -> None:
    (project / "a.txt").write_bytes(b"a\r\nb\r\n")
    before = snapshots.take().tree
    (project / ".gitattributes").write_text("*.txt text\n")
    tree = snapshots.overlay(before, snapshots.take().tree, [".gitattributes"])
    one = pool.take(snapshots, Judged(tree))
    assert (one.root / "a.txt").read_bytes() == b"a\r\nb\r\n"
    (one.root / "a.txt").touch()  # git looks into it again
    assert one.changed(snapshots) == []
    (one.root / "a.txt").chmod(0o755)
    (one.root / "src/b.py").write_bytes(b"other\n")
    assert one.changed(snapshots) == ["a.txt", "src/b.py"]


def test_nothing_is_left_after_the_end(repo: Repo, snapshots: Snapshots) -> None:
    pool = GateCheckouts(repo)
    tree = snapshots.take().tree
    pool.give_back(pool.take(snapshots, Judged(tree)))
    pool.take(snapshots, Judged(tree))
    pool.close()
    assert not slots_dir(repo).exists()


def test_hidden_files_are_where_no_agent_works(project: Path, repo: Repo, tmp_path: Path) -> None:
    outside, ignored = tmp_path / "outside", project / "x.log"
    for path in (outside, ignored):
        path.write_text("x")

    def check(path: Path, *, in_place: bool = False, share: tuple[str, ...] = ()) -> None:
        check_hidden(repo, GatePolicy("hidden", hidden=str(path)), in_place=in_place, share=share)

    check(outside, in_place=True)
    check(ignored)
    for path, more, why in (
        (ignored, {"in_place": True}, "works in this folder"),
        (project / "a.txt", {}, "git records it"),
        (ignored, {"share": ("x.log",)}, "share"),
        (tmp_path / "gone", {}, "not there"),
    ):
        with pytest.raises(RalphError, match=why):
            check(path, **more)  # type: ignore[arg-type]
