"""The runner's main loop: make what is under way equal to what the core wants, and fold what happened."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from functools import partial

from ralph.core import facts as f
from ralph.core.loop.decide import Continue, Land, RunGate, cutoff, decide, lands_first, next_deadline
from ralph.core.loop.decide import Operation as Wanted
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.journal.append import Journal
from ralph.runner.operations import ProcessOperation, RunningOperation
from ralph.runner.requests import Control

# Starting an operation gives facts to record and, unless it is over at once, the operation under way.
Start = Callable[[Wanted, LoopState], RunningOperation | None]
Watch = Callable[[f.AnyFact, LoopState], None]
Admit = Callable[[Wanted], bool]
LONGEST = 3600.0  # seconds asleep: poll takes no endless time


class LoopReconciler:
    """One loop under the runner's care. The state is always the fold of the journal (and of what is felt now)."""

    def __init__(
        self,
        state: LoopState,
        journal: Journal,
        start: Start,
        watch: Watch,
        beat: Callable[[], None],
        pulse: Callable[[LoopState], float],
        without_secrets: Callable[[f.AnyFact], f.AnyFact],
    ) -> None:
        self.state = state
        self.running: dict[str, RunningOperation] = {}
        self._journal = journal
        self._start = start
        self._watch = watch
        self._beat = beat
        self._pulse = pulse
        self._without_secrets = without_secrets
        self._pulse_at = float("inf")
        self._held = False

    def record(self, fact: f.AnyFact) -> None:
        """Into the journal, the state and every view, in this order."""
        fact = self._without_secrets(fact)
        self._journal.append(
            f.kind_of(fact), f.encode(fact), self.state.identity.loop or getattr(fact, "loop", "")
        )
        self.state = fold(self.state, fact)
        self._watch(fact, self.state)

    def kill(self) -> None:
        for operation in self.running.values():
            operation.kill()

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
            operation = self._start(op, self.state)
            if operation is not None:
                self.running[op.id] = operation

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
            for fd in operation.reads():
                poll.register(fd, select.POLLIN)
            for fd in operation.writes():
                poll.register(fd, select.POLLOUT)
            if isinstance(operation, ProcessOperation):
                operation.look_again_after(next_deadline(self.state, operation.id))
            wake_at = min(wake_at, operation.wake_at())
        return wake_at

    def advance(self) -> None:
        for id, operation in list(self.running.items()):
            for felt in operation.advance():
                self.state = fold(self.state, felt)
                self._beat()
            if operation.done():
                del self.running[id]
                for fact in operation.conclude():
                    self.record(fact)
        self._pulse_at = time.monotonic() + self._pulse(self.state)

    def _cut_unwanted(self, wanted: set[str]) -> None:
        for id, operation in self.running.items():
            if id not in wanted:
                operation.cut(cutoff(self.state, id) or "stop")


class LoopPool:
    """The loops of a run, side by side in one process. What they share is had in turn: gates, and the way to the target."""

    def __init__(
        self, control: Control, gates_at_once: int = 1, also: Callable[[], list[int]] = list
    ) -> None:
        """`also`: what else it wakes for when it can be read; whoever gives it reads it before the next turn."""
        self.loops: list[LoopReconciler] = []
        self._control = control
        self._also = also
        self._gates_at_once = gates_at_once
        self._train: list[LoopReconciler] = []  # who wants to land, in the order of coming

    def turn(self, due: float = float("inf")) -> None:
        """What people ask, what the core wants, what happened. `due`: when to come back though nothing did."""
        heard = self._control.deliver()
        for loop in list(self.loops):
            loop.reconcile(partial(self._admits, loop))
        if self._dismiss() or (not self.loops and (heard or due == float("inf"))):
            return  # somebody else may begin now, or nobody any more
        if all(loop.waits() for loop in self.loops):
            self._await(due)
            for loop in list(self.loops):
                loop.advance()
            self._dismiss()

    def kill(self) -> None:
        for loop in self.loops:
            loop.kill()

    def _admits(self, loop: LoopReconciler, op: Wanted) -> bool:
        match op:
            case RunGate():
                return sum(_gates(each) for each in self.loops) < self._gates_at_once
            case Land():
                if loop not in self._train:
                    self._train.append(loop)
                first = next((each for each in self.loops if lands_first(each.state)), self._train[0])
                if first is not loop and (lands_first(first.state) or _wants_to_land(first.state)):
                    loop.queue(op.id, behind=first.state.identity.task.id)
                return first is loop
        return True

    def _dismiss(self) -> bool:
        """Let go of loops that have ended; whether there were any."""
        before = len(self.loops)
        self.loops = [loop for loop in self.loops if loop.state.judgement.ended is None]
        # A claim that was turned down, or that landed, or whose loop is paused, leaves the way to the next.
        self._train = [loop for loop in self._train if loop in self.loops and _wants_to_land(loop.state)]
        return len(self.loops) < before

    def _await(self, due: float) -> None:
        """Until something can be read, written, is due, or somebody calls."""
        poll = select.poll()
        for fd in (*self._control.reads(), *self._also()):
            poll.register(fd, select.POLLIN)
        wake_at = min((loop.register(poll) for loop in self.loops), default=due)
        seconds = min(wake_at, due, time.monotonic() + LONGEST) - time.monotonic()
        poll.poll(max(0.0, seconds) * 1000 + 0.5)


def _wants_to_land(s: LoopState) -> bool:
    return s.judgement.claim is not None and s.landing.landed is None and s.people.pause is None


def _gates(loop: LoopReconciler) -> int:
    return sum(running.what == "gate" for running in loop.state.progress.open.values())
