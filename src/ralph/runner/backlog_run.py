"""A run that works through a backlog: several loops side by side, each in a workspace of its own, landing one by one.

What loops come to is in the journal first; the backlog's file is written in batches and caught up after a death.
"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import msgspec

from ralph import __version__
from ralph.backlog.changes import Claimed, Reopened
from ralph.backlog.source import Backlog
from ralph.core import facts as f
from ralph.core.exits import FAILURES, OVER, exit_code
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy
from ralph.core.run import EndRun, ReviewRun, RunState, StartLoop, Work, fold_run, from_backlog
from ralph.errors import RalphError
from ralph.gates import kinds
from ralph.git.landing.failure_branch import archive
from ralph.git.landing.target import recover
from ralph.git.refs import ref_mark, tip
from ralph.git.repo import Repo, branch_name
from ralph.git.workspaces.pool import PooledWorkspace, prepare, reclaim, refuse_since, slots
from ralph.history.history import History, backlog_history, build
from ralph.history.loop_records import by_loop, ended_by, how_it_ended, seen_in
from ralph.history.loops import Loop
from ralph.history.runs import runs_in
from ralph.journal.append import Journal
from ralph.journal.lock import Lock, WorkLock
from ralph.journal.read import scan
from ralph.journal.record import Record, new_id, now
from ralph.journal.store import Store
from ralph.notify.notifier import LOOK_AGAIN
from ralph.processes.ownership import Ownership, choose_tier
from ralph.runner import sandboxing
from ralph.runner.backlog_writes import GONE, BacklogWriter, changes, unfinished, waiting
from ralph.runner.dead_runs import sweep_dead
from ralph.runner.gate_cache import GateCache
from ralph.runner.loop_notifier import LoopNotifier, tried_all
from ralph.runner.loop_pool import LoopPool, LoopReconciler
from ralph.runner.loop_runner import LoopRunner, LoopView, RunContext
from ralph.runner.loop_workspace import in_workspace
from ralph.runner.operations.landing import leave
from ralph.runner.requests import Control
from ralph.runner.run import make_folders, raised
from ralph.runner.run_review import RunReviewer
from ralph.runner.unlanded_tasks import UnlandedTasks
from ralph.runner.unlanded_tasks import ready as free


class Begun(msgspec.Struct):
    """A loop that is not over: its state, its records."""

    state: LoopState
    records: list[Record]


class Resume(msgspec.Struct, frozen=True):
    """A person wants this one loop to go on, and then the run to end."""

    task: str
    answer: str = ""
    allow: tuple[str, ...] = ()
    raise_limits: dict[str, float] = {}


class BacklogRequest(msgspec.Struct, frozen=True):
    """What the user wants of a run over a backlog."""

    folder: Path
    repo: Repo
    policy: Policy
    work: Work = Work()
    resume: Resume | None = None  # None: whatever is ready

    @property
    def everyone(self) -> Policy:
        """The policy with all who will be started under it, also at the end of the run."""
        return msgspec.structs.replace(self.policy, gates=(*self.policy.gates, *self.work.at_end))


def run_backlog(request: BacklogRequest, backlog: Backlog, seeing: LoopView) -> int:
    """The exit code."""
    state_dir = request.repo.state_dir
    sandboxing.check(request.everyone, request.repo, request.folder)
    run_id = new_id()
    tier = choose_tier(os.environ.get("RALPH_TIER", ""))
    make_folders(state_dir, request.folder)
    lock = Lock.acquire(state_dir, run_id)
    try:
        work_lock = WorkLock(request.folder / ".ralph.lock")
        work_lock.take()
        try:
            return _BacklogRun(request, backlog, seeing, run_id).go(tier)
        finally:
            work_lock.release()
    finally:
        lock.release()


class _BacklogRun:
    def __init__(self, request: BacklogRequest, backlog: Backlog, seeing: LoopView, run_id: str) -> None:
        self._request = request
        self._home = request.repo
        self._backlog = backlog
        self._seeing = seeing
        self._id = run_id
        self._state = RunState()
        self._lives: list[tuple[LoopRunner, PooledWorkspace]] = []
        # Of loops that are over, and of which somebody is still being told.
        self._telling: list[tuple[LoopNotifier, LoopState]] = []
        self._pulse_at = float("inf")
        self._list = BacklogWriter(backlog, self._record)
        self._elsewhere = UnlandedTasks(request.repo, request.policy.land.target)
        self._apart_ids: list[str] = []
        self._apart_of: tuple[int, object] = (-1, ())  # the list and the target of which that is known

    def go(self, tier: str) -> int:
        request = self._request
        self._journal = Journal.open(self._home.state_dir, self._id, now)
        resumed = self._to_resume()  # before anything is recorded
        kinds.require_kinds(resumed.state.gates if resumed is not None else ())
        store = Store(self._home.state_dir, self._id)
        masker = sandboxing.masker_of(request.everyone)
        with (
            Ownership(tier, self._id, masker.stream) as ownership,
            Control(request.folder, self._home.state_dir / "inbox", self._id) as control,
        ):
            self._shared = RunContext(
                run=self._id,
                journal=self._journal,
                known=GateCache(self._journal.records),
                store=store,
                ownership=ownership,
                control=control,
                seeing=self._seeing,
                masker=masker,
                fold_run=self._fold,
                ended=lambda s: None,
            )
            self._ending = RunReviewer(
                self._shared,
                self._home,
                request.folder,
                request.policy,
                request.work.at_end,
                share=request.work.share,
                record=self._record,
                state=lambda: self._state,
            )
            before = runs_in(self._journal.records).newest(self._home.root)
            self._state = before.state if before else RunState()
            self._fine = tip(self._home, request.policy.land.target)  # who asked has looked
            self._record(
                f.RunStarted(
                    run=self._id,
                    pid=os.getpid(),
                    version=__version__,
                    tier=tier,
                    residue=ownership.residue(),
                    backlog=str(self._home.root),
                    file=self._backlog.name,
                    target=request.policy.land.target,
                    tip=self._fine,
                )
            )
            if self._journal.repaired:
                self._record(f.JournalRepaired(bytes=self._journal.repaired))
            sweep_dead(self._journal.records, self._record)
            recover(self._home)
            control.begin(self._record, self._journal.sync, seen_in(self._journal.records))
            for box in sandboxing.left_boxes(self._home.state_dir):
                control.open_box(box, heard="-iteration-" in box.name, once=True)
            past = backlog_history(self._journal.records, self._home.root)
            self._unfinished = {
                task: self._begun(loop) for task, loop in unfinished(past.loops.values()).items()
            }
            self._catch_up(past)
            if resumed is not None:
                self._unfinished[resumed.state.identity.task.id] = resumed
            control.for_absent(self._is_awaited, self._answered)
            crew = LoopPool(control, request.work.gates_at_once)
            try:
                return self._work(crew, control)
            except BaseException:
                crew.kill()
                raise

    def _work(self, crew: LoopPool, control: Control) -> int:
        while True:
            self._list.look()
            for step in from_backlog(self._state, self._ready(), self._request.work, self._whole()):
                match step:
                    case StartLoop(task):
                        crew.loops.append(self._begin(task))
                    case ReviewRun(gate):
                        self._list.write(self._journal)
                        self._ending.review(gate, self._free_slot())
                    case EndRun(code):
                        control.run_is_over()
                        self._list.write(self._journal)
                        for telling, s in self._telling:
                            telling.tell_the_rest(s)
                        self._record(f.RunEnded(run=self._id, code=code))
                        self._journal.sync()
                        return code
            if not crew.loops:  # nobody else tells the view that time passes
                self._pulse_at = time.monotonic() + self._seeing.pulse(LoopState())
            crew.turn(self._due())
            self._harvest()
            if time.monotonic() >= self._list.due():
                self._list.write(self._journal)

    def _due(self) -> float:
        """When to come back though nothing happens: to look at the backlog and `.stop`, to write, to see who has been told."""
        if self._state.ending:  # nobody is waited for any more
            return time.monotonic()
        look = time.monotonic() + self._request.work.poll_seconds
        look = min(look, self._pulse_at, time.monotonic() + LOOK_AGAIN if self._telling else look)
        return min(look, self._list.due())

    # -- which task ---------------------------------------------------------------------------------

    def _ready(self) -> list[str]:
        """What a dead run began comes first."""
        if resume := self._request.resume:
            return [resume.task] if resume.task not in self._state.ended else []
        only = self._request.work.only
        taken = [task for task in self._unfinished if task not in self._state.ended]
        wanted = self._request.work.parallel + len(self._state.tasks)
        ready = [task.id for task in free(self._backlog.tasks, None if only else wanted, self._apart())]
        found = (*taken, *(task for task in ready if task not in self._unfinished))
        return [task for task in found if not only or task == only or task.startswith(f"{only}.")]

    def _apart(self) -> list[str]:
        """Tasks that are complete and whose work the next ones would not find on the target. Costs git only where the list or
        the target has changed."""
        if self._request.policy.land.how != "merge":
            return []  # nothing of what is done is there
        now_is = (self._list.version, ref_mark(self._home, self._request.policy.land.target))
        if self._apart_of != now_is:
            self._apart_of = now_is
            self._apart_ids = [one.task for one in self._elsewhere.among(self._backlog.tasks)]
        return self._apart_ids

    def _whole(self) -> list[str]:
        """Tasks that are done, though no loop of this run says so: those that were split and whose parts are all done, and
        those of a dead run that had not been written."""
        failed = (task for task, (end, _) in self._state.ended.items() if end in FAILURES)
        found = ((task, self._backlog.tasks.get(task)) for task in failed)
        split = [id for id, task in found if task and task.leaf is False]
        return [*self._list.caught_up, *(id for id in split if self._backlog.tasks.status(id) == "complete")]

    # -- one loop -----------------------------------------------------------------------------------

    def _begin(self, task: str) -> LoopReconciler:
        before = self._unfinished.pop(task, None)
        if before is not None:
            workspace = next((w for w in slots(self._home) if w.loop == before.state.identity.loop), None)
            if workspace is not None and (workspace.path / ".git").exists():
                return self._take_up(before, workspace)
            self._give_up(before)
        self._leave_parked(task)
        found = self._backlog.tasks.get(task)
        assert found is not None
        policy, loop = self._request.policy, new_id()
        archive(self._home, task)  # branches of earlier attempts that failed
        base = self._base()
        slot = self._free_slot()
        assert policy.workspace != "in-place"
        workspace = prepare(
            self._home,
            policy.workspace,
            slot=slot,
            loop=loop,
            base=base,
            branch=branch_name(task, found.title),
            when=now(),
            target=policy.land.target.removeprefix("refs/heads/"),
            share=self._request.work.share,
        )
        started = f.LoopStarted(
            loop=loop,
            task=found.as_task(),
            policy=policy,
            root=str(workspace.path),
            folder=os.path.relpath(self._request.folder, self._home.root),
            home=str(self._home.root),
            slot=slot,
            backlog=self._backlog.copy_in(str(self._home.root)),
        )
        begun = fold(LoopState(), started)
        life = LoopRunner(self._shared, in_workspace(self._home, workspace, begun), begun, [])
        life.start(started)
        self._journal.sync()
        self._list.note(Claimed(task))
        self._lives.append((life, workspace))
        return life.loop

    def _base(self) -> str:
        """What a new task begins with: the target's tip, unless somebody has put there meanwhile what stands in the way."""
        base = tip(self._home, self._request.policy.land.target)
        if base not in ("", self._fine) and (why := refuse_since(self._home, self._fine, base)):
            todo = "What has landed is kept. Take it off that branch, then `ralph run` goes on."
            raise RalphError(why, where=str(self._home.root), todo=todo)
        self._fine = base
        return base

    def _take_up(self, before: Begun, workspace: PooledWorkspace) -> LoopReconciler:
        life = LoopRunner(
            self._shared, in_workspace(self._home, workspace, before.state), before.state, before.records
        )
        resume = self._request.resume or Resume(before.state.identity.task.id)
        life.take_up(
            f.LoopResumed(
                run=self._id,
                limits=raised(before.state.identity.policy.limits, resume.raise_limits),
                answer=resume.answer,
                allow=resume.allow,
            )
        )
        if why := kinds.missing_kinds(
            before.state.gates
        ):  # this task waits for a person; the others continue
            code, tree = exit_code("blocked-on-person"), life.loop.state.workspace.tree
            life.loop.record(f.LoopEnded(end="blocked-on-person", reason=why, code=code, tree=tree))
        self._parked.pop(before.state.identity.loop, None)
        if any(True for _ in changes(before.state)):  # until now the file says that it is blocked
            self._list.note(Claimed(resume.task))
        self._lives.append((life, workspace))
        return life.loop

    def _to_resume(self) -> Begun | None:
        """Who asked has looked; but meanwhile another run may have gone on with it."""
        wanted = self._request.resume
        if wanted is None:
            return None
        past = backlog_history(self._journal.records, self._home.root)
        if found := waiting(past.loops.values(), self._home).get(wanted.task):
            return self._begun(found)
        raise RalphError(
            f"there is nothing of {wanted.task} to go on with any more",
            todo="`ralph status` shows how it stands.",
        )

    def _begun(self, loop: Loop) -> Begun:
        return Begun(loop.state, [r for r in self._journal.records if r.loop == loop.id])

    def _is_awaited(self, loop: str) -> bool:
        """It goes on in this run, and has not yet."""
        return any(before.state.identity.loop == loop for before in self._unfinished.values())

    def _answered(self, loop: str, fact: f.AnyFact) -> bool:
        """A person answers a loop that waits for them and that nobody attends: it goes on in this run."""
        if loop not in self._parked:
            return False
        own = [r for r in scan(self._journal.path).records if r.loop == loop]
        parked = waiting(build(own, [loop]).values(), self._home).get(self._parked[loop])
        if parked is None or parked.state.people.question is None:
            return False
        record = self._journal.append(f.kind_of(fact), f.encode(fact), loop)
        before = Begun(fold(parked.state, fact), [*own, record])
        task = before.state.identity.task.id
        self._unfinished[task] = before
        self._fold(fact, task)
        self._seeing.fact(fact, before.state)
        return True

    def _give_up(self, before: Begun) -> None:
        """Its workspace is gone, and with it what it made: the task begins anew."""
        ended = f.LoopEnded(end="cancelled", reason=GONE, code=exit_code("cancelled"))
        self._journal.append(f.kind_of(ended), f.encode(ended), before.state.identity.loop)
        self._seeing.fact(ended, fold(before.state, ended))

    def _leave_parked(self, task: str) -> None:
        """Somebody has reopened the task of a loop that waited for them: what it had made is kept, its workspace is free."""
        loops = {workspace.loop for workspace in slots(self._home)}
        reclaim(self._home, {loop for loop in loops if self._parked.get(loop) != task}, when=now())

    def _free_slot(self) -> int:
        used = {workspace.slot for workspace in slots(self._home)}
        return next(n for n in range(1, len(used) + 2) if n not in used)

    def _harvest(self) -> None:
        for life, workspace in list(self._lives):
            s = life.loop.state
            if s.judgement.ended is None:
                continue
            self._lives.remove((life, workspace))
            self._telling.append((life.telling, s))
            self._list.settle(s)
            if s.judgement.ended not in OVER:
                self._parked[s.identity.loop] = s.identity.task.id
            else:
                leave(self._home, workspace, s)
        self._telling = [(telling, s) for telling, s in self._telling if telling.still_tells()]

    # -- after a death --------------------------------------------------------------------------------

    def _catch_up(self, past: History) -> None:
        """What a dead run had recorded and not yet written; and workspaces of loops that are over."""
        ended = {id: loop.state for id, loop in past.loops.items() if loop.state.judgement.ended is not None}
        over = {id: s for id, s in ended.items() if s.judgement.ended in OVER}
        self._parked = {id: s.identity.task.id for id, s in ended.items() if id not in over}
        self._list.catch_up(past.loops.values(), past.survey.written)
        known = {loop.state.identity.loop for loop in self._unfinished.values()} | self._parked.keys()
        for workspace in slots(self._home):
            if workspace.loop in over:
                leave(self._home, workspace, over[workspace.loop])
        reclaim(self._home, known, when=now())
        for task in list(self._backlog.tasks):
            if task.status == "in_progress" and task.id not in self._unfinished:
                self._list.note(Reopened(task.id))
        self._tell_late(ended)

    def _tell_late(self, ended: dict[str, LoopState]) -> None:
        """A run that was cut short may have died before it had told how its loops ended."""
        for loop, own in by_loop(self._journal.records, self._home).items():
            s = ended.get(loop)
            if s is None or ended_by(own) not in self._state.runs or tried_all(own, s):
                continue
            telling = LoopNotifier(
                self._shared, s, self._home.root / s.identity.folder, partial(self._record_of, loop), own
            )
            telling.happened_in(ended_by(own))
            telling.take(how_it_ended(own), s)
            self._telling.append((telling, s))

    # -- facts ----------------------------------------------------------------------------------------

    def _record(self, fact: f.AnyFact) -> None:
        """A fact of the run itself, outside any loop."""
        self._journal.append(f.kind_of(fact), f.encode(fact))
        self._state = fold_run(self._state, fact)
        self._seeing.fact(fact, LoopState())

    def _record_of(self, loop: str, fact: f.AnyFact) -> None:
        """A fact of a loop that nobody attends any more."""
        fact = self._shared.without_secrets(fact)
        self._journal.append(f.kind_of(fact), f.encode(fact), loop)

    def _fold(self, fact: f.AnyFact, task: str) -> None:
        self._state = fold_run(self._state, fact, task)
        if isinstance(fact, f.LoopStarted):
            self._list.proposing.began(task)
        elif isinstance(fact, f.TaskProposed):
            self._list.proposing.heard(fact, task)
