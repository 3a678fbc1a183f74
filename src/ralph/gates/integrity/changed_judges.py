"""The judges that a change touched: for each gate, its inputs that a claim modified."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from ralph.agents.registry import instructions
from ralph.core.globs import matches
from ralph.core.policy import GatePolicy
from ralph.files import Stamp
from ralph.gates.command import command_line
from ralph.gates.judges import (
    content_hashes,
    made_by_tools,
    named_files,
    named_in,
    stamps,
    touched_inputs,
)
from ralph.git.repo import printable
from ralph.git.trees import Change
from ralph.git.uncommitted_changes import Entry

SYMLINK = "120000"


def touched_by_gate(
    gates: Sequence[GatePolicy],
    base_files: Iterable[Entry],
    changes: Sequence[Change],
    *,
    folder: str,
    root: str,
) -> dict[str, tuple[str, ...]]:
    """gate -> its inputs that are not as they were at the start. New tests are no reason for doubt."""
    known = [path for _, _, path in base_files]
    touched = {}
    for gate in gates:
        find = _reviewers_own if gate.kind.runs_agent else touched_inputs
        if found := find(known, changes, gate.run, gate.inputs, folder=folder, root=root):
            touched[gate.name] = tuple(printable(path) for path in found)
    return touched


def _reviewers_own(
    known: Sequence[str],
    changes: Sequence[Change],
    command: str,
    extra: Sequence[str],
    *,
    folder: str,
    root: str,
) -> list[str]:
    """What was changed by which someone could tell a reviewer what to say: its program, and what agents read as
    instructions. Tests are no such thing: it is shown the change."""
    paths = [change.path for change in changes]
    named = named_in(command, (*known, *paths), folder=folder, root=root)
    patterns = (*named.patterns, *instructions())
    return sorted(path for path in paths if path in named.paths or matches(path, patterns))


class Unrecorded:
    """The gates' inputs that no snapshot holds, because git ignores them or they are outside the repository."""

    def __init__(self, gates: Sequence[GatePolicy], *, folder: str, root: str) -> None:
        self._gates = gates
        self._folder = folder
        self._root = root

    def now(self, base_files: Iterable[Entry], ignored: Sequence[str]) -> dict[str, dict[str, str]]:
        """gate -> file -> what it holds. `ignored` are candidates for the gates' `inputs:`."""
        recorded = _recorded(base_files)
        found = {}
        for gate in self._gates:
            places = self._places(gate)
            if not gate.hermetic:
                more = (path for path in ignored if matches(path, gate.inputs))
                places |= {printable(path): Path(self._root, path) for path in more}
            content = content_hashes((name, path) for name, path in places.items() if name not in recorded)
            if content:
                found[gate.name] = content
        return found

    def rewritten(
        self,
        before: Mapping[str, Mapping[str, str]],
        outputs: Collection[str],
        base_files: Iterable[Entry],
        changes: Iterable[Change],
    ) -> dict[str, tuple[str, ...]]:
        """gate -> files that are gone or not as they were `before`, and such as are new. What the gates themselves
        write (`outputs`) is no input of theirs."""
        recorded = _recorded(base_files) | {printable(change.path) for change in changes}
        found = {}
        for gate in self._gates:
            places, then = self._places(gate), before.get(gate.name, {})
            now = content_hashes((name, places.get(name, Path(self._root, name))) for name in then)
            direct = self._places(gate, folders=False).items()
            fresh = content_hashes(
                (name, path) for name, path in direct if name not in then and name not in recorded
            )
            differs = {name for name in then if now.get(name) != then[name]}
            differs |= {name for name, content in fresh.items() if not made_by_tools(name, content)}
            if differs := differs - set(outputs):
                found[gate.name] = tuple(sorted(differs))
        return found

    def stamps(self) -> dict[str, Stamp]:
        """The inodes of all that the gates name: what differs after a gate's run, the gate has written."""
        places = {name: path for gate in self._gates for name, path in self._places(gate).items()}
        return stamps(places)

    def _places(self, gate: GatePolicy, *, folders: bool = True) -> dict[str, Path]:
        places = named_files(
            command_line(gate),
            () if gate.hermetic else gate.inputs,
            root=self._root,
            folder=self._folder,
            leads_out=gate.hermetic,
            folders=folders,
        )
        if not gate.kind.runs_agent:
            return places
        # An agent that is installed somewhere may renew itself; one that lives in the workspace may not be rewritten.
        return {name: path for name, path in places.items() if path.is_relative_to(self._root)}


def _recorded(files: Iterable[Entry]) -> set[str]:
    """The files whose content the tree holds. A link's content may be anywhere."""
    return {printable(path) for mode, _, path in files if mode != SYMLINK}
