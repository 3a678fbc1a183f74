"""What the core knows about a kind of gate: a name and traits. How a kind is run is in `ralph.gates`.

The traits of a kind that is not built in are recorded with the gate, so that a journal folds in the same way where
that kind is not installed.
"""

from __future__ import annotations

import msgspec


class GateKind(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kind either measures or gives an opinion. What measures is also asked about the starting tree and says green or
    red; a failure of a new kind is asked for again, and one that contradicts itself is flaky."""

    name: str
    asked_once: bool = False  # an opinion: PASS, FAIL or no verdict, which is asked for once more. Its verdict on a tree holds
    verdict_follows_patch: bool = False  # it holds after a merge which leaves the patch as it is
    runs_agent: bool = False  # it spends tokens, may have a quota, and could write notes or move refs

    @property
    def measures(self) -> bool:
        return not self.asked_once

    @property
    def noun(self) -> str:
        """What messages call a gate of this kind."""
        return "reviewer" if self.runs_agent else "gate"


COMMAND = GateKind("command")
REVIEWER = GateKind("reviewer", asked_once=True, verdict_follows_patch=True, runs_agent=True)
