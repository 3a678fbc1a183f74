"""What a journal adds up to: its runs and loops, record by record. Every view reads this, and no view parses the journal.

Of loops that are not wanted only their start and their newest record are known: folding them would cost time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.history.loops import Loop
from ralph.history.moments import At, at_record
from ralph.history.runs import Runs
from ralph.journal.read import NAME as JOURNAL
from ralph.journal.read import Follower, follow
from ralph.journal.record import Record


class LoopStart(msgspec.Struct, frozen=True):
    """A loop of which no more is known than its start."""

    id: str
    at: At
    task: str
    title: str
    root: str
    home: str
    of_backlog: bool

    @property
    def checkout(self) -> str:
        """The user's own, wherever the loop works."""
        return self.home or self.root


class Survey(msgspec.Struct):
    """The runs of a journal, and of each loop only its start and its newest record: quick to have."""

    cursor: int = 0  # the newest record that was taken
    runs: Runs = msgspec.field(default_factory=Runs)
    starts: dict[str, LoopStart] = {}  # every loop, oldest first
    newest: dict[str, int] = {}  # loop -> its newest record
    worked: dict[str, dict[str, None]] = {}  # run -> the loops that it worked on
    written: int = 0  # the backlog's file has been told of everything up to this record

    def take(self, record: Record) -> f.LoopStarted | None:
        """The loop that begins with this record, if one does."""
        self.cursor = record.seq
        self.runs.take(record)
        if record.kind == "backlog.written" and isinstance(told := f.decode(record.data), f.BacklogWritten):
            self.written = max(self.written, told.seq)
        started = f.decode(record.data) if record.kind == "loop.started" else None
        if isinstance(started, f.LoopStarted):
            x, task = started, started.task
            self.starts[x.loop] = LoopStart(
                x.loop, at_record(record), task.id, task.title, x.root, x.home, x.of_backlog
            )
        if record.loop in self.starts:
            self.newest[record.loop] = record.seq
            self.worked.setdefault(record.run, {})[record.loop] = None
        return started if isinstance(started, f.LoopStarted) else None

    def here(self, root: Path) -> list[LoopStart]:
        """The loops of this checkout and of its backlog, oldest first."""
        return [one for one in self.starts.values() if one.checkout == str(root)]

    def newest_prompt(self, root: Path) -> str:
        """The newest loop of a prompt here; empty: there is none."""
        return next((one.id for one in reversed(self.here(root)) if not one.of_backlog), "")

    def of_backlog(self, root: Path) -> list[str]:
        """The loops on tasks of this checkout's backlog, oldest first."""
        return [one.id for one in self.here(root) if one.of_backlog]

    def loops_of(self, lives: Collection[str], root: Path) -> list[str]:
        """The loops of this checkout that these lives of a run began or took up again, oldest first."""
        touched = {loop for life in lives for loop in self.worked.get(life, ())}
        return [one.id for one in self.here(root) if one.id in touched]


class History:
    """`wanted`: which loops are built; without it, all."""

    def __init__(self, wanted: Callable[[f.LoopStarted], bool] | None = None) -> None:
        self.survey = Survey()
        self.loops: dict[str, Loop] = {}  # the wanted ones
        self._wanted = wanted

    @property
    def cursor(self) -> int:
        return self.survey.cursor

    def take(self, record: Record) -> None:
        started = self.survey.take(record)
        if started is not None and (self._wanted is None or self._wanted(started)):
            self.loops[started.loop] = Loop()
        if record.loop in self.loops and record.kind in f.BY_KIND:
            self.loops[record.loop].take(record)


def history_of(records: Iterable[Record], wanted: Callable[[f.LoopStarted], bool] | None = None) -> History:
    found = History(wanted)
    for record in records:
        found.take(record)
    return found


def survey(records: Iterable[Record]) -> Survey:
    found = Survey()
    for record in records:
        found.take(record)
    return found


def build(records: Iterable[Record], ids: Collection[str]) -> dict[str, Loop]:
    """These loops, in this order."""
    found = history_of((r for r in records if r.loop in ids), lambda started: started.loop in ids)
    return {id: found.loops[id] for id in ids if id in found.loops}


def backlog_history(records: Iterable[Record], root: Path) -> History:
    """With the loops on tasks of this checkout's backlog."""
    return history_of(records, lambda started: started.of_backlog and started.home == str(root))


class LiveHistory:
    """The history of a journal that another process writes, from its first record on. Each call of `poll` costs as much as
    there is news."""

    def __init__(self, state_dir: Path, wanted: Callable[[f.LoopStarted], bool] | None = None) -> None:
        self.history = History(wanted)
        self._follower: Follower = follow(state_dir / JOURNAL)

    def poll(self) -> int:
        """Takes in what was recorded since the last call; how many records that were."""
        found = self._follower.poll()
        for record in found:
            self.history.take(record)
        return len(found)

    def close(self) -> None:
        self._follower.close()
