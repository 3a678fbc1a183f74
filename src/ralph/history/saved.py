"""What a journal adds up to, saved beside it, so that whoever looks reads only what is new.

A cache: without it, or when it does not fit the journal or this version, everything is read. It is never needed, nothing that a
run does rests on it, and a failure to write it is no one's trouble.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph import __version__
from ralph.core import facts as f
from ralph.errors import RalphError
from ralph.history import SAVE_EVERY
from ralph.history.history import Survey
from ralph.history.loops import Loop
from ralph.journal.read import NAME as JOURNAL
from ralph.journal.read import scan, scan_after

NAME = "history.cache"
_CRC = 4  # bytes


class SavedHistory(msgspec.Struct):
    made_by: str  # the rules that made it
    seq: int  # the last record that it holds
    crc: int
    offset: int  # the byte after it
    survey: Survey
    loops: dict[str, msgspec.Raw]  # each is a Loop without its past, decoded when it is wanted


class CurrentHistory:
    """The journal's current file: its runs, and its loops as they stand, perhaps without their past."""

    def __init__(self, state_dir: Path) -> None:
        journal = state_dir / JOURNAL
        saved = _load(state_dir / NAME)
        new = scan_after(journal, saved.seq, saved.crc, saved.offset) if saved else None
        known = saved if saved and new else SavedHistory("", 0, 0, 0, Survey(), {})
        new = new or scan(journal)
        self.survey = known.survey
        self._saved = known.loops
        self._loops: dict[str, Loop] = {}
        for record in new.records:
            if self.survey.take(record):
                self._loops[record.loop] = Loop()
            if record.loop in self.survey.starts and record.kind in f.BY_KIND:
                self._loop(record.loop).take(record)
        self.read = len(new.records)
        if self.read >= SAVE_EVERY:
            loops = self._saved | {id: _encoded(loop) for id, loop in self._loops.items()}
            _write(
                state_dir / NAME,
                SavedHistory(_rules(), new.seq, new.crc, new.good_bytes, self.survey, loops),
            )

    def loops(self, ids: Collection[str]) -> dict[str, Loop]:
        return {id: self._loop(id) for id in ids}

    def _loop(self, id: str) -> Loop:
        if id not in self._loops:
            self._loops[id] = loop = msgspec.msgpack.decode(self._saved[id], type=Loop)
            loop.take_up()
        return self._loops[id]


def save(state_dir: Path) -> None:
    """If there is enough to save."""
    with suppress(RalphError):
        CurrentHistory(state_dir)


def _encoded(loop: Loop) -> msgspec.Raw:
    loop.set_down()
    raw = msgspec.Raw(msgspec.msgpack.encode(loop))
    loop.take_up()
    return raw


def _rules() -> str:
    """Which code builds a history: a state that other rules made is not continued with."""
    rooms = [Path(__file__).parents[1] / room for room in ("core", "history")]
    files = [path for room in rooms for path in room.rglob("*.py")]
    return f"{__version__} {len(files)} {max(path.stat().st_mtime_ns for path in files)}"


def _load(path: Path) -> SavedHistory | None:
    try:
        data = path.read_bytes()
        if zlib.crc32(data[_CRC:]).to_bytes(_CRC) != data[:_CRC]:
            return None
        saved = msgspec.msgpack.decode(data[_CRC:], type=SavedHistory)
    except (OSError, msgspec.MsgspecError):
        return None
    return saved if saved.made_by == _rules() else None


def _write(path: Path, saved: SavedHistory) -> None:
    data = msgspec.msgpack.encode(saved)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        # As the journal's: it holds what the policy holds, and that may be secret.
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(zlib.crc32(data).to_bytes(_CRC) + data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
