"""What an iteration did to protected paths is undone as soon as it has ended, so that nothing ever judges it."""

from __future__ import annotations

from collections.abc import Callable

from ralph.core.state import LoopState
from ralph.driver.keeping import Keep
from ralph.gates.protect import Restored, restore
from ralph.workspace import Snapshots


def undo_protected(
    snapshots: Snapshots, s: LoopState, tree: str, keep: Keep, mine: Callable[[str], bool] = lambda path: True
) -> Restored:
    """In place, the tree before the iteration has the user's own edits. In a workspace of its own only agents work, and
    the target's files are the originals."""
    before = s.tree if s.policy.workspace == "in-place" else s.base_tree
    return restore(
        snapshots,
        before=before,
        tip=before,
        tree=tree,
        protect=s.policy.protect,
        allow=(*s.policy.allow, *s.task.allow),
        mine=mine,
        keep=lambda: keep(tree, "before undoing protected files"),
    )
