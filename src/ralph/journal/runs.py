"""Which loops belong to a run over a backlog, as the journal has them. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.core.schedule import RunState, fold_run
from ralph.journal.record import Record

_OF_THE_RUN = frozenset(
    (
        "run.started",
        "run.review.started",
        "run.reviewed",
        "run.ended",
        "landed",
        "loop.ended",
        "stop.requested",
        "paused",
        "continued",
    )
)


class BacklogRun(msgspec.Struct, frozen=True):
    """A run over the backlog of a checkout; `code` is None until it has ended."""

    id: str
    seq: int
    began: str
    ended: str = ""
    code: int | None = None
    file: str = ""  # the backlog's
    reviews: tuple[f.RunReviewed, ...] = ()  # what reviewers say of its whole change
    reviewing: str = ""  # who looks at it now
    paused: bool = False  # by a person, as a whole


class BacklogRuns:
    """The runs over the backlog of one checkout, told record by record; `newest` is the one that they have come to."""

    def __init__(self, root: Path) -> None:
        self.newest: BacklogRun | None = None
        self.state = RunState()  # of the newest, with what it goes on with
        self._root = str(root)

    def add(self, record: Record) -> bool:
        """Whether something about the newest run is different now."""
        if record.kind not in _OF_THE_RUN:
            return False
        if record.kind != "run.started" and (self.newest is None or record.run != self.newest.id):
            return False
        fact = f.decode(record.data)
        if isinstance(fact, f.RunStarted):
            if fact.backlog != self._root:
                return False
            self.newest = BacklogRun(fact.run, record.seq, record.at, file=fact.file)
        assert self.newest is not None
        self.state = fold_run(self.state, fact)
        self.newest = msgspec.structs.replace(
            self.newest,
            reviews=self.state.reviews,
            reviewing=self.state.reviewing,
            paused=self.state.paused,
        )
        if isinstance(fact, f.RunEnded):
            self.newest = msgspec.structs.replace(self.newest, ended=record.at, code=fact.code)
        return True


def backlog_runs(records: Iterable[Record], root: Path) -> BacklogRuns:
    found = BacklogRuns(root)
    for record in records:
        found.add(record)
    return found


def newest_backlog_run(records: Iterable[Record], root: Path) -> BacklogRun | None:
    return backlog_runs(records, root).newest


def file_of(records: Iterable[Record], run: str) -> str:
    """The backlog's file that a run works through; empty where the journal does not say."""
    for record in records:
        if record.kind == "run.started" and record.run == run:
            started = f.decode(record.data)
            if isinstance(started, f.RunStarted):
                return started.file
    return ""


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
