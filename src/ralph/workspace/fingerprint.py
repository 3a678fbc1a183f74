"""A cheap look at the work tree: what every file's inode says. Equal and settled looks mean: nothing changed.

Contents are never read. When in doubt (too many files, time stamps too young, a clock set back) it says so.
"""

from __future__ import annotations

import os
import time

import msgspec

MAX_ENTRIES = 3000  # above it, git with its warm index is as fast
RACY_NS = 50_000_000  # time stamps come from a tick: a second write within it can look like the first

Inode = tuple[int, int, int, int, int]  # mode, inode, size, mtime_ns, ctime_ns

_CACHE_FOLDERS = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})


class Walk(msgspec.Struct, frozen=True):
    """What one walk over the work tree saw."""

    taken: int  # ns, when it began
    entries: dict[str, Inode]
    repositories: tuple[str, ...]  # folders below the root with a `.git` of their own

    def proves_unchanged(self, before: Walk) -> bool:
        """Whether this later walk shows that nothing changed since `before`."""
        return self.taken >= before.taken and before._settled() and self.entries == before.entries

    def _settled(self) -> bool:
        newest = max((inode[4] for inode in self.entries.values()), default=0)
        return newest < self.taken - RACY_NS

    def hidden_edit_possible(self, before: Walk) -> bool:
        """Whether a file may have changed in a way that git cannot see: builds of git that compare whole seconds
        miss an edit of equal size whose mtime was set back within the second of the last snapshot."""
        young = before.taken - RACY_NS
        for path, now in self.entries.items():
            if now[3] // 10**9 == now[4] // 10**9:
                continue  # mtime was not set back: git's own check for racy entries holds
            then = before.entries.get(path)
            if (
                then is not None
                and (then != now or now[4] >= young)
                and then[:3] == now[:3]
                and then[3] // 10**9 == now[3] // 10**9
                and then[4] // 10**9 == now[4] // 10**9
            ):
                return True
        return False

    def ignore_files(self) -> dict[str, Inode]:
        return {path: inode for path, inode in self.entries.items() if path.endswith(".gitignore")}


def is_cache(path: str) -> bool:
    return path.endswith(".pyc") or not _CACHE_FOLDERS.isdisjoint(path.split("/"))


def walk(root: str, skip: frozenset[str], *, caches: bool = False, limit: int = MAX_ENTRIES) -> Walk | None:
    """Look at every file below `root` but those at or under `skip`; None when there are more than `limit`.

    `caches` includes well-known cache folders, for the rare workspace that tracks them.
    """
    taken = time.time_ns()
    entries: dict[str, Inode] = {}
    repositories: list[str] = []
    folders = [""]
    seen = 0
    while folders:
        prefix = folders.pop()
        with os.scandir(f"{root}/{prefix}") as listing:
            for entry in listing:
                name = entry.name
                path = prefix + name
                if path in skip or (name == ".git" and not prefix):
                    continue
                seen += 1
                if seen > limit:
                    return None
                if entry.is_dir(follow_symlinks=False) and name != ".git":
                    if caches or name not in _CACHE_FOLDERS:
                        folders.append(path + "/")
                    continue
                if name == ".git":
                    repositories.append(prefix[:-1])
                    entries[path] = (0, entry.inode(), 0, 0, 0)
                    continue
                if not caches and name.endswith(".pyc"):
                    continue
                st = entry.stat(follow_symlinks=False)
                entries[path] = (st.st_mode, st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns)
    return Walk(taken, entries, tuple(sorted(repositories)))
