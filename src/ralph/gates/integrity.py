"""Did the change touch what judges it? Names the gate inputs that a claim modified, for each gate."""

from __future__ import annotations

from collections.abc import Sequence

from ralph.core.policy import GatePolicy
from ralph.workspace import Change, gate_inputs, judging_files, printable, touched_inputs


def touched_by_gate(
    gates: Sequence[GatePolicy],
    base_files: Sequence[tuple[str, str, str]],
    changes: Sequence[Change],
    *,
    folder: str,
    root: str,
) -> dict[str, tuple[str, ...]]:
    """gate -> its inputs that are not as they were at the start. New tests are no reason for doubt."""
    touched: dict[str, tuple[str, ...]] = {}
    for gate in gates:
        inputs = gate_inputs(base_files, gate.run, gate.inputs, folder=folder, root=root)
        found = touched_inputs(inputs, changes, gate.run, gate.inputs, folder=folder, root=root)
        if found:
            touched[gate.name] = tuple(printable(path) for path in found)
    return touched


def hidden_by_gate(
    gates: Sequence[GatePolicy],
    base_files: Sequence[tuple[str, str, str]],
    ignored: Sequence[str],
    *,
    folder: str,
    root: str,
) -> dict[str, tuple[str, ...]]:
    """gate -> files that judge the work and that new ignore rules keep out of the snapshot."""
    hidden: dict[str, tuple[str, ...]] = {}
    for gate in gates:
        inputs = gate_inputs(base_files, gate.run, gate.inputs, folder=folder, root=root)
        found = judging_files(inputs, ignored, gate.run, gate.inputs, folder=folder, root=root)
        if found:
            hidden[gate.name] = tuple(printable(path) for path in found)
    return hidden
