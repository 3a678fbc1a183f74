"""The index of a user's checkout: held by `index.lock`, changed as a private copy, put in place by one rename.

The lock says that it is ours, so a later process can tell a dead landing's from one of the user's own git.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ralph.seams import seam
from ralph.workspace import git
from ralph.workspace.landing.guard import Guard
from ralph.workspace.repo import Repo

_OURS = b"ralph is landing work here\n"
_PRIVATE = "index.ralph"
_WAIT_SECONDS = 3.0


class Held:
    """The index of one checkout, while nobody else can write it."""

    def __init__(self, guard: Guard, checkout: Repo) -> None:
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
        return git.run(
            args,
            cwd=self._checkout.root,
            env=place,
            stdin=stdin,
            durable=True,
            pass_fds=(self._guard.fd,),
            settings=("core.untrackedCache=keep",),
        )

    def put_in_place(self) -> None:
        seam("landing.index.before", writes=True)
        self.private.replace(self._checkout.git_dir / "index")
        seam("landing.index.after")


@contextmanager
def held(guard: Guard, checkout: Repo) -> Iterator[Held | None]:
    """None when another program does not give the index away, or there is none."""
    lock = checkout.git_dir / "index.lock"
    if not _take(lock):
        yield None
        return
    try:
        seam("landing.lock.after")
        index = Held(guard, checkout)
        yield index if _copy(checkout.git_dir / "index", index.private) else None
    finally:
        _clear(checkout.git_dir)


def remove_own(checkout_git_dir: Path) -> None:
    """What a dead landing left beside the index. The caller holds the guard, so nobody is at work on it."""
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
        seam("landing.lock.before", writes=True)
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
