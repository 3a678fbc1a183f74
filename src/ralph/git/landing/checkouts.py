"""Which checkouts are on a branch, and why one of them cannot follow it now. Reads git's files; writes nothing."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ralph.fault_points import fault_point
from ralph.files import read_bytes
from ralph.git import program, ref_watch
from ralph.git.landing.lock import LandingLock
from ralph.git.refs import HEADS
from ralph.git.repo import Repo, is_on, settings_of

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


def operation_under_way(git_dir: Path) -> str:
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
    return ref_watch.ref_chain(text, lambda name: _said(repo.common_dir / name))


def _said(path: Path) -> str:
    try:
        return ref_watch.ref_text(path)
    except OSError:
        return ""


def _checkout(repo: Repo, git_dir: Path) -> Checkout | None:
    """None where there are no files: a bare repository, or a linked worktree whose folder was removed."""
    if git_dir == repo.git_dir:
        root: Path | None = repo.root
    elif git_dir == repo.common_dir:
        settings = _main_settings(repo)
        if is_on(settings, "core.bare"):
            return None
        root = _main_root(repo, settings.get("core.worktree", ""))
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
    doing = operation_under_way(git_dir)
    return Checkout(there, f"{doing} is under way there" if doing else "")


def _main_root(repo: Repo, named: str) -> Path | None:
    """The main work tree, asked for from a linked one; None when its place is not known (`--separate-git-dir`). `named`: by
    its settings."""
    root = (repo.common_dir / named) if named else repo.common_dir.parent
    return root if (root / ".git").resolve() == repo.common_dir or named else None


def _main_settings(repo: Repo) -> Mapping[str, str]:
    """Of the main checkout: what is set for it alone wins (`git sparse-checkout` moves settings there)."""
    try:
        return settings_of(msgspec.structs.replace(repo, git_dir=repo.common_dir))
    except program.GitFailed:
        return {}


def _read(path: Path) -> str:
    try:
        return os.fsdecode(read_bytes(path).strip())
    except OSError:
        return ""


_OURS = b"ralph is landing work here\n"
_PRIVATE = "index.ralph"
_WAIT_SECONDS = 3.0


class Held:
    """The index of one checkout, while no one else can write it."""

    def __init__(self, guard: LandingLock, checkout: Repo) -> None:
        self._guard = guard
        self._checkout = checkout
        self.private = checkout.git_dir / _PRIVATE

    def git(self, *args: str, stdin: bytes | None = None) -> bytes:
        """Run git on the private copy, with the user's own settings for line endings and filters, and no hooks."""
        place = {
            "GIT_DIR": str(self._checkout.git_dir),
            "GIT_WORK_TREE": str(self._checkout.root),
            "GIT_INDEX_FILE": str(self.private),
        }
        return program.run(
            args,
            cwd=self._checkout.root,
            env=place,
            stdin=stdin,
            durable=True,
            pass_fds=(self._guard.fd,),
            settings=("core.untrackedCache=keep",),
        )

    def put_in_place(self) -> None:
        fault_point("landing.index.before", writes=True)
        self.private.replace(self._checkout.git_dir / "index")
        fault_point("landing.index.after")


@contextmanager
def lock_checkout(guard: LandingLock, checkout: Repo) -> Iterator[Held | None]:
    """None when another program does not give the index away, or there is none."""
    lock = checkout.git_dir / "index.lock"
    if not _take(lock):
        yield None
        return
    try:
        fault_point("landing.lock.after")
        index = Held(guard, checkout)
        yield index if _copy(checkout.git_dir / "index", index.private) else None
    finally:
        _clear(checkout.git_dir)


def remove_own(checkout_git_dir: Path) -> None:
    """What a dead landing left beside the index. The caller holds the guard, so no one is at work on it."""
    try:
        ours = (checkout_git_dir / "index.lock").read_bytes() == _OURS
    except OSError:
        ours = False
    if ours:
        _clear(checkout_git_dir)
    else:
        _remove_private(checkout_git_dir)


def _take(lock: Path) -> bool:
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        fault_point("landing.lock.before", writes=True)
        try:
            # Written beside it and linked where that works: it is never there without saying whose it is.
            _create(lock)
            return True
        except FileExistsError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)


def _create(lock: Path) -> None:
    mine = lock.with_name(f"{_PRIVATE}.mine")
    mine.write_bytes(_OURS)
    try:
        os.link(mine, lock)
    except FileExistsError:
        raise
    except OSError:  # no hard links here
        with open(lock, "xb") as file:
            file.write(_OURS)
    finally:
        mine.unlink()


def _copy(index: Path, private: Path) -> bool:
    private.unlink(missing_ok=True)
    try:
        os.link(index, private)  # git never writes into an index: it renames a new one over it
    except FileNotFoundError:
        return False
    except OSError:
        shutil.copy2(index, private)  # with its time, which tells git what entries it cannot trust
    return True


def _clear(git_dir: Path) -> None:
    _remove_private(git_dir)
    (git_dir / "index.lock").unlink(missing_ok=True)


def _remove_private(git_dir: Path) -> None:
    for name in (_PRIVATE, f"{_PRIVATE}.lock", f"{_PRIVATE}.mine"):
        (git_dir / name).unlink(missing_ok=True)
