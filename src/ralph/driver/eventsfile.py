"""`.ralph/events-<start>.jsonl`: the events of a loop, one record a line, in the form that ralph-orchestrator's users know.

A view. The journal's facts make it; a file that is not as it was left, because somebody wrote into it or a death tore
it, is made anew from them. It never ends a run, and never writes through a link.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.core.eventview import Teller, record
from ralph.core.fold import fold
from ralph.core.queue import Routed
from ralph.core.state import LoopState
from ralph.driver.place import straight
from ralph.driver.store import write_atomically
from ralph.errors import DISK
from ralph.journal.record import Record

FOLDER = ".ralph"
POINTER = "current-events"  # names the file of the loop that began last
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class EventsFile:
    def __init__(self, folder: Path, journal: Callable[[], Iterable[Record]]) -> None:
        """`journal`: all records that there are by now; read only when the file has to be made anew."""
        self._folder = folder / FOLDER
        self._journal = journal
        self._teller = Teller()
        self._name = ""
        self._size = -1  # bytes, as it was left; -1: there is none of this loop yet

    def take(self, fact: f.AnyFact, s: LoopState, at: str) -> None:
        """`s` is the state after the fact, `at` the moment that its record bears."""
        if isinstance(fact, f.LoopStarted):
            self._name = name_of(at)
        told = self._teller.take(fact, s)
        lines = b"".join(_line(one.routed, at) for one in told if one.counts)
        if lines and self._name:
            self._harmlessly(lambda: self._append(lines, s), s)

    def rebuild(self, records: Iterable[Record], s: LoopState) -> None:
        """From the records of a loop that is taken up again; `s` is what they add up to."""
        self._teller, lines, self._name = Teller(), b"", ""
        state = LoopState()
        for one in records:
            if one.kind not in f.BY_KIND:
                continue
            fact = f.decode(one.data)
            state = fold(state, fact)
            self._name = self._name or name_of(one.at)
            told = self._teller.take(fact, state)
            lines += b"".join(_line(each.routed, one.at) for each in told if each.counts)
        self._teller.stand(s)
        if lines:
            self._harmlessly(lambda: self._write(lines), s)

    def _harmlessly(self, write: Callable[[], None], s: LoopState) -> None:
        if not self._folder.parent.is_dir() or not straight(self._folder, s):
            return  # an agent's doing; the journal has everything
        try:
            self._folder.mkdir(exist_ok=True)
            write()
        except OSError as error:
            if error.errno in DISK:
                raise

    def _append(self, lines: bytes, s: LoopState) -> None:
        if self._size < 0:
            self._write(lines)
            return
        fd = self._open()
        if fd < 0:
            self.rebuild([one for one in self._journal() if one.loop == s.loop], s)
            return
        try:
            os.write(fd, lines)
            self._size += len(lines)
        finally:
            os.close(fd)

    def _open(self) -> int:
        """The file, if it is the plain one that was left; else -1."""
        try:
            fd = os.open(self._folder / self._name, _FLAGS)
        except OSError:
            return -1
        found = os.fstat(fd)
        if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_size == self._size:
            return fd
        os.close(fd)
        return -1

    def _write(self, lines: bytes) -> None:
        path = self._folder / self._name
        self._size = 0
        write_atomically(path, lines, path.with_name(f"{path.name}.part"))
        self._size = len(lines)
        pointer = self._folder / POINTER
        write_atomically(pointer, f"{FOLDER}/{self._name}".encode(), pointer.with_name(f"{POINTER}.part"))


def name_of(at: str) -> str:
    """By when the loop began, in UTC."""
    return f"events-{datetime.fromisoformat(at).astimezone(UTC):%Y%m%d-%H%M%S}.jsonl"


def _line(routed: Routed, at: str) -> bytes:
    return msgspec.json.encode(record(routed, at)) + b"\n"
