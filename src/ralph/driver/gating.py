"""A gate under way: a command or a reviewer of the orchestrator's on a recorded tree. What it writes is undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ralph.agents.adapter import Reader
from ralph.core import facts as f
from ralph.core.decide import RunGate
from ralph.core.policy import GatePolicy
from ralph.driver.operation import ProcessOperation
from ralph.driver.processes import Line, Owned

Close = Callable[["Gating"], list[f.AnyFact]]


class Gating(ProcessOperation):
    def __init__(
        self,
        op: RunGate,
        owned: Owned,
        *,
        gate: GatePolicy,
        grace: float,
        transcript: Path,
        before: str,
        swap: tuple[str, ...],
        checkout: Path | None,
        reader: Reader | None,
        show: Callable[[Line], None],
        close: Close,
    ) -> None:
        super().__init__(op.id, owned, grace, self._heard)
        self.op = op
        self.gate = gate
        self.transcript = transcript
        self.before = before  # the tree as the gate found it
        self.swap = swap  # paths that hold their original content meanwhile
        self.checkout = checkout  # a clean checkout of its own, when hermetic
        self.reader = reader  # of what a reviewer says
        self._show = show
        self._close = close
        self._usage = f.Usage()

    def _heard(self, line: Line) -> None:
        if self.reader and line.stream == "out":
            self.reader.feed(line.text)
        self._show(line)

    def advance(self) -> list[f.Tick | f.Metered]:
        felt = super().advance()
        usage = self.reader.words().usage if self.reader else self._usage
        if usage != self._usage:
            self._usage = usage
            felt.append(f.Metered(op=self.id, usage=usage))
        return felt

    def timed_out(self, seconds: float) -> str:
        if self.cause == "gate-time":
            return "hard"
        return "soft" if seconds > self.gate.soft_timeout else ""

    def conclude(self) -> list[f.AnyFact]:
        return self._close(self)
