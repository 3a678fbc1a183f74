"""One loop of a run, from its start or its being taken up again to its last view: what it works with, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.core.secrets.masker import Masker
from ralph.fault_points import fault_point
from ralph.git.ref_watch import RefWatch
from ralph.history import SAVE_EVERY
from ralph.history.loop_records import ended_by, how_it_ended
from ralph.journal.append import Journal
from ralph.journal.read import scan
from ralph.journal.record import Record, now
from ralph.journal.store import Store
from ralph.processes.capture import Line
from ralph.processes.ownership import Ownership
from ralph.prompt.compose import scratchpad_path
from ralph.runner.gate_cache import GateCache
from ralph.runner.loop_context import LoopContext
from ralph.runner.loop_notifier import LoopNotifier
from ralph.runner.loop_pool import LoopReconciler
from ralph.runner.loop_workspace import LoopWorkspace, OwnRefs, at_work, of_runs
from ralph.runner.operations.effects import Effects
from ralph.runner.requests import Control
from ralph.runner.view_files import EventsFile, Views, remove_checkpoint, remove_state_file

Choice = Literal["ask", "resume", "fresh"]


class LoopView(msgspec.Struct, frozen=True):
    """How the run shows itself and asks."""

    fact: Callable[[f.AnyFact, LoopState], None]
    line: Callable[[str, str, Line], None]  # the task, who, and what they print
    resume_or_fresh: Callable[[LoopState], Choice]
    # Called as time passes; says in how many seconds it wants to be called again, at the latest.
    pulse: Callable[[LoopState], float] = lambda s: float("inf")
    # The last words about the loop; others are told after it.
    end: Callable[[LoopState], None] = lambda s: None
    note: Callable[[str], None] = lambda text: None  # why it is not over yet all the same


class RunContext(msgspec.Struct):
    """What the loops of a run have in common."""

    run: str
    journal: Journal
    known: GateCache
    store: Store
    ownership: Ownership
    control: Control
    seeing: LoopView
    masker: Masker
    fold_run: Callable[[f.AnyFact, str], None]  # a fact, and the task that it is about
    ended: Callable[[LoopState], None]  # the journal has a loop's end on disk
    saved: int = 0  # the record at which the history was last saved

    def save_history(self) -> None:
        """Now and then, so that whoever looks at a long journal reads only what is new."""
        if self.journal.seq >= self.saved + SAVE_EVERY:
            from ralph.history.saved import save  # most journals are short

            save(self.journal.path.parent)
            self.saved = self.journal.seq

    def without_secrets(self, fact: f.AnyFact) -> f.AnyFact:
        """What agents, people and errors say. A loop's own policy stays whole: a resume needs it."""
        if isinstance(fact, f.LoopStarted | f.LoopResumed):
            return fact
        text = f.encode(fact).decode()
        masked = self.masker.text(text)
        return fact if masked == text else f.decode(masked.encode())

    def bench(self, place: LoopWorkspace, refs: RefWatch, task: str = "") -> LoopContext:
        """What one loop, or one reviewer of the whole run, works with. `task`: whose lines it shows."""
        return LoopContext(
            run=self.run,
            home=place.home,
            workspace=place.workspace,
            repo=place.repo,
            folder=place.folder,
            snapshots=place.snapshots,
            journal=self.journal,
            known=self.known,
            store=self.store,
            ownership=self.ownership,
            control=self.control,
            refs=refs,
            show=partial(self.seeing.line, task),
            now=now,
        )


class LoopRunner:
    def __init__(
        self, shared: RunContext, place: LoopWorkspace, begun: LoopState, records: list[Record]
    ) -> None:
        """`begun` is the loop as it stands, or as it is about to start; `records` are those of a loop taken up again."""
        self._shared = shared
        self._begun = begun
        self._records = records
        self._snapshots = place.snapshots
        # There agents and landings of other loops move the same refs.
        in_worktree = self._in_worktree = place.workspace is not None and place.workspace.kind == "worktree"
        refs = RefWatch(place.repo, partial(at_work, place.home)) if in_worktree else RefWatch(place.repo)
        bench = self._bench = shared.bench(place, refs, begun.identity.task.id)
        self.loop = LoopReconciler(
            begun if records else LoopState(),
            shared.journal,
            lambda op, s: effects.start(op, s),
            self._watch,
            shared.store.beat,
            self._pulse,
            shared.without_secrets,
        )
        effects = self._effects = Effects(bench, self.loop.record, lambda: self.loop.state)
        self._folder = place.folder
        # Not from a workspace: it is the next loop's soon, and an agent may have put a command of that name there.
        told_from = place.folder if place.workspace is None else place.home.root / begun.identity.folder
        self._views = Views(place.folder, place.snapshots, now)
        self._events = EventsFile(place.folder, lambda: scan(shared.journal.path).records)
        self.telling = LoopNotifier(shared, begun, told_from, self.loop.record, records)

    def start(self, started: f.LoopStarted) -> None:
        self._attend(started.loop)
        self._archive_old_scratchpad(self._folder / scratchpad_path(self._begun))
        remove_state_file(self._folder)  # it speaks of another loop
        remove_checkpoint(self._folder, self._begun)
        self.loop.record(started)

    def take_up(self, resumed: f.LoopResumed) -> None:
        from ralph.runner.resume import close_open, note_outside_edits  # most loops are not resumed

        self._attend(self._begun.identity.loop)
        self._events.rebuild(self._records, self._begun)
        # What an interrupted iteration had still said is heard.
        self._shared.control.expect(
            self._begun.identity.loop, self._begun.progress.token, self._begun.progress.serial
        )
        close_open(
            self._begun,
            self._records,
            self._snapshots,
            self._shared.store,
            self.loop.record,
            partial(self._bench.keep, self._begun),
            of_runs(self._shared.journal.records, self._bench.home) if self._in_worktree else OwnRefs(),
        )
        self.loop.record(resumed)
        self._views.write(self.loop.state)
        self._effects.finish_merge(self.loop.state)
        note_outside_edits(self.loop.state, self._snapshots, self.loop.record)

    def tell_again(self) -> None:
        """The run that ended it died before it had tidied up and said so."""
        self.telling.happened_in(ended_by(self._records))
        self._events.rebuild(self._records, self._begun)
        self._watch(how_it_ended(self._records), self._begun)
        self.tell_the_rest()

    def tell_the_rest(self) -> None:
        self.telling.tell_the_rest(self.loop.state)

    def _attend(self, loop: str) -> None:
        self._shared.control.attend(loop, self.loop.record, self.loop.kill)

    def _archive_old_scratchpad(self, path: Path) -> None:
        """A scratchpad that an earlier loop left is in its record; it must not speak to a new task."""
        try:
            text = path.read_bytes().decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return
        if self._shared.store.has(text):
            fault_point("remove.before", writes=True)
            path.unlink()
            fault_point("remove.after")

    def _watch(self, fact: f.AnyFact, s: LoopState) -> None:
        shared = self._shared
        shared.fold_run(fact, s.identity.task.id)
        shared.known.note(fact, s.identity.loop, shared.journal.seq)
        shared.seeing.fact(fact, s)
        if isinstance(fact, f.Checkpoint):
            self._views.checkpoint(fact, s)
        self._events.take(fact, s, shared.journal.at)
        if isinstance(fact, f.GateEnded | f.IterationEnded | f.LoopEnded) and not _interrupts(fact):
            self._views.write(s)
        if isinstance(fact, f.LoopEnded):
            shared.journal.sync()  # what is said from here on holds
            shared.control.leave(s.identity.loop)
            shared.ended(s)
            shared.seeing.end(s)
        self.telling.take(fact, s)
        shared.save_history()

    def _pulse(self, s: LoopState) -> float:
        return min(self._shared.seeing.pulse(s), self.telling.advance())


def _interrupts(fact: f.GateEnded | f.IterationEnded | f.LoopEnded) -> bool:
    """An interruption says nothing about the work: the state file stays as it is."""
    return (fact.end if isinstance(fact, f.LoopEnded) else fact.how) == "interrupted"
