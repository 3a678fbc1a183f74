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


def restore(
    snapshots: Snapshots,
    *,
    before: str,
    tree: str,
    protect: Sequence[str],
    allow: Sequence[str] = (),
    keep: Callable[[], object],
) -> Restored:
    """Give the protected paths of the work tree, which is `tree`, back what they were `before` the iteration: what someone
    else had changed by then is not its doing. `keep` is called before anything is lost, to save what is there."""
    touched = _touched(snapshots, before, tree, protect, allow)
    if not touched:
        return Restored(tree)
    wanted = snapshots.overlay(tree, before, touched)
    paths = tuple(sorted(change.path for change in snapshots.diff(wanted, tree)))
    if paths:
        keep()
        fault_point("protect.before", writes=True)
        snapshots.restore(wanted, paths)
        fault_point("protect.after")
    return Restored(wanted, paths)


def _touched(
    snapshots: Snapshots, before: str, tree: str, protect: Sequence[str], allow: Sequence[str]
) -> list[str]:
    return [
        change.path
        for change in snapshots.diff(before, tree)
        if matches(change.path, protect) and not matches(change.path, allow)
    ]


def unattributed(snapshots: Snapshots, s: LoopState, tree: str) -> tuple[str, ...]:
    """Protected paths of the user's own folder that differ after a death: the agent may have changed them, or a person
    since. No clock decides that: they stay, and are named."""
    allow = (*s.identity.policy.allow, *s.identity.task.allow)
    return tuple(sorted(_touched(snapshots, s.workspace.tree, tree, s.identity.policy.protect, allow)))


def undo_protected(snapshots: Snapshots, s: LoopState, tree: str, keep: Keep) -> Restored:
    """In place, the tree before the iteration has the user's own edits. In a separate workspace only agents work, and
    the target's files are the originals."""
    return restore(
        snapshots,
        before=s.workspace.tree if s.identity.policy.workspace == "in-place" else s.workspace.base_tree,
        tree=tree,
        protect=s.identity.policy.protect,
        allow=(*s.identity.policy.allow, *s.identity.task.allow),
        keep=lambda: keep(tree, "before undoing protected files"),
    )
