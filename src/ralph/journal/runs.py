"""Which loops belong to a run over a backlog, as the journal has them. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.journal.record import Record


class BacklogRun(msgspec.Struct, frozen=True):
    """The newest run over the backlog of a checkout; `code` is None until it has ended."""

    id: str
    seq: int
    began: str
    ended: str = ""
    code: int | None = None
    file: str = ""  # the backlog's


def newest_backlog_run(records: Iterable[Record], root: Path) -> BacklogRun | None:
    found: BacklogRun | None = None
    for record in records:
        if record.kind == "run.started":
            started = f.decode(record.data)
            if isinstance(started, f.RunStarted) and started.backlog == str(root):
                found = BacklogRun(started.run, record.seq, record.at, file=started.file)
        elif record.kind == "run.ended" and found and record.run == found.id:
            ended = f.decode(record.data)
            if isinstance(ended, f.RunEnded):
                found = msgspec.structs.replace(found, ended=record.at, code=ended.code)
    return found


def loops_of(records: Iterable[Record], run: str, root: Path) -> dict[str, list[Record]]:
    """The loops of tasks of this checkout that the run began or took up again, oldest first, each with all its records."""
    found: dict[str, list[Record]] = {}
    touched: set[str] = set()
    for record in records:
        if record.kind == "loop.started":
            started = f.decode(record.data)
            if isinstance(started, f.LoopStarted) and started.home == str(root):
                found[started.loop] = []
        if record.loop in found and record.kind in f.BY_KIND:
            found[record.loop].append(record)
            if record.run == run:
                touched.add(record.loop)
    return {loop: own for loop, own in found.items() if loop in touched}
