"""Recovery refs: kept, found again, listed, dropped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from workspace_project import Sh, opened, user_state

from ralph.errors import RalphError
from ralph.git.recovery import Saved, drop, save, saved, unreadable
from ralph.git.repo import Repo, without_git
from ralph.git.snapshots import Snapshots

WHEN = "2024-05-06T07:08:09Z"


def keep(repo: Repo, snapshots: Snapshots, reason: str = "before the run", loop: str = "loop-1") -> Saved:
    return save(repo, snapshots, snapshots.take().tree, loop=loop, reason=reason, when=WHEN)


def test_state_is_kept_on_top_of_head_under_ralphs_name(
    project: Path, repo: Repo, snapshots: Snapshots, sh: Sh
) -> None:
    (project / "u").write_text("untracked")
    entry = keep(repo, snapshots)
    assert entry.ref == "refs/ralph/recovery/loop-1/1"
    assert sh(project, "rev-parse", entry.ref).strip() == entry.commit
    assert sh(project, "show", f"{entry.ref}:u") == "untracked"
    assert sh(project, "rev-parse", f"{entry.ref}^").strip() == sh(project, "rev-parse", "HEAD").strip()
    shown = sh(project, "log", "-1", "--format=%an <%ae>|%cn <%ce>|%aI|%s", entry.ref).strip()
    assert (
        shown
        == "Ralph <ralph@localhost>|Ralph <ralph@localhost>|2024-05-06T07:08:09+00:00|ralph: before the run"
    )


def test_same_state_again_finds_the_existing_ref(project: Path, repo: Repo, snapshots: Snapshots) -> None:
    first = keep(repo, snapshots)
    assert keep(repo, snapshots) == first
    assert keep(repo, Snapshots(repo, "another")) == first
    other = keep(repo, snapshots, reason="before a restore")
    assert other.ref == "refs/ralph/recovery/loop-1/2"
    (project / "n").write_text("n")
    assert keep(repo, snapshots).ref == "refs/ralph/recovery/loop-1/3"
    assert keep(repo, snapshots, loop="loop-2").ref == "refs/ralph/recovery/loop-2/1"
    assert len(saved(repo)) == 4


def test_listing_gives_back_what_was_saved(project: Path, repo: Repo, snapshots: Snapshots) -> None:
    assert saved(repo) == []
    entries = []
    for number in range(11):
        (project / "n").write_text(str(number))
        entries.append(keep(repo, snapshots, loop="odd loop / ..name", reason="two\nlines ü"))
    assert saved(repo) == entries  # 10 after 9, not after 1
    assert entries[0].reason == "two lines ü"
    assert entries[0].loop == "odd loop / ..name"


def test_staged_content_of_its_own_is_kept_too(
    project: Path, repo: Repo, snapshots: Snapshots, sh: Sh
) -> None:
    (project / "a.txt").write_text("staged\n")
    sh(project, "add", "a.txt")
    (project / "a.txt").write_text("unstaged\n")
    before = user_state(project, sh)
    entry = keep(repo, snapshots)
    assert sh(project, "show", f"{entry.ref}:a.txt") == "unstaged\n"
    assert sh(project, "show", f"{entry.ref}^2:a.txt") == "staged\n"
    assert sh(project, "rev-parse", f"{entry.ref}^2").strip() in entry.note
    assert saved(repo) == [entry]
    assert user_state(project, sh) == before


def test_index_without_anything_of_its_own_is_not_kept(
    project: Path, repo: Repo, snapshots: Snapshots, sh: Sh
) -> None:
    (project / "a.txt").write_text("staged\n")
    sh(project, "add", "a.txt")
    entry = keep(repo, snapshots)
    assert entry.note == ""
    assert len(sh(project, "rev-list", "--parents", "-1", entry.ref).split()) == 2


def test_unfinished_merge_does_not_prevent_saving(
    project: Path, repo: Repo, snapshots: Snapshots, sh: Sh
) -> None:
    sh(project, "checkout", "-qb", "other")
    (project / "a.txt").write_text("other\n")
    sh(project, "commit", "-qam", "other")
    sh(project, "checkout", "-q", "main")
    (project / "a.txt").write_text("main\n")
    sh(project, "commit", "-qam", "main")
    sh(project, "merge", "other", check=False)
    assert "UU a.txt" in sh(project, "status", "--porcelain")
    entry = keep(repo, snapshots)
    assert "<<<<<<<" in sh(project, "show", f"{entry.ref}:a.txt")
    assert "unfinished merge" in entry.note
    assert "UU a.txt" in sh(project, "status", "--porcelain")


def test_saved_state_survives_pruning_and_can_be_restored(
    project: Path, repo: Repo, snapshots: Snapshots, sh: Sh
) -> None:
    (project / "u").write_text("work")
    entry = keep(repo, snapshots)
    (project / "u").unlink()
    sh(project, "gc", "-q", "--prune=now")
    fresh = Snapshots(repo, "recover")
    assert fresh.restore(entry.tree) == ["u"]
    assert (project / "u").read_text() == "work"


def test_repository_without_a_commit_and_folder_without_git(tmp_path: Path, sh: Sh) -> None:
    plain, fresh = tmp_path / "plain", tmp_path / "fresh"
    plain.mkdir()
    sh(tmp_path, "init", "-q", "fresh")
    for repo in (without_git(plain), opened(fresh)):
        assert saved(repo) == []
        (repo.root / "f").write_text("f")
        snapshots = Snapshots(repo, "x")
        entry = keep(repo, snapshots)
        (repo.root / "f").unlink()
        assert saved(repo) == [entry]
        snapshots.restore(entry.tree)
        assert (repo.root / "f").read_text() == "f"


def test_linked_worktree_shares_the_recovery_refs(project: Path, tmp_path: Path, sh: Sh) -> None:
    linked = tmp_path / "linked"
    sh(project, "worktree", "add", "-q", str(linked), "-b", "topic")
    sh(linked, "commit", "-q", "--allow-empty", "-m", "ahead")
    repo = opened(linked)
    entry = keep(repo, Snapshots(repo, "x"))
    assert saved(opened(project)) == [entry]
    assert sh(project, "rev-parse", f"{entry.ref}^").strip() == sh(linked, "rev-parse", "HEAD").strip()


def test_drop_forgets_one_and_refuses_anything_else(
    project: Path, repo: Repo, snapshots: Snapshots, sh: Sh
) -> None:
    entry, other = keep(repo, snapshots), keep(repo, snapshots, reason="second")
    drop(repo, entry.ref)
    assert saved(repo) == [other]
    for ref in (entry.ref, "refs/heads/main", "HEAD", "--all"):
        with pytest.raises(RalphError, match="no recovery ref"):
            drop(repo, ref)
    assert sh(project, "rev-parse", "--verify", "refs/heads/main")


def test_number_held_by_the_lock_of_a_killed_git_is_skipped(
    project: Path, repo: Repo, snapshots: Snapshots
) -> None:
    folder = project / ".git" / "refs" / "ralph" / "recovery" / "loop-1"
    folder.mkdir(parents=True)
    (folder / "1.lock").touch()
    entry = keep(repo, snapshots)
    assert entry.ref == "refs/ralph/recovery/loop-1/2"
    assert saved(repo) == [entry]


def test_ref_that_somebody_else_put_there_is_not_listed(project: Path, repo: Repo, sh: Sh) -> None:
    sh(project, "update-ref", "refs/ralph/recovery/x/1", "HEAD")
    assert saved(repo) == []


_SAVE = f"""
import sys
from pathlib import Path
from ralph.git.recovery import save
from ralph.git.repo import find
from ralph.git.snapshots import Snapshots
repo = find(Path(sys.argv[1]))
snapshots = Snapshots(repo, "x")
print(save(repo, snapshots, snapshots.take().tree, loop="l", reason="r", when="{WHEN}").ref)
"""


def run_with_fault(project: Path, fault: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "RALPH_FAULT": fault}
    return subprocess.run(
        [sys.executable, "-c", _SAVE, str(project)], env=env, capture_output=True, check=False
    )


def seams_of_a_save(project: Path, repo: Repo, tmp_path: Path) -> list[str]:
    for fault in (
        "",
        f"count:{tmp_path / 'seams'}",
    ):  # the first makes the shadow, which passes seams of its own
        run_with_fault(project, fault)
        drop(repo, saved(repo)[0].ref)
    return (tmp_path / "seams").read_text().splitlines()


def test_killed_around_the_snapshot_or_the_ref_a_repeat_leaves_exactly_one_ref(
    project: Path, repo: Repo, tmp_path: Path
) -> None:
    (project / "u").write_text("u")
    kept = ("snapshot.", "ref.", "git.update-ref.")
    seams = seams_of_a_save(project, repo, tmp_path)
    points = [number for number, name in enumerate(seams, 1) if name.startswith(kept)]
    assert {"snapshot.before", "snapshot.after", "ref.before", "ref.after"} <= {
        name.split()[0] for name in seams
    }
    for number in points:
        assert run_with_fault(project, f"kill@{number}").returncode == -9
        done = run_with_fault(project, "")
        assert done.returncode == 0, done.stderr.decode()
        assert [entry.ref for entry in saved(repo)] == [done.stdout.decode().strip()]
        drop(repo, saved(repo)[0].ref)


def test_full_disk_at_the_ref_is_an_error_and_leaves_none(project: Path, repo: Repo, tmp_path: Path) -> None:
    writing = [name for name in seams_of_a_save(project, repo, tmp_path) if name.endswith(" w")]
    done = run_with_fault(project, f"ENOSPC@{1 + writing.index('ref.before w')}")
    assert done.returncode == 1 and b"No space left" in done.stderr
    assert saved(repo) == []


@pytest.mark.parametrize("damage", ["missing", "emptied"])
def test_a_ref_whose_commit_is_lost_does_not_stand_in_the_way(
    project: Path, repo: Repo, snapshots: Snapshots, damage: str
) -> None:
    first = keep(repo, snapshots)
    (project / "n").write_text("n")
    lost = keep(repo, snapshots)
    lost_object = project / ".git/objects" / lost.commit[:2] / lost.commit[2:]
    lost_object.unlink()
    if damage == "emptied":
        lost_object.write_bytes(b"")
    assert saved(repo) == [first]
    assert unreadable(repo) == [lost.ref]
    (project / "n").write_text("another")
    third = keep(repo, snapshots)
    assert third.ref == "refs/ralph/recovery/loop-1/3"
    assert saved(repo) == [first, third]
    drop(repo, lost.ref)
    assert unreadable(repo) == [] and saved(repo) == [first, third]
