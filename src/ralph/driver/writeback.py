"""What a run tells the backlog's file: noted as it happens, written in batches, caught up with after a death."""

from __future__ import annotations

import time
from collections.abc import Callable

from ralph.backlog import Backlog, Change, Claimed, Conflict, Reopened
from ralph.core import facts as f
from ralph.core.exits import DONE, OVER, exit_code
from ralph.core.state import LoopState
from ralph.driver.landing import lacks
from ralph.driver.loops import by_loop, changes
from ralph.driver.proposing import Proposing
from ralph.journal.append import Journal
from ralph.journal.record import Record
from ralph.workspace import Repo

WRITE_SECONDS = 2.0  # between two writings


class WriteBack:
    def __init__(self, backlog: Backlog, record: Callable[[f.AnyFact], None]) -> None:
        self.proposing = Proposing(backlog, self.note, self._say)
        self._backlog = backlog
        self._record = record
        self._unwritten = False
        self._write_at = 0.0
        self._said: list[str] = []
        self._results: dict[str, str] = {}  # what loops came to, by task, until it is written
        self.caught_up: list[str] = []  # tasks that a dead run got done, which only now is written
        self.version = 0  # counts what may have changed the list

    def look(self) -> None:
        """Take up what people changed."""
        if self._backlog.refresh():
            self.version += 1

    def due(self) -> float:
        """When there is something to write; inf: nothing is."""
        return self._write_at if self._unwritten else float("inf")

    def note(self, change: Change) -> None:
        self._backlog.note(change)
        self.version += 1
        self._to_be_written()

    def _say(self, text: str) -> None:
        self._said.append(text)
        self._to_be_written()

    def _to_be_written(self) -> None:
        if not self._unwritten:
            self._write_at = max(self._write_at, time.monotonic())
        self._unwritten = True

    def settle(self, s: LoopState) -> None:
        """The end of a loop, for its task and for what was proposed below it."""
        split = self.proposing.is_split(s.task.id, s.ended)
        for change in [Reopened(s.task.id, of_loop=True)] if split else changes(s):
            self.note(change)
            self._results[s.task.id] = _result(s)
        if s.ended in OVER:
            self.proposing.over(s.task.id, s.ended)

    def write(self, journal: Journal) -> None:
        if not self._unwritten:
            return
        upto = journal.seq
        applied = self._backlog.apply()
        self._unwritten = False
        self._write_at = time.monotonic() + WRITE_SECONDS
        self.version += 1
        told = tuple(self._told(conflict) for conflict in applied.conflicts)
        self._results = {}
        said, self._said = tuple(self._said), []
        self._record(f.BacklogWritten(seq=upto, conflicts=told, notes=said))

    def _told(self, x: Conflict) -> str:
        """What a person's edit left unwritten must not be lost: the journal has it, but who reads that?"""
        result = self._results.get(x.id)
        return f"{x.id}: {x.what}" + (f"; what its loop came to: {result}" if result else "")

    def catch_up(self, records: list[Record], home: Repo, ended: dict[int, LoopState]) -> None:
        """What was proposed and what loops came to, in the order in which it happened: a dead run had not yet written all
        of it. `ended`: the record that ended a loop, and the loop."""
        notes = (f.decode(r.data) for r in records if r.kind == "backlog.written")
        written = max((x.seq for x in notes if isinstance(x, f.BacklogWritten)), default=0)
        own = [r for of in by_loop(records, home).values() for r in of]
        tasks: dict[str, str] = {}
        ends: dict[str, f.LoopEnded] = {}
        for record in sorted(own, key=lambda r: r.seq):
            if record.seq in ended:
                s = ended[record.seq]
                if record.seq > written:
                    self.settle(s)
                    if s.ended in DONE and not exit_code(s.ended, s.policy) and not lacks(s):
                        self.caught_up.append(s.task.id)
                elif s.ended in OVER:
                    self.proposing.forget(s.task.id)
            elif record.kind in ("loop.started", "loop.resumed", "loop.ended", "task.proposed"):
                fact = f.decode(record.data)
                if isinstance(fact, f.LoopStarted):
                    tasks[record.loop] = fact.task.id
                    self.proposing.began(fact.task.id)
                elif isinstance(fact, f.TaskProposed):
                    self.proposing.heard(fact, tasks[record.loop], written=record.seq <= written)
                elif isinstance(fact, f.LoopEnded):  # parked: it went on later
                    ends[record.loop] = fact
                elif record.loop in ends and record.seq > written:
                    self._went_on(tasks[record.loop], ends[record.loop])

    def _went_on(self, id: str, end: f.LoopEnded) -> None:
        """The file may still say that it waits for a person, in the words of this end."""
        task = self._backlog.tasks.get(id)
        if task and task.status == "blocked" and task.reason == f"{end.end}: {end.reason}":
            self.note(Claimed(id))


def _result(s: LoopState) -> str:
    where = f", {s.landed.ref.removeprefix('refs/heads/')} {s.landed.commit[:12]}" if s.landed else ""
    kept = f", kept on {s.end_branch}" if s.end_branch else ""
    return f"{s.ended}: {s.end_reason}{where}{kept}"
