"""The driver's main loop: make what is under way equal to what the core wants, and tell the core what happened."""

from __future__ import annotations

import select
import time
from collections.abc import Callable

from ralph.core import facts as f
from ralph.core.decide import Continue, cutoff, decide, next_deadline
from ralph.core.decide import Operation as Wanted
from ralph.core.fold import fold
from ralph.core.state import LoopState
from ralph.driver.control import Control
from ralph.driver.operation import Operation, ProcessOperation
from ralph.journal.append import Journal

# Starting an operation gives facts to record and, unless it is over at once, the operation under way.
Start = Callable[[Wanted, LoopState], Operation | None]
Watch = Callable[[f.AnyFact, LoopState], None]


class Loop:
    """One loop under the driver's care. The state is always the fold of the journal (and of what is felt now)."""

    def __init__(
        self,
        state: LoopState,
        journal: Journal,
        control: Control,
        start: Start,
        watch: Watch,
        beat: Callable[[], None],
        pulse: Callable[[LoopState], float],
        without_secrets: Callable[[f.AnyFact], f.AnyFact],
    ) -> None:
        self.state = state
        self._journal = journal
        self._control = control
        self._start = start
        self._watch = watch
        self._beat = beat
        self._pulse = pulse
        self._without_secrets = without_secrets
        self._pulse_at = float("inf")
        self._running: dict[str, Operation] = {}

    def run(self) -> LoopState:
        while self.state.ended is None:
            self._control.deliver()
            wanted = decide(self.state)
            self._cut_unwanted({op.id for op in wanted})
            self._start_missing(wanted)
            if self._running:
                self._await()
                self._advance()
                self._pulse_at = time.monotonic() + self._pulse(self.state)
        return self.state

    def record(self, fact: f.AnyFact) -> None:
        """Into the journal, the state and every view, in this order."""
        fact = self._without_secrets(fact)
        self._journal.append(f.kind_of(fact), f.encode(fact), self.state.loop or getattr(fact, "loop", ""))
        self.state = fold(self.state, fact)
        self._watch(fact, self.state)

    def kill(self) -> None:
        for operation in self._running.values():
            operation.kill()

    def _cut_unwanted(self, wanted: set[str]) -> None:
        for id, operation in self._running.items():
            if id not in wanted:
                operation.cut(cutoff(self.state, id) or "stop")

    def _start_missing(self, wanted: tuple[Wanted, ...]) -> None:
        for op in wanted:
            if op.id in self._running or isinstance(op, Continue):
                continue
            operation = self._start(op, self.state)
            if operation is not None:
                self._running[op.id] = operation

    def _await(self) -> None:
        """Until something can be read, written, is due, or somebody calls."""
        poll = select.poll()
        for fd in self._control.reads():
            poll.register(fd, select.POLLIN)
        wake_at = self._pulse_at
        for operation in self._running.values():
            for fd in operation.reads():
                poll.register(fd, select.POLLIN)
            for fd in operation.writes():
                poll.register(fd, select.POLLOUT)
            if isinstance(operation, ProcessOperation):
                operation.look_again_after(next_deadline(self.state, operation.id))
            wake_at = min(wake_at, operation.wake_at())
        poll.poll(max(0.0, wake_at - time.monotonic()) * 1000 + 0.5)

    def _advance(self) -> None:
        for id, operation in list(self._running.items()):
            for felt in operation.advance():
                self.state = fold(self.state, felt)
                self._beat()
            if operation.done():
                del self._running[id]
                for fact in operation.conclude():
                    self.record(fact)
