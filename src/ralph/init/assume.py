"""What `ralph run` takes for granted where there is no ralph.yml: the same agent and gates that `ralph init` would write.

Nothing is run and nothing is written: the loop's own run of the gates on the starting tree measures them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.init import agents
from ralph.init.detect import Detected, detect
from ralph.init.place import Machine
from ralph.init.presets import DEFAULT, preset
from ralph.init.render import Gate, comment, ralph_yml


class Assumed(msgspec.Struct, frozen=True):
    text: str  # a ralph.yml
    said: tuple[str, ...]  # for the user, a line each


def assumed(
    folder: Path, *, agent: bool, gates: bool, root: Path | None = None, machine: Machine | None = None
) -> Assumed:
    """`agent`, `gates`: which of the two to look for; the command line has said the other. `root`: of the repository."""
    machine = machine or Machine()
    found = next(iter(agents.on_path(machine)), None) if agent else None
    detected = detect(folder, root, machine) if gates else Detected()
    said: list[str] = []
    if agent:
        said.append(f"agent {found.name} (on PATH)" if found else "no agent: none of the known is on PATH")
    if gates:
        said += [f"gate {gate.name}: `{comment(gate.run)}` ({comment(gate.why)})" for gate in detected.gates]
        if not detected.gates:
            said.append("no gate: nothing here says how to test it, so nothing will be proven")
    said = [f"no ralph.yml: {said[0]}", *said[1:]] if said else []
    written = tuple(Gate(gate.name, gate.run, (gate.why,), may_write=("**",)) for gate in detected.gates)
    return Assumed(ralph_yml(preset(DEFAULT), found, written), tuple(said))
