"""One loop of a run: make what is under way equal to what the core wants, fold what happened, and tell everybody.

The state is always the fold of the journal, and of what is felt now."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ralph.core import facts as f
from ralph.core.exits import exit_code
from ralph.core.loop.decide import Continue, cutoff, decide, next_deadline
from ralph.core.loop.decide import Operation as Wanted
from ralph.core.loop.end_advice import GONE
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.errors import DISK, RalphError
from ralph.files import read_bytes
from ralph.history.loop_records import ended_by, how_it_ended
from ralph.journal.append import Unwritable
from ralph.journal.read import scan
from ralph.journal.record import Record, now
from ralph.journal.store import remove_file
from ralph.prompt.compose import scratchpad_path
from ralph.runner.loop_context import LoopContext
from ralph.runner.loop_workspace import of_runs
from ralph.runner.operations import ProcessOperation, RunningOperation
from ralph.runner.operations.effects import Effects
from ralph.runner.view_files import EventsFile, Views, remove_checkpoint, remove_state_file
from ralph.text import one_line

if TYPE_CHECKING:
    from ralph.runner.loop_notifier import LoopNotifier

Admit = Callable[[Wanted], bool]
Heard = Callable[[f.AnyFact, LoopState], None]


class LoopRunner:
    def __init__(self, context: LoopContext, begun: LoopState, records: list[Record], heard: Heard) -> None:
        """`begun` is the loop as it stands, or as it is about to start; `records` are those of a loop taken up again.
        `heard` gets each fact of the loop once the journal has it, and the state after it."""
        self.state = begun if records else LoopState()
        self.begun_with = self.state.spent()
        self.running: dict[str, RunningOperation] = {}
        self.context = context
        self._run = run = context.run
        self._begun = begun
        self._records = records
        self._heard = heard
        self._pulse_at = float("inf")
        self._held = False
        self._effects = Effects(context, self)
        # Not from a workspace: it is the next loop's soon, and an agent may have put a command of that name there.
        told_from = context.folder if context.workspace is None else run.home.root / begun.identity.folder
        self._views = Views(context.folder, context.snapshots, now)
        self._events = EventsFile(context.folder, lambda: scan(run.journal.path).records)
        self._telling: LoopNotifier | None = None
        if begun.identity.policy.notify:
            from ralph.runner.loop_notifier import LoopNotifier  # most loops notify no one

            self._telling = LoopNotifier(run, begun, told_from, self.record, records)

    # -- its beginning and its end -------------------------------------------------------------------

    def start(self, started: f.LoopStarted) -> None:
        self._run.control.attend(started.loop, self.record, self.kill)
        self._archive_old_scratchpad(self.context.folder / scratchpad_path(self._begun))
        remove_state_file(self.context.folder)  # it speaks of another loop
        remove_checkpoint(self.context.folder, self._begun)
        self.record(started)

    def take_up(self, resumed: f.LoopResumed) -> None:
        from ralph.runner.resume import close_open, note_outside_edits  # most loops are not resumed

        run, begun, context = self._run, self._begun, self.context
        run.control.attend(begun.identity.loop, self.record, self.kill)
        self._events.rebuild(self._records, begun)
        # What an interrupted iteration had still said is heard.
        run.control.expect(begun.identity.loop, begun.progress.token, begun.progress.serial)
        close_open(context, begun, self._records, self.record, of_runs(run.journal.records, run.home))
        self.record(resumed)
        self._views.write(self.state)
        self._effects.finish_merge(self.state)
        note_outside_edits(self.state, context.snapshots, self.record)

    def tell_again(self) -> None:
        """The run that ended it died before it had tidied up and said so."""
        if self._telling:
            self._telling.happened_in(ended_by(self._records))
        self._events.rebuild(self._records, self._begun)
        self._tell(how_it_ended(self._records), self._begun)

    def _archive_old_scratchpad(self, path: Path) -> None:
        """A scratchpad that an earlier loop left is in its record; it must not speak to a new task."""
        try:
            text = read_bytes(path).decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError):
            return
        if self._run.store.has(text):
            remove_file(path)

    # -- facts ---------------------------------------------------------------------------------------

    def record(self, fact: f.AnyFact) -> None:
        """Into the journal, the state and every view, in this order."""
        fact = self._run.without_secrets(fact)
        loop = self.state.identity.loop or getattr(fact, "loop", "")
        self._run.journal.append(f.kind_of(fact), f.encode(fact), loop)
        self.state = fold(self.state, fact)
        self._tell(fact, self.state)

    def _tell(self, fact: f.AnyFact, s: LoopState) -> None:
        run = self._run
        self._heard(fact, s)
        run.known.note(fact, s.identity.loop, run.journal.seq)
        run.view.fact(fact, s)
        if isinstance(fact, f.Checkpoint):
            self._views.checkpoint(fact, s)
        self._events.take(fact, s, run.journal.at)
        if isinstance(fact, f.GateEnded | f.IterationEnded | f.LoopEnded) and not _interrupts(fact):
            self._views.write(s)
        if isinstance(fact, f.LoopEnded):
            run.journal.sync()  # what is said from here on holds
            run.control.leave(s.identity.loop, last=not s.identity.of_backlog)
            run.view.end(s)
        if self._telling:
            self._telling.take(fact, s)
        run.save_history()

    # -- what is under way ---------------------------------------------------------------------------

    def reconcile(self, admit: Admit) -> None:
        wanted = decide(self.state)
        self._cut_unwanted({op.id for op in wanted})
        self._held = False
        for op in wanted:
            if op.id in self.running or isinstance(op, Continue):
                continue
            if not admit(op):
                self._held = True
                continue
            operation = self._effects.start(op, self.state)
            if operation is not None:
                self.running[op.id] = operation

    def contained(self, act: Callable[[], None]) -> None:
        """Trouble inside a workspace ends this loop, not the run: its task waits for a person, the others go on. Where
        the loop is the run, or the disk or the journal is at fault, the run ends."""
        try:
            act()
        except Unwritable:
            raise
        except (RalphError, OSError) as error:
            if self.context.workspace is None or (isinstance(error, OSError) and error.errno in DISK):
                raise
            self._block(error)

    def _block(self, error: RalphError | OSError) -> None:
        self.kill()
        self.running = {}
        there = self.context.repo.root.is_dir()
        reason = self._why_blocked(error) if there else GONE
        end: Literal["blocked-on-person"] = "blocked-on-person"
        code, tree = exit_code(end), self.state.workspace.tree
        ended = f.LoopEnded(end=end, reason=reason, code=code, tree=tree, trouble=True)
        try:
            self.record(ended)
        except (RalphError, OSError):
            if self.state.judgement.ended is None:  # the journal's fault
                raise

    def _why_blocked(self, error: RalphError | OSError) -> str:
        """Mostly an agent has damaged its workspace. What is wrong in the user's repository says so itself, and what to do."""
        what, todo = str(error), ""
        if isinstance(error, RalphError):
            what = f"{error.where}: {error.what}" if error.where else error.what
            todo = f". {error.todo}" if error.todo else ""
        home = self.context.run.home
        at_home = any(
            what.startswith(f"{place}") or f"'{place}" in what for place in (home.root, home.common_dir)
        )
        return f"{'it cannot continue' if at_home else 'its workspace cannot be used'}: {one_line(what + todo, 300)}"

    def queue(self, landing: str, behind: str) -> None:
        """It waits for another loop to land: a fact, when that begins."""
        known = self.state.landing.queued
        if known is None or known.op != landing:
            self.record(f.LandingQueued(op=landing, behind=behind))

    def waits(self) -> bool:
        """Nothing can be done before something happens."""
        return bool(self.running) or self._held

    def register(self, poll: select.poll) -> float:
        """Its file descriptors; and when it wants to be looked at, at the latest."""
        wake_at = self._pulse_at
        for operation in self.running.values():
            if isinstance(operation, ProcessOperation):
                operation.look_again_after(next_deadline(self.state, operation.id))
            wake_at = min(wake_at, register(operation, poll))
        return wake_at

    def advance(self) -> None:
        for id, operation in list(self.running.items()):
            for felt in operation.advance():
                if isinstance(felt, f.AgentRetries):
                    self.record(felt)
                    continue
                self.state = fold(self.state, felt)
                self._run.store.beat()
            if operation.done():
                del self.running[id]
                for fact in operation.conclude():
                    self.record(fact)
        self._pulse_at = time.monotonic() + self._run.view.pulse(self.state)

    def kill(self) -> None:
        for operation in self.running.values():
            operation.kill()

    def _cut_unwanted(self, wanted: set[str]) -> None:
        for id, operation in self.running.items():
            if id not in wanted:
                operation.cut(cutoff(self.state, id) or "stop")


def register(operation: RunningOperation, poll: select.poll) -> float:
    for fd in operation.reads():
        poll.register(fd, select.POLLIN)
    for fd in operation.writes():
        poll.register(fd, select.POLLOUT)
    return operation.wake_at()


def _interrupts(fact: f.GateEnded | f.IterationEnded | f.LoopEnded) -> bool:
    """An interruption says nothing about the work: the state file stays as it is."""
    return (fact.end if isinstance(fact, f.LoopEnded) else fact.how) == "interrupted"
