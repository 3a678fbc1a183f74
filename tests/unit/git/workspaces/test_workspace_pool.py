"""Workspaces of their own: clean at each start, apart from the user's repository, and gone or free afterwards."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from landing_world import MAIN, WHEN, busy_user, commit, head_of, killed, no_hook_ran, seams_of
from workspace_project import Sh, names, opened

from portrait import portrait
from ralph.errors import RalphError
from ralph.git.landing.squash import Person, merge, squash
from ralph.git.landing.target import LandResult, keep_base, land
from ralph.git.recovery import saved
from ralph.git.refs import tip
from ralph.git.repo import Repo, slots_dir
from ralph.git.snapshots import Snapshots
from ralph.git.workspaces.orphans import remove_orphans
from ralph.git.workspaces.pool import (
    Kind,
    PooledWorkspace,
    as_repo,
    bring_home,
    discard,
    prepare,
    rebased,
    reclaim,
    refuse,
    refuse_since,
    release,
    slots,
)

BRANCH = "task/A.1-work"


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RALPH_WORKSPACES", str(tmp_path / "slots"))


def made(
    repo: Repo, kind: Kind, base: str, *, loop: str = "loop-1", branch: str = BRANCH, **more: object
) -> PooledWorkspace:
    return prepare(repo, kind, slot=1, loop=loop, base=base, branch=branch, when=WHEN, target="main", **more)  # type: ignore[arg-type]


def files(root: Path) -> set[str]:
    return {
        str(p.relative_to(root))
        for p in root.rglob("*")
        if p.is_file() and ".git" not in p.relative_to(root).parts
    }


def test_a_clone_is_clean_and_has_nothing_of_the_users(repo: Repo, project: Path, sh: Sh) -> None:
    busy_user(project, sh)
    sh(project, "config", "user.name", "Local")
    sh(project, "config", "remote.origin.url", "https://example.org/x")
    before = portrait(project)
    base = head_of(project, sh)
    assert refuse(repo, base) is None
    there = made(repo, "clone", base).path
    assert ".git" not in there.parts, "test runners and agents keep out of .git"
    assert portrait(project) == before and no_hook_ran(project)
    assert sh(there, "status", "--porcelain") == "" and head_of(there, sh) == base
    assert sh(there, "branch", "--show-current").strip() == BRANCH
    assert (
        sh(there, "remote") == ""
        and sh(there, "stash", "list") == ""
        and not list((there / ".git/hooks").iterdir())
    )
    assert sh(there, "config", "user.name").strip() == "Local"
    assert sh(there, "describe", "--tags").strip() == "v1"
    assert sh(there, "rev-parse", "main").strip() == base
    assert files(there) == {"a.txt", "src/b.py", ".gitignore", "other.txt", "both.txt"}
    sh(there, "fsck")


def test_nothing_that_an_agent_does_in_a_clone_reaches_the_user(repo: Repo, project: Path, sh: Sh) -> None:
    busy_user(project, sh)
    before = portrait(project)
    there = made(repo, "clone", head_of(project, sh)).path
    (there / "a.txt").write_text("x\n")
    sh(there, "stash")
    sh(there, "branch", "-D", "main")
    sh(there, "update-ref", MAIN, "HEAD")
    sh(there, "tag", "-d", "v1")
    sh(there, "commit", "-q", "--allow-empty", "-m", "x")
    sh(there, "gc", "-q", "--prune=now")
    assert sh(there, "push", check=False) == ""
    assert portrait(project) == before
    sh(project, "fsck")


def test_a_clone_is_used_again_and_clean_again(repo: Repo, project: Path, sh: Sh) -> None:
    base = head_of(project, sh)
    first = made(repo, "clone", base)
    there = first.path
    (there / "a.txt").write_text("agent\n")
    (there / "x.log").write_text("ignored\n")
    (there / "nested").mkdir()
    sh(there / "nested", "init", "-q")
    (there / "src/b.py").rename(there / "src/moved")
    (there / "src/moved").rename(there / "src/b.py")
    sh(there, "update-index", "--assume-unchanged", "src/b.py")
    hidden = (there / "src/b.py").stat()
    (there / "src/b.py").write_text("b = 9\n")
    os.utime(there / "src/b.py", ns=(hidden.st_atime_ns, hidden.st_mtime_ns))
    sh(there, "config", "core.fsmonitor", "touch hacked")
    sh(there, "config", "alias.status", "!false")
    (there / ".git/hooks/post-checkout").write_text("#!/bin/sh\ntouch hacked\n")
    (there / ".git/hooks/post-checkout").chmod(0o755)
    (there / ".git/index.lock").write_text("")
    (there / ".git/MERGE_HEAD").write_text(f"{base}\n")
    (there / ".git/refs/heads/leftover").write_text(f"{base}\n")
    release(repo, first)
    assert slots(repo) == []
    new = commit(repo, sh, base, {"a.txt": "a2\n", "n": "n\n"})
    second = made(repo, "clone", new, loop="loop-2", branch="task/B-other")
    assert second.path == there and head_of(there, sh) == new
    assert sh(there, "status", "--porcelain") == "" and files(there) == {
        "a.txt",
        "src/b.py",
        ".gitignore",
        "n",
    }
    assert (there / "src/b.py").read_text() == "b = 1\n" and (there / "a.txt").read_text() == "a2\n"
    assert sorted(sh(there, "branch", "--format=%(refname:short)").split()) == ["main", "task/B-other"]
    assert not (there / "hacked").exists() and not (there / "nested").exists()
    sh(there, "fsck")


def test_unchanged_files_are_not_written_again(repo: Repo, project: Path, sh: Sh) -> None:
    base = head_of(project, sh)
    first = made(repo, "clone", base)
    stamp = (first.path / "src/b.py").stat()
    (first.path / "a.txt").write_text("agent\n")
    release(repo, first)
    made(repo, "clone", base, loop="loop-2")
    again = (first.path / "src/b.py").stat()
    assert (again.st_ino, again.st_ctime_ns) == (stamp.st_ino, stamp.st_ctime_ns)


def test_preparing_again_for_the_same_loop_keeps_its_work(repo: Repo, project: Path, sh: Sh) -> None:
    base = head_of(project, sh)
    first = made(repo, "clone", base)
    (first.path / "work").write_text("w\n")
    assert made(repo, "clone", base) == first
    assert (first.path / "work").exists() and slots(repo) == [first]


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_what_a_dead_loop_left_is_saved_before_its_slot_is_cleaned(
    repo: Repo, project: Path, sh: Sh, kind: Kind
) -> None:
    base = head_of(project, sh)
    left = made(repo, kind, base)
    (left.path / "committed").write_text("c\n")
    sh(left.path, "add", "-A")
    sh(left.path, "commit", "-qm", "agent's")
    (left.path / "not committed").write_text("n\n")
    made(repo, kind, base, loop="loop-2", branch="task/B-next")
    (kept,) = saved(repo)
    assert kept.loop == "loop-1"
    assert {"committed", "not committed"} <= set(
        sh(project, "ls-tree", "--name-only", kept.commit).splitlines()
    )
    assert "agent's" in sh(project, "log", "--format=%s", kept.commit)
    sh(project, "fsck")


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_slots_of_loops_that_nobody_knows_are_given_back(
    repo: Repo, project: Path, sh: Sh, kind: Kind
) -> None:
    base = head_of(project, sh)
    assert killed(lambda: made(repo, kind, base), fault="kill@workspace.ready.before#1") == -9
    assert [w.loop for w in slots(repo)] == ["loop-1"] and reclaim(repo, ["loop-1"], when=WHEN) == []
    assert [w.loop for w in reclaim(repo, [], when=WHEN)] == ["loop-1"] and slots(repo) == []
    left = made(repo, kind, base, loop="loop-2")
    (left.path / "work").write_text("w\n")
    sh(left.path, "add", "-A")
    sh(left.path, "commit", "-qm", "agent's")
    reclaim(repo, [], when=WHEN)
    assert slots(repo) == [] and sh(project, "for-each-ref", "refs/ralph/base") == ""
    assert "work" in sh(project, "ls-tree", "--name-only", saved(repo)[0].commit).split()
    assert sh(project, "branch", "--format=%(refname:short)").split() == ["main"]


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_work_in_a_workspace_lands(repo: Repo, project: Path, sh: Sh, kind: Kind) -> None:
    base = head_of(project, sh)
    there = made(repo, kind, base)
    (there.path / "a.txt").write_text("work\n")
    sh(there.path, "commit", "-qam", "wip")
    inside = as_repo(repo, there)
    tree = Snapshots(inside, "loop-1").take().tree
    (project / "theirs").write_text("t\n")
    sh(project, "add", "theirs")
    sh(project, "commit", "-qm", "meanwhile")
    at = head_of(project, sh)
    bring_home(repo, there, tree)
    merged = merge(repo, base, at, tree)
    assert merged.conflicts == ()
    keep_base(repo, there.loop, at)
    there = rebased(repo, there, at)
    Snapshots(inside, "loop-1").restore(merged.tree)
    assert head_of(there.path, sh) == at and sh(there.path, "diff", "--name-only").split() == ["a.txt"]
    assert sh(there.path, "status", "--porcelain") == " M a.txt\n"
    assert made(repo, kind, at) == made(repo, kind, base) == there, "a resume finds it on its new base"
    assert Snapshots(as_repo(repo, there), "loop-1").take().tree == merged.tree
    landing = squash(repo, merged.tree, at, "[A.1] work\n", Person("T", "t@x"), WHEN)
    assert isinstance(land(repo, MAIN, landing, at), LandResult)
    release(repo, there, tip=tip(repo, f"refs/heads/{BRANCH}"))
    discard(repo, 1)
    assert (project / "a.txt").read_text() == "work\n" and sh(project, "status", "--porcelain") == ""
    assert sh(project, "branch", "--format=%(refname:short)").split() == ["main"]
    assert not slots_dir(repo).exists() and sh(project, "worktree", "list").count("\n") == 1
    assert sh(project, "for-each-ref", "refs/ralph/") == "" and not (project / ".git/worktrees").exists()
    sh(project, "fsck", "--strict")


def test_a_worktree_leaves_other_worktrees_and_branches(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path
) -> None:
    busy_user(project, sh)
    quiet = ("-c", "core.hooksPath=/dev/null")
    sh(project, *quiet, "worktree", "add", "-q", "-b", "theirs", str(tmp_path / "theirs"))
    shutil.rmtree(tmp_path / "theirs")  # prunable, and not ours to prune
    before = portrait(project)
    there = made(repo, "worktree", head_of(project, sh))
    assert sh(there.path, "branch", "--show-current").strip() == BRANCH
    sh(there.path, *quiet, "commit", "-q", "--allow-empty", "-m", "agent")
    made_by_agent = head_of(there.path, sh)
    release(repo, there)
    assert tip(repo, f"refs/heads/{BRANCH}") == made_by_agent, "a tip that nobody knows of is kept"
    after = portrait(project)
    by_agent = {f"refs/heads/{BRANCH}": after.reflogs[f"refs/heads/{BRANCH}"]}
    assert after == before.but(
        branches={**before.branches, f"refs/heads/{BRANCH}": made_by_agent},
        reflogs={**before.reflogs, **by_agent},
    )
    assert (project / ".git/worktrees/theirs").exists() and no_hook_ran(project)
    with pytest.raises(RalphError, match="exists already"):
        made(repo, "worktree", head_of(project, sh), loop="loop-2")


def test_a_damaged_or_closed_clone_is_replaced(repo: Repo, project: Path, sh: Sh) -> None:
    base = head_of(project, sh)
    for number, damage in enumerate(("HEAD", "closed", "file")):
        first = made(repo, "clone", base, loop=f"loop-{number}")
        release(repo, first)
        if damage == "HEAD":
            shutil.rmtree(first.path / ".git")
        elif damage == "closed":
            (first.path / "closed").mkdir()
            (first.path / "closed/f").write_text("x")
            (first.path / "closed").chmod(0)
        else:
            shutil.rmtree(first.path)
            first.path.write_text("a file")
        again = made(repo, "clone", base, loop=f"again-{number}")
        assert files(again.path) == {"a.txt", "src/b.py", ".gitignore"}
        release(repo, again)


def test_sha256_and_shallow_repositories_work(tmp_path: Path, sh: Sh, project: Path) -> None:
    (project / "a.txt").write_text("2\n")
    sh(project, "commit", "-qam", "second")
    sh(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", str(tmp_path / "shallow"))
    sh(tmp_path, "init", "-q", "--object-format=sha256", str(tmp_path / "sha256"))
    (tmp_path / "sha256/a.txt").write_text("a\n")
    sh(tmp_path / "sha256", "add", "-A")
    sh(tmp_path / "sha256", "commit", "-qm", "first")
    for name in ("shallow", "sha256"):
        repo = opened(tmp_path / name)
        base = head_of(repo.root, sh)
        assert refuse(repo, base) is None
        for kind in ("clone", "worktree"):
            there = made(repo, kind, base)  # type: ignore[arg-type]
            assert sh(there.path, "log", "--format=%H").split() == [base]
            (there.path / "new").write_text("n\n")
            tree = Snapshots(as_repo(repo, there), "l").take().tree
            bring_home(repo, there, tree)
            assert "new" in names(Snapshots(repo, "m"), tree)
            release(repo, there)
            discard(repo, 1)
        sh(repo.root, "fsck")


def test_what_cannot_work_is_refused_by_name(repo: Repo, project: Path, sh: Sh) -> None:
    def after(name: str, content: str) -> str:
        reason = refuse(repo, commit(repo, sh, head_of(project, sh), {name: content}))
        return reason or ""

    assert "Git LFS" in after("assets/.gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n")
    assert after(".gitattributes", "*.ipynb filter=nb\n*.txt text\n") == ""
    sh(project, "config", "filter.nb.smudge", "decrypt")
    assert "filter nb" in after(".gitattributes", "*.ipynb filter=nb\n")
    base = head_of(project, sh)
    sh(project, "update-index", "--add", "--cacheinfo", f"160000,{base},libs/sub")
    sh(project, "commit", "-qm", "sub")
    for old in (base, "1" * 40):  # of which nothing is known any more
        assert "libs/sub is a submodule" in (refuse_since(repo, old, head_of(project, sh)) or "")
    assert refuse_since(repo, base, base) is None
    assert "libs/sub is a submodule" in (refuse(repo, head_of(project, sh)) or "")
    sh(project, "config", "extensions.partialClone", "origin")
    assert "partial clone" in (refuse(repo, base) or "")


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_preparing_killed_anywhere_is_repaired(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path, kind: Kind
) -> None:
    base = head_of(project, sh)
    (project / "build").mkdir()
    (project / "build/lib").write_text("built\n")
    before = portrait(project)
    first = made(repo, kind, base, loop="before", branch="task/Z-z", share=["build"])
    (first.path / "a.txt").write_text("agent\n")
    release(repo, first)

    def act(loop: str) -> PooledWorkspace:
        return made(repo, kind, base, loop=loop, share=["build"])

    writing = ("git.clean.", "git.init.", "git.read-tree.", "git.worktree.")
    passed = seams_of(lambda: act("loop"), into=tmp_path / "seams")
    passed = [at for at in passed if not at.startswith("git.") or at.startswith(writing)]
    discard(repo, 1)
    for number, at in enumerate(passed):
        # the first time there is no clone yet, and so fewer or other seams are passed
        assert killed(lambda n=number: act(f"loop-{n}"), fault=f"kill@{at}") in (-9, 0), at  # type: ignore[misc]
        there = act(f"loop-{number}")
        assert files(there.path) == {"a.txt", "src/b.py", ".gitignore", "build/lib"}, at
        assert sh(there.path, "status", "--porcelain") == "" and head_of(there.path, sh) == base, at
        release(repo, there)
    discard(repo, 1)
    assert portrait(project) == before and sh(project, "for-each-ref", "refs/ralph/base") == ""
    assert not slots_dir(repo).exists()


def test_a_setting_without_a_value_is_true_in_the_clone_too(repo: Repo, project: Path, sh: Sh) -> None:
    config = project / ".git/config"
    kept = [line for line in config.read_text().splitlines() if "filemode" not in line]
    config.write_text("\n".join([*kept, "[core]", "filemode", ""]))
    workspace = made(repo, "clone", head_of(project, sh))
    assert sh(workspace.path, "config", "--type=bool", "core.filemode").strip() == "true"
    (workspace.path / "a.txt").chmod(0o755)
    assert "M a.txt" in sh(workspace.path, "status", "--porcelain")


def test_a_worktree_whose_entry_was_pruned_while_git_made_it_is_made_again(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git gc` takes an entry for stale that has no gitdir yet; then `git worktree add` fails."""
    real, met = shutil.which("git"), tmp_path / "met"
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *"worktree add"*) test -e {met} || {{ touch {met}; mkdir -p "$GIT_DIR/worktrees/half"\n'
        f'echo "could not open gitdir" >&2; exit 128; }};; esac\nexec {real} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    workspace = made(repo, "worktree", head_of(project, sh))
    assert met.exists() and files(workspace.path) == files(project)
    assert sh(workspace.path, "branch", "--show-current").strip() == BRANCH


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_of_a_repository_that_is_gone_what_holds_no_work_is_removed_and_the_rest_named(
    repo: Repo, project: Path, sh: Sh, kind: Kind
) -> None:
    unfinished = made(repo, kind, head_of(project, sh))
    over = prepare(
        repo, "clone", slot=2, loop="loop-2", base=unfinished.base, branch="task/B", when=WHEN, target="main"
    )
    release(repo, over)
    assert remove_orphans().removed == () and over.path.exists(), "its repository is there"
    project.rename(project.with_name("away"))
    found = remove_orphans()
    assert [one.path for one in found.removed] == [over.path] and not over.path.exists()
    assert [one.path for one in found.kept] == [unfinished.path] and unfinished.path.exists()
    assert not list(over.path.parent.glob("2*"))
    assert remove_orphans(all=True).kept == () and not slots_dir(repo).exists()
