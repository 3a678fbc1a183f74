"""Refs are moved by compare-and-swap, without hooks; only the locks of our own dead child are removed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from landing_world import MAIN, busy_user, commit, head_of, no_hook_ran
from workspace_project import Sh, opened

from portrait import portrait
from ralph.errors import RalphError
from ralph.git import refs
from ralph.git.landing.lock import LandingNote, locked_landing
from ralph.git.landing.target import keep_base, move, recover
from ralph.git.ref_watch import Update
from ralph.git.refs import Locked, Raced, is_landed, target, tip
from ralph.git.repo import Repo


def test_the_ref_moves_only_from_where_it_was_seen(repo: Repo, project: Path, sh: Sh) -> None:
    busy_user(project, sh)
    sh(project, "-c", "core.hooksPath=/dev/null", "branch", "aim")
    before = portrait(project)
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "new\n"})
    other = commit(repo, sh, old, {"a.txt": "other\n"})
    assert move(repo, "refs/heads/aim", new, old) is None
    assert move(repo, "refs/heads/aim", new, old) is None, "again is no harm"
    assert move(repo, "refs/heads/aim", other, old) == Raced(new)
    assert is_landed(repo, "refs/heads/aim", old) and not is_landed(repo, "refs/heads/aim", other)
    assert not is_landed(repo, "refs/heads/none", old) and not is_landed(repo, "refs/heads/aim", "1" * 40)
    assert no_hook_ran(project)
    assert portrait(project) == before.but(branches={**before.branches, "refs/heads/aim": new})


def test_packed_refs_move_and_go(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    sh(project, "branch", "aim")
    sh(project, "pack-refs", "--all")
    new = commit(repo, sh, old, {"a.txt": "new\n"})
    assert move(repo, "refs/heads/aim", new, old) is None
    assert move(repo, "refs/heads/aim", "", new) is None
    assert tip(repo, "refs/heads/aim") == ""
    assert move(repo, "refs/heads/aim", "", new) is None


def test_the_user_can_undo_a_landing_by_the_reflog(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    sh(project, "branch", "aim")
    new = commit(repo, sh, old, {"a.txt": "new\n"})
    move(repo, "refs/heads/aim", new, old, message="ralph: landed A.1")
    assert "ralph: landed A.1" in sh(project, "reflog", "aim")
    assert sh(project, "rev-parse", "aim@{1}").strip() == old


def test_target_is_resolved_or_refused_by_name(repo: Repo, project: Path, sh: Sh) -> None:
    assert target(repo) == MAIN and target(repo, "main") == MAIN
    sh(project, "symbolic-ref", "refs/heads/trunk", MAIN)
    assert target(repo, "trunk") == MAIN
    for name in ("nowhere", "-x", "a..b", "refs/tags/v1", ""):
        if not name:
            sh(project, "checkout", "-q", "--detach")
        with pytest.raises(RalphError) as refused:
            target(repo, name)
        assert (name or "detached") in refused.value.what
    sh(project, "checkout", "-q", "--orphan", "fresh")
    with pytest.raises(RalphError, match="fresh has no commit"):
        target(repo)


def test_a_tip_is_that_of_the_very_ref(repo: Repo, project: Path, sh: Sh) -> None:
    at = head_of(project, sh)
    for name in ("refs/heads/refs/heads/task/x", "refs/heads/y/z"):
        sh(project, "update-ref", name, at)
    for missing in ("task/x", f"task/fix-g{at[:6]}", "y", "y/z/w", "none", "a..b"):
        assert tip(repo, f"refs/heads/{missing}") == "", missing
    assert move(repo, "refs/heads/task/x", at, "") is None
    sh(project, "symbolic-ref", "refs/heads/trunk", MAIN)
    sh(project, "pack-refs", "--all")
    for there in ("task/x", "refs/heads/task/x", "trunk", "y/z"):
        assert tip(repo, f"refs/heads/{there}") == at, there


def test_a_broken_ref_has_no_tip_and_a_broken_repository_is_an_error(
    repo: Repo, project: Path, sh: Sh
) -> None:
    (project / ".git/refs/heads/empty").write_text("")
    (project / ".git/refs/heads/lost").write_text("1" * 40 + "\n")
    assert tip(repo, "refs/heads/empty") == tip(repo, "refs/heads/lost") == ""
    (project / ".git/HEAD").unlink()
    with pytest.raises(RalphError, match="not a git repository"):
        tip(repo, MAIN)


def test_a_kept_base_survives_the_users_gc(repo: Repo, project: Path, sh: Sh) -> None:
    base = commit(repo, sh, head_of(project, sh), {"a.txt": "only here\n"})
    keep_base(repo, "loop/1", base)
    keep_base(repo, "loop/1", base)
    sh(project, "gc", "-q", "--prune=now")
    assert sh(project, "cat-file", "-t", base).strip() == "commit"
    keep_base(repo, "loop/1", "")
    keep_base(repo, "loop/1", "")
    assert sh(project, "for-each-ref", "refs/ralph/") == ""


def kill_git_at(name: str, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGKILL the git child that changes refs, as the kernel would, when this seam is reached."""
    started: list[int] = []
    converse = refs.program.converse

    def start(*args: object, **more: object) -> object:
        child = converse(*args, **more)  # type: ignore[arg-type]
        started.append(child.pid)
        return child

    def fault_point(at: str, *, writes: bool = False) -> None:
        if at == name and len(started) == 1:  # the first one only
            os.kill(started[0], signal.SIGKILL)

    monkeypatch.setattr(refs.program, "converse", start)
    monkeypatch.setattr(refs, "fault_point", fault_point)


def test_locks_of_a_killed_child_are_removed_and_nothing_else(
    repo: Repo, project: Path, sh: Sh, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = head_of(project, sh)
    sh(project, "branch", "aim")
    new = commit(repo, sh, old, {"a.txt": "new\n"})
    with locked_landing(repo) as guard:
        guard.begin(LandingNote(("refs/heads/aim",), (new,)))
        with monkeypatch.context() as patch:
            patch.setattr(refs, "remove_own_locks", lambda *_: [])  # Ralph dies with its child
            kill_git_at("landing.ref.before", repo, patch)
            transaction = refs.prepare(guard, [Update("refs/heads/aim", new, old)], "x")
            assert isinstance(transaction, refs.Transaction)
            with pytest.raises(RalphError):
                transaction.commit()
    assert (project / ".git/refs/heads/aim.lock").exists(), "the kill left a real lock"
    assert not (project / ".git/HEAD.lock").exists()
    foreign = project / ".git/refs/heads/side.lock"
    foreign.write_text("")
    recover(repo)
    assert not (project / ".git/refs/heads/aim.lock").exists() and foreign.exists()
    assert move(repo, "refs/heads/aim", new, old) is None
    foreign.unlink()


def test_a_child_that_dies_alone_is_replaced(
    repo: Repo, project: Path, sh: Sh, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = head_of(project, sh)
    sh(project, "branch", "aim")
    new = commit(repo, sh, old, {"a.txt": "new\n"})
    with monkeypatch.context() as patch:
        kill_git_at("landing.prepare.before", repo, patch)
        assert move(repo, "refs/heads/aim", new, old) is None


def test_a_foreign_lock_is_waited_for_and_then_named(
    repo: Repo, project: Path, sh: Sh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refs, "_LOCK_SECONDS", 0.2)
    old = head_of(project, sh)
    sh(project, "branch", "aim")
    new = commit(repo, sh, old, {"a.txt": "new\n"})
    lock = project / ".git/refs/heads/aim.lock"
    lock.write_text("")
    with pytest.raises(Locked) as refused:
        move(repo, "refs/heads/aim", new, old)
    assert refused.value.where == str(lock) and lock.exists()
    recover(repo)
    assert lock.exists(), "it was there before us"
    lock.unlink()
    assert move(repo, "refs/heads/aim", new, old) is None


def test_a_lock_with_foreign_content_is_left(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "new\n"})
    with locked_landing(repo) as guard:
        guard.begin(LandingNote(("refs/heads/aim",), (new,)))
    lock = project / ".git/refs/heads/aim.lock"
    lock.write_text(f"{old}\n")
    recover(repo)
    assert lock.exists()


def test_a_name_in_the_way_is_a_clear_error(repo: Repo, project: Path, sh: Sh) -> None:
    sh(project, "branch", "task")
    with pytest.raises(RalphError, match=r"task/A\.1-x"):
        move(opened(project), "refs/heads/task/A.1-x", head_of(project, sh), "")
