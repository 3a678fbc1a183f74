"""The one event loop of a run: its loops side by side in one process, and beside them whatever else is under way."""

from __future__ import annotations

import select
import time
from functools import partial

from ralph.core.loop.decide import Land, RunGate, lands_first
from ralph.core.loop.decide import Operation as Wanted
from ralph.core.loop.state import LoopState
from ralph.runner.loop_runner import LoopRunner, register
from ralph.runner.operations import RunningOperation
from ralph.runner.requests import Control

LONGEST = 3600.0  # seconds asleep: poll takes no endless time


class LoopPool:
    """What loops share is had in turn: gates, and the way to the target."""

    def __init__(self, control: Control, beside: list[RunningOperation], gates_at_once: int) -> None:
        """`beside`: what else is under way; who begins something puts it there, and it is taken out once it is done."""
        self.loops: list[LoopRunner] = []
        self._beside = beside
        self._control = control
        self._gates_at_once = gates_at_once
        self._train: list[LoopRunner] = []  # who wants to land, in the order of coming

    def turn(self, due: float = float("inf")) -> None:
        """What people ask, what the core wants, what happened. `due`: when to come back though nothing did."""
        heard = self._control.deliver()
        for loop in list(self.loops):
            loop.contained(partial(loop.reconcile, partial(self._admits, loop)))
        if self._dismiss() or (not self.loops and heard):
            return  # someone else may begin now, or no one any more
        if all(loop.waits() for loop in self.loops):
            self._await(due)
            for loop in list(self.loops):
                loop.contained(loop.advance)
            self._dismiss()
        for one in list(self._beside):
            one.advance()
            if one.done():
                self._beside.remove(one)
                one.conclude()

    def kill(self) -> None:
        for loop in self.loops:
            loop.kill()
        for one in self._beside:
            one.kill()

    def _admits(self, loop: LoopRunner, op: Wanted) -> bool:
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
        # A claim that was rejected, or that landed, or whose loop is paused, leaves the way to the next.
        self._train = [loop for loop in self._train if loop in self.loops and _wants_to_land(loop.state)]
        return len(self.loops) < before

    def _await(self, due: float) -> None:
        """Until something can be read, written, is due, or someone calls."""
        poll = select.poll()
        for fd in self._control.reads():
            poll.register(fd, select.POLLIN)
        wakes = [loop.register(poll) for loop in self.loops] + [register(one, poll) for one in self._beside]
        seconds = min(due, *wakes, time.monotonic() + LONGEST) - time.monotonic()
        poll.poll(max(0.0, seconds) * 1000 + 0.5)


def _wants_to_land(s: LoopState) -> bool:
    return s.judgement.claim is not None and s.landing.landed is None and s.people.pause is None


def _gates(loop: LoopRunner) -> int:
    return sum(running.what == "gate" for running in loop.state.progress.open.values())
