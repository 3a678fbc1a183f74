"""Looks at a claimed change before it is believed: what it did to its judges, in and out of sight, and whether it games them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ralph.core import facts as f
from ralph.core.loop.decide import InspectClaim
from ralph.core.loop.state import LoopState
from ralph.core.proof import GamingFinding
from ralph.gates.gaming.inspection import inspect_change
from ralph.gates.integrity.changed_judges import Touched, links_out, paths_of, touched_by_gate
from ralph.gates.integrity.references import Side, side_of
from ralph.gates.integrity.suppressions import new_suppressions, silenced_checkers
from ralph.gates.integrity.weakened_tests import by_path, find_weakening
from ralph.gates.judges import is_test
from ralph.gates.kinds import as_run
from ralph.git.hidden_from_git import marked, own_attributes
from ralph.git.ignored_files import newly_ignored
from ralph.git.repo import printable
from ralph.git.trees import Change
from ralph.runner.gate_surroundings import tampered_inputs
from ralph.runner.loop_context import LoopContext, unrecorded_of
from ralph.runner.operations import Stopwatch

MOST = 50  # paths of a kind that a fact names


def inspect_claim(b: LoopContext, op: InspectClaim, s: LoopState) -> f.ClaimInspected:
    watch, base = Stopwatch(), s.workspace.base_tree
    changes = b.snapshots.diff(base, op.tree)
    names = [change.path for change in changes]
    start, claim = (side_of(b.snapshots, tree, names) for tree in (base, op.tree))
    place = {"folder": s.identity.folder, "root": s.identity.root}
    touched = touched_by_gate(as_run(s), start, claim, changes, **place)
    rules = b.run.store.get(s.workspace.excludes) if s.workspace.excludes else ""
    ignored = newly_ignored(b.snapshots, base, rules, changes)
    # Files that judge the work and that new ignore rules keep out of the snapshot.
    unseen = touched_by_gate(as_run(s), start, claim, [Change(path, "A") for path in ignored], **place)
    hidden = _together(
        paths_of(unseen),
        unrecorded_of(s).rewritten(
            s.workspace.unrecorded_inputs, s.workspace.outputs, b.snapshots.files(base), changes
        ),
        tampered_inputs(b, s, op.tree, changes),
    )
    judging = {path for gate in s.gates if not s.in_checkout(gate) for path in hidden.get(gate.name, ())}
    games = inspect_change(
        start.read,
        claim.read,
        changes,
        tests=is_test,
        root=s.identity.root,
        home=os.environ.get("HOME", ""),
        paths=claim.paths,
    )
    suppressions = _suppressions(changes, start, claim)
    return f.ClaimInspected(
        tree=op.tree,
        changed=len(changes),
        touched=paths_of(touched),
        hidden=hidden,
        ignored=tuple(printable(path) for path in ignored if printable(path) not in judging)[:MOST],
        weakened=by_path(find_weakening(b.snapshots, base, op.tree, changes)),
        added=_added(touched),
        new_tests=_new_tests(changes, touched),
        findings=(
            *games.findings,
            *_silenced(s, suppressions),
            *_links(b, op.tree, changes),
            *_hidden_from_git(b, s, names),
        )[:MOST],
        suppressions=suppressions,
        unread=tuple(f"{printable(one.path)} ({one.why})" for one in games.skipped)[:MOST],
        seconds=watch.seconds(),
    )


def _together(*found: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """gate -> the paths that any of them names."""
    gates = dict.fromkeys(gate for one in found for gate in one)
    return {gate: tuple(sorted({path for one in found for path in one.get(gate, ())})) for gate in gates}


def _added(touched: Mapping[str, Sequence[Touched]]) -> dict[str, tuple[str, ...]]:
    """gate -> those that were not there at the start."""
    found = {gate: tuple(one.path for one in some if one.how == "added") for gate, some in touched.items()}
    return {gate: paths for gate, paths in found.items() if paths}


def _new_tests(changes: Sequence[Change], touched: Mapping[str, Sequence[Touched]]) -> tuple[str, ...]:
    """The tests of the change, with what came for them: put onto the starting code, the new ones must fail."""
    brought = {one.path for some in touched.values() for one in some if one.how == "added"}
    there = ((change, printable(change.path)) for change in changes if change.status != "D")
    return tuple(sorted(name for change, name in there if is_test(change.path) or name in brought))


def _links(b: LoopContext, tree: str, changes: Sequence[Change]) -> list[GamingFinding]:
    read = partial(b.snapshots.read, tree)  # a side reads files only
    text = "this link leads out of the tree, and git does not record what it leads to; copy what is needed"
    return [GamingFinding(printable(path), 1, "link-out", text) for path in links_out(changes, read)]


def _hidden_from_git(b: LoopContext, s: LoopState, paths: Sequence[str]) -> list[GamingFinding]:
    """In place a person commits the work, with their own git. Elsewhere the snapshot is what lands."""
    if b.workspace is not None:
        return []
    text = (
        "git takes this file for unchanged ({}), so that no commit would hold the change; take the mark off"
    )
    found = [
        GamingFinding(printable(path), 1, "hidden-from-git", text.format(mark))
        for path, mark in marked(b.repo, paths).items()
    ]
    then = b.run.store.get(s.workspace.attributes) if s.workspace.attributes else ""
    if own_attributes(b.repo) != then:
        text = (
            "these attributes are new and in no tree, and decide what git records; put them back as they were"
        )
        found.append(GamingFinding(".git/info/attributes", 1, "hidden-from-git", text))
    return found


def _suppressions(changes: Sequence[Change], start: Side, claim: Side) -> tuple[str, ...]:
    found: list[str] = []
    for change in changes:
        if change.status != "D" and len(found) < MOST:
            before = None if change.status == "A" else start.read(change.path)
            found += new_suppressions(before, claim.read(change.path), printable(change.path))
    return tuple(found[:MOST])


def _silenced(s: LoopState, suppressions: Sequence[str]) -> list[GamingFinding]:
    red = [gate for gate in as_run(s) if gate.hard and s.judgement.base.get(gate.name) is False]
    return silenced_checkers([f"{gate.name} {gate.run}" for gate in red], suppressions)
