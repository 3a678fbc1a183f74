"""A private index for snapshots, and a cheap walk of the work tree that can prove that nothing changed.

The walk reads what every inode says, never contents. When in doubt (too many files, time stamps too young, a clock set back)
it says so.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from ralph.errors import DISK, RalphError
from ralph.fault_points import fault_point
from ralph.files import lock
from ralph.git import program
from ralph.git.repo import (
    FILE_SETTINGS,
    Repo,
    configuration,
    ensure_store,
    head,
    is_on,
    make_git_dir,
    settings_of,
)
from ralph.git.repository_excludes import snapshot_rules

MAX_ENTRIES = 3000  # above it, git with its warm index is as fast
RACY_NS = 50_000_000  # time stamps come from a tick: a second write within it can look like the first

Inode = tuple[int, int, int, int, int]  # mode, inode, size, mtime_ns, ctime_ns

CACHE_FOLDERS = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis")


class Walk(msgspec.Struct, frozen=True):
    """What one walk over the work tree saw."""

    taken: int  # ns, when it began
    entries: dict[str, Inode]
    repositories: tuple[str, ...]  # folders below the root with their own `.git`

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

    def special(self) -> list[tuple[str, int]]:
        """Path and mode of what is neither file, folder nor link."""
        found = ((path, inode[0]) for path, inode in self.entries.items() if inode[0])  # 0: not looked at
        return [one for one in found if not (stat.S_ISREG(one[1]) or stat.S_ISLNK(one[1]))]

    def large(self, size: int) -> list[str]:
        """Files of more than so many bytes."""
        return [path for path, inode in self.entries.items() if inode[2] > size and stat.S_ISREG(inode[0])]

    def ignore_files(self) -> dict[str, Inode]:
        return {path: inode for path, inode in self.entries.items() if path.endswith(".gitignore")}


def is_cache(path: str) -> bool:
    return path.endswith(".pyc") or any(name in CACHE_FOLDERS for name in path.split("/"))


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
                    if caches or name not in CACHE_FOLDERS:
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


_SAFE_KEYS = FILE_SETTINGS | {"core.sparsecheckout", "core.sparsecheckoutcone"}
# Ignored unless tracked. In the exclude file, so that git's own rule "tracked wins" applies to them.
CACHES = ("*.pyc", *CACHE_FOLDERS)

_LOCK_SECONDS = 30.0  # a git child that outlived a killed Ralph ends long before this


class PrivateIndex:
    """One private git directory. Created on first use, kept between runs so that its index stays warm."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.repo = repo
        self.folder = folder
        self.index = folder / "index"
        self.sparse = False
        self.partial = False
        self._lock_fd = -1
        self._depth = 0
        self._opened = False

    # --- calling git

    def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        index: Path | None = None,
        work_tree: Path | None = None,
        limit: float = 0.0,
    ) -> bytes:
        self.open()
        work_tree = work_tree or self.repo.root
        return program.run(
            args,
            cwd=work_tree,
            env=self._env(index or self.index, work_tree),
            stdin=stdin,
            pass_fds=(self._lock_fd,) if self._depth else (),
            limit=limit,
        )

    def _env(self, index: Path, work_tree: Path) -> dict[str, str]:
        return {
            "GIT_DIR": str(self.folder),
            "GIT_WORK_TREE": str(work_tree),
            "GIT_OBJECT_DIRECTORY": str(self.repo.objects),
            "GIT_INDEX_FILE": str(index),
        }

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the shadow alone. git children inherit the lock, so one that outlived a killed Ralph still holds it."""
        if self._depth == 0:
            self.open()
            self._lock_fd = self._acquire()
            # We hold the lock, so whoever made these is dead.
            for pattern in ("index.lock", "scratch-*", "sharedindex.*"):
                for leftover in self.folder.glob(pattern):
                    leftover.unlink(missing_ok=True)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                os.close(self._lock_fd)
                self._lock_fd = -1

    def _acquire(self) -> int:
        fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if lock(fd, _LOCK_SECONDS):
            return fd
        os.close(fd)
        raise RalphError(
            "another process is taking a snapshot and does not end", where=str(self.folder), code=70
        )

    @contextmanager
    def scratch_index(self) -> Iterator[Path]:
        """A private index that is gone afterwards. Needs the lock, which protects it from being cleaned up."""
        with self.locked():
            path = self.folder / f"scratch-{self._depth}"
            path.unlink(missing_ok=True)
            try:
                yield path
            finally:
                path.unlink(missing_ok=True)
                Path(f"{path}.lock").unlink(missing_ok=True)

    # --- creation

    def open(self) -> None:
        """Make sure that the shadow exists and belongs to this work tree."""
        if self._opened and (self.folder / "origin").exists():
            return
        try:
            origin = self._read_origin()
            if origin is None or origin["root"] != str(self.repo.root):
                shutil.rmtree(self.folder, ignore_errors=True)
                origin = self._create()
        except OSError as error:
            if error.errno in DISK:
                raise
            raise RalphError(
                f"cannot write Ralph's state: {error.strerror}",
                where=str(error.filename or self.folder),
                todo="Make the folder writable.",
            ) from None
        self.sparse = origin["sparse"] is True
        self.partial = origin["partial"] is True
        self._opened = True

    def _read_origin(self) -> dict[str, str | bool] | None:
        try:
            read: dict[str, str | bool] = json.loads((self.folder / "origin").read_text())
            return read
        except (OSError, ValueError):
            return None

    def _create(self) -> dict[str, str | bool]:
        ensure_store(self.repo)
        settings = settings_of(self.repo)
        safe = {key: value for key, value in settings.items() if key in _SAFE_KEYS}
        make_git_dir(self.folder, configuration(self.repo.object_format, safe))
        for name in ("info/attributes", "info/sparse-checkout"):
            source = self.repo.git_dir if name == "info/sparse-checkout" else self.repo.common_dir
            with suppress(FileNotFoundError, shutil.SpecialFileError):
                shutil.copyfile(source / name, self.folder / name)
        self.copy_excludes()
        origin: dict[str, str | bool] = {
            "root": str(self.repo.root),
            "sparse": is_on(settings, "core.sparsecheckout"),
            "partial": "extensions.partialclone" in settings,
        }
        fault_point("shadow.before", writes=True)
        # last: its presence says that the rest is there
        (self.folder / "origin").write_text(json.dumps(origin))
        return origin

    def copy_excludes(self) -> None:
        """The user's info/exclude as it is now, and the caches that no one wants in a snapshot."""
        ours = "".join(f"{pattern}\n" for pattern in CACHES).encode()
        (self.folder / "info" / "exclude").write_bytes(ours + snapshot_rules(self.repo))

    def set_head(self, commit: str | None) -> None:
        (self.folder / "HEAD").write_text(f"{commit}\n" if commit else "ref: refs/heads/ralph\n")

    # --- the index

    def seed(self) -> None:
        """A new index: HEAD's tree, with the user's stat cache so that unchanged files need not be read."""
        self.index.unlink(missing_ok=True)
        commit = head(self.repo)
        if commit is None:
            return
        if self.copy_user_index(self.index):
            try:
                self.run("read-tree", "--reset", "-i", commit)
                return
            except program.GitFailed:  # their index may be damaged or from a newer git; HEAD is enough
                self.index.unlink(missing_ok=True)
        self.run("read-tree", commit)

    def copy_user_index(self, to: Path) -> bool:
        """Copy the user's index; False when there is none."""
        source = self.repo.git_dir / "index"
        if not self.repo.versioned:
            return False
        try:
            # copy2 keeps the time stamp: git compares it with the files' to know which entries it cannot trust
            shutil.copy2(source, to)
        except (FileNotFoundError, shutil.SpecialFileError):
            return False
        for shared in self.repo.git_dir.glob("sharedindex.*"):  # a split index has its body there
            shutil.copy2(shared, self.folder / shared.name)
        return True


def excludes(paths: tuple[str, ...]) -> list[str]:
    """Pathspecs for everything below the root but these."""
    return ["--", ".", *(f":(exclude,literal){path}" for path in paths)]
