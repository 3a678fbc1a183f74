"""One life of the orchestrator: take the locks, take stock, drive the loops that are wanted, leave everything tidy."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph import __version__
from ralph.core import facts as f
from ralph.core.ends import exit_code
from ralph.core.fold import fold
from ralph.core.policy import LimitPolicy, Policy, Task
from ralph.core.schedule import EndRun, RunState, StartLoop, fold_run, schedule
from ralph.core.secrets import masker_for
from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.driver.bench import Bench
from ralph.driver.control import Control
from ralph.driver.effects import Effects
from ralph.driver.news import Scene, news, told
from ralph.driver.notify import Notifier
from ralph.driver.place import folder_of, snapshots_of
from ralph.driver.processes import Line, Ownership, choose
from ralph.driver.reconcile import Loop
from ralph.driver.resume import (
    close_open,
    dead_runs,
    died_after,
    how_it_ended,
    is_over,
    is_unfinished,
    last_loop,
    note_outside_edits,
    sweep_dead,
    unfinished_elsewhere,
)
from ralph.driver.store import Store
from ralph.driver.views import Views, remove_checkpoint, remove_state_file
from ralph.errors import DISK, RalphError
from ralph.journal.append import Journal
from ralph.journal.lock import Lock, WorkLock
from ralph.journal.read import NAME as JOURNAL
from ralph.journal.record import Record
from ralph.prompt.compose import scratchpad_path
from ralph.seams import seam
from ralph.workspace import RefWatch, Repo, printable

Choice = Literal["ask", "resume", "fresh"]


class Request(msgspec.Struct, frozen=True):
    """What the user wants of this run."""

    folder: Path
    repo: Repo
    task: Task | None = None  # None: only go on with what is unfinished
    policy: Policy | None = None
    choice: Choice = "ask"
    answer: str = ""
    allow: tuple[str, ...] = ()
    raise_limits: dict[str, float] = {}


class Seeing(msgspec.Struct, frozen=True):
    """How the run shows itself and asks."""

    fact: Callable[[f.AnyFact, LoopState], None]
    line: Callable[[str, Line], None]
    resume_or_fresh: Callable[[LoopState], Choice]
    # Called as time passes; says in how many seconds it wants to be called again, at the latest.
    pulse: Callable[[LoopState], float] = lambda s: float("inf")
    end: Callable[[LoopState], None] = lambda s: (
        None
    )  # the last words about the loop; others are told after it
    note: Callable[[str], None] = lambda text: None  # why it is not over yet all the same


def run(request: Request, seeing: Seeing) -> int:
    """The exit code."""
    state_dir = request.repo.state_dir
    run_id = new_id()
    tier = choose(os.environ.get("RALPH_TIER", ""))
    if request.choice == "resume" and not (state_dir / JOURNAL).exists():
        raise _nothing_to_resume()
    _make(state_dir, request.folder)
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


def new_id() -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Run:
    def __init__(self, request: Request, seeing: Seeing, run_id: str, tier: str) -> None:
        self._request = request
        self._seeing = seeing
        self._id = run_id
        self._tier = tier
        self._journal = Journal.open(request.repo.state_dir, run_id, now)
        self._state = RunState()
        self._by = run_id  # the run that what is told of happened in

    def go(self) -> int:
        found = last_loop(self._journal.records, self._request.repo.root)
        resumed = self._choose(found)
        # Only now: a run that is refused leaves no folder.
        self._store = Store(self._request.repo.state_dir, self._id)
        aside = found if found and resumed is None and found[0].ended is None else None
        if resumed is None and aside is None and self._nothing_left():
            self._journal.rotate_if_large()
        task = resumed[0].task if resumed else self._request.task
        assert task is not None
        policy = resumed[0].policy if resumed else self._request.policy
        given = policy.agent.env if policy else {}
        self._masker = masker_for({**os.environ, **given})
        with (
            Ownership(self._tier, self._id, self._masker.stream) as ownership,
            Control(self._request.folder, self._request.repo.state_dir / "inbox", self._id) as control,
        ):
            self._control = control
            self._record(
                f.RunStarted(
                    run=self._id,
                    pid=os.getpid(),
                    version=__version__,
                    tier=self._tier,
                    residue=ownership.residue(),
                    tasks=(task.id,),
                )
            )
            if self._journal.repaired:
                self._record(f.JournalRepaired(bytes=self._journal.repaired))
            sweep_dead(self._journal.records, self._record)
            if aside:
                self._set_aside(*aside)
            while True:
                for step in schedule(self._state):
                    match step:
                        case StartLoop():
                            self._loop(resumed, ownership, control)
                        case EndRun(code):
                            self._record(f.RunEnded(run=self._id, code=code))
                            self._journal.sync()
                            return code

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
        s = state

        def record(fact: f.AnyFact) -> None:
            nonlocal s
            self._journal.append(f.kind_of(fact), f.encode(fact), state.loop)
            s = fold(s, fact)
            self._seeing.fact(fact, s)

        close_open(state, records, snapshots_of(self._request.repo, state), self._store, record)
        reason = "set aside for a fresh start"
        record(f.LoopEnded(end="cancelled", reason=reason, code=exit_code("cancelled"), tree=s.tree))
        self._journal.sync()

    def _loop(
        self, resumed: tuple[LoopState, list[Record]] | None, ownership: Ownership, control: Control
    ) -> None:
        started = None if resumed else self._fresh_start()
        state = resumed[0] if resumed else LoopState()
        begun = fold(state, started) if started else state
        folder = self._request.folder if started else folder_of(state)
        repo = self._request.repo
        snapshots = snapshots_of(repo, begun)
        bench = Bench(
            run=self._id,
            repo=repo,
            folder=folder,
            snapshots=snapshots,
            journal=self._journal,
            store=self._store,
            ownership=ownership,
            control=control,
            refs=RefWatch(repo),
            show=self._seeing.line,
            now=now,
        )
        loop = Loop(
            state,
            self._journal,
            control,
            lambda op, s: effects.start(op, s),
            self._watch,
            self._store.beat,
            self._pulse,
            self._without_secrets,
        )
        effects = Effects(bench, loop.record)
        self._views = Views(folder, snapshots, now)
        self._notifier = Notifier(
            begun.policy.notify, folder, loop.record, already=_told(resumed), ownership=ownership
        )
        if resumed and is_over(state):  # the run that ended it died before it had tidied up and said so
            self._by = next(r.run for r in reversed(resumed[1]) if r.kind == "loop.ended")
            self._watch(how_it_ended(resumed[1]), state)
            self._tell_the_rest(state)
            return
        loop_id = started.loop if started else state.loop
        control.attend(loop.record, loop.kill, self._journal.sync, _seen(self._journal.records), loop_id)
        control.expect(state.token, state.serial)  # what an interrupted iteration had still said
        try:
            if started is not None:
                self._archive_old_scratchpad(folder / scratchpad_path(begun))
                remove_state_file(folder)  # it speaks of another loop
                remove_checkpoint(folder, begun)
                loop.record(started)
            else:
                assert resumed is not None
                close_open(state, resumed[1], snapshots, self._store, loop.record)
                limits = raised(state.policy.limits, self._request.raise_limits)
                loop.record(
                    f.LoopResumed(
                        run=self._id, limits=limits, answer=self._request.answer, allow=self._request.allow
                    )
                )
                self._views.write(loop.state)
                note_outside_edits(loop.state, snapshots, loop.record)
            self._tell_the_rest(loop.run())
        except BaseException:
            loop.kill()
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

    def _archive_old_scratchpad(self, path: Path) -> None:
        """A scratchpad that an earlier loop left is in its record; it must not speak to a new task."""
        try:
            text = path.read_bytes().decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return
        if self._store.has(text):
            seam("remove.before", writes=True)
            path.unlink()
            seam("remove.after")

    def _without_secrets(self, fact: f.AnyFact) -> f.AnyFact:
        """What agents, people and errors say. A loop's own policy stays whole: a resume needs it."""
        if isinstance(fact, f.LoopStarted | f.LoopResumed):
            return fact
        text = f.encode(fact).decode()
        masked = self._masker.text(text)
        return fact if masked == text else f.decode(masked.encode())

    # -- facts and views ---------------------------------------------------------------------------

    def _record(self, fact: f.AnyFact) -> None:
        """A fact of the run itself, outside any loop."""
        self._journal.append(f.kind_of(fact), f.encode(fact))
        self._state = fold_run(self._state, fact)
        self._seeing.fact(fact, LoopState())

    def _watch(self, fact: f.AnyFact, s: LoopState) -> None:
        self._state = fold_run(self._state, fact, s.task.id)
        self._seeing.fact(fact, s)
        if isinstance(fact, f.Checkpoint):
            self._views.checkpoint(fact, s)
        if isinstance(fact, f.GateEnded | f.IterationEnded | f.LoopEnded) and not _interrupts(fact):
            self._views.write(s)
        if isinstance(fact, f.LoopEnded):
            self._journal.sync()  # what is said from here on holds
            self._control.loop_is_over()
            self._seeing.end(s)
        if s.policy.notify and (found := news(fact, s, self._scene(s))):
            self._journal.sync()
            self._notifier.start(found)

    def _pulse(self, s: LoopState) -> float:
        return min(self._seeing.pulse(s), self._notifier.advance())

    def _tell_the_rest(self, s: LoopState) -> None:
        """The end is recorded and shown: neither who cannot be told nor who gets impatient changes anything about it."""
        self._notifier.finish(
            calls=self._control.reads(),
            hurried=self._control.hurried,
            slow=lambda targets: self._seeing.note(f"still telling {few(targets)}; Ctrl-C leaves it"),
            pulse=lambda: self._seeing.pulse(s),
        )

    def _scene(self, s: LoopState) -> Scene:
        folder = printable(str(folder_of(s)))
        return Scene(run=self._by, folder=folder, host=os.uname().nodename, time=now())


def _told(resumed: tuple[LoopState, list[Record]] | None) -> set[tuple[str, str, str]]:
    return told(f.decode(r.data) for r in resumed[1] if r.kind == "notified") if resumed else set()


def _interrupts(fact: f.GateEnded | f.IterationEnded | f.LoopEnded) -> bool:
    """An interruption says nothing about the work: the state file stays as it is."""
    return (fact.end if isinstance(fact, f.LoopEnded) else fact.how) == "interrupted"


def _make(state_dir: Path, folder: Path) -> None:
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
    over = f": {last.task.id} is over ({last.ended})" if last else ""
    return RalphError(f"there is nothing to resume here{over}", todo='Start with `ralph run -p "..."`.')


def _seen(records: list[Record]) -> set[str]:
    """Inbox messages that the journal has already: delivering them again would be a repeat."""
    seen = set()
    for record in records:
        if record.kind in ("event.received", "stop.requested", "claim.made", "task.proposed", "checkpoint"):
            seen.add(getattr(f.decode(record.data), "name", ""))
    return seen - {""}


def raised(limits: LimitPolicy, wanted: dict[str, float]) -> LimitPolicy | None:
    if not wanted:
        return None
    kinds = {field.name: field.type for field in msgspec.structs.fields(LimitPolicy)}
    return replace(limits, **{key: int(v) if kinds[key] is int else float(v) for key, v in wanted.items()})
