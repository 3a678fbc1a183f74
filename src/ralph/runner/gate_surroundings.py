"""What surrounds the gates of a loop: fingerprints of it are kept at the start and compared at a claim, and a gate in a clean
checkout gets surroundings of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.core.loop.state import LoopState
from ralph.gates.kinds import as_run
from ralph.git.repo import slots_dir
from ralph.git.trees import Change
from ralph.runner.loop_context import LoopContext, environment

if TYPE_CHECKING:
    from ralph.gates.fingerprints import Fingerprints


# beside a checkout
_AROUND, _BYTECODE = "around", "bytecode"


def keep_fingerprints(b: LoopContext, s: LoopState) -> str:
    """Of all that acts on the loop's gates; "" when there is no gate to act on."""
    from ralph.gates.fingerprints import dump

    found = _take(b, s)
    return b.run.store.put(dump(found)) if found.places else ""


def keep_home_entries(b: LoopContext) -> str:
    """The names that HOME holds. An empty one is kept too."""
    from ralph.gates.surroundings import home_entries, home_of

    return b.run.store.put(msgspec.json.encode(home_entries(home_of(os.environ))).decode())


def keep_again(b: LoopContext, s: LoopState, *, made_anew: bool, elsewhere: bool = False) -> tuple[str, str]:
    """Fingerprints and names in HOME for a loop that goes on; "": those that it has. Before the first iteration whatever
    is there now is the start: a person may have brought what a gate lacked. `elsewhere`: another machine has others, which
    is no one's doing."""
    if not s.workspace.fingerprints:  # no gates, or a journal of an older Ralph
        return "", ""
    if elsewhere or not s.progress.serial:
        return keep_fingerprints(b, s), keep_home_entries(b)
    return (_keep_rebased(b, s) if made_anew else ""), ""


def _keep_rebased(b: LoopContext, s: LoopState) -> str:
    """The same, where the workspace was made anew: the shared folders in it are other files by now."""
    from ralph.gates.fingerprints import dump, load, rebased

    return b.run.store.put(dump(rebased(load(b.run.store.get(s.workspace.fingerprints)), _take(b, s))))


def tampered_inputs(
    b: LoopContext, s: LoopState, tree: str, changes: Sequence[Change]
) -> Mapping[str, tuple[str, ...]]:
    """gate -> what acts on it, is in no snapshot and is not as it was at the start."""
    if not s.workspace.fingerprints:  # no gates, or a journal of an older Ralph
        return {}
    from ralph.gates.fingerprints import compare, load, names_of, take_again

    before = load(b.run.store.get(s.workspace.fingerprints))
    base = s.workspace.base_tree
    recorded = {path for _, _, path in b.snapshots.files(base)} | {change.path for change in changes}
    found = compare(
        before, take_again(before), recorded=recorded, packages=_newly_locked(b, base, tree, changes)
    )
    # An activated environment of the folder is in PATH with its absolute path: a clean checkout uses that one.
    activated = [os.path.dirname(p) for p in os.environ.get("PATH", "").split(os.pathsep)]  # noqa: PTH120
    inside = [place for place in activated if place.startswith(f"{before.root}/")]
    return {gate: names_of(files, before.root, absolute=inside) for gate, files in found.items()}


def gate_surroundings(b: LoopContext, s: LoopState, slot: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Variables of a gate that runs in a clean checkout; `slot` is the folder around that."""
    from ralph.gates.surroundings import home_entries, home_of, in_sandbox, surroundings

    if s.identity.policy.sandbox.kind != "none":
        return in_sandbox(slot / _AROUND, env=env, bytecode=slot / _BYTECODE)
    home, kept = home_of(env), s.workspace.home_entries
    entries = msgspec.json.decode(b.run.store.get(kept), type=list[str]) if kept else home_entries(home)
    return surroundings(home, entries, slot / _AROUND, env=env, bytecode=slot / _BYTECODE)


def clear_surroundings(s: LoopState, root: Path, *, start: bool) -> None:
    """After a gate ran in the checkout at `root`. `start`: on the starting tree. OSError when something cannot be removed."""
    from ralph.gates.surroundings import clear, keep_bytecode

    slot = root.parent
    if start:
        keep_bytecode(slot / _AROUND, slot / _BYTECODE, root, s.identity.policy.share)
    clear(slot / _AROUND)


def _take(b: LoopContext, s: LoopState) -> Fingerprints:
    from ralph.gates.fingerprints import take  # not before the first agent of a loop without gates
    from ralph.gates.surroundings import home_of

    env = environment(b, s, {})
    return take(
        as_run(s),
        root=s.identity.root,
        folder=s.identity.folder,
        share=s.identity.policy.share,
        env=env,
        home=home_of(env),
        above=str(slots_dir(b.run.home)),
    )


def _newly_locked(b: LoopContext, base: str, tree: str, changes: Sequence[Change]) -> frozenset[str]:
    """The packages that the change of a lock file names."""
    from ralph.gates.installed_packages import is_lock_file, named_in_change

    names = set[str]()
    for change in changes:
        if is_lock_file(change.path):
            then, now = (b.snapshots.read(t, change.path) or b"" for t in (base, tree))
            names |= named_in_change(
                change.path, then.decode("utf-8", "replace"), now.decode("utf-8", "replace")
            )
    return frozenset(names)
