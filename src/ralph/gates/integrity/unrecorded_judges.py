"""The judges that no snapshot holds, because git ignores them or they are outside the repository."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from ralph.core.globs import matches
from ralph.core.policy import GatePolicy
from ralph.files import Stamp
from ralph.gates.command import command_line
from ralph.gates.judges import content_hashes, made_by_tools, named_files, stamps
from ralph.git.repo import printable
from ralph.git.trees import Change
from ralph.git.uncommitted_changes import Entry

SYMLINK = "120000"


class Unrecorded:
    """The gates' inputs that no snapshot holds, because git ignores them or they are outside the repository."""

    def __init__(self, gates: Sequence[GatePolicy], *, folder: str, root: str) -> None:
        self._gates = gates
        self._folder = folder
        self._root = root

    def now(self, base_files: Iterable[Entry], ignored: Sequence[str]) -> dict[str, dict[str, str]]:
        """gate -> file -> what it holds. `ignored` are candidates for the gates' `judges:`."""
        recorded = _recorded(base_files)
        found = {}
        for gate in self._gates:
            places = self._places(gate)
            more = (path for path in ignored if matches(path, _positive(gate)))
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
        command, root, folder = command_line(gate), self._root, self._folder
        places = named_files(command, _positive(gate), root=root, folder=folder, folders=folders)
        if gate.hermetic:
            # From its checkout, absolute paths lead here; relative ones only where it is judged in the folder.
            places |= named_files(command, root=root, folder=folder, leads_out=True, folders=folders)
            places |= {
                printable(str(real)): real for path in [*places.values()] if (real := self._led_out(path))
            }
        if not gate.kind.runs_agent:
            return places
        # An agent that is installed somewhere may renew itself; one that lives in the workspace may not be rewritten.
        return {name: path for name, path in places.items() if path.is_relative_to(self._root)}

    def _led_out(self, path: Path) -> Path | None:
        """Where a link in the tree leads to, when that is outside of it: a checkout has the same link."""
        real = path.resolve()
        top = Path(self._root).resolve()
        return real if path.is_relative_to(self._root) and not real.is_relative_to(top) else None


def _recorded(files: Iterable[Entry]) -> set[str]:
    """The files whose content the tree holds. A link's content may be anywhere."""
    return {printable(path) for mode, _, path in files if mode != SYMLINK}


def _positive(gate: GatePolicy) -> tuple[str, ...]:
    """The patterns that name judges, without those that name work."""
    return tuple(pattern for pattern in gate.judges if not pattern.startswith("!"))
