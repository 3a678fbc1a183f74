"""What a long journal adds up to, kept beside it, so that who looks at it again reads only what is new.

A cache: without it, or when it does not fit the journal or this version, everything is read. It is never needed, and a failure
to write it is nobody's trouble.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import msgspec

from ralph import __version__
from ralph.history.history import Survey, build
from ralph.history.loops import Loop
from ralph.journal.read import NAME as JOURNAL
from ralph.journal.read import scan, scan_after
from ralph.journal.record import Record

NAME = "history.cache"
WORTH_SAVING = 2000  # records that need not be read again


class SavedHistory(msgspec.Struct):
    made_by: str  # the rules that made it
    seq: int  # the last record that it holds
    crc: int
    offset: int  # the byte after it
    survey: Survey
    loops: dict[str, Loop]  # without their past


class CurrentHistory:
    """The journal's current file: its runs and loops, and those loops that somebody asks for."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._journal = state_dir / JOURNAL
        saved = _load(state_dir / NAME)
        new = scan_after(self._journal, saved.seq, saved.crc, saved.offset) if saved else None
        self._loops = saved.loops if saved and new else {}
        self._complete = new is None
        self.survey = saved.survey if saved and new else Survey()
        self._new = new or scan(self._journal)
        for record in self._new.records:
            self.survey.take(record)

    def records(self) -> list[Record]:
        return self._new.records if self._complete else scan(self._journal).records

    def loops(self, ids: Collection[str]) -> dict[str, Loop]:
        """As they stand, perhaps without their past."""
        begun = {record.loop for record in self._new.records if record.kind == "loop.started"}
        if not all(id in begun or id in self._loops for id in ids):
            return self._keep(build(self.records(), ids))
        found = {id: Loop() if id in begun else self._loops[id] for id in ids}
        for record in self._new.records:
            if record.loop in found:
                found[record.loop].take(record)
        return self._keep(found)

    def _keep(self, loops: dict[str, Loop]) -> dict[str, Loop]:
        if len(self._new.records) >= WORTH_SAVING:
            for loop in loops.values():
                loop.set_down()
            new = self._new
            saved = SavedHistory(_rules(), new.seq, new.crc, new.good_bytes, self.survey, loops)
            _write(self._state_dir / NAME, msgspec.msgpack.encode(saved))
        return loops


def _rules() -> str:
    """Which code builds a history: a state that other rules made is not gone on with."""
    rooms = [Path(__file__).parents[1] / room for room in ("core", "history")]
    files = [path for room in rooms for path in room.rglob("*.py")]
    return f"{__version__} {len(files)} {max(path.stat().st_mtime_ns for path in files)}"


def _load(path: Path) -> SavedHistory | None:
    try:
        saved = msgspec.msgpack.decode(path.read_bytes(), type=SavedHistory)
        if saved.made_by != _rules():
            return None
    except (OSError, msgspec.MsgspecError):
        return None
    for loop in saved.loops.values():
        loop.take_up()
    return saved


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
