"""Which loops belong to a run over a backlog, as the journal has them. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.core.run import RunState, fold_run
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.journal.read import history
from ralph.journal.record import Record
from ralph.text import few

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


class ReportSubject(msgspec.Struct, frozen=True):
    """The records of each loop that is meant, oldest loop first; and the run over a backlog, when that is meant."""

    loops: list[list[Record]]
    run: BacklogRun | None = None
    earlier: str = ""  # the run over the backlog before that one


class _Known(msgspec.Struct):
    """What there is, without the records themselves."""

    here: dict[str, f.LoopStarted] = {}  # loops of this workspace and of its backlog
    elsewhere: set[str] = set()
    runs: dict[str, set[str]] = {}  # run -> the loops of here that it worked on
    last: dict[str, int] = {}  # loop of here -> its newest record
    backlog: list[BacklogRun] = []  # runs over the backlog of this checkout, oldest first

    def loops_of(self, run: BacklogRun) -> list[str]:
        touched = {loop for life in run.runs for loop in self.runs.get(life, ())}
        return [name for name in self.here if name in touched]


def choose(
    repo: Repo, *, loop: str = "", run: str = "", everything: bool = False, task: str = ""
) -> ReportSubject:
    """An error that a person understands when there is none."""
    known = _survey(repo)
    if not known.here and loop not in known.elsewhere:
        raise RalphError("there is no loop here yet", todo='Start one with `ralph run -p "..."`.')
    over: BacklogRun | None = None
    if loop:
        wanted = [_named(known, loop)]
    elif task:
        wanted = [_of_task(known, task)]
    elif everything:
        wanted = list(known.here)
    elif run:
        over = next((x for x in known.backlog if any(life.startswith(run) for life in x.runs)), None)
        wanted = known.loops_of(over) if over else []
        wanted = wanted or _of_run(known, run)
    else:
        in_place = [name for name, started in known.here.items() if not started.home][-1:]
        over = _newest_run(known, in_place)
        wanted = known.loops_of(over) if over else in_place or list(known.here)[-1:]
    return ReportSubject(_records(repo, wanted), over, _earlier(known, over) if over else "")


def _survey(repo: Repo) -> _Known:
    known, runs = _Known(), BacklogRuns(repo.root)
    for record in history(repo.state_dir):
        if record.kind == "loop.started":
            started = f.decode(record.data)
            assert isinstance(started, f.LoopStarted)
            if (started.home or started.root) == str(repo.root):
                known.here[started.loop] = started
            else:
                known.elsewhere.add(started.loop)
        else:
            runs.add(record)
        if record.loop in known.here:
            known.runs.setdefault(record.run, set()).add(record.loop)
            known.last[record.loop] = record.seq
    known.backlog = runs.all
    return known


def _newest_run(known: _Known, in_place: list[str]) -> BacklogRun | None:
    """The run over the backlog that is meant, which `ralph status` shows too; None when a loop in place is newer."""
    over = meant(known.backlog, known.runs.keys())
    newer = over is not None and any(known.last[name] > over.seq for name in in_place)
    return None if newer else over


def _earlier(known: _Known, over: BacklogRun) -> str:
    before = [run.id for run in known.backlog if run.seq < over.seq and known.loops_of(run)]
    return before[-1] if before else ""


def _named(known: _Known, loop: str) -> str:
    if loop in known.here or loop in known.elsewhere:
        return loop
    found = [name for name in known.here if name.startswith(loop)]
    if len(found) > 1:
        raise RalphError(f"several loops begin with {loop!r}: {few(found)}", todo="Give more of the name.")
    if not found:
        raise _none(known, f"loop {loop!r}")
    return found[0]


def _of_task(known: _Known, task: str) -> str:
    found = [name for name, started in known.here.items() if started.task.id == task]
    if not found:
        worked = list(dict.fromkeys(started.task.id for started in known.here.values()))
        raise RalphError(
            f"no loop has worked on a task {task!r} here", todo=f"Worked on: {few(worked[::-1])}."
        )
    return found[-1]


def _of_run(known: _Known, run: str) -> list[str]:
    loops = {loop for name, own in known.runs.items() if name.startswith(run) for loop in own}
    if not loops:
        raise _none(known, f"run {run!r} with a loop here")
    return [name for name in known.here if name in loops]


def _none(known: _Known, what: str) -> RalphError:
    names = few(list(known.here)[::-1])
    return RalphError(f"there is no {what}", todo=f"Loops here: {names}. `ralph report --all` shows all.")


def _records(repo: Repo, wanted: list[str]) -> list[list[Record]]:
    found: dict[str, list[Record]] = {name: [] for name in wanted}
    for record in history(repo.state_dir):
        if record.loop in found and record.kind in f.BY_KIND:
            found[record.loop].append(record)
    return list(found.values())
