"""Which gates are known to pass on a tree: by the journal, and by what the loops of this run have found out since."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.failures.test_counts import Counts
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy
from ralph.journal.record import IMPORTED, Record

_KINDS = ("loop.started", "workspace.prepared", "gate.ended")


class _Verdict(msgspec.Struct, frozen=True):
    loop: str
    gate: str
    seq: int
    clean: bool
    tests: Counts | None
    report: str


class _Asked(msgspec.Struct, frozen=True):
    folder: str
    gates: tuple[GatePolicy, ...]
    inputs: dict[str, dict[str, str]] = {}


class GateCache:
    """`records` are those of runs before, read when someone first asks; `note` takes what is recorded from here on."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        self._asked: dict[str, _Asked] = {}  # by loop
        self._verdicts: dict[str, list[_Verdict]] = {}  # tree -> what was said of it
        self._gates: tuple[GatePolicy, ...] = ()  # of the last loop: mostly everybody's

    def note(self, fact: f.AnyFact, loop: str, seq: int) -> None:
        match fact:
            case f.LoopStarted():
                if fact.policy.gates != self._gates:
                    self._gates = fact.policy.gates
                self._asked[loop] = _Asked(fact.folder, self._gates)
            case f.WorkspacePrepared() if loop in self._asked:
                self._asked[loop] = replace(self._asked[loop], inputs=fact.unrecorded_inputs)
            case f.GateEnded(variant="as-is", how="exited", hermetic=True):
                clean = fact.passed and not (fact.timed_out or fact.wrote or fact.known_red)
                said = _Verdict(loop, fact.gate, seq, clean, fact.tests, fact.report)
                self._verdicts.setdefault(fact.tree, []).append(said)

    def results(
        self, s: LoopState, tree: str, unrecorded: dict[str, dict[str, str]]
    ) -> tuple[f.BaseResult, ...]:
        """The gates of which a loop found out that they pass on this very tree: asked in the same way, in the same
        folder, with the same inputs. A failure is never taken over: red→green is only said of what was seen red."""
        records, self._records = self._records, ()
        for record in records:
            if record.kind in _KINDS and record.run != IMPORTED:
                self.note(f.decode(record.data), record.loop, record.seq)
        wanted = {gate.name: gate for gate in s.gates if gate.kind.measures}
        found: dict[str, list[_Verdict]] = {}
        for said in self._verdicts.get(tree, ()):
            before = self._asked.get(said.loop)
            if (
                before is not None
                and said.gate in wanted
                and wanted[said.gate] in before.gates
                and before.folder == s.identity.folder
                and before.inputs.get(said.gate) == unrecorded.get(said.gate)
            ):
                found.setdefault(said.gate, []).append(said)
        last = {
            gate: max(said, key=lambda v: v.seq)
            for gate, said in found.items()
            if all(verdict.clean for verdict in said)
        }
        return tuple(
            f.BaseResult(
                gate=gate,
                passed=True,
                evidence=f"journal seq {verdict.seq}",
                tests=verdict.tests,
                report=verdict.report,
            )
            for gate, verdict in last.items()
        )
