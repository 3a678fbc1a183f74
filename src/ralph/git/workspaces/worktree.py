"""A linked worktree of the user's repository: its branch is in that repository, and an agent in it can move other refs
(what it did is found by `RefWatch`). Made anew for each loop. Only our own worktree and branch are ever removed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import remove_tree
from ralph.git.landing.target import move
from ralph.git.refs import HEADS, tip
from ralph.git.repo import Repo
from ralph.git.workspaces.clone import reset_index


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
    repo.git("worktree", "add", "-q", "--force", str(folder), branch)
    fault_point("worktree.add.after")


def point(repo: Repo, inside: Repo, branch: str, commit: str) -> None:
    """Let the worktree stand at another commit: its branch and index. Files stay."""
    at = tip(repo, HEADS + branch)
    if move(repo, HEADS + branch, commit, at, message="ralph: onto the target's tip"):
        raise RalphError(f"someone else moved the branch {branch}", where=str(inside.root), code=70)
    reset_index(inside, commit)


def remove(repo: Repo, folder: Path, branch: str, base: str, known: str = "") -> None:
    """Remove the worktree in `folder` and its branch, the latter only where it stands at one of the known commits."""
    fault_point("worktree.remove.before", writes=True)
    remove_tree(folder)
    for entry in _entries(repo, folder):
        remove_tree(entry)
    with suppress(OSError):  # not empty: the user has others
        (repo.common_dir / "worktrees").rmdir()
    fault_point("worktree.remove.after")
    at = tip(repo, HEADS + branch)
    if at and at in (base, known):
        move(repo, HEADS + branch, "", at)


def git_dir(folder: Path) -> Path:
    """The git directory of the worktree in `folder`."""
    text = os.fsdecode((folder / ".git").read_bytes()).removeprefix("gitdir:").strip()
    return (folder / text).resolve()


def _entries(repo: Repo, folder: Path) -> list[Path]:
    """What the repository knows of the worktree. `git worktree prune` would forget the user's own, too."""
    found = []
    wanted = os.path.realpath(folder / ".git")
    for entry in (repo.common_dir / "worktrees").glob("*"):
        try:
            named = os.fsdecode((entry / "gitdir").read_bytes()).strip()
        except OSError:
            continue
        if os.path.realpath(entry / named) == wanted:
            found.append(entry)
    return found
