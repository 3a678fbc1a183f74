"""Ralph's own paths in a snapshot are those of the base commit, whatever is in the work tree, index or HEAD."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspace_project import Sh, names

from ralph.git.repo import Repo
from ralph.git.snapshots import Snapshots

OWN = ("notes/pad.md",)


def commit(sh: Sh, project: Path, message: str, **files: str | None) -> str:
    for path, text in files.items():
        if text is None:
            sh(project, "rm", "-qf", path)
        else:
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text)
            sh(project, "add", "-f", path)
    sh(project, "commit", "-qm", message)
    return sh(project, "rev-parse", "HEAD").strip()


@pytest.fixture
def base(project: Path, sh: Sh) -> str:
    files = {".ralph/specs/a.md": "v1\n", "notes/pad.md": "pad\n", "ralph.log": "log\n"}
    return commit(sh, project, "own", **files)


def test_they_are_as_committed_whatever_was_done_to_them(
    repo: Repo, project: Path, sh: Sh, base: str
) -> None:
    (project / ".ralph/specs/a.md").unlink()
    (project / ".ralph/specs/b.md").write_text("new\n")
    (project / "notes/pad.md").write_text("changed\n")
    (project / "notes/other.md").write_text("theirs\n")
    snapshots = Snapshots(repo, "slot-1", OWN, base=base)
    tree = snapshots.take().tree
    assert [change.path for change in snapshots.diff(base, tree)] == ["notes/other.md"]


@pytest.mark.parametrize("ignored", [False, True])
def test_a_commit_of_the_agent_changes_nothing_about_them(
    repo: Repo, project: Path, sh: Sh, base: str, ignored: bool
) -> None:
    snapshots = Snapshots(repo, "slot-1", OWN, base=base)
    before = snapshots.take().tree
    changes = {".ralph/specs/a.md": None, ".ralph/specs/b.md": "new\n", "notes/pad.md": "changed\n"}
    if ignored:
        changes[".gitignore"] = "*.log\nbuild/\n.ralph\n"
    commit(sh, project, "theirs", **changes)
    tree = snapshots.take().tree
    assert [change.path for change in snapshots.diff(before, tree)] == ([".gitignore"] if ignored else [])
    assert Snapshots(repo, "slot-1", OWN, base=base).take().tree == tree


def test_a_warm_index_follows_another_base(repo: Repo, project: Path, sh: Sh, base: str) -> None:
    Snapshots(repo, "slot-1", OWN, base=base).take()
    changes = {".ralph/specs/a.md": "v2\n", ".ralph/specs/b.md": "new\n", "ralph.log": None}
    new = commit(sh, project, "more", **changes)
    snapshots = Snapshots(repo, "slot-1", OWN, base=new)
    assert snapshots.diff(new, snapshots.take().tree) == []


def test_without_a_base_they_stay_as_in_head_at_the_first_snapshot(
    repo: Repo, project: Path, sh: Sh, base: str
) -> None:
    Snapshots(repo, "in-place").take()
    new = commit(sh, project, "more", **{".ralph/specs/a.md": "v2\n"})
    snapshots = Snapshots(repo, "in-place")
    tree = snapshots.take().tree
    assert snapshots.diff(new, tree) == []
    commit(sh, project, "still more", **{".ralph/specs/a.md": "v3\n"})
    assert snapshots.take().tree == tree


def test_one_that_was_stored_before_it_was_ralphs_own_leaves(repo: Repo, project: Path) -> None:
    (project / "pad.md").write_text("pad\n")
    before, after = Snapshots(repo, "slot-1"), Snapshots(repo, "slot-1", ("pad.md",))
    assert "pad.md" in names(before, before.take().tree)
    assert "pad.md" not in names(after, after.take().tree)


def test_restoring_leaves_them_as_they_are(repo: Repo, project: Path, base: str) -> None:
    snapshots = Snapshots(repo, "slot-1", OWN, base=base)
    tree = snapshots.take().tree
    (project / ".ralph/specs/a.md").write_text("mine\n")
    (project / "a.txt").write_text("changed\n")
    assert snapshots.restore(tree) == ["a.txt"]
    assert (project / ".ralph/specs/a.md").read_text() == "mine\n"


def test_on_another_base_untouched_files_become_its_own_and_others_stay(
    repo: Repo, project: Path, sh: Sh, base: str
) -> None:
    old = {".ralph/gone.md": "x\n", ".ralph/kept.md": "x\n", ".ralph/edited.md": "x\n"}
    first = commit(sh, project, "first", **old)
    changes: dict[str, str | None] = {
        ".ralph/specs/a.md": "v2\n",
        ".ralph/new.md": "n\n",
        "ralph.log": "l2\n",
    }
    changes |= {".ralph/gone.md": None, ".ralph/edited.md": "y\n", ".ralph/there.md": "t\n"}
    second = commit(sh, project, "second", **changes)
    sh(project, "reset", "-q", "--hard", first)
    (project / ".ralph/edited.md").write_text("mine\n")
    (project / ".ralph/there.md").write_text("mine\n")
    (project / "ralph.log").unlink()
    snapshots = Snapshots(repo, "slot-1", OWN, base=first)
    snapshots.take()
    snapshots.rebase(second)
    assert snapshots.diff(second, snapshots.take().tree) == []
    there = {path.name: path.read_text() for path in (project / ".ralph").rglob("*.md")}
    assert there == {
        "a.md": "v2\n",
        "new.md": "n\n",
        "kept.md": "x\n",
        "edited.md": "mine\n",
        "there.md": "mine\n",
    }
    assert not (project / "ralph.log").exists()


def test_nothing_is_written_or_removed_behind_a_link(
    repo: Repo, project: Path, sh: Sh, base: str, tmp_path: Path
) -> None:
    second = commit(sh, project, "second", **{".ralph/specs/a.md": None, ".ralph/specs/b.md": "b\n"})
    sh(project, "reset", "-q", "--hard", base)
    outside = tmp_path / "outside"
    (project / ".ralph").rename(outside)
    (project / ".ralph").symlink_to(outside)
    snapshots = Snapshots(repo, "slot-1", OWN, base=base)
    snapshots.rebase(second)
    assert [path.name for path in (outside / "specs").iterdir()] == ["a.md"]
    assert snapshots.diff(second, snapshots.take().tree) == []
