"""One iteration: prompt in, an agent process, its last words, the tree it leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ralph.agents.adapter import Reader
from ralph.core import facts as f
from ralph.core.loop.decide import RunAgent
from ralph.processes.capture import Line
from ralph.processes.owned_process import OwnedProcess
from ralph.runner.operations import ProcessOperation

Close = Callable[["IterationOperation"], list[f.AnyFact]]


class IterationOperation(ProcessOperation):
    def __init__(
        self,
        op: RunAgent,
        owned: OwnedProcess,
        *,
        reader: Reader,
        grace: float,
        idle_limit: float,
        transcript: Path,
        tree_moved: Callable[[], bool],
        show: Callable[[Line], None],
        close: Close,
    ) -> None:
        super().__init__(op.id, owned, grace, self._heard)
        self.op = op
        self.reader = reader
        self.transcript = transcript
        self._show = show
        self._close = close
        self._usage = f.Usage()
        self._idle_limit = idle_limit
        self._tree_moved = tree_moved
        self._heard_at = time.monotonic()

    def _idle(self, now: float) -> float:
        """A silent agent may still be writing files; the tree is looked at only when it would be called idle. Before its
        first word it can only wait for its model: some agents use CPU time for that."""
        idle = super()._idle(now)
        if self.reader.words().waiting:
            idle = max(idle, now - self._heard_at)
        if idle >= self._idle_limit > 0 and self._tree_moved():
            self._active_at = self._heard_at = now
            return 0.0
        return idle

    def _heard(self, line: Line) -> None:
        self._heard_at = time.monotonic()
        if line.stream == "out":
            self.reader.feed(line.text)
        self._show(line)

    def advance(self) -> list[f.Tick | f.Metered]:
        felt = super().advance()
        usage = self.reader.words().usage
        if usage != self._usage:
            self._usage = usage
            felt.append(f.Metered(op=self.id, usage=usage))
        return felt

    def conclude(self) -> list[f.AnyFact]:
        return self._close(self)
