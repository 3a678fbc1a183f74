"""The tasks of a backlog in a run: which are ready, and what loops came to. The file is written in batches."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator

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
from ralph.backlog.proposals import MOST, ProposalWriter
from ralph.backlog.source import Backlog
from ralph.core import facts as f
from ralph.core.exits import BY_NAME, DONE, FAILURES, OVER, exit_code
from ralph.core.loop.end_advice import lacks, landed_apart
from ralph.core.loop.state import LoopState
from ralph.core.policy import LandPolicy, Task
from ralph.core.run import RunState, Work, is_under
from ralph.errors import RalphError
from ralph.git.refs import ref_mark
from ralph.git.repo import Repo
from ralph.git.workspaces.pool import slots
from ralph.history.loops import Loop
from ralph.runner.run_request import GONE, TaskList
from ralph.runner.unlanded_tasks import UnlandedTasks
from ralph.runner.unlanded_tasks import ready as free

WRITE_SECONDS = 2.0  # between two writings


class BacklogTasks(TaskList):
    """A backlog as a run sees it: what is ready, and what became of it. The file is written in batches."""

    source: f.Source = "backlog"

    def __init__(
        self,
        backlog: Backlog,
        home: Repo,
        land: LandPolicy,
        *,
        poll_seconds: float = 1.0,
        generations: int = 1,
    ) -> None:
        self.proposing = ProposalWriter(backlog, self.note, self._say, generations)
        self.backlog = backlog
        self.name = backlog.name
        self.caught_up: list[str] = []  # tasks that a dead run got done, which only now is written
        self._home = home
        self._poll_seconds = poll_seconds
        self._land = land
        self._elsewhere = UnlandedTasks(home, land.target)
        self._apart_ids: list[str] = []
        self._apart_of: tuple[int, object] = (-1, ())  # the list and the target of which that is known
        self._unwritten = False
        self._unreadable: RalphError | None = None
        self._unwritable: RalphError | None = None
        self._write_at = 0.0
        self._said: list[str] = []
        self._results: dict[str, str] = {}  # what loops came to, by task, until it is written
        self._version = 0  # counts what may have changed the list
        self._known = {task.id for task in backlog.tasks}  # at the start, or put there by this run
        self._came: set[str] = set()  # ready tasks that others put there since
        self._is_full = False

    # -- what there is to do ---------------------------------------------------------------------------

    def ready(self, s: RunState, work: Work, unfinished: Collection[str]) -> list[str]:
        """What a dead run began comes first."""
        if self.trouble():
            return []
        taken = [task for task in unfinished if task not in s.ended]
        wanted = None if work.only or len(self._came) >= MOST else work.parallel + len(s.tasks)
        ready = [task.id for task in free(self.backlog.tasks, wanted, self._apart())]
        found = (*taken, *(task for task in ready if task not in unfinished))
        asked = [task for task in found if not work.only or is_under(task, work.only)]
        return asked if work.watch else [task for task in asked if self._counts(task)]

    def _counts(self, task: str) -> bool:
        """A person may add tasks while a run works; so may an agent that reaches the file, a new one with each. Without
        `--watch` a run takes up so many and ends, or it never would."""
        if task in self._known or task in self._came:
            return True
        if len(self._came) < MOST:
            self._came.add(task)
            return True
        if not self._is_full:
            self._is_full = True
            self._say(f"more than {MOST} tasks came into {self.name} meanwhile; the rest is for the next run")
        return False

    def _apart(self) -> list[str]:
        """Tasks that are complete and whose work the next ones would not find on the target. Costs git only where the list or
        the target has changed."""
        if self._land.how != "merge":
            return []  # nothing of what is done is there
        now_is = (self._version, ref_mark(self._home, self._land.target))
        if self._apart_of != now_is:
            self._apart_of = now_is
            self._apart_ids = [one.task for one in self._elsewhere.among(self.backlog.tasks)]
        return self._apart_ids

    def whole(self, s: RunState) -> list[str]:
        """Tasks that are done, though no loop of this run says so: those that were split and whose parts are all done, and
        those of a dead run that had not been written."""
        tasks = self.backlog.tasks
        failed = (id for id, (end, _) in s.ended.items() if end in FAILURES and id in tasks)
        split = (id for id in failed if not tasks.is_leaf(id) and tasks.status(id) == "complete")
        return [*self.caught_up, *split]

    def get(self, id: str) -> Task:
        found = self.backlog.tasks.get(id)
        assert found is not None
        return found.as_task()

    def copy_in(self, top: str) -> str:
        return self.backlog.copy_in(top)

    def texts(self) -> tuple[bytes, bytes]:
        return self.backlog.texts()

    def told(self, task: str) -> tuple[str, ...]:
        return self.proposing.told(task)

    # -- what became of it -----------------------------------------------------------------------------

    def began(self, task: str) -> None:
        self.note(Claimed(task))

    def went_on(self, before: LoopState) -> None:
        """`before`: as it ended; until now the file says that it is blocked, or failed."""
        if any(True for _ in changes(before)):
            self.note(Claimed(before.identity.task.id))

    def heard(self, fact: f.AnyFact, task: str) -> None:
        if isinstance(fact, f.LoopStarted):
            self.proposing.began(task)
        elif isinstance(fact, f.TaskProposed):
            self.proposing.heard(fact, task)

    def is_unworkable(self) -> bool:
        """A leftover line of a task that is in the archive is no harm."""
        return any(problem.kind != "duplicate" for problem in self.backlog.problems())

    def look(self) -> None:
        try:
            changed = self.backlog.refresh()
        except RalphError as error:
            self._unreadable = error
            return
        self._unreadable = None
        if changed:
            self._version += 1
            self._archive_completed()

    def _archive_completed(self) -> None:
        """What a person has set to complete goes to the archive by their word, unless a loop still works on it."""
        under_way = self.proposing.under_way
        done = (t for t in self.backlog.tasks if t.status == "complete" and not t.archived)
        for task in [t for t in done if t.verified is None]:  # a loop's, which is noted, says whether it is
            if task.id not in under_way and self.backlog.tasks.status(task.id) == "complete":
                self.note(Completed(task.id, when=task.completed, commit=task.commit))

    def trouble(self) -> RalphError | None:
        return self._unreadable or self._unwritable

    def look_at(self) -> float:
        return time.monotonic() + self._poll_seconds

    def due(self) -> float:
        return self._write_at if self._unwritten else float("inf")

    def note(self, change: Change) -> None:
        self.backlog.note(change)
        if isinstance(change, Added):
            self._known.add(str(change.fields["id"]))
        self._version += 1
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
            self._archive_completed()

    def write(self, seq: int) -> f.BacklogWritten | None:
        if not self._unwritten:
            return None
        self._write_at = time.monotonic() + WRITE_SECONDS
        try:
            applied = self.backlog.apply()
        except RalphError as error:  # the journal has it: it is tried again, at the latest by the next run
            self._unwritable = error
            return None
        self._unwritten, self._unwritable = False, None
        self._version += 1
        told = tuple(self._told(conflict) for conflict in applied.conflicts)
        self._results = {}
        said, self._said = tuple(self._said), []
        return f.BacklogWritten(seq=seq, conflicts=told, notes=said)

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
        self._archive_completed()

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
        task = self.backlog.tasks.get(id)
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
        if s.people.replied or (s.judgement.ended not in OVER and not needs_a_person(s)):
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
    """Whether it ended in a way that only someone's word gets it out of; its workspace is kept for that."""
    return (
        s.judgement.ended is not None
        and s.judgement.ended not in OVER
        and not s.people.replied
        and any(True for _ in changes(s))
    )
