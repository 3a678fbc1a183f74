"""The one writer of the journal. Appends are seen by others at once, and survive a power cut after `sync`.

A failed write or fsync makes the journal unusable for this process: after it, no one knows what is on disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import msgspec

from ralph.errors import GOES_ON, RalphError
from ralph.fault_points import fault_point
from ralph.journal.lock import held_here
from ralph.journal.read import NAME, scan, segments
from ralph.journal.record import ROTATED, Chain, Damage, Record, Rotation

ROTATE_AT = 16 * 1024 * 1024

_datasync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync


class Unwritable(RalphError):
    """The journal could not be written; the run must end."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"the journal cannot be written: {why}",
            where=str(path),
            todo=GOES_ON,
            code=70,
        )


class Lost(Unwritable):
    """Someone took the journal away from under the run that writes it. The run must end: no one would find what it records."""

    def __init__(self, path: Path, what: str, saved: Path | None) -> None:
        kept = (
            f"What it held is in {saved.name} beside it; move it back, and `ralph resume` continues. "
            if saved
            else ""
        )
        RalphError.__init__(
            self,
            f"the journal was {what} while this run was writing it",
            where=str(path),
            todo=f"{kept}Files of the work are as the agent left them; `ralph recover` lists what else is kept.",
            code=70,
        )


class Journal:
    """records: what the file held at `open`, for the runner to fold; it does not grow with `append`.
    repaired: how many bytes of a torn tail `open` put aside. at: the moment that the newest appended record bears."""

    def __init__(self, path: Path, run: str, now: Callable[[], str]) -> None:
        self.path = path
        self.records: list[Record] = []
        self.repaired = 0
        self.at = ""
        self._run = run
        self._now = now
        self._fd = -1
        self._chain = Chain(0, 0)
        self._first = 1
        self._size = 0
        self._unsynced = False
        self._spoilt = ""

    @classmethod
    def open(cls, state_dir: Path, run: str, now: Callable[[], str]) -> Journal:
        """Read, repair a torn tail, and stand ready to append. Raises Damage without changing anything."""
        if not held_here(state_dir):
            raise RuntimeError("the journal has one writer: acquire its lock first")
        journal = cls(state_dir / NAME, run, now)
        found = scan(journal.path)
        journal.records = found.records
        journal._size = found.good_bytes
        if found.records:
            journal._first = found.records[0].seq
            journal._chain = Chain(found.seq, found.crc)
        before = "" if found.records else journal._stand_after_segments()
        # Written by a process that died may not mean on disk; what is folded now will be depended on.
        journal._unsynced = bool(found.records)
        try:
            journal._open_file()
            if found.torn:
                journal._put_tail_aside()
            if before:
                journal._tie_to(before)
        except BaseException as error:
            journal.close()
            if isinstance(error, OSError):
                raise Unwritable(journal.path, error.strerror or repr(error)) from error
            raise
        return journal

    @property
    def seq(self) -> int:
        return self._chain.seq

    def append(self, kind: str, data: bytes, loop: str = "") -> Record:
        """Write one record. `data` is the fact as an encoded JSON object."""
        self._check()
        self._check_place()
        line = self._chain.line(self._now(), self._run, loop, kind, data)
        record = self._chain.accept(line)  # what is written is read by the reader's rules first
        try:
            fault_point("journal.append.before", writes=True)
            self._write(line)
            fault_point("journal.append.after")
        except BaseException as error:  # an interrupt, too, may have left half a line
            self._cut_back()
            self._spoil(error)
        self._size += len(line)
        self._unsynced = True
        self.at = record.at
        return record

    def sync(self) -> None:
        """Return when all that was appended is on the disk."""
        self._check()
        if not self._unsynced:
            return
        try:
            fault_point("journal.sync.before", writes=True)
            _datasync(self._fd)
            fault_point("journal.sync.after")
        except BaseException as error:
            self._spoil(error)
        self._unsynced = False

    def rotate_if_large(self, limit: int = ROTATE_AT) -> bool:
        """Begin a new file if this one has reached the limit. Only while no loop is open."""
        self._check()
        if self._size < limit or self._chain.seq < self._first:
            return False
        self.sync()
        away = self.path.with_name(f"journal-{self._first:09d}.jsonl")
        try:
            fault_point("rename.before", writes=True)
            self.path.rename(away)
            fault_point("rename.after")
            # Dying from here on leaves a missing or empty file, which `open` ties to the segment as well.
            self._size = 0
            self._open_file()
        except BaseException as error:
            self._spoil(error)
        self._tie_to(away.name)
        return True

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._spoilt = self._spoilt or "it is closed"

    def _stand_after_segments(self) -> str:
        """With nothing in the file, continue where the newest segment ends; its name, if there is one."""
        older = segments(self.path.parent)
        if not older:
            return ""
        last = scan(older[-1])
        if last.torn or not last.records:  # it was whole and on disk when it was rotated away
            line = len(last.records) + 1
            raise Damage(older[-1], line, last.good_bytes, "the file ends before its last record does")
        self._chain = Chain(last.seq, last.crc)
        return older[-1].name

    def _open_file(self) -> None:
        fd = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = fd
        if not self._size:  # perhaps new: make the name durable, and that of a new state directory
            _sync_folder(self.path.parent)
            _sync_folder(self.path.parent.parent)

    def _put_tail_aside(self) -> None:
        size = os.fstat(self._fd).st_size
        tail = os.pread(self._fd, size - self._size, self._size)
        fault_point("journal.repair.before", writes=True)
        _keep(self.path.with_name(f"journal.torn-{self.seq + 1}"), tail)
        fault_point("journal.repair.between", writes=True)
        os.ftruncate(self._fd, self._size)
        os.fsync(self._fd)
        fault_point("journal.repair.after")
        self.repaired = len(tail)

    def _tie_to(self, previous: str) -> None:
        rotation = Rotation(previous, self._chain.seq, f"{self._chain.crc:08x}")
        self._first = self._chain.seq + 1
        self.append(ROTATED, msgspec.json.encode(rotation))
        self.sync()

    def _write(self, line: bytes) -> None:
        written = os.write(self._fd, line)
        while written < len(line):
            written += os.write(self._fd, line[written:])

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._fd, self._size)
        except OSError:
            pass  # then it is a torn tail, and the next `open` repairs it

    def _check(self) -> None:
        if self._spoilt:
            raise Unwritable(self.path, self._spoilt)

    def _check_place(self) -> None:
        """Two looks at inodes, so that nothing is decided on records that no one will ever read."""
        mine = os.fstat(self._fd)
        try:
            there = self.path.lstat()
        except OSError:
            what = "deleted"
        else:
            if (there.st_dev, there.st_ino) != (mine.st_dev, mine.st_ino):
                what = "replaced"
            elif mine.st_size != self._size:
                what = "cut short" if mine.st_size < self._size else "written to by someone else"
            else:
                return
        self._spoilt = f"it was {what}"
        raise Lost(self.path, what, self._saved() if mine.st_size >= self._size else None)

    def _saved(self) -> Path | None:
        """The file is held open: what it had is not lost as long as there is a place for it."""
        path = self.path.with_name(f"{self.path.name}.lost-{self._run}")
        try:
            _keep(path, os.pread(self._fd, self._size, 0))
        except OSError:  # its folder is gone, too
            return None
        return path

    def _spoil(self, error: BaseException) -> NoReturn:
        self._spoilt = (error.strerror if isinstance(error, OSError) else "") or repr(error)
        if isinstance(error, OSError):
            raise Unwritable(self.path, self._spoilt) from error
        raise error


def _keep(path: Path, content: bytes) -> None:
    """Store the bytes durably under this name, or the next free one; not twice after a crash half-way."""
    number = 1
    while path.exists() and path.read_bytes() != content:
        number += 1
        path = path.with_name(f"{path.name.partition('.again-')[0]}.again-{number}")
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags | os.O_CLOEXEC, 0o600)) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(path.parent)


def _sync_folder(path: Path) -> None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:  # a folder above the state directory may be closed to us
        return
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems do not sync folders
            raise
    finally:
        os.close(fd)
