"""A checkout on the target follows a landing, or nothing lands; what the user edited stays as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from landing_world import MAIN, busy_user, commit, head_of, no_hook_ran
from workspace_project import Sh, opened

from portrait import portrait
from ralph.git.landing import checkouts
from ralph.git.landing.checkout_sync import Overlap
from ralph.git.landing.checkouts import worktrees_on
from ralph.git.landing.target import LandResult, land
from ralph.git.refs import Raced, target, tip
from ralph.git.repo import Repo


def refused(repo: Repo, project: Path, sh: Sh, changes: dict[str, str | None]) -> Overlap:
    """Try to land; nothing at all may change."""
    old = head_of(project, sh)
    new = commit(repo, sh, old, changes)
    before = portrait(project)
    outcome = land(repo, MAIN, new, old)
    assert isinstance(outcome, Overlap)
    assert portrait(project) == before
    return outcome


def test_the_checkout_follows_and_all_else_stays(repo: Repo, project: Path, sh: Sh) -> None:
    busy_user(project, sh)
    before = portrait(project)
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n", "new/deep/file": "n\n", "src/b.py": None})
    assert land(repo, MAIN, new, old) == LandResult((str(project),))
    after = portrait(project)
    assert (project / "a.txt").read_text() == "landed\n" and not (project / "src").exists()
    assert after.branches == {**before.branches, MAIN: new}
    assert after.status == before.status, "what the user had to commit, and nothing else"
    unlanded = {name: text for name, text in after.files.items() if name not in ("a.txt", "new/deep/file")}
    assert unlanded == {
        name: text for name, text in before.files.items() if name not in ("a.txt", "src/b.py")
    }
    assert (after.head, after.stash, after.hooks, after.config, after.others, after.locks) == (
        before.head,
        before.stash,
        before.hooks,
        before.config,
        before.others,
        (),
    )
    assert no_hook_ran(project)
    sh(project, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "mine")
    assert sh(project, "diff", "--name-only", new, "HEAD").split() == ["both.txt"], (
        "commit -a reverts nothing"
    )
    assert land(repo, MAIN, new, old) == LandResult((str(project),)), "again: it is an ancestor"


def test_an_edited_file_is_an_overlap(repo: Repo, project: Path, sh: Sh) -> None:
    (project / "a.txt").write_text("mine\n")
    assert refused(repo, project, sh, {"a.txt": "landed\n", "z": "z\n"}).paths == ("a.txt",)


def test_a_staged_file_is_an_overlap(repo: Repo, project: Path, sh: Sh) -> None:
    (project / "a.txt").write_text("mine\n")
    sh(project, "add", "a.txt")
    assert refused(repo, project, sh, {"a.txt": None}).paths == ("a.txt",)


def test_a_deleted_file_is_an_overlap(repo: Repo, project: Path, sh: Sh) -> None:
    (project / "a.txt").unlink()
    assert refused(repo, project, sh, {"a.txt": "landed\n"}).paths == ("a.txt",)


@pytest.mark.parametrize(
    "name", ["new.txt", "new.log", "build/out"], ids=["untracked", "ignored", "in-ignored-folder"]
)
def test_a_file_that_git_does_not_know_is_never_overwritten(
    repo: Repo, project: Path, sh: Sh, name: str
) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("mine\n")
    assert refused(repo, project, sh, {name: "landed\n"}).paths == (name,)


def test_an_untracked_file_where_a_folder_comes_is_an_overlap(repo: Repo, project: Path, sh: Sh) -> None:
    (project / "lib").write_text("mine\n")
    assert refused(repo, project, sh, {"lib/x": "landed\n"}).paths


def test_an_untracked_file_in_a_folder_that_becomes_a_file_is_an_overlap(
    repo: Repo, project: Path, sh: Sh
) -> None:
    (project / "src" / "mine.log").write_text("mine\n")
    assert refused(repo, project, sh, {"src/b.py": None, "src": "a file now\n"}).paths


def test_a_link_to_elsewhere_is_an_overlap(repo: Repo, project: Path, sh: Sh, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project / "lib").symlink_to(tmp_path / "elsewhere")
    assert refused(repo, project, sh, {"lib/x": "landed\n"}).paths
    assert not list((tmp_path / "elsewhere").iterdir())


def test_marks_that_hide_edits_from_git_do_not_hide_them_from_us(repo: Repo, project: Path, sh: Sh) -> None:
    sh(project, "update-index", "--skip-worktree", "a.txt")
    sh(project, "update-index", "--assume-unchanged", "src/b.py")
    for name in ("a.txt", "src/b.py"):
        (project / name).write_text("mine\n")
        old = head_of(project, sh)
        outcome = land(repo, MAIN, commit(repo, sh, old, {name: "landed\n"}), old)
        assert isinstance(outcome, Overlap) and (project / name).read_text() == "mine\n"
        assert head_of(project, sh) == old


@pytest.mark.parametrize(
    "name", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge"]
)
def test_something_under_way_is_an_overlap(repo: Repo, project: Path, sh: Sh, name: str) -> None:
    (project / ".git" / name).write_text(f"{head_of(project, sh)}\n")
    assert "under way" in refused(repo, project, sh, {"a.txt": "landed\n"}).reason


def test_a_real_rebase_that_will_come_back_is_an_overlap(repo: Repo, project: Path, sh: Sh) -> None:
    (project / "a.txt").write_text("x\n")
    sh(project, "commit", "-qam", "x")
    sh(project, "rebase", "-q", "--exec", "false", "HEAD~1", check=False)
    old = tip(repo, MAIN)
    assert "ref:" not in (project / ".git/HEAD").read_text()
    outcome = land(repo, MAIN, commit(repo, sh, old, {"n": "n\n"}), old)
    assert isinstance(outcome, Overlap) and "rebase" in outcome.reason and tip(repo, MAIN) == old


def test_an_index_that_is_held_is_waited_for_and_then_an_overlap(
    repo: Repo, project: Path, sh: Sh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkouts, "_WAIT_SECONDS", 0.1)
    (project / ".git/index.lock").write_text("")
    assert "index" in refused(repo, project, sh, {"a.txt": "landed\n"}).reason


def test_a_touched_file_is_not_an_edit(repo: Repo, project: Path, sh: Sh) -> None:
    os.utime(project / "a.txt", (1, 1))
    old = head_of(project, sh)
    assert isinstance(land(repo, MAIN, commit(repo, sh, old, {"a.txt": "landed\n"}), old), LandResult)
    assert sh(project, "status", "--porcelain") == ""


def test_a_raced_target_changes_no_checkout(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n"})
    (project / "other").write_text("x\n")
    sh(project, "add", "other")
    sh(project, "commit", "-qm", "theirs")
    before = portrait(project)
    assert land(repo, MAIN, new, old) == Raced(head_of(project, sh))
    assert portrait(project) == before


def test_every_worktree_on_the_target_follows_or_none(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path
) -> None:
    second, third = tmp_path / "second", tmp_path / "third"
    sh(project, "worktree", "add", "-q", "--force", str(second), "main")
    sh(project, "worktree", "add", "-q", "-b", "else", str(third))
    assert [c.repo.root for c in worktrees_on(repo, MAIN)] == [project, second]
    assert [c.repo.root for c in worktrees_on(opened(third), MAIN)] == [project, second]
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n"})
    (second / "a.txt").write_text("mine\n")
    before = [portrait(place) for place in (project, second, third)]
    outcome = land(repo, MAIN, new, old)
    assert isinstance(outcome, Overlap) and outcome.root == str(second)
    assert [portrait(place) for place in (project, second, third)] == before
    (second / "a.txt").write_text("a\n")
    assert land(opened(third), MAIN, new, old) == LandResult((str(project), str(second)))
    for place in (project, second):
        assert sh(place, "status", "--porcelain") == "" and (place / "a.txt").read_text() == "landed\n"
    assert (third / "a.txt").read_text() == "a\n"


def followed_on(project: Path, sh: Sh, *places: Path) -> None:
    """Land on main: these checkouts show it, and have nothing to commit."""
    repo, old = opened(project), tip(opened(project), MAIN)
    new = commit(repo, sh, old, {"a.txt": f"landed on {old}\n"})
    assert target(opened(places[0])) == MAIN
    assert land(repo, MAIN, new, old) == LandResult(tuple(map(str, places)))
    for place in places:
        assert head_of(place, sh) == new and sh(place, "status", "--porcelain") == ""


def test_checkouts_on_a_symbolic_branch_follow(project: Path, sh: Sh, tmp_path: Path) -> None:
    sh(project, "symbolic-ref", "refs/heads/master", MAIN)
    sh(project, "symbolic-ref", "refs/heads/trunk", "refs/heads/master")
    sh(project, "checkout", "-q", "master")
    second = tmp_path / "second"
    sh(project, "worktree", "add", "-q", "--force", str(second), "trunk")
    followed_on(project, sh, project, second)
    assert [c.repo.root for c in worktrees_on(opened(project), "refs/heads/trunk")] == [second]


def test_checkouts_whose_head_is_a_symbolic_link_follow(project: Path, sh: Sh, tmp_path: Path) -> None:
    second = tmp_path / "second"
    sh(project, "worktree", "add", "-q", "--force", str(second), "main")
    for head in (project / ".git/HEAD", project / ".git/worktrees/second/HEAD"):
        head.unlink()
        head.symlink_to(MAIN)
    followed_on(project, sh, project, second)
    sh(project, "pack-refs", "--all")
    followed_on(project, sh, project, second)


def test_a_bisect_that_will_come_back_by_a_symbolic_branch_is_an_overlap(
    repo: Repo, project: Path, sh: Sh
) -> None:
    sh(project, "symbolic-ref", "refs/heads/master", MAIN)
    sh(project, "checkout", "-q", "--detach")
    (project / ".git/BISECT_START").write_text("master\n")
    (project / ".git/BISECT_LOG").write_text("git bisect start\n")
    old = tip(repo, MAIN)
    outcome = land(repo, MAIN, commit(repo, sh, old, {"a.txt": "landed\n"}), old)
    assert isinstance(outcome, Overlap) and "bisect" in outcome.reason


@pytest.mark.parametrize("sparse", [False, True], ids=["shared-config", "config-of-its-own"])
def test_the_head_of_a_bare_repository_is_no_checkout(
    project: Path, sh: Sh, tmp_path: Path, sparse: bool
) -> None:
    bare, work = tmp_path / "bare.git", tmp_path / "work"
    sh(tmp_path, "clone", "-q", "--bare", str(project), str(bare))
    sh(bare, "worktree", "add", "-q", "-b", "side", str(work))
    if sparse:
        sh(work, "sparse-checkout", "set", "src")
        assert "bare =" not in (bare / "config").read_text(), "git moved it"
    repo, old = opened(work), head_of(work, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n"})
    assert land(repo, MAIN, new, old) == LandResult()
    assert tip(repo, MAIN) == new


def test_a_main_checkout_in_another_place_is_found_where_only_its_own_config_names_it(
    project: Path, sh: Sh, tmp_path: Path
) -> None:
    """As in a submodule after `git sparse-checkout set`."""
    main, store, side = tmp_path / "main", tmp_path / "store", tmp_path / "side"
    sh(tmp_path, "clone", "-q", "--separate-git-dir", str(store), str(project), str(main))
    sh(main, "worktree", "add", "-q", "-b", "side", str(side))
    sh(main, "config", "extensions.worktreeConfig", "true")
    sh(main, "config", "--worktree", "core.worktree", str(main))
    assert [c.repo.root for c in worktrees_on(opened(side), MAIN)] == [main]
    sh(main, "config", "extensions.worktreeConfig", "false")
    assert [c.obstacle for c in worktrees_on(opened(side), MAIN)] == ["its folder cannot be reached now"]


def test_a_worktree_that_is_gone_does_not_matter_unless_it_is_locked(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path
) -> None:
    sh(project, "checkout", "-q", "-b", "elsewhere")
    away = tmp_path / "away"
    sh(project, "worktree", "add", "-q", str(away), "main")
    sh(project, "worktree", "lock", str(away))
    away.rename(tmp_path / "unplugged")
    old = tip(repo, MAIN)
    new = commit(repo, sh, old, {"a.txt": "landed\n"})
    assert isinstance(land(repo, MAIN, new, old), Overlap)
    sh(project, "worktree", "unlock", str(away))
    assert land(repo, MAIN, new, old) == LandResult()


def test_line_endings_modes_and_links_arrive_as_the_user_has_them(repo: Repo, project: Path, sh: Sh) -> None:
    sh(project, "config", "core.autocrlf", "true")
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    (project / "link").symlink_to("a.txt")
    sh(project, "add", "-A")
    sh(project, "commit", "-qm", "modes")
    new = head_of(project, sh)
    sh(project, "reset", "-q", "--hard", "HEAD~1")
    old = head_of(project, sh)
    new = commit(repo, sh, new, {"a.txt": "one\ntwo\n"})
    assert isinstance(land(repo, MAIN, new, old), LandResult)
    assert (project / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert os.access(project / "run.sh", os.X_OK) and (project / "link").readlink() == Path("a.txt")
    assert sh(project, "status", "--porcelain") == ""


@pytest.mark.parametrize("setting", ["core.splitIndex", "core.untrackedCache", "core.fsmonitor"])
def test_special_indexes_work(repo: Repo, project: Path, sh: Sh, tmp_path: Path, setting: str) -> None:
    ran = tmp_path / "fsmonitor-ran"
    value = f"touch '{ran}'; exit 1" if setting == "core.fsmonitor" else "true"
    sh(project, "config", setting, value)
    sh(project, "status")
    ran.unlink(missing_ok=True)
    old = head_of(project, sh)
    assert isinstance(
        land(repo, MAIN, commit(repo, sh, old, {"a.txt": "landed\n", "n/n": "n\n"}), old), LandResult
    )
    assert not ran.exists()
    assert sh(project, "status", "--porcelain") == "" and (project / "n/n").exists()
    sh(project, "fsck", "--strict")


def test_a_sparse_checkout_stays_sparse(repo: Repo, project: Path, sh: Sh) -> None:
    sh(project, "sparse-checkout", "set", "src")
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"src/b.py": "b = 2\n", "other/deep": "d\n"})
    assert isinstance(land(repo, MAIN, new, old), LandResult)
    assert (project / "src/b.py").read_text() == "b = 2\n" and not (project / "other").exists()
    assert sh(project, "status", "--porcelain") == ""


@pytest.mark.parametrize("ignore", ["none", "all"])
def test_a_submodule_in_the_change_is_an_overlap(repo: Repo, project: Path, sh: Sh, ignore: str) -> None:
    (project / ".gitmodules").write_text(f'[submodule "s"]\n\tpath = sub\n\turl = ./s\n\tignore = {ignore}\n')
    sh(project, "add", ".gitmodules")
    sh(project, "commit", "-qm", "declared")
    old = head_of(project, sh)
    sh(project, "update-index", "--add", "--cacheinfo", f"160000,{old},sub")
    sh(project, "commit", "-qm", "sub")
    new = head_of(project, sh)
    sh(project, "reset", "-q", "--hard", old)
    outcome = land(repo, MAIN, new, old)
    assert isinstance(outcome, Overlap) and outcome.paths == ("sub",) and head_of(project, sh) == old


def test_a_checkout_that_cannot_be_written_is_put_back(
    repo: Repo, project: Path, sh: Sh, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the disk is full half-way: git wrote some files and gave up."""
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n", "b": "b\n", "src/b.py": None})
    before = portrait(project)
    call = checkouts.Held.git

    def fails_late(self: checkouts.Held, *args: str, stdin: bytes | None = None) -> bytes:
        out = call(self, *args, stdin=stdin)
        if args[0] == "read-tree":
            sh(project, "show", "HEAD")  # the ref has not moved
            raise checkouts.program.GitFailed(args, 128, b"", "fatal: No space left on device")
        return out

    monkeypatch.setattr(checkouts.Held, "git", fails_late)
    outcome = land(repo, MAIN, new, old)
    assert isinstance(outcome, Overlap) and "No space" in outcome.reason
    assert portrait(project) == before
