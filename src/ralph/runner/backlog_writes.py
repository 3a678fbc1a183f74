"""Tasks that iterations propose, on their way into the user's backlog: checked, under a free id, each once.

What is proposed below a task that a loop works on waits until that loop is over. If it failed, a split takes effect in
place of the failure. If it came to a good end there is nothing left to split, and what was to be added goes beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator

import msgspec

from ralph.backlog.changes import (
    Added,
    Blocked,
    Cancelled,
    Change,
    Claimed,
    Completed,
    Conflict,
    Failed,
    Reopened,
)
from ralph.backlog.source import Backlog
from ralph.core import facts as f
from ralph.core.exits import BY_NAME, DONE, FAILURES, OVER, exit_code
from ralph.core.loop.end_advice import lacks, landed_apart
from ralph.core.loop.state import LoopState
from ralph.core.policy import Task
from ralph.core.tasks.task import bad_id, next_child, next_top, parent_of
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.git.workspaces.pool import slots
from ralph.history.loops import Loop
from ralph.journal.append import Journal

MOST = 100  # tasks that the loops of one task may propose; an agent must not fill the backlog for ever
TITLE_CHARS = 300


class _Wish(msgspec.Struct, frozen=True):
    task: Task
    how: str
    by: str  # the task whose loop wants it


class ProposalWriter:
    def __init__(self, backlog: Backlog, note: Callable[[Change], None], say: Callable[[str], None]) -> None:
        self._backlog = backlog
        self._note = note
        self._say = say
        self._under_way: set[str] = set()
        self._waiting: dict[str, list[_Wish]] = {}
        self._counts: dict[str, int] = {}
        self._renamed: dict[tuple[str, str], str] = {}  # who proposed it under which id -> the id it has

    def began(self, task: str) -> None:
        self._under_way.add(task)

    def heard(self, x: f.TaskProposed, by: str, *, written: bool = False) -> None:
        """`written`: the backlog's file has been told of it before."""
        for task in x.tasks:
            self._counts[by] = self._counts.get(by, 0) + 1
            if self._counts[by] > MOST:
                if self._counts[by] == MOST + 1 and not written:
                    self._say(f"{by} proposed more than {MOST} tasks; the rest is not added")
                return
            wanted = x.parent or parent_of(task.id)
            parent = self._renamed.get((by, wanted), wanted)
            if parent in self._under_way:
                self._waiting.setdefault(parent, []).append(_Wish(task, x.how, by))
            elif not written:
                self._place(task, parent, by)

    def is_split(self, task: str, end: str | None) -> bool:
        """Whether the end of this loop makes its task a container."""
        return end in FAILURES and any(wish.how == "split" for wish in self._waiting.get(task, ()))

    def over(self, task: str, end: str | None) -> None:
        """What the end means for the task itself has been noted; now what waited for it."""
        for wish in self.forget(task):
            if end in FAILURES:
                self._place(wish.task, task, wish.by)
            elif wish.how == "add":
                self._place(wish.task, self._beside(task), wish.by)
            else:
                self._say(f"{task} is {end}: it is not split, and {wish.task.title!r} is not added")

    def forget(self, task: str) -> list[_Wish]:
        self._under_way.discard(task)
        return self._waiting.pop(task, [])

    # -- parts ---------------------------------------------------------------------------------------

    def _beside(self, task: str) -> str:
        """The nearest task above that is still open; empty at the top."""
        found = self._backlog.tasks.get(task)
        while found is not None:
            found = self._backlog.tasks.get(found.parent) if found.parent else None
            if found is not None and not found.archived:
                return found.id
        return ""

    def _place(self, task: Task, parent: str, by: str) -> None:
        above = self._backlog.tasks.get(parent) if parent else None
        if parent and above is None:
            self._say(f"{by} proposed {task.title!r} below {parent}, which does not exist; it is not added")
            return
        if above is not None and above.archived:
            parent = self._beside(parent)
        title = " ".join(task.title.split())[:TITLE_CHARS]
        if same := self._same(title, task.description, parent):
            self._renamed[by, task.id] = same
            return
        id = self._free(task.id, parent)
        fields: dict[str, object] = {"id": id, "title": title, "status": "pending", "leaf": True}
        if task.description:
            fields["description"] = task.description
        if task.criteria:
            fields["criteria"] = list(task.criteria)
        if parent != parent_of(id):
            fields["parent"] = parent
        try:
            self._note(Added(fields))
        except RalphError as error:
            self._say(f"{by} proposed a task that cannot be: {error.what}")
            return
        self._renamed[by, task.id] = id
        self._say(f"{by} proposed {id}: {title}")

    def _same(self, title: str, description: str, parent: str) -> str:
        """Proposed twice counts once; also when the file was written and its writer died before it could say so."""
        for task in self._backlog.tasks:
            if task.title == title and task.description == description and task.parent == parent:
                return task.id
        return ""

    def _free(self, id: str, parent: str) -> str:
        fits = parent_of(id) in ("", parent) and not bad_id(id)
        if fits and self._backlog.tasks.get(id) is None:
            return id
        taken = [task.id for task in self._backlog.tasks]
        return next_child(parent, taken) if parent else next_top(taken)


WRITE_SECONDS = 2.0  # between two writings


class BacklogWriter:
    def __init__(self, backlog: Backlog, record: Callable[[f.AnyFact], None]) -> None:
        self.proposing = ProposalWriter(backlog, self.note, self._say)
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
        split = self.proposing.is_split(s.identity.task.id, s.judgement.ended)
        for change in [Reopened(s.identity.task.id, of_loop=True)] if split else changes(s):
            self.note(change)
            self._results[s.identity.task.id] = _result(s)
        if s.judgement.ended in OVER:
            self.proposing.over(s.identity.task.id, s.judgement.ended)

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

    def catch_up(self, loops: Collection[Loop], written: int) -> None:
        """What was proposed and what loops came to, in the order in which it happened: a dead run had not yet written all
        of it. `loops`: of this backlog; `written`: the record up to which the file has been told."""
        news: list[tuple[int, Loop, f.AnyFact | None]] = [(loop.at.seq, loop, None) for loop in loops]
        news += [(seq, loop, fact) for loop in loops for seq, fact in loop.for_backlog]
        last = {loop.id: seq for seq, loop, fact in news if isinstance(fact, f.LoopEnded)}
        ends: dict[str, f.LoopEnded] = {}
        for seq, loop, fact in sorted(news, key=lambda one: one[0]):
            s, task = loop.state, loop.state.identity.task.id
            match fact:
                case None:
                    self.proposing.began(task)
                case f.TaskProposed():
                    self.proposing.heard(fact, task, written=seq <= written)
                case f.LoopEnded() if seq == last[loop.id] and s.judgement.ended is not None:
                    self._came_to(s, told=seq <= written)
                case f.LoopEnded():  # parked: it went on later
                    ends[loop.id] = fact
                case f.LoopResumed() if loop.id in ends and seq > written:
                    self._went_on(task, ends[loop.id])

    def _came_to(self, s: LoopState, *, told: bool) -> None:
        if told:
            if s.judgement.ended in OVER:
                self.proposing.forget(s.identity.task.id)
            return
        self.settle(s)
        if s.judgement.ended in DONE and not exit_code(s.judgement.ended, s.identity.policy) and not lacks(s):
            self.caught_up.append(s.identity.task.id)

    def _went_on(self, id: str, end: f.LoopEnded) -> None:
        """The file may still say that it waits for a person, in the words of this end."""
        task = self._backlog.tasks.get(id)
        if task and task.status == "blocked" and task.reason == f"{end.end}: {end.reason}":
            self.note(Claimed(id))


def _result(s: LoopState) -> str:
    where = (
        f", {s.landing.landed.ref.removeprefix('refs/heads/')} {s.landing.landed.commit[:12]}"
        if s.landing.landed
        else ""
    )
    kept = f", kept on {s.judgement.end_branch}" if s.judgement.end_branch else ""
    return f"{s.judgement.ended}: {s.judgement.end_reason}{where}{kept}"


GONE = "its workspace is gone"  # with what was made there: the task begins anew


def changes(s: LoopState) -> Iterator[Change]:
    """What the end of a loop means for its task. An end that says nothing about the work leaves it as it is."""
    match BY_NAME[s.judgement.ended].task if s.judgement.ended else "in_progress":
        case "complete":
            proof = ", ".join(f"{gate} {what}" for gate, what in s.judgement.proof.items())
            commit = s.landing.landed.commit if s.landing.landed else ""
            verified = s.judgement.ended == "completed-verified"
            branch, target = landed_apart(s)
            yield Completed(
                s.identity.task.id, commit, verified, proof, branch=branch, target=target, of_loop=True
            )
        case "failed":
            yield Failed(s.identity.task.id, s.judgement.end_reason, of_loop=True)
        case "blocked":
            yield Blocked(s.identity.task.id, f"{s.judgement.ended}: {s.judgement.end_reason}", of_loop=True)
        case "cancelled" if s.judgement.end_reason == GONE:
            yield Reopened(s.identity.task.id, of_loop=True)
        case "cancelled":
            yield Cancelled(s.identity.task.id, s.judgement.end_reason, of_loop=True)


def unfinished(loops: Iterable[Loop]) -> dict[str, Loop]:
    """Loops of a backlog that go on by themselves, by task."""
    found: dict[str, Loop] = {}
    for loop in loops:
        s, task = loop.state, loop.state.identity.task.id
        if (
            s.judgement.ended is None
            or s.people.replied
            or (s.judgement.ended not in OVER and not list(changes(s)))
        ):
            found[task] = loop
        elif task in found and found[task].id < loop.id:
            del found[task]
    return found


def waiting(loops: Iterable[Loop], home: Repo) -> dict[str, Loop]:
    """Those that are not over and whose workspace is still there, by task: also those that wait for a person."""
    there = {workspace.loop for workspace in slots(home) if (workspace.path / ".git").exists()}
    found = (loop for loop in loops if loop.id in there and loop.state.judgement.ended not in OVER)
    return {loop.state.identity.task.id: loop for loop in found}


def needs_a_person(s: LoopState) -> bool:
    """Whether it ended in a way that only somebody's word gets it out of; its workspace is kept for that."""
    return (
        s.judgement.ended is not None
        and s.judgement.ended not in OVER
        and not s.people.replied
        and any(True for _ in changes(s))
    )
