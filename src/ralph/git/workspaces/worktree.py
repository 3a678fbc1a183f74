"""A linked worktree of the user's repository: its branch is in that repository, and an agent in it can move other refs
(what it did is found by `RefWatch`). Made anew for each loop. Only our own worktree and branch are ever removed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import read_bytes, remove_tree
from ralph.git.landing.target import move
from ralph.git.program import GitFailed, GitOverdue
from ralph.git.refs import HEADS, tip
from ralph.git.repo import Repo
from ralph.git.workspaces.clone import alternate, reset_index

_ATTEMPTS = 5


def prepare(repo: Repo, folder: Path, base: str, branch: str) -> None:
    """A new worktree at `base` with a new branch, from whatever a dead one left of it."""
    ref = HEADS + branch
    remove(repo, folder, branch, base)
    if move(repo, ref, base, "", message="ralph: a task begins"):
        raise RalphError(
            f"the branch {branch} exists already, and its commits are not Ralph's to remove",
            where=str(repo.root),
            todo=f"Rename or delete it: git branch -m {branch} {branch}-old",
        )
    fault_point("worktree.add.before", writes=True)
    _add(repo, folder, branch)
    fault_point("worktree.add.after")


def _add(repo: Repo, folder: Path, branch: str) -> None:
    """Once more when it fails: a `git gc` beside it takes an entry that git has just begun for a stale one."""
    for attempt in range(_ATTEMPTS):
        try:
            repo.git("worktree", "add", "-q", "--force", str(folder), branch)
            return
        except GitFailed as error:
            if isinstance(error, GitOverdue) or attempt == _ATTEMPTS - 1:
                raise
            _forget(repo, folder)


def make_store(repo: Repo, folder: Path) -> None:
    """An object store for snapshots, which borrows the repository's. There the user's `git gc` would prune them: no ref
    names a snapshot."""
    remove_tree(folder)
    (folder / "info").mkdir(parents=True)
    (folder / "pack").mkdir()
    (folder / "info/alternates").write_bytes(os.fsencode(alternate(repo.objects)) + b"\n")


def point(repo: Repo, inside: Repo, branch: str, commit: str) -> None:
    """Let the worktree stand at another commit: its branch and index. Files stay."""
    at = tip(repo, HEADS + branch)
    if move(repo, HEADS + branch, commit, at, message="ralph: onto the target's tip"):
        raise RalphError(f"someone else moved the branch {branch}", where=str(inside.root), code=70)
    reset_index(inside, commit)


def remove(repo: Repo, folder: Path, branch: str, base: str, known: str = "") -> None:
    """Remove the worktree in `folder` and its branch, the latter only where it stands at one of the known commits."""
    fault_point("worktree.remove.before", writes=True)
    _forget(repo, folder)
    fault_point("worktree.remove.after")
    at = tip(repo, HEADS + branch)
    if at and at in (base, known):
        move(repo, HEADS + branch, "", at)


def _forget(repo: Repo, folder: Path) -> None:
    remove_tree(folder)
    for entry in _entries(repo, folder):
        remove_tree(entry)
    with suppress(OSError):  # not empty: the user has others
        (repo.common_dir / "worktrees").rmdir()


def git_dir(folder: Path) -> Path:
    """The git directory of the worktree in `folder`."""
    text = os.fsdecode(read_bytes(folder / ".git")).removeprefix("gitdir:").strip()
    return (folder / text).resolve()


def _entries(repo: Repo, folder: Path) -> list[Path]:
    """What the repository knows of the worktree. `git worktree prune` would forget the user's own, too."""
    found = []
    wanted = os.path.realpath(folder / ".git")
    for entry in (repo.common_dir / "worktrees").glob("*"):
        try:
            named = os.fsdecode(read_bytes(entry / "gitdir")).strip()
        except OSError:
            continue
        if os.path.realpath(entry / named) == wanted:
            found.append(entry)
    return found
