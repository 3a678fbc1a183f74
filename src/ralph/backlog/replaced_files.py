"""Replaces the list in one step, and keeps the replaced file as long as a writer may still have it open.

An editor or `echo >> tasks.jsonl` that opened the list before it was replaced writes into the old file. That file stays
linked in the state folder, and what is appended to it goes to the end of the list, once: before the two files change
places, the index says what will have been taken over afterwards; after a death, which of them lies at the temporary name
says whether they did. Only to be changed while `file.alone` is held. It never takes more than whole lines from a writer
that is not done yet.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph.backlog import text_file
from ralph.backlog.text_file import Stamp, stamp_of
from ralph.fault_points import fault_point

FOLDER = "replaced"
GRACE_SECONDS = 10.0  # a writer may have found the old file by its name and be about to open it
UNKNOWN_SECONDS = 3600.0  # kept so long where the system does not say who has it open
MOST = 50  # then the oldest goes, whoever has it open


class Kept(msgspec.Struct, frozen=True):
    """A replaced file, and how much of it the list has."""

    path: str
    taken: int  # bytes
    checksum: int  # of those bytes
    mtime: int  # when it was last looked into
    since: float  # seconds of the epoch at which it was replaced


class Pending(msgspec.Struct, frozen=True):
    """A replacement that has begun."""

    new: Stamp
    path: str  # where the replaced file will be kept; empty: there is none
    taken: int
    checksum: int
    kept: tuple[Kept, ...]  # once it is done


class Index(msgspec.Struct, frozen=True):
    kept: tuple[Kept, ...] = ()
    pending: Pending | None = None


class Appended(msgspec.Struct, frozen=True):
    """What writers added to replaced files, and what is kept once the list has it."""

    data: bytes
    kept: tuple[Kept, ...]


class ReplacedFiles:
    """Of one list."""

    def __init__(self, path: Path, state_dir: Path) -> None:
        self._named = path
        self._state_dir = state_dir
        self._folder = state_dir / FOLDER
        self._read: tuple[Stamp | None, Path, Index] | None = None

    # -- asking ----------------------------------------------------------------------------------------

    def changed(self) -> bool:
        """Whether there may be something to take over. Costs a call of stat, and one for each file that is kept."""
        index = self._index()
        return index.pending is not None or any(_is_changed(one) for one in index.kept)

    def appended(self, is_known: Callable[[bytes], bool]) -> Appended:
        """`is_known` says of a line whether its task is in the list or the archive: of a file that was written anew, only
        other tasks are taken."""
        data, kept, index = b"", [], self._index().kept
        for number, one in enumerate(index):
            found = stamp_of(Path(one.path))
            if found is None:
                continue
            in_use = _is_open_for_writing(Path(one.path))
            over = number < len(index) - MOST or _is_over(one, in_use)
            if _is_changed(one):
                new, one = _taken(one, found, is_known, whole=over or in_use is False)
                data += new if not new or new.endswith(b"\n") else new + b"\n"
            if not over:
                kept.append(one)
        return Appended(data, tuple(kept))

    # -- changing --------------------------------------------------------------------------------------

    def replace(
        self, data: bytes, before: bytes, seen: Stamp | None, took: Appended | None = None
    ) -> Stamp | None:
        """Give the list this content if it still is what was read. None: someone wrote it; nothing was changed. `took`: the
        content has this in it."""
        path = self._path()
        tmp = text_file.temporary_path(self._state_dir, path)
        try:
            text_file.write_new(tmp, data, path if seen else None)
            if stamp_of(path) != seen:
                self.recover()
                return None
            self._begin(tmp, before, seen, took)
            fault_point("rename.before", writes=True)
            if not self._exchange(tmp, path, before, seen):
                self.recover()
                return None
            fault_point("rename.after")
            self._finish(tmp)
            text_file.sync_folder(path.parent)
            return stamp_of(path)
        except OSError as error:
            with suppress(OSError):
                self.recover()
            raise text_file.unwritable(path, error) from error

    def forget(self, took: Appended) -> None:
        """There was nothing to write; some files need not be kept any more."""
        index = self._index()
        if index.kept != took.kept:
            self._unlink(index.kept, took.kept)
            fault_point("forget.before", writes=True)
            self._write(Index(took.kept))

    def recover(self) -> None:
        """Finish, or undo, what a writer that died had begun."""
        path, pending = self._path(), self._index().pending
        tmp = text_file.temporary_path(self._state_dir, path)
        if pending is None:
            tmp.unlink(missing_ok=True)
            return
        there = stamp_of(tmp)
        if there is None or self._happened(there, tmp, path, pending):
            self._finish(tmp)
        else:
            self._undo(tmp)

    # -- parts -----------------------------------------------------------------------------------------

    def _happened(self, there: Stamp, tmp: Path, path: Path, pending: Pending) -> bool:
        if _is_same_file(there, pending.new):
            now = stamp_of(path)
            return now is not None and _is_same_file(now, pending.new)  # it was created
        if _begins_with(tmp, pending):
            return True
        # Someone had written it between the last look and the exchange: theirs goes back, unless they wrote again.
        return not (pending.new.same_content(stamp_of(path)) and text_file.exchange(tmp, path))

    def _begin(self, tmp: Path, before: bytes, seen: Stamp | None, took: Appended | None) -> None:
        new, index = stamp_of(tmp), self._index()
        assert new is not None
        kept = took.kept if took else index.kept
        checksum, path = zlib.crc32(before), ""
        if seen is not None:
            self._folder.mkdir(exist_ok=True)
            path = self._free(tmp)
            kept = (*kept, Kept(path, len(before), checksum, seen.mtime, time.time()))
        if kept or index.kept:
            fault_point("begin.before", writes=True)
            self._write(Index(index.kept, Pending(new, path, len(before), checksum, kept)))

    def _exchange(self, tmp: Path, path: Path, before: bytes, seen: Stamp | None) -> bool:
        """False: someone else has written the list."""
        if seen is None:
            try:
                os.link(tmp, path)
            except FileExistsError:
                return False
            return True
        if text_file.exchange(tmp, path):
            if seen.same_content(stamp_of(tmp)) and tmp.read_bytes() == before:
                return True
            text_file.exchange(tmp, path)
            return False
        pending = self._index().pending
        assert pending is not None
        with suppress(OSError):  # where there are no links the old file cannot be kept
            os.link(path, pending.path)
        os.replace(tmp, path)  # noqa: PTH105 - beside the calls that pathlib lacks
        return True

    def _finish(self, tmp: Path) -> None:
        """The list has the new content."""
        index = self._index()
        if index.pending is None:
            tmp.unlink(missing_ok=True)
            return
        there = stamp_of(tmp)
        if there is not None and index.pending.path and not _is_same_file(there, index.pending.new):
            tmp.rename(index.pending.path)
            fault_point("keep.after")
        tmp.unlink(missing_ok=True)
        self._unlink(index.kept, index.pending.kept)
        self._write(Index(index.pending.kept))
        fault_point("index.after")

    def _undo(self, tmp: Path) -> None:
        """The list has the old content."""
        index = self._index()
        assert index.pending is not None
        if index.pending.path:
            Path(index.pending.path).unlink(missing_ok=True)
        self._write(
            Index(index.kept)
        )  # first: without the temporary file it would look as if it had happened
        fault_point("undo.after")
        tmp.unlink(missing_ok=True)

    def _unlink(self, before: Iterable[Kept], after: Iterable[Kept]) -> None:
        names = {one.path for one in after}
        for one in before:
            if one.path not in names:
                Path(one.path).unlink(missing_ok=True)
                fault_point("drop.after")

    def _path(self) -> Path:
        return Path(os.path.realpath(self._named))  # a link stays a link

    def _free(self, tmp: Path) -> str:
        """Beside the temporary file, where a rename can reach it; in its own folder, out of the user's sight."""
        folder = self._folder if tmp.parent == self._state_dir else tmp.parent
        stem = self._index_path().stem if tmp.parent == self._state_dir else tmp.name
        taken = {one.path for one in self._index().kept}
        number = 1
        while (name := str(folder / f"{stem}.{number}")) in taken or os.path.lexists(name):
            number += 1
        return name

    def _index_path(self) -> Path:
        return self._folder / f"{text_file.path_key(self._path())}.json"

    def _index(self) -> Index:
        path = self._index_path()
        stamp = stamp_of(path)
        if stamp is None:
            return Index()
        if self._read is None or self._read[:2] != (stamp, path) or not text_file.is_old(stamp):
            try:
                index = msgspec.json.decode(path.read_bytes(), type=Index)
            except (OSError, msgspec.DecodeError):
                index = Index()  # damaged: nothing is known of what was kept
            self._read = (stamp, path, index)
        return self._read[2]

    def _write(self, index: Index) -> None:
        path = self._index_path()
        if index == Index():
            path.unlink(missing_ok=True)
            with suppress(OSError):  # others are in it, or it was never made
                self._folder.rmdir()
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        tmp = path.with_suffix(".tmp")
        text_file.write_new(tmp, msgspec.json.encode(index), None)
        tmp.replace(path)
        text_file.sync_folder(self._folder)


def _is_changed(one: Kept) -> bool:
    found = stamp_of(Path(one.path))
    return found is not None and (found.size, found.mtime) != (one.taken, one.mtime)


def _is_over(one: Kept, in_use: bool | None) -> bool:
    if in_use:
        return False
    return time.time() - one.since > (UNKNOWN_SECONDS if in_use is None else GRACE_SECONDS)


def _taken(one: Kept, found: Stamp, is_known: Callable[[bytes], bool], *, whole: bool) -> tuple[bytes, Kept]:
    """What is new in it, and the file without that. `whole`: also the last line, which has no end yet."""
    text = Path(one.path).read_bytes()
    if zlib.crc32(text[: one.taken]) == one.checksum and len(text) >= one.taken:
        upto = len(text) if whole else text.rfind(b"\n") + 1
        new = text[one.taken : upto]
        taken = one.taken + len(new)
    elif not whole:
        return b"", one  # the writer is perhaps in the middle of writing it anew
    else:
        new = b"\n".join(line for line in text.split(b"\n") if line.strip() and not is_known(line))
        taken = len(text)
    mtime = found.mtime if taken == len(text) else one.mtime
    return new, msgspec.structs.replace(one, taken=taken, checksum=zlib.crc32(text[:taken]), mtime=mtime)


def _is_same_file(one: Stamp, other: Stamp) -> bool:
    return (one.device, one.inode) == (other.device, other.inode)


def _begins_with(tmp: Path, pending: Pending) -> bool:
    """Whether it is what was read, perhaps with more behind it."""
    text = tmp.read_bytes()
    return len(text) >= pending.taken and zlib.crc32(text[: pending.taken]) == pending.checksum


def _is_open_for_writing(path: Path) -> bool | None:
    """None: the system does not say. A lease for reading is granted only while no one can write the file."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)  # should it be broken: a signal that does nothing
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(fd)
