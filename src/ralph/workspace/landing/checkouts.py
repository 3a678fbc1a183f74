"""Which checkouts are on a branch, and why one of them cannot follow it now. Reads git's files; writes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from ralph.workspace import git, symbolic
from ralph.workspace.landing.refs import HEADS
from ralph.workspace.repo import Repo

# Files in a checkout's git directory that say that the user is in the middle of something.
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or `git am`",
    "sequencer": "a cherry-pick or revert",
    "BISECT_LOG": "a bisect",
}


class Checkout(msgspec.Struct, frozen=True):
    """A work tree that is on the branch. `obstacle` says why it cannot follow; its `repo.root` may then be unknown."""

    repo: Repo
    obstacle: str = ""


def worktrees_on(repo: Repo, ref: str) -> list[Checkout]:
    """Every checkout on the branch, the main one first: also one that a rebase or bisect will bring back to it."""
    found = []
    for git_dir in [repo.common_dir, *_linked(repo)]:
        if any(ref in _led(repo, text) for text in (_said(git_dir / "HEAD"), *_returns_to(git_dir))):
            checkout = _checkout(repo, git_dir)
            if checkout is not None:
                found.append(checkout)
    return found


def under_way(git_dir: Path) -> str:
    """What the user is in the middle of; empty when nothing."""
    for name, what in _UNDER_WAY.items():
        if os.path.lexists(git_dir / name):
            return what
    return ""


def _linked(repo: Repo) -> list[Path]:
    try:
        entries = sorted((repo.common_dir / "worktrees").iterdir())
    except OSError:
        return []
    # A link in place of HEAD leads nowhere from here.
    return [path for path in entries if os.path.lexists(path / "HEAD")]


def _returns_to(git_dir: Path) -> list[str]:
    """What HEAD will say again when a rebase or bisect is over."""
    names = [_read(git_dir / name) for name in ("rebase-merge/head-name", "rebase-apply/head-name")]
    start = _read(git_dir / "BISECT_START")
    return [f"ref: {name}" for name in (*names, HEADS + start if start else "") if name]


def _led(repo: Repo, text: str) -> list[str]:
    """The refs that HEAD stands for, if this is what it says: more than one where a branch is symbolic."""
    return symbolic.chain(text, lambda name: _said(repo.common_dir / name))


def _said(path: Path) -> str:
    try:
        return symbolic.said(path)
    except OSError:
        return ""


def _checkout(repo: Repo, git_dir: Path) -> Checkout | None:
    """None where there are no files: a bare repository, or a linked worktree whose folder was removed."""
    if git_dir == repo.git_dir:
        root: Path | None = repo.root
    elif git_dir == repo.common_dir:
        if _is_bare(repo):
            return None
        root = _main_root(repo)
    else:
        marker = _read(git_dir / "gitdir")
        root = (git_dir / marker).parent if marker else None  # newer gits may write it relative
        if root is None or not root.is_dir():
            if not (git_dir / "locked").exists():
                return None
            root = None
    if root is None:
        unknown = Repo(git_dir, git_dir, repo.common_dir, repo.state_dir, repo.object_format)
        return Checkout(unknown, "its folder cannot be reached now")
    there = Repo(root.resolve(), git_dir, repo.common_dir, repo.state_dir, repo.object_format)
    doing = under_way(git_dir)
    return Checkout(there, f"{doing} is under way there" if doing else "")


def _is_bare(repo: Repo) -> bool:
    return _setting(repo, "--type=bool", "core.bare") == "true"


def _main_root(repo: Repo) -> Path | None:
    """The main work tree, asked for from a linked one; None when its place is not known (`--separate-git-dir`)."""
    named = _setting(repo, "core.worktree")
    root = (repo.common_dir / named) if named else repo.common_dir.parent
    return root if (root / ".git").resolve() == repo.common_dir or named else None


def _setting(repo: Repo, *query: str) -> str:
    """Of the main checkout: what is set for it alone wins (`git sparse-checkout` moves settings there)."""
    shared, own = repo.common_dir / "config", repo.common_dir / "config.worktree"
    if own.exists() and _set_in(repo, shared, "--type=bool", "extensions.worktreeConfig") == "true":
        return _set_in(repo, own, *query) or _set_in(repo, shared, *query)
    return _set_in(repo, shared, *query)


def _set_in(repo: Repo, file: Path, *query: str) -> str:
    try:
        out = git.run(("config", "--file", str(file), *query), cwd=repo.root)
    except git.GitFailed:
        return ""
    return os.fsdecode(out).rstrip("\n")


def _read(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes().strip())
    except OSError:
        return ""
