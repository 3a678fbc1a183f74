"""One life of the orchestrator: take the locks, take stock, drive the loops that are wanted, leave everything tidy.

A prompt is a list of one task. What loops come to is in the journal first; a backlog's file is written in batches and
caught up after a death.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import OVER, SOME_TASKS_FAILED, exit_code
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.run import (
    EndRun,
    ReviewRun,
    RunSpent,
    RunState,
    StartLoop,
    StopRun,
    fold_run,
    red_start,
    schedule,
    why_over,
)
from ralph.errors import RalphError
from ralph.files import read_bytes
from ralph.gates import kinds
from ralph.git.loose_objects import packed_objects
from ralph.git.program import owned_children
from ralph.git.repo import Repo, printable
from ralph.history.loop_records import (
    Begun,
    begun,
    dead_runs,
    is_over,
    seen_in,
)
from ralph.journal.append import Journal
from ralph.journal.lock import Lock, WorkLock
from ralph.journal.record import new_id, now
from ralph.journal.store import Store
from ralph.processes.ownership import Ownership, choose_tier
from ralph.runner import sandboxing
from ralph.runner.gate_cache import GateCache
from ralph.runner.loop_context import LoopContext, RunContext, RunView
from ralph.runner.loop_pool import LONGEST, LoopPool
from ralph.runner.loop_runner import LoopRunner
from ralph.runner.loop_workspace import Workspaces, folder_of
from ralph.runner.past_runs import PastRuns, make_folders, require_hidden, run_started, sweep_dead
from ralph.runner.requests import Control
from ralph.runner.run_request import GONE, Resume, RunRequest, TaskList, raised
from ralph.text import count, few

if TYPE_CHECKING:
    from ralph.git.workspaces.pool import PooledWorkspace
    from ralph.runner.run_review import RunReviewer

_NOTHING = f.Usage()
UNWRITTEN = "What the loops came to is in the journal; the next `ralph run` writes it into the list."
QUIET = 1.0  # seconds after which a person who waits for the end is shown what for


def run(
    request: RunRequest,
    tasks: TaskList,
    view: RunView,
    run_id: str = "",
    begins: Callable[[], None] | None = None,
) -> int:
    """The exit code. `run_id`: drawn by who has to know it before. `begins` is called when nothing refuses the run any more."""
    state_dir = request.repo.state_dir
    _require_utf8(request)
    if request.resume is None:
        sandboxing.check(request.everyone, request.repo, request.folder)
        require_hidden(request.repo, request.policy)
    run_id = run_id or new_id()
    tier = choose_tier(os.environ.get("RALPH_TIER", ""))
    make_folders(state_dir, request.folder)
    about = {"folder": str(request.folder), "root": str(request.repo.root), "task": request.work.only}
    lock = Lock.acquire(state_dir, run_id, about=about)
    try:
        work_lock = WorkLock(request.folder / ".ralph.lock")
        work_lock.take()
        try:
            if begins is not None:
                begins()
            with owned_children(), packed_objects(request.repo):
                return Run(request, tasks, view, run_id).go(tier)
        except (RalphError, OSError):
            _require_repository(request.repo)
            raise
        finally:
            work_lock.release()
    finally:
        lock.release()


def _require_utf8(request: RunRequest) -> None:
    """The journal is JSON, and names these places."""
    places = [("this folder", request.folder)]
    if request.policy.workspace != "in-place":
        from ralph.git.repo import slots_dir  # most prompts work in place

        places.append(("the workspaces' folder", slots_dir(request.repo)))
    for what, path in places:
        if printable(str(path)) != str(path):
            raise RalphError(
                f"the path of {what} is not valid UTF-8",
                where=printable(str(path)),
                todo="Rename it, or work elsewhere; nothing was changed.",
            )


def _require_repository(repo: Repo) -> None:
    """With its git directory the journal is gone: nothing was kept, and nothing can be resumed."""
    if repo.versioned and not (repo.common_dir / "HEAD").exists():
        raise RalphError(
            f"the folder {repo.common_dir.name} is gone: someone removed it while the run worked here",
            where=str(repo.root),
            todo="The files of the work are as they were left. What Ralph had recorded and kept went with that folder.",
            code=70,
        )


class Run:
    def __init__(self, request: RunRequest, tasks: TaskList, view: RunView, run_id: str) -> None:
        self.state = RunState()
        self._request = request
        self._home = request.repo
        self._tasks = tasks
        self._view = view
        self._id = run_id
        self._journal = Journal.open(request.repo.state_dir, run_id, now)
        self._past = PastRuns(request, tasks, self._journal.records)
        self._resumed = self._past.resumed
        self._unfinished: dict[str, Begun] = {}  # loops that go on in this run, by task
        self._parked: dict[str, str] = {}  # loops that wait for a person -> their tasks
        self._attended: list[LoopRunner] = []
        self._began = time.monotonic()
        self._warned_of_red = False
        self._trouble = ""  # with the list of tasks, as it was last shown
        self._spent_usage = f.Usage()  # of loops of this run that are over, and of reviewers of the whole

    def go(self, tier: str) -> int:
        request, past = self._request, self._past
        past.require_usable()
        # Only now: a run that is refused leaves no folder.
        store = Store(self._home.state_dir, self._id)
        if past.nothing_left():
            self._journal.rotate_if_large()
        self._unfinished, policies = past.taken_up()
        masker = self._masker = sandboxing.masker_of(policies)
        with (
            Ownership(tier, self._id, masker.stream) as ownership,
            Control(request.folder, self._home.state_dir / "inbox", self._id) as control,
        ):
            self._context = RunContext(
                id=self._id,
                home=self._home,
                journal=self._journal,
                known=GateCache(self._journal.records),
                store=store,
                ownership=ownership,
                control=control,
                view=self._view,
                masker=masker,
                beside=[],
                tasks=self._tasks,
                given=request.given,
            )
            self._pool = LoopPool(control, self._context.beside, request.work.gates_at_once)
            started = self._started(tier, ownership.residue())
            self.state = past.before(started)
            dead = {one.run for one in dead_runs(self._journal.records)}
            self.record(started)
            if self._journal.repaired:
                self.record(f.JournalRepaired(bytes=self._journal.repaired))
            sweep_dead(self._home, self._journal.records, self.record)
            self._repair_checkout()
            if past.works_apart:
                self._look_for_orphans()
            for box in sandboxing.left_boxes(self._home.state_dir):
                control.open_box(box, heard="-iteration-" in box.name, once=True)
            self._set_aside()
            self._catch_up(dead)
            seen = seen_in(self._journal.records)
            control.begin(
                self.record, self._journal.sync, seen, self._is_awaited, self._answered, self._tasks.vouches
            )
            try:
                return self._work(control)
            except BaseException:
                self._pool.kill()
                raise
            finally:
                self._context.close_checkouts()

    def _work(self, control: Control) -> int:
        control.heed_stops()  # who wants it stopped already wants nothing begun
        while True:
            self._tasks.look()
            self._mention_trouble()
            whole = self._tasks.whole(self.state)
            for step in schedule(self.state, self._ready(), self._request.work, whole, self._spent()):
                match step:
                    case StopRun(limit):
                        control.stop(f.StopRequested(how="now", by=limit))
                    case StartLoop(task):
                        self._begin(task)
                    case ReviewRun(gate):
                        self._write()
                        self._reviewer.begin(gate)
                    case EndRun(code):
                        return self._end(code)
            self._pool.turn(self._due())
            self._harvest()
            if time.monotonic() >= self._tasks.due():
                self._write()

    def _spent(self) -> RunSpent:
        """What loops had spent before this run is not its own."""
        used = [(runner.state.spent(), runner.begun_with) for runner in self._attended]
        return RunSpent(
            seconds=time.monotonic() - self._began,
            cost_usd=self._spent_usage.cost_usd + sum(now.cost_usd - before.cost_usd for now, before in used),
            tokens=self._spent_usage.tokens + sum(now.tokens - before.tokens for now, before in used),
        )

    def _used(self, all_in_all: f.Usage, before: f.Usage = _NOTHING) -> None:
        tokens = self._spent_usage.tokens + all_in_all.tokens - before.tokens
        self._spent_usage = f.Usage(
            tokens, self._spent_usage.cost_usd + all_in_all.cost_usd - before.cost_usd
        )

    def _due(self) -> float:
        """When to come back though nothing is told: to look at the list, to write it, to show that time passes."""
        look = min(self._tasks.look_at(), self._tasks.due())
        if not self._pool.loops:  # no one else tells the view that time passes, and a stop file has no signal
            seconds = min(self._view.pulse(LoopState()), 1.0 if look == float("inf") else LONGEST)
            look = min(look, time.monotonic() + seconds)
        limit = self._request.work.max_run_seconds
        return min(look, self._began + limit) if limit and not self.state.stopping else look

    def _end(self, code: int) -> int:
        """Its end is settled; who is still being told is waited for. A signal only hurries that from here on."""
        control, beside = self._context.control, self._context.beside
        control.run_is_over()
        self._write()
        if not self.state.tasks and not self.state.stopping and self._tasks.is_unworkable():
            code = code or SOME_TASKS_FAILED
        if self._tasks.trouble():
            code = code or 70
            self._view.note(UNWRITTEN)
        mention_at = time.monotonic() + QUIET
        while beside and not control.hurried():
            if time.monotonic() >= mention_at:
                targets = few([getattr(one, "target", one.id) for one in beside])
                self._view.note(f"still telling {targets}; Ctrl-C leaves it")
                mention_at = float("inf")
            self._pool.turn(min(mention_at, time.monotonic() + self._view.pulse(LoopState())))
        for one in beside:
            one.cut("cut short")
            one.conclude()
        why = why_over(self.state, self._request.work, self._ready())
        if self._tasks.source == "prompt" and not self.state.ended:
            self._view.note(f"{why}: nothing was begun. The same command starts it.")
        self._context.close_checkouts()  # before its end is recorded: what is left after a death, the next run removes
        self.record(f.RunEnded(run=self._id, code=code, reason=why))
        self._journal.sync()
        return code

    # -- taking stock ----------------------------------------------------------------------------------

    def _started(self, tier: str, residue: str) -> f.RunStarted:
        of_backlog = self._tasks.source == "backlog"
        apart = of_backlog or self._past.works_apart
        resumed = self._resumed.state.identity.task.id if self._resumed else ""
        return replace(
            run_started(self._id, tier, residue, self._masker),
            tasks=() if of_backlog else (resumed or self._request.work.only,),
            backlog=str(self._home.root) if of_backlog else "",
            file=self._tasks.name,
            target=self._request.policy.land.target if apart else "",
            tip=self._workspaces.tip if apart else "",
        )

    @cached_property
    def _workspaces(self) -> Workspaces:
        land, share = self._request.policy.land, self._request.work.share
        return Workspaces(self._home, land.target, share, self._view.note)

    @cached_property
    def _reviewer(self) -> RunReviewer:
        from ralph.runner.run_review import RunReviewer  # most runs have none

        return RunReviewer(self._context, self, self._workspaces, self._request)

    def _repair_checkout(self) -> None:
        """A landing may have died while this checkout followed it: before anybody works here."""
        if (self._home.state_dir / "landing").exists():
            from ralph.git.landing.target import recover  # in most repositories nothing lands

            recover(self._home)

    def _look_for_orphans(self) -> None:
        """Once a run: workspaces of repositories that are gone would stay forever."""
        from ralph.git.workspaces.orphans import remove_orphans

        found = remove_orphans()
        if found.removed:
            kept = f"; kept, with unfinished work: {few([str(one.path) for one in found.kept])}"
            removed = f"removed {count(len(found.removed), 'workspace')} of repositories that are gone"
            self._view.note(removed + (kept if found.kept else ""))

    def _set_aside(self) -> None:
        """A fresh start closes the loop that it replaces, so that nothing of it stays under way in journal or tree."""
        aside = self._request.aside
        found = begun(self._journal.records, aside.loop) if aside else None
        if aside is None or found is None or found.state.judgement.ended is not None:
            return
        from ralph.runner.resume import set_aside

        if place := self._place_of(found.state):
            set_aside(found, place, for_good=aside.for_good)

    def _catch_up(self, dead: Collection[str]) -> None:
        """What a dead run had recorded and not yet written; workspaces of loops that are over; who was not told."""
        if self._tasks.source == "backlog":
            from ralph.runner.operations.landing import leave

            past = self._past.of_backlog
            ended = {id: loop.state for id, loop in past.loops.items() if loop.state.judgement.ended}
            over = {id: s for id, s in ended.items() if s.judgement.ended in OVER}
            self._parked = {id: s.identity.task.id for id, s in ended.items() if id not in over}
            self._tasks.catch_up(past.loops.values(), past.survey.written)
            for loop in self._workspaces.loops():
                if loop in over and (workspace := self._workspaces.of(loop)):
                    leave(self._home, workspace, over[loop])
            known = {one.state.identity.loop for one in self._unfinished.values()} | self._parked.keys()
            self._workspaces.keep_only(known)
        if self._resumed is not None:
            self._unfinished[self._resumed.state.identity.task.id] = self._resumed
        if dead:
            from ralph.runner.loop_notifier import tell_late

            tell_late(self._context, dead, self._resumed)

    # -- one loop --------------------------------------------------------------------------------------

    def _ready(self) -> list[str]:
        if self._resumed is not None:
            return [self._resumed.state.identity.task.id]
        return self._tasks.ready(self.state, self._request.work, self._unfinished)

    def _begin(self, task: str) -> None:
        before = self._unfinished.pop(task, None)
        if before is not None and (place := self._place_of(before.state)):
            self._take_up(before, place)
            return
        if before is not None and (again := self._made_again(before)):
            self._take_up(*again, moved=True)
            return
        if before is not None:
            self._give_up(before)
        request, loop = self._request, new_id()
        found = self._tasks.get(task)
        started = f.LoopStarted(
            loop=loop,
            task=found,
            policy=request.policy.for_task(found),
            root=str(self._home.root),
            folder=os.path.relpath(request.folder, self._home.root),
            source=self._tasks.source,
        )
        self._archive(task)
        if self._past.works_apart:
            from ralph.git.repo import branch_name

            self._leave_parked(task)
            workspace = self._workspaces.new(request.policy.workspace, loop, branch_name(task, found.title))
            started = replace(
                started,
                root=str(workspace.path),
                home=str(self._home.root),
                slot=workspace.slot,
                backlog=self._tasks.copy_in(str(self._home.root)),
            )
            state = fold(LoopState(), started)
            place = self._context.in_workspace(workspace, state)
        else:
            state = fold(LoopState(), started)
            place = self._context.in_place(request.folder, state)
        runner = self._attend(place, state, Begun(state, []))
        runner.contained(partial(runner.start, started))
        self._journal.sync()
        self._tasks.began(task)

    def _archive(self, task: str) -> None:
        """Branches of earlier attempts that failed."""
        loose, packed = self._home.common_dir / "refs/heads/wip", self._home.common_dir / "packed-refs"
        if loose.is_dir() or (packed.is_file() and b"refs/heads/wip/" in read_bytes(packed)):
            from ralph.git.landing.failure_branch import archive  # most repositories have none

            archive(self._home, task)

    def _attend(self, place: LoopContext, state: LoopState, before: Begun) -> LoopRunner:
        runner = LoopRunner(place, state, before.records, self._heard)
        self._attended.append(runner)
        self._pool.loops.append(runner)
        return runner

    def _place_of(self, s: LoopState) -> LoopContext | None:
        """Where the loop works; None: its workspace is gone."""
        if not s.identity.home:
            return self._context.in_place(folder_of(s), s)
        workspace = self._workspaces.of(s.identity.loop)
        return self._context.in_workspace(workspace, s) if workspace is not None else None

    def _made_again(self, before: Begun) -> tuple[Begun, LoopContext] | None:
        """The loop in a workspace like the one that was given back or is gone: its last snapshot, and the scratchpad. None: git
        has lost them."""
        from ralph.git.landing.failure_branch import make_tree_again
        from ralph.git.repo import branch_name
        from ralph.runner.loop_context import put_back_scratchpad

        s, tree = before.state, before.state.workspace.tree
        if not s.workspace.prepared or not make_tree_again(self._home, s.identity.task.id, tree):
            return None
        workspace = self._workspaces.new(
            s.identity.policy.workspace,
            s.identity.loop,
            branch_name(s.identity.task.id, s.identity.task.title),
            s.workspace.base_commit,
        )
        there = replace(s, identity=replace(s.identity, root=str(workspace.path), slot=workspace.slot))
        place = self._context.in_workspace(workspace, there)
        place.snapshots.restore(tree)
        if s.progress.scratchpad:
            put_back_scratchpad(place.folder, there, self._context.store, s.progress.scratchpad)
        return Begun(there, before.records), place

    def _take_up(self, before: Begun, place: LoopContext, *, moved: bool = False) -> None:
        s = before.state
        runner = self._attend(place, s, before)
        if not s.identity.of_backlog and is_over(s):
            runner.tell_again()
            return
        from ralph.runner.gate_surroundings import keep_again  # only for a resume

        resume = self._request.resume or Resume(s.identity.loop)
        limits = raised(s.identity.policy.limits, resume.raise_limits)
        fingerprints, home_entries = keep_again(place, s, made_anew=moved, elsewhere=resume.moved)
        resumed = f.LoopResumed(
            run=self._id,
            limits=limits,
            answer=resume.answer,
            allow=resume.allow,
            root=s.identity.root if moved else "",
            slot=s.identity.slot if moved else 0,
            fingerprints=fingerprints,
            home_entries=home_entries,
        )
        runner.contained(partial(runner.take_up, resumed))
        why = kinds.missing_kinds(s.gates)
        if why and runner.state.judgement.ended is None:  # this task waits for a person; the others continue
            code, tree = exit_code("blocked-on-person"), runner.state.workspace.tree
            runner.record(f.LoopEnded(end="blocked-on-person", reason=why, code=code, tree=tree))
        self._parked.pop(s.identity.loop, None)
        self._tasks.went_on(s)

    def _is_awaited(self, loop: str) -> bool:
        """It goes on in this run, and has not yet."""
        return any(before.state.identity.loop == loop for before in self._unfinished.values())

    def _answered(self, loop: str, fact: f.AnyFact) -> bool:
        """A person answers a loop that waits for them and that no one attends: it goes on in this run."""
        if loop not in self._parked or self._workspaces.of(loop) is None:
            return False
        from ralph.journal.read import scan

        before = begun(scan(self._journal.path).records, loop)
        if before is None or before.state.people.question is None or before.state.judgement.ended in OVER:
            return False
        record = self._journal.append(f.kind_of(fact), f.encode(fact), loop)
        before = Begun(fold(before.state, fact), [*before.records, record])
        task = before.state.identity.task.id
        self._unfinished[task] = before
        self._heard(fact, before.state)
        self._view.fact(fact, before.state)
        return True

    def _give_up(self, before: Begun) -> None:
        """Its workspace is gone, and with it what it made: the task starts over."""
        ended = f.LoopEnded(end="cancelled", reason=GONE, code=exit_code("cancelled"))
        self._context.record_of(before.state.identity.loop, ended)
        self._view.fact(ended, fold(before.state, ended))

    def _leave_parked(self, task: str) -> None:
        """Someone has reopened the task of a loop that waited for them: what it had made is kept, its workspace is free."""
        loops = self._workspaces.loops()
        self._workspaces.keep_only({loop for loop in loops if self._parked.get(loop) != task})

    def _harvest(self) -> None:
        for runner in list(self._attended):
            s = runner.state
            if s.judgement.ended is None:
                continue
            self._attended.remove(runner)
            self._used(s.spent(), runner.begun_with)
            self._tasks.settle(s)
            if runner.context.workspace is None:
                continue
            if s.judgement.ended not in OVER:
                self._parked[s.identity.loop] = s.identity.task.id
            else:
                self._leave(runner.context.workspace, s)

    def _leave(self, workspace: PooledWorkspace, s: LoopState) -> None:
        from ralph.runner.operations.landing import leave

        try:
            leave(self._home, workspace, s)
        except RalphError as error:  # the loop is over all the same: the next run gives it back
            self._view.note(
                f"the workspace of {s.identity.task.id} is kept for now: {' '.join(str(error).split())}"
            )

    # -- facts -----------------------------------------------------------------------------------------

    def record(self, fact: f.AnyFact) -> None:
        """A fact of the run itself, outside any loop."""
        self._journal.append(f.kind_of(fact), f.encode(fact))
        self.state = fold_run(self.state, fact)
        if isinstance(fact, f.RunReviewed):
            self._used(fact.usage)
        self._view.fact(fact, LoopState())

    def _heard(self, fact: f.AnyFact, s: LoopState) -> None:
        """A fact of a loop, which the journal has."""
        self.state = fold_run(self.state, fact, s.identity.task.id)
        self._tasks.heard(fact, s.identity.task.id)
        if isinstance(fact, f.GateEnded) and fact.purpose == "base" and self._tasks.source == "backlog":
            self._warn_of_red_start(fact, s)

    def _warn_of_red_start(self, fact: f.GateEnded, s: LoopState) -> None:
        left = {*self._ready(), *self.state.running} - self.state.ended.keys()
        text = red_start(fact, s, len(left))
        if text and not self._warned_of_red:
            self._warned_of_red = True
            self._view.note(f"warning: {text}")

    def _write(self) -> None:
        if written := self._tasks.write(self._journal.seq):
            self.record(written)
        self._mention_trouble()

    def _mention_trouble(self) -> None:
        """Someone has put something else in place of the list, or taken the right to write it: the loops go on."""
        trouble = self._tasks.trouble()
        text = f"{trouble.where}: {trouble.what}. {trouble.todo}" if trouble else ""
        if text and text != self._trouble:
            self._view.note(text)
        self._trouble = text
