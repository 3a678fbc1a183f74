"""Which loops belong to a run over a backlog, as the journal has them. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
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
    """A run over the backlog of a checkout, together with those before it that were cut short and that it went on with:
    its lives. `code` is None until the last of them has ended."""

    id: str  # of the last life
    seq: int
    began: str  # the first life
    ended: str = ""
    code: int | None = None
    file: str = ""  # the backlog's
    reviews: tuple[f.RunReviewed, ...] = ()  # what reviewers say of its whole change
    reviewing: str = ""  # who looks at it now
    paused: bool = False  # by a person, as a whole
    runs: tuple[str, ...] = ()  # all lives, oldest first
    since: str = ""  # when the last life began
    before_seconds: float = 0.0  # that the lives before it lasted, as far as they recorded anything


class BacklogRuns:
    """The runs over the backlog of one checkout, told record by record; `newest` is the one that they have come to."""

    def __init__(self, root: Path) -> None:
        self.newest: BacklogRun | None = None
        self.all: list[BacklogRun] = []  # oldest first
        self.state = RunState()  # of the newest, with what it goes on with
        self._root = str(root)
        self._last = ""  # when the newest recorded something

    def add(self, record: Record) -> bool:
        """Whether something about the newest run is different now."""
        if self.newest is not None and record.run == self.newest.id:
            self._last = record.at
        if record.kind not in _OF_THE_RUN:
            return False
        if record.kind != "run.started" and (self.newest is None or record.run != self.newest.id):
            return False
        fact = f.decode(record.data)
        if isinstance(fact, f.RunStarted) and fact.backlog != self._root:
            return False
        self.state = fold_run(self.state, fact)
        if isinstance(fact, f.RunStarted):
            self.newest = self._begun(fact, record)
        assert self.newest is not None
        self.newest = msgspec.structs.replace(
            self.newest,
            reviews=self.state.reviews,
            reviewing=self.state.reviewing,
            paused=self.state.paused,
        )
        if isinstance(fact, f.RunEnded):
            self.newest = msgspec.structs.replace(self.newest, ended=record.at, code=fact.code)
        self.all[-1] = self.newest
        return True

    def _begun(self, x: f.RunStarted, record: Record) -> BacklogRun:
        before, began, lasted = self.newest, record.at, 0.0
        if before is not None and len(self.state.runs) > 1:
            lived = datetime.fromisoformat(self._last) - datetime.fromisoformat(before.since)
            began, lasted = before.began, before.before_seconds + max(0.0, lived.total_seconds())
            self.all.pop()
        self._last = record.at
        begun = BacklogRun(
            id=x.run,
            seq=record.seq,
            began=began,
            file=x.file,
            runs=self.state.runs,
            since=record.at,
            before_seconds=lasted,
        )
        self.all.append(begun)
        return begun


def backlog_runs(records: Iterable[Record], root: Path) -> BacklogRuns:
    found = BacklogRuns(root)
    for record in records:
        found.add(record)
    return found


def newest_backlog_run(records: Iterable[Record], root: Path) -> BacklogRun | None:
    return backlog_runs(records, root).newest


def meant(runs: Sequence[BacklogRun], worked: Collection[str], live: str = "") -> BacklogRun | None:
    """Which run people mean when they name none: the one at work, else the last that worked on something. `runs`: oldest
    first; `worked`: ids of lives that did."""
    last = runs[-1] if runs else None
    if last is None or last.id == live:
        return last
    return next((run for run in reversed(runs) if any(life in worked for life in run.runs)), last)


def file_of(records: Iterable[Record], run: str) -> str:
    """The backlog's file that a run works through; empty where the journal does not say."""
    for record in records:
        if record.kind == "run.started" and record.run == run:
            started = f.decode(record.data)
            if isinstance(started, f.RunStarted):
                return started.file
    return ""


def loops_of(records: Iterable[Record], runs: Collection[str], root: Path) -> dict[str, list[Record]]:
    """The loops of tasks of this checkout that these lives of a run began or took up again, oldest first, each with all its
    records."""
    found: dict[str, list[Record]] = {}
    touched: set[str] = set()
    for record in records:
        if record.kind == "loop.started":
            started = f.decode(record.data)
            if isinstance(started, f.LoopStarted) and started.home == str(root):
                found[started.loop] = []
        if record.loop in found and record.kind in f.BY_KIND:
            found[record.loop].append(record)
            if record.run in runs:
                touched.add(record.loop)
    return {loop: own for loop, own in found.items() if loop in touched}
