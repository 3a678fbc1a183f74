"""The tree that the loop works on: the start, what iterations and others made of it. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.state import Workspace
from ralph.core.loop.step import Reducers, Step

COMMITS = 50  # of one branch that are remembered


def _resumed(step: Step, x: f.LoopResumed) -> Workspace:
    w = step.before.workspace
    w = replace(w, fingerprints=x.fingerprints) if x.fingerprints else w
    w = replace(w, home_entries=x.home_entries) if x.home_entries else w
    return w if step.before.judgement.ended is None else replace(w, restless=0)


def _moved(step: Step, x: f.LoopMoved) -> Workspace:
    """Judges outside the repository are those of the new machine: a difference between machines is no one's doing."""
    return replace(step.before.workspace, excludes=x.excludes, unrecorded_inputs=x.unrecorded_inputs)


def _prepared(step: Step, x: f.WorkspacePrepared) -> Workspace:
    return replace(
        step.before.workspace,
        prepared=True,
        base_tree=x.tree,
        tree=x.tree,
        base_commit=x.commit,
        branch=x.branch,
        recovery=x.recovery,
        excludes=x.excludes,
        attributes=x.attributes,
        left_out=x.left_out,
        unrecorded_inputs=x.unrecorded_inputs,
        fingerprints=x.fingerprints,
        home_entries=x.home_entries,
        unrecorded=frozenset(x.unrecorded),
    )


def _changed(step: Step, x: f.WorkspaceChanged) -> Workspace:
    w = step.before.workspace
    w = replace(w, tree=x.tree, edited_outside=x.paths, restless=w.restless + 1)
    # Before the first iteration nothing has begun yet: the new tree is the start.
    return replace(w, base_tree=x.tree) if not step.before.progress.serial else w


def _merged(step: Step, x: f.WorkspaceMerged) -> Workspace:
    w = step.before.workspace
    if step.before.judgement.claim is None and not step.before.landing.returned:
        return w
    return replace(w, base_tree=x.base_tree, base_commit=x.commit, tree=x.tree)


def _iteration_started(step: Step, x: f.IterationStarted) -> Workspace:
    return replace(step.before.workspace, restless=0)


def _iteration_ended(step: Step, x: f.IterationEnded) -> Workspace:
    w = step.before.workspace
    tree = x.tree or w.tree if x.how == "interrupted" else x.tree
    w = replace(w, tree=tree, commit=x.commit or w.commit, protected=x.protected)
    unread = () if step.outcome.lived else w.list_notes
    w = replace(w, unattributed=x.unattributed, list_notes=(*unread, *x.list_notes))
    if x.new_commits:
        made = {branch: (*found, *w.commits.get(branch, ())) for branch, found in x.new_commits.items()}
        w = replace(w, commits={**w.commits, **{branch: found[:COMMITS] for branch, found in made.items()}})
    return replace(w, edited_outside=()) if step.outcome.lived else w


def _gate_started(step: Step, x: f.GateStarted) -> Workspace:
    return replace(step.before.workspace, restless=0)


def _gate_ended(step: Step, x: f.GateEnded) -> Workspace:
    w = step.before.workspace
    return replace(w, outputs=w.outputs.union(x.outputs)) if x.outputs else w


def _board_changed(step: Step, x: f.BoardLooked | f.ItemGivenUp) -> Workspace:
    """People put items onto a board, and Ralph undoes a given-up item: neither is an edit behind anyone's back."""
    w = step.before.workspace
    return replace(w, tree=x.tree) if x.tree else w


REDUCERS: Reducers = {
    f.LoopResumed: _resumed,
    f.LoopMoved: _moved,
    f.WorkspacePrepared: _prepared,
    f.WorkspaceChanged: _changed,
    f.WorkspaceMerged: _merged,
    f.IterationStarted: _iteration_started,
    f.IterationEnded: _iteration_ended,
    f.GateStarted: _gate_started,
    f.GateEnded: _gate_ended,
    f.BoardLooked: _board_changed,
    f.ItemGivenUp: _board_changed,
}
