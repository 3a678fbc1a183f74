"""What git cannot record, or waits for without end: FIFOs, sockets, devices, and what it is not allowed to read.

git passes over most of them. It hangs where it reads a file by name (.gitignore), and fails where it tracks a file of that
name. Nothing here opens what it finds.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph.git.repo import Repo, printable

# In every folder; and in the git directory, which in a workspace is the agent's.
READ_BY_GIT = frozenset({".gitignore", ".gitattributes", ".gitmodules"})
_IN_GIT_DIR = (
    *("HEAD", "config", "config.worktree", "commondir", "index", "packed-refs", "shallow"),
    *("info/attributes", "info/exclude", "info/sparse-checkout"),
    *("objects/info/alternates", "objects/info/commit-graph"),
)
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
UNREADABLE_FOLDER, UNREADABLE_FILE = "a folder that cannot be read", "a file that cannot be read"
_UNREADABLE = (UNREADABLE_FOLDER, UNREADABLE_FILE)


class SpecialFile(msgspec.Struct, frozen=True):
    path: str  # from the root of the work tree
    what: str

    def __str__(self) -> str:
        return f"{self.what} at {printable(self.path)}"


def special_files(modes: Iterable[tuple[str, int]]) -> list[SpecialFile]:
    """Among files that someone has looked at."""
    return [SpecialFile(path, what) for path, mode in modes if (what := _KINDS.get(stat.S_IFMT(mode)))]


def look_everywhere(root: str) -> Iterator[SpecialFile]:
    """All in the work tree, also what cannot be read. For when git has failed: it looks at every file."""
    folders = [""]
    while folders:
        prefix = folders.pop()
        try:
            entries = list(os.scandir(f"{root}/{prefix}"))
        except PermissionError:
            yield SpecialFile(prefix[:-1], UNREADABLE_FOLDER)
            continue
        except OSError:
            continue
        for entry in entries:
            path = prefix + entry.name
            if entry.is_symlink() or path == ".git":
                continue
            if entry.is_dir():
                folders.append(path + "/")
            elif not entry.is_file():
                yield from special_files([(path, entry.stat().st_mode)])
            elif not os.access(entry.path, os.R_OK):
                yield SpecialFile(path, UNREADABLE_FILE)


def large_files(root: str, size: int) -> list[str]:
    """Files of the work tree of more than so many bytes, ignored ones too."""
    found = []
    folders = [""]
    while folders:
        prefix = folders.pop()
        try:
            entries = list(os.scandir(f"{root}/{prefix}"))
        except OSError:
            continue
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git":
                    folders.append(path + "/")
            elif entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_size > size:
                        found.append(path)
    return found


def in_git_dir(repo: Repo) -> list[SpecialFile]:
    """Among the few files by which git knows the repository."""
    found = []
    for folder in dict.fromkeys((repo.git_dir, repo.common_dir)):
        for name in _IN_GIT_DIR:
            with suppress(OSError):
                mode = os.lstat(folder / name).st_mode
                found += special_files([(os.path.relpath(folder / name, repo.root), mode)])
    return found


def in_the_way(found: Iterable[SpecialFile], tracked: Collection[str]) -> list[SpecialFile]:
    """Those that git does not pass over."""
    return [
        one for one in found if one.what in _UNREADABLE or is_read_by_git(one.path) or one.path in tracked
    ]


def is_read_by_git(path: str) -> bool:
    _, nested, inside = f"/{path}".rpartition("/.git/")
    return path.rpartition("/")[2] in READ_BY_GIT or bool(nested and inside in _IN_GIT_DIR)


def take_away(root: Path, found: Iterable[SpecialFile]) -> list[SpecialFile]:
    """A special file has no content that could be lost; what cannot be read can be from now on. Returns what was done."""
    done = []
    for one in found:
        path = root / one.path
        try:
            if one.what == UNREADABLE_FOLDER:
                path.chmod(stat.S_IMODE(path.lstat().st_mode) | stat.S_IRWXU)
            elif one.what == UNREADABLE_FILE:
                path.chmod(stat.S_IMODE(path.lstat().st_mode) | stat.S_IRUSR)
            else:
                path.unlink()
        except OSError:
            continue  # git will say what it cannot do
        done.append(one)
    return done
