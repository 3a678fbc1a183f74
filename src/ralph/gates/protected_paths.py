"""Protected paths: what an iteration did to them is undone before anything judges its tree.

New files count too: a CI service runs what it finds. Repeating it changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ralph.core.globs import matches
from ralph.core.loop.state import LoopState
from ralph.fault_points import fault_point
from ralph.git.recovery import Keep
from ralph.git.snapshots import Snapshots


class Restored(msgspec.Struct, frozen=True):
    """The tree with the protected paths as they belong, and the paths in which that differs from what was there."""

    tree: str
    paths: tuple[str, ...] = ()


def plan(
    snapshots: Snapshots,
    *,
    before: str,
    tip: str,
    tree: str,
    protect: Sequence[str],
    allow: Sequence[str] = (),
    mine: Callable[[str], bool] = lambda path: True,
) -> Restored:
    """What `tree` should be. `before` is the tree in which the iteration began: what someone else had changed by then
    is not its doing; `mine` says who changed a path where someone may have been at work since. `tip` is where the
    originals come from; in place that is `before`, which holds the user's edits."""
    touched = [
        change.path
        for change in snapshots.diff(before, tree)
        if matches(change.path, protect) and not matches(change.path, allow) and mine(change.path)
    ]
    if not touched:
        return Restored(tree)
    mended = snapshots.overlay(tree, tip, touched)
    return Restored(mended, tuple(sorted(change.path for change in snapshots.diff(mended, tree))))


def restore(
    snapshots: Snapshots,
    *,
    before: str,
    tip: str,
    tree: str,
    protect: Sequence[str],
    allow: Sequence[str] = (),
    mine: Callable[[str], bool] = lambda path: True,
    keep: Callable[[], object],
) -> Restored:
    """Make the work tree, which is `tree`, as planned. `keep` is called before anything is lost, to save what is there."""
    wanted = plan(snapshots, before=before, tip=tip, tree=tree, protect=protect, allow=allow, mine=mine)
    if wanted.paths:
        keep()
        fault_point("protect.before", writes=True)
        snapshots.restore(wanted.tree, wanted.paths)
        fault_point("protect.after")
    return wanted


def undo_protected(
    snapshots: Snapshots, s: LoopState, tree: str, keep: Keep, mine: Callable[[str], bool] = lambda path: True
) -> Restored:
    """In place, the tree before the iteration has the user's own edits. In a separate workspace only agents work, and
    the target's files are the originals."""
    before = s.workspace.tree if s.identity.policy.workspace == "in-place" else s.workspace.base_tree
    return restore(
        snapshots,
        before=before,
        tip=before,
        tree=tree,
        protect=s.identity.policy.protect,
        allow=(*s.identity.policy.allow, *s.identity.task.allow),
        mine=mine,
        keep=lambda: keep(tree, "before undoing protected files"),
    )
