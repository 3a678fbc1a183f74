"""One life of the orchestrator: take the locks, take stock, drive the loops that are wanted, leave everything tidy."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import exit_code
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import LimitPolicy, Policy, Task
from ralph.core.run import EndRun, RunState, StartLoop, fold_run, schedule, why_over
from ralph.errors import DISK, RalphError
from ralph.gates import kinds
from ralph.git.repo import Repo
from ralph.history.loop_records import (
    dead_runs,
    died_after,
    is_over,
    is_unfinished,
    last_loop,
    seen_in,
    unfinished_elsewhere,
)
from ralph.journal.append import Journal
from ralph.journal.lock import Lock, WorkLock
from ralph.journal.read import NAME as JOURNAL
from ralph.journal.record import Record, new_id, now
from ralph.journal.store import Store
from ralph.processes.ownership import Ownership, choose_tier
from ralph.runner import sandboxing
from ralph.runner.dead_runs import run_started, sweep_dead
from ralph.runner.gate_cache import GateCache
from ralph.runner.loop_pool import LoopPool
from ralph.runner.loop_runner import Choice, LoopRunner, LoopView, RunContext
from ralph.runner.loop_workspace import folder_of, in_place, snapshots_of
from ralph.runner.requests import Control


class RunRequest(msgspec.Struct, frozen=True):
    """What the user wants of this run."""

    folder: Path
    repo: Repo
    task: Task | None = None  # None: only go on with what is unfinished
    policy: Policy | None = None
    choice: Choice = "ask"
    answer: str = ""
    allow: tuple[str, ...] = ()
    raise_limits: dict[str, float] = {}


def run(request: RunRequest, seeing: LoopView) -> int:
    """The exit code."""
    state_dir = request.repo.state_dir
    if request.policy is not None:
        _require_sandbox(request.policy)
    run_id = new_id()
    tier = choose_tier(os.environ.get("RALPH_TIER", ""))
    if request.choice == "resume" and not (state_dir / JOURNAL).exists():
        raise _nothing_to_resume()
    make_folders(state_dir, request.folder)
    lock = Lock.acquire(state_dir, run_id)
    try:
        work_lock = WorkLock(request.folder / ".ralph.lock")
        work_lock.take()
        try:
            return _Run(request, seeing, run_id, tier).go()
        finally:
            work_lock.release()
    finally:
        lock.release()


def _require_sandbox(policy: Policy) -> None:
    if policy.sandbox.kind != "none":
        from ralph.sandbox.bwrap import require

        require(policy.sandbox.network == "host")


class _Run:
    def __init__(self, request: RunRequest, seeing: LoopView, run_id: str, tier: str) -> None:
        self._request = request
        self._seeing = seeing
        self._id = run_id
        self._tier = tier
        self._journal = Journal.open(request.repo.state_dir, run_id, now)
        self._state = RunState()

    def go(self) -> int:
        found = last_loop(self._journal.records, self._request.repo.root)
        resumed = self._choose(found)
        chosen = resumed[0].identity.policy if resumed else self._request.policy
        folder = folder_of(resumed[0]) if resumed else self._request.folder
        if chosen is not None and not (resumed and is_over(resumed[0])):
            sandboxing.check(chosen, self._request.repo, folder)
            kinds.require_kinds(chosen.gates)
        # Only now: a run that is refused leaves no folder.
        self._store = Store(self._request.repo.state_dir, self._id)
        aside = found if found and resumed is None and found[0].judgement.ended is None else None
        if resumed is None and aside is None and self._nothing_left():
            self._journal.rotate_if_large()
        task = resumed[0].identity.task if resumed else self._request.task
        assert task is not None
        masker = sandboxing.masker_of(chosen)
        with (
            Ownership(self._tier, self._id, masker.stream) as ownership,
            Control(self._request.folder, self._request.repo.state_dir / "inbox", self._id) as control,
        ):
            shared = RunContext(
                run=self._id,
                journal=self._journal,
                known=GateCache(self._journal.records),
                store=self._store,
                ownership=ownership,
                control=control,
                seeing=self._seeing,
                masker=masker,
                fold_run=self._fold,
                ended=lambda s: control.run_is_over(),
            )
            control.begin(self._record, self._journal.sync, seen_in(self._journal.records))
            for box in sandboxing.left_boxes(self._request.repo.state_dir):
                control.open_box(box, heard="-iteration-" in box.name, once=True)
            self._record(
                replace(run_started(self._id, self._tier, ownership.residue(), masker), tasks=(task.id,))
            )
            if self._journal.repaired:
                self._record(f.JournalRepaired(bytes=self._journal.repaired))
            sweep_dead(self._journal.records, self._record)
            self._repair_checkout()
            if aside:
                self._set_aside(*aside)
            while True:
                for step in schedule(self._state):
                    match step:
                        case StartLoop():
                            self._loop(resumed, shared)
                        case EndRun(code):
                            self._record(f.RunEnded(run=self._id, code=code, reason=why_over(self._state)))
                            self._journal.sync()
                            return code

    def _repair_checkout(self) -> None:
        """A landing of the backlog may have died while this checkout followed it: before anybody works here."""
        if (self._request.repo.state_dir / "landing").exists():
            from ralph.git.landing.target import recover  # most repositories have no backlog

            recover(self._request.repo)

    def _nothing_left(self) -> bool:
        """What is still to be swept or can still go on must stay in sight."""
        records = self._journal.records
        return not dead_runs(records) and not unfinished_elsewhere(records, self._request.repo.root)

    def _choose(self, found: tuple[LoopState, list[Record]] | None) -> tuple[LoopState, list[Record]] | None:
        """Whether to go on with the unfinished loop of this workspace, if there is one."""
        choice = self._request.choice
        if found is None or is_over(found[0]):
            if choice == "resume" and not (found and died_after(found[1], self._journal.records)):
                raise _nothing_to_resume(found[0] if found else None)
            return found if choice == "resume" else None
        if choice == "ask" and not is_unfinished(found[0]):
            return None
        if choice == "ask":
            choice = self._seeing.resume_or_fresh(found[0])
        return found if choice == "resume" else None

    def _set_aside(self, state: LoopState, records: list[Record]) -> None:
        """A fresh start closes the loop that it replaces, so that nothing of it stays under way in journal or tree."""
        from ralph.git.recovery import save
        from ralph.runner.resume import close_open

        s = state

        def record(fact: f.AnyFact) -> None:
            nonlocal s
            self._journal.append(f.kind_of(fact), f.encode(fact), state.identity.loop)
            s = fold(s, fact)
            self._seeing.fact(fact, s)

        snapshots = snapshots_of(self._request.repo, state)

        def keep(tree: str, reason: str) -> None:
            save(snapshots.repo, snapshots, tree, loop=state.identity.loop, reason=reason, when=now())

        close_open(state, records, snapshots, self._store, record, keep)
        reason = "set aside for a fresh start"
        record(
            f.LoopEnded(end="cancelled", reason=reason, code=exit_code("cancelled"), tree=s.workspace.tree)
        )
        self._journal.sync()

    def _loop(self, resumed: tuple[LoopState, list[Record]] | None, shared: RunContext) -> None:
        started = None if resumed else self._fresh_start()
        begun = resumed[0] if resumed else fold(LoopState(), started) if started else LoopState()
        folder = self._request.folder if started else folder_of(begun)
        place = in_place(self._request.repo, folder, begun)
        life = LoopRunner(shared, place, begun, resumed[1] if resumed else [])
        if resumed and is_over(begun):
            life.tell_again()
            return
        crew = LoopPool(shared.control)
        try:
            if started:
                life.start(started)
            else:
                life.take_up(
                    f.LoopResumed(
                        run=self._id,
                        limits=raised(begun.identity.policy.limits, self._request.raise_limits),
                        answer=self._request.answer,
                        allow=self._request.allow,
                    )
                )
            crew.loops.append(life.loop)
            while crew.loops:
                crew.turn()
            life.tell_the_rest()
        except BaseException:
            life.loop.kill()
            raise

    def _fresh_start(self) -> f.LoopStarted:
        request = self._request
        assert request.task is not None and request.policy is not None
        return f.LoopStarted(
            loop=new_id(),
            task=request.task,
            policy=request.policy,
            root=str(request.repo.root),
            folder=os.path.relpath(request.folder, request.repo.root),
        )

    # -- facts and views ---------------------------------------------------------------------------

    def _record(self, fact: f.AnyFact) -> None:
        """A fact of the run itself, outside any loop."""
        self._journal.append(f.kind_of(fact), f.encode(fact))
        self._state = fold_run(self._state, fact)
        self._seeing.fact(fact, LoopState())

    def _fold(self, fact: f.AnyFact, task: str) -> None:
        self._state = fold_run(self._state, fact, task)


def make_folders(state_dir: Path, folder: Path) -> None:
    """Both places are looked at before the first is written to."""
    try:
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "the folder is not writable", str(folder))
        state_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in DISK:
            raise
        raise RalphError(
            f"cannot write here: {error.strerror}",
            where=str(error.filename or state_dir),
            todo="Make it writable, or work in a copy.",
        ) from error


def _nothing_to_resume(last: LoopState | None = None) -> RalphError:
    over = f": {last.identity.task.id} is over ({last.judgement.ended})" if last else ""
    return RalphError(f"there is nothing to resume here{over}", todo='Start with `ralph run -p "..."`.')


def raised(limits: LimitPolicy, wanted: dict[str, float]) -> LimitPolicy | None:
    if not wanted:
        return None
    kinds = {field.name: field.type for field in msgspec.structs.fields(LimitPolicy)}
    return replace(limits, **{key: int(v) if kinds[key] is int else float(v) for key, v in wanted.items()})
