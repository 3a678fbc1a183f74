"""Reading the journal: whole, over all its files, or as it grows. Never changes anything, needs no lock.

What a crash leaves at the end is a torn tail: never a record, so readers stop before it. Whatever else does
not fit is Damage.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from ralph.errors import RalphError
from ralph.journal.record import Chain, Damage, Misfit, Record, looks_like_record

NAME = "journal.jsonl"
_SEGMENT = re.compile(r"journal-(\d+)\.jsonl")
_START = b'{"seq":'
_FIRST = re.compile(rb'\{"seq":(\d+),')


class JournalScan(msgspec.Struct, frozen=True):
    """A whole file. seq and crc: where its last good record stands (0 and 0 without any)."""

    records: list[Record]
    good_bytes: int
    torn: bool
    seq: int
    crc: int


def scan(path: Path) -> JournalScan:
    walk = _Walk(path)
    records = list(walk)
    return JournalScan(records, walk.good_bytes, walk.torn, max(walk.chain.seq, 0), walk.chain.crc)


def scan_after(path: Path, seq: int, crc: int, offset: int) -> JournalScan | None:
    """What comes after this record, which ends at this byte. None: another one does, or none."""
    ending = b'"crc":"%08x"}\n' % crc
    try:
        with open(path, "rb") as file:
            file.seek(max(0, offset - len(ending)))
            if file.read(len(ending)) != ending:
                return None
    except OSError:
        return None
    walk = _Walk(path, Chain(seq, crc), offset)
    records = list(walk)
    return JournalScan(records, walk.good_bytes, walk.torn, walk.chain.seq, walk.chain.crc)


def segments(state_dir: Path) -> list[Path]:
    """The files that were rotated away, oldest first."""
    return [path for _, path in _segments(state_dir)]


def history(state_dir: Path) -> Iterator[Record]:
    """The records of all files in order. They must continue one another; only the oldest may be missing."""
    end: tuple[int, int] | None = None
    current = state_dir / NAME
    while True:
        path = _segment_after(state_dir, end) or current
        walk = _Walk(path)
        for record in walk:
            if end is not None and walk.chain.base != end:
                break
            yield record
        else:
            if walk.lines:
                end = walk.chain.seq, walk.chain.crc
            if path == current:
                return
            if walk.torn or not walk.lines:
                raise walk.damage("the file ends before its last record does")
            continue
        # Rotated between looking and opening, it is a later file than thought: the one before it is there now.
        if path != current or _segment_after(state_dir, end) is None:
            raise Damage(path, 1, 0, f"it does not continue record {end[0]}, where the file before it ends")


def read_record(state_dir: Path, seq: int) -> Record | None:
    """One record by its number, found by halving: of a long file only a few lines are read. None: it is not there."""
    path = next((path for first, path in reversed(_files(state_dir)) if first <= seq), None)
    if path is None:
        return None
    with open(path, "rb") as file:
        low, high = 0, file.seek(0, os.SEEK_END)
        while low < high:
            middle = (low + high) // 2
            file.seek(max(low, middle - 1))
            if middle > low:
                file.readline()  # to the beginning of a line
            line = file.readline() if file.tell() < high else b""
            match = _FIRST.match(line)
            if match and int(match[1]) < seq:
                low = file.tell()
            elif match and int(match[1]) == seq:
                return looks_like_record(line)
            else:
                high = middle
    return None


class Follower:
    """The records of a journal that is being written, each once, over rotations."""

    def __init__(self, path: Path, from_seq: int = 1) -> None:
        self._path = path
        self._from = from_seq
        self._fd = -1
        self._walk = _Walk(path)

    def poll(self) -> list[Record]:
        """What was completed since the last call. A line still being written waits for the next one."""
        found: list[Record] = []
        while True:
            # Looked up before reading: if the file has been rotated away by now, it is complete.
            current = _identity(self._path)
            if self._fd >= 0:
                walk = self._walk
                with open(os.dup(self._fd), "rb") as file:  # anew: what was torn may have been written over
                    found += (record for record in walk.over(file) if record.seq >= self._from)
                size = os.fstat(self._fd).st_size
                if current == _identity(self._fd):
                    if size >= walk.good_bytes:
                        return found
                    self._start_over(self._path)  # cut short: another journal in the same file
                    continue
                if walk.path != self._path and (size > walk.good_bytes or not walk.lines):
                    raise walk.damage("the file ends before its last record does")
            if not self._next():
                return found

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _next(self) -> bool:
        """Open the file that continues where the last one ended."""
        files = _files(self._path.parent)
        if not files:
            return False
        if self._walk.chain.seq < 0:
            begun = [path for first, path in files if first <= self._from]
            return self._use(begun[-1] if begun else files[0][1])
        later = [path for first, path in files if first > self._walk.chain.seq]
        if later:
            return self._use(later[0])
        last = files[-1][1]
        return last == self._path and _identity(last) != _identity(self._fd) and self._start_over(last)

    def _start_over(self, path: Path) -> bool:
        """Someone put another journal in the place of the one that was read: all of it is new."""
        self._from = 1
        return self._use(path)

    def _use(self, path: Path) -> bool:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:  # rotated just now; the next poll finds it under its new name
            return False
        except OSError as error:
            raise _unreadable(path, error)
        self.close()
        self._fd = fd
        self._walk = _Walk(path)
        return True


def follow(path: Path, from_seq: int = 1) -> Follower:
    return Follower(path, from_seq)


class _Walk:
    """One pass over one file; afterwards it knows how far the file is good."""

    def __init__(self, path: Path, chain: Chain | None = None, offset: int = 0) -> None:
        """From the beginning, or from this byte on, after the record at which the chain stands."""
        self.path = path
        self.chain = chain or Chain()
        self.lines = 0
        self.good_bytes = offset
        self.torn = False

    def __iter__(self) -> Iterator[Record]:
        try:
            file = open(self.path, "rb")
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unreadable(self.path, error)
        with file:
            yield from self.over(file)

    def over(self, file: BinaryIO) -> Iterator[Record]:
        """From where it stands. A line that is still being written is torn for now."""
        file.seek(self.good_bytes)
        accept = self.chain.accept
        for line in file:
            try:
                record = accept(line)
            except Misfit as wrong:
                if not _torn(wrong, line, file.read() if line.endswith(b"\n") else b""):
                    raise self.damage(str(wrong))
                self.torn = True
                return
            self.lines += 1
            self.good_bytes += len(line)
            yield record

    def damage(self, wrong: str) -> Damage:
        return Damage(self.path, self.lines + 1, self.good_bytes, wrong)


def _torn(wrong: Misfit, line: bytes, rest: bytes) -> bool:
    """Whether a line that does not fit is merely the end of an interrupted write: nothing whole follows it.

    A whole record with another number is not torn: a write loses bytes, it does not skip or repeat records.
    """
    if not line.endswith(b"\n"):
        return True
    if wrong.misplaced:
        return False
    # Also inside the line: the newline between two good records may be what was damaged.
    return not _holds_record(line[1:]) and not any(_holds_record(text) for text in _lines(rest))


def _holds_record(text: bytes) -> bool:
    at = text.find(_START)
    while at >= 0:
        if looks_like_record(text[at:]) is not None:
            return True
        at = text.find(_START, at + 1)
    return False


def _lines(text: bytes) -> list[bytes]:
    """Split at newlines only; bytes.splitlines also splits at carriage returns, which damage may contain."""
    return [line + b"\n" for line in text.split(b"\n")[:-1]]


def _segments(state_dir: Path) -> list[tuple[int, Path]]:
    try:
        names = os.listdir(state_dir)  # noqa: PTH208 - names are all that is wanted
    except FileNotFoundError:
        return []
    return sorted((int(m[1]), state_dir / m[0]) for name in names if (m := _SEGMENT.fullmatch(name)))


def _files(state_dir: Path) -> list[tuple[int, Path]]:
    """All files with the number of their first record, in order; looked at again if rotated meanwhile."""
    while True:
        before = _segments(state_dir)
        first = _first_seq(state_dir / NAME)
        if _segments(state_dir) == before:
            return before if first is None else [*before, (first, state_dir / NAME)]


def _first_seq(path: Path) -> int | None:
    """None without a first line; 0 if it is unknown, which reading the file will explain."""
    try:
        with open(path, "rb") as file:
            start = file.read(64)
    except FileNotFoundError:
        return None
    except OSError:
        return 0
    if not start:
        return None
    match = _FIRST.match(start)
    return int(match[1]) if match else 0


def _segment_after(state_dir: Path, end: tuple[int, int] | None) -> Path | None:
    return next((path for first, path in _segments(state_dir) if end is None or first > end[0]), None)


def _identity(file: Path | int) -> tuple[int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116 - a path or a descriptor
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _unreadable(path: Path, error: OSError) -> RalphError:
    return RalphError(
        f"the journal cannot be read: {error.strerror}",
        where=str(path),
        todo="Make it readable; `ralph doctor` checks it.",
        code=70,
    )
