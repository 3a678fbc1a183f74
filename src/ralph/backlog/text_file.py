"""A text file that people edit while Ralph runs: read when it is at rest, and the steps in which it is written.

An editor takes no lock. So a new text changes places with the old one in one step, and what was taken away is compared
with what was read: had someone written in between, the two change back (replaced_files.py).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

import msgspec

from ralph import files
from ralph.core.tasks.task import BacklogTask, TaskProblem, read_line
from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import NotAFile, read_bytes

REST = 0.03  # seconds without a change after which a writer is taken to have finished
_PATIENCE = 5.0
_LOCK = "backlog.lock"
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


class Stamp(msgspec.Struct, frozen=True):
    """By this a file is known to be unchanged without reading it."""

    device: int
    inode: int
    size: int
    mtime: int  # nanoseconds
    ctime: int

    def same_content(self, other: Stamp | None) -> bool:
        """A rename changes only the ctime."""
        return other is not None and msgspec.structs.replace(other, ctime=self.ctime) == self


def stamp_of(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RalphError(f"cannot be read: {error.strerror}", where=str(path), todo=MEND) from None
    if not stat.S_ISREG(found.st_mode):
        raise RalphError("this is not a file", where=str(path), todo="Move it away; the backlog is a file.")
    return Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


MEND = "Make it readable and writable for you."


def read(path: Path) -> tuple[bytes, Stamp | None]:
    """Its bytes, once no one is in the middle of writing it."""
    until = time.monotonic() + _PATIENCE
    while True:
        before = stamp_of(path)
        if before is None:
            return b"", None
        data = _bytes(path)
        if is_old(before) and stamp_of(path) == before and data is not None:
            return data, before
        time.sleep(REST)
        if data is not None and stamp_of(path) == before and _bytes(path) == data:
            return data, before
        if time.monotonic() > until:
            raise RalphError(
                "is being written without a pause",
                where=str(path),
                todo="Try again when the other program is done.",
            )


def holds(path: Path, data: bytes) -> bool:
    return _bytes(path) == data


def _bytes(path: Path) -> bytes | None:
    """None when someone has just taken it away."""
    try:
        return read_bytes(path)
    except NotAFile as error:
        raise RalphError(f"cannot be read: {error.strerror}", where=str(path), todo=MEND) from None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RalphError(f"cannot be read: {error.strerror}", where=str(path), todo=MEND) from None


def is_old(stamp: Stamp) -> bool:
    """Whether another write would show in the time: file times are coarse."""
    return time.time_ns() - stamp.mtime > REST * 1e9


@contextmanager
def locked(state_dir: Path) -> Iterator[None]:
    """No other Ralph writes this backlog meanwhile."""
    path = state_dir / _LOCK
    try:
        state_dir.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise RalphError(f"cannot be written: {error.strerror}", where=str(path), todo=MEND) from None
    try:
        if not files.lock(fd):
            raise RalphError("another process is writing the backlog", where=str(path), todo="Try again.")
        yield
    finally:
        os.close(fd)


def append(path: Path, data: bytes) -> Stamp | None:
    """More at the end, on disk when this returns."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(fd).st_size
            if torn := _unended(fd, size):
                if data.startswith(torn):  # the same was begun before, and its writer died
                    os.ftruncate(fd, size - len(torn))
                else:
                    data = b"\n" + data
            fault_point("append.before", writes=True)
            while data:
                data = data[os.write(fd, data) :]
            os.fsync(fd)
            fault_point("append.after")
        finally:
            os.close(fd)
        if not size:
            sync_folder(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error
    return stamp_of(path)


def unwritable(path: Path, error: OSError) -> RalphError:
    return RalphError(f"cannot be written: {error.strerror}", where=str(path), todo=MEND, code=70)


def _unended(fd: int, size: int) -> bytes:
    """What stands behind the last end of line."""
    found = b""
    while size and b"\n" not in found:
        start = max(0, size - (1 << 16))
        found = os.pread(fd, size - start, start) + found
        size = start
    return found.rpartition(b"\n")[2]


def temporary_path(state_dir: Path, path: Path) -> Path:
    """Where a new text is prepared: out of the user's sight where a rename can reach it."""
    if path.parent.stat().st_dev == state_dir.stat().st_dev:
        return state_dir / f"backlog.{path_key(path)}.tmp"
    return path.with_name(f".{path.name}.ralph")


def path_key(path: Path) -> str:
    """For what the state folder has of this list: it may have to do with several."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def write_new(tmp: Path, data: bytes, like: Path | None) -> None:
    tmp.unlink(missing_ok=True)
    fd = os.open(tmp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        if like:
            _take_after(fd, like)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def _take_after(fd: int, like: Path) -> None:
    found = like.stat()
    if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.fchown(fd, found.st_uid, found.st_gid)
        except PermissionError:
            pass  # it belongs to another; the folder is ours, or nothing could be replaced
    os.fchmod(fd, stat.S_IMODE(found.st_mode))


def exchange(one: Path, other: Path) -> bool:
    """Let two files change places in one step. False where the system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    names = (os.fsencode(one), os.fsencode(other))
    return int(rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], ctypes.c_uint(_RENAME_EXCHANGE))) == 0


def sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


BOM = b"\xef\xbb\xbf"


class Table:
    """A removed line leaves b"" in its place, so that the other lines keep theirs."""

    def __init__(self, path: Path, *, archived: bool) -> None:
        self.path = path
        self._archived = archived
        self.lines: list[bytes] = []
        self.at: dict[str, int] = {}
        self.tasks: dict[str, BacklogTask] = {}
        self._problems: list[TaskProblem] = []  # `line` is the index, until they are asked for
        self.stamp: Stamp | None = None
        self._young = False  # written a moment ago: another write may not show in its time
        self.load()

    def load(self) -> None:
        data, self.stamp = read(self.path)
        self._young = False
        self.fill([line + b"\n" for line in data.split(b"\n")])
        if self.lines:
            self.lines[-1] = self.lines[-1][:-1]
            if not self.lines[-1]:
                self.lines.pop()

    def fill(self, lines: list[bytes]) -> None:
        self.lines, self.at, self.tasks, self._problems = lines, {}, {}, []
        for index, raw in enumerate(lines):
            self._take(index, raw)

    def _take(self, index: int, raw: bytes) -> BacklogTask | None:
        plain = raw.strip() if index else raw.removeprefix(BOM).strip()
        if not plain:
            return None
        try:
            task = read_line(plain, index, archived=self._archived)
        except ValueError as error:
            self._problems.append(TaskProblem(str(error), line=index))
            return None
        if task.id in self.at and not self._archived:
            what = f"{task.id}: there is a task of this id on line {self.number(self.at[task.id])}"
            self._problems.append(TaskProblem(what, line=index, id=task.id, kind="duplicate"))
            return None
        self.at[task.id] = index  # of the archive, the last counts
        self.tasks[task.id] = task
        return task

    def is_stale(self) -> bool:
        if stamp_of(self.path) != self.stamp:
            return True
        if self._young and self.stamp and is_old(self.stamp):
            self._young = False
            return not holds(self.path, self.text())
        return False

    def text(self) -> bytes:
        return b"".join(self.lines)

    def number(self, index: int) -> int:
        """Of the line, as an editor counts."""
        return 1 + sum(1 for line in self.lines[:index] if line)

    def raw(self, id: str) -> bytes:
        return self.lines[self.at[id]]

    def eol(self) -> bytes:
        first = next((line for line in self.lines if line), b"")
        return b"\r\n" if first.endswith(b"\r\n") else b"\n"

    def written(self, stamp: Stamp | None) -> None:
        self.stamp, self._young = stamp, True

    def took(self, lines: Iterable[bytes]) -> list[BacklogTask]:
        """Lines that were added at the end of the file, which ended with a line's end."""
        found = []
        for raw in lines:
            self.lines.append(raw)
            if task := self._take(len(self.lines) - 1, raw):
                found.append(task)
        return found

    def problems(self) -> list[TaskProblem]:
        numbers = self.numbers()
        return [
            msgspec.structs.replace(one, file=self.path.name, line=numbers[one.line])
            for one in self._problems
        ]

    def numbers(self) -> list[int]:
        """Of each line, as an editor counts."""
        return list(accumulate(1 if line else 0 for line in self.lines))
