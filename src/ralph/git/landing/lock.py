"""One landing at a time, and a note of it on the disk before anything is touched: `<state>/landing`.

The file is held by flock and every git child inherits the hold. So who gets it knows that no one is still at work on
what its note speaks of, and may repair that. Only locks that a dead child of ours left are ever removed.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import Stamp, lock, stamp
from ralph.git.repo import Repo

NAME = "landing"
_WAIT_SECONDS = 60.0  # longer than any landing takes
_SETTLED_SECONDS = 0.3  # a living git holds a ref's lock for less, if no hook of the user's is slow


class LandingNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is about to be done: refs that change, and checkouts that follow."""

    refs: tuple[str, ...]
    values: tuple[str, ...]  # what the refs get; an object id each, or "" for one that is deleted
    old: str = ""
    new: str = ""
    checkouts: tuple[tuple[str, str], ...] = ()  # root and git directory of each
    foreign: tuple[int, ...] = ()  # inodes of the locks that were there before


class LandingLock:
    """The hold on `<state>/landing`."""

    def __init__(self, repo: Repo, fd: int) -> None:
        self.repo = repo
        self.fd = fd

    def note(self) -> LandingNote | None:
        """What a predecessor had begun and not ended."""
        try:
            return msgspec.json.decode(os.pread(self.fd, 1 << 20, 0), type=LandingNote)
        except msgspec.DecodeError:  # empty; or torn, and then nothing was begun
            return None

    def begin(self, note: LandingNote) -> None:
        there = [seen[0] for path in ref_locks(self.repo, note.refs) if (seen := stamp(path, follow=False))]
        text = msgspec.json.encode(msgspec.structs.replace(note, foreign=tuple(there)))
        fault_point("landing.note.before", writes=True)
        os.ftruncate(self.fd, 0)
        os.pwrite(self.fd, text, 0)
        os.fsync(self.fd)
        fault_point("landing.note.after")

    def end(self) -> None:
        fault_point("landing.clear.before", writes=True)
        os.ftruncate(self.fd, 0)
        fault_point("landing.clear.after")

    def noted_at(self) -> int:
        return os.fstat(self.fd).st_mtime_ns


@contextmanager
def locked_landing(repo: Repo) -> Iterator[LandingLock]:
    repo.state_dir.mkdir(parents=True, exist_ok=True)
    path = repo.state_dir / NAME
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not lock(fd, _WAIT_SECONDS):
            raise RalphError("another landing is under way and does not end", where=str(path), code=70)
        yield LandingLock(repo, fd)
    finally:
        os.close(fd)


def ref_locks(repo: Repo, refs: Iterable[str]) -> list[Path]:
    """The files with which git locks these refs. (HEAD is not among them: see refs.private_dir.)"""
    return [repo.common_dir / f"{ref}.lock" for ref in refs] + [repo.common_dir / "packed-refs.lock"]


def remove_own_locks(guard: LandingLock, note: LandingNote) -> list[str]:
    """Remove the ref locks that the dead child of this note left; returns those that are someone else's."""
    foreign: list[tuple[Path, Stamp]] = []
    ours: list[tuple[Path, Stamp]] = []
    for path in ref_locks(guard.repo, note.refs):
        seen = stamp(path, follow=False)
        if seen is None:
            continue
        (ours if _is_of(note, guard.noted_at(), path) else foreign).append((path, seen))
    if ours:
        time.sleep(_SETTLED_SECONDS)
        if git_at_work(guard.repo):
            foreign, ours = foreign + ours, []
    for path, seen in ours:
        if stamp(path, follow=False) == seen:
            fault_point("landing.unlock.before", writes=True)
            path.unlink(missing_ok=True)
            fault_point("landing.unlock.after")
    return [str(path) for path, _ in foreign]


def _is_of(note: LandingNote, noted_at: int, path: Path) -> bool:
    """Made after the note, and holding what our child writes: nothing yet, or the value that it was given."""
    try:
        seen = path.lstat()
        text = path.read_bytes()[:200] if stat.S_ISREG(seen.st_mode) else b"?"
    except OSError:
        return False
    if seen.st_ino in note.foreign or seen.st_ctime_ns < noted_at:
        return False
    return text.decode("ascii", "replace").strip() in ("", *note.values)


def git_at_work(repo: Repo) -> bool:
    """Whether a git process works in this repository now, as far as /proc shows (Linux; elsewhere: not known, no)."""
    places = {str(repo.root), str(repo.common_dir)}
    try:
        processes = [path for path in Path("/proc").iterdir() if path.name.isdigit()]
    except OSError:
        return False
    for process in processes:
        try:
            command = (process / "comm").read_text(errors="replace").strip()
            if command != "git" and not command.startswith("git-"):
                continue
            folder = str((process / "cwd").readlink())
        except OSError:
            continue
        if any(folder == place or folder.startswith(f"{place}/") for place in places):
            return True
    return False
