"""Whatever Ralph undoes is first kept where `ralph recover` looks: in the user's repository, also if it was made in a
clone that will be cleaned for the next loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ralph.workspace import Repo, Saved, Snapshots, save

if TYPE_CHECKING:
    from ralph.workspace.slots import Workspace

Keep = Callable[[str, str], object]  # a tree, and why


def keep(
    home: Repo,
    workspace: Workspace | None,
    snapshots: Snapshots,
    tree: str,
    *,
    loop: str,
    reason: str,
    when: str,
) -> Saved:
    """Repeating it finds what is kept already."""
    if workspace is None or workspace.kind != "clone":  # objects and refs are the user's repository's
        return save(snapshots.repo, snapshots, tree, loop=loop, reason=reason, when=when)
    from ralph.workspace.recovery import keep_tree  # most loops work in place
    from ralph.workspace.slots import bring_home

    bring_home(home, workspace, tree)
    return keep_tree(home, tree, workspace.base, loop=loop, reason=reason, when=when)
